/**
 * Settings of git that say what people and their tools set every day, and those that do not.
 */
import assert from "node:assert/strict";
import { isOrdinary } from "../../src/sandbox/ordinary_settings.ts";

const ORDINARY: readonly (readonly [name: string, value: string])[] = [
  ["core.repositoryformatversion", "0"],
  ["core.hookspath", ".husky/_"],
  ["core.sshcommand", "ssh -i ~/.ssh/id_work -o IdentitiesOnly=yes"],
  ["core.sshcommand", `ssh -i "$HOME/.ssh/id_work" -p2222 -o 'BatchMode yes'`],
  ["core.sshcommand", "/usr/bin/ssh -4 -l git -oStrictHostKeyChecking=accept-new"],
  ["core.sshcommand", "ssh -i ~/.ssh/id_work -F /dev/null"],
  ["core.sshcommand", "ssh -F ~/.ssh/work"],
  [
    "core.sshcommand",
    `"/usr/bin/ssh" -i "/home/runner/work/_temp/0a" -o StrictHostKeyChecking=yes -o CheckHostIP=no -o "UserKnownHostsFile=/home/runner/work/_temp/0a_known_hosts"`,
  ],
  ["core.editor", "code --wait"],
  ["core.pager", "less -FRX"],
  ["credential.helper", ""],
  ["credential.helper", "store"],
  ["credential.helper", "/usr/lib/git-core/git-credential-libsecret"],
  ["credential.https://github.com.helper", "!/usr/bin/gh auth git-credential"],
  ["credential.https://dev.azure.com.usehttppath", "true"],
  ["filter.lfs.smudge", "git-lfs smudge -- %f"],
  ["filter.lfs.process", "git-lfs filter-process"],
  ["filter.git-crypt.smudge", '"git-crypt" smudge'],
  ["diff.git-crypt.textconv", '"git-crypt" diff'],
  ["merge.ours.driver", "true"],
  ["gpg.program", "/usr/bin/gpg2"],
  ["gpg.ssh.program", "/Applications/1Password.app/Contents/MacOS/op-ssh-sign"],
  ["http.https://github.com/.extraheader", "AUTHORIZATION: basic eA=="],
  ["http.postbuffer", "524288000"],
  ["http.sslverify", "true"],
  ["lfs.https://github.com/a/b.git/info/lfs.access", "basic"],
  ["remote.origin.url", "git@github.com:a/b.git"],
  ["remote.origin.url", "codecommit::eu-west-1://b"],
  ["remote.origin.gh-resolved", "base"],
  ["remote.origin.uploadpack", "git-upload-pack"],
  ["branch.main.remote", "origin"],
  ["branch.main.vscode-merge-base", "origin/main"],
  ["submodule.lib.update", "rebase"],
  ["url.git@github.com:.insteadof", "https://github.com/"],
  ["pull.rebase", "true"],
  ["commit.gpgsign", "true"],
  ["gitflow.prefix.feature", "feature/"],
  ["sendemail.to", "list@example.org"],
  ["alias.up", "pull --rebase"],
];

const STRANGE: readonly (readonly [name: string, value: string])[] = [
  ["core.sshcommand", "cp ~/.ssh/id k;#"],
  ["core.sshcommand", "ssh -F ./config"],
  ["core.sshcommand", "ssh -i ~/.ssh/id -o ProxyCommand=id"],
  ["core.sshcommand", "ssh -o 'ProxyCommand cp a b'"],
  ["core.sshcommand", "ssh -o IdentityAgent=./agent"],
  ["core.sshcommand", "ssh -I ./lib.so"],
  ["core.sshcommand", "ssh -S x"],
  ["core.sshcommand", "ssh $(id)"],
  ["core.sshcommand", "ssh\nid"],
  ["core.sshcommand", "ssh host id"],
  ["core.sshcommand", "X=1 ssh"],
  ["core.sshcommand", 'ssh -i "a'],
  ["core.askpass", "/usr/bin/id"],
  ["core.gitproxy", "nc"],
  ["core.editor", "sh"],
  ["core.whatisnew", "1"],
  ["credential.helper", "store --file k"],
  ["credential.helper", "cache --socket ./s"],
  ["credential.helper", "!gh auth git-credential; id"],
  ["credential.protectprotocol", "false"],
  ["credential.https://a.oauthtokenurl", "https://b"],
  ["filter.lfs.smudge", "git-lfs smudge -- %f; id"],
  ["filter.x.clean", "sed s/a/b/"],
  ["gpg.program", "id"],
  ["http.proxy", "http://127.0.0.1:1"],
  ["http.https://a/.proxy", "http://127.0.0.1:1"],
  ["http.sslverify", "false"],
  ["http.sslcainfo", "ca.pem"],
  ["http.cookiefile", "x"],
  ["http.curloptresolve", "github.com:443:127.0.0.1"],
  ["http.followredirects", "true"],
  ["lfs.customtransfer.x.path", "cp"],
  ["annex.web-download-command", "cp"],
  ["remote.origin.url", "ext::id"],
  ["remote.origin.proxy", "http://127.0.0.1:1"],
  ["remote.origin.vcs", "x"],
  ["remote.origin.uploadpack", "id"],
  ["submodule.lib.update", "!id"],
  ["url.ext::id .insteadof", "https:"],
  ["url.http://github.com/.insteadof", "https://github.com/"],
  ["fetch.fsck.skiplist", "~/.git-credentials"],
  ["hook.x.command", "id"],
  ["gc.recentobjectshook", "id"],
  ["init.templatedir", "t"],
  ["tar.x.command", "id"],
  ["alias.up", "!id"],
];

for (const [name, value] of ORDINARY) {
  Deno.test(`ordinary: ${name} = ${value}`, () => assert.ok(isOrdinary({ name, value })));
}

for (const [name, value] of STRANGE) {
  Deno.test(`strange: ${name} = ${JSON.stringify(value)}`, () =>
    assert.ok(!isOrdinary({ name, value })));
}
