/**
 * Words of a command with the user's keys that name a file or a variable by which its program would obey what commands
 * may have written: it gets no keys, though everything is allowed.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { type Guarded, hasBubblewrap } from "../support/sandbox.ts";
import { stolen, withThief } from "../support/thief.ts";

/** Commands, and what is told of those that do not get the keys; but for git and ssh each program is named. */
const ATTEMPTS: readonly (readonly [command: string, told: RegExp])[] = [
  ["SSLKEYLOGFILE=./k git fetch -q", /did not get the user's keys.*the variable SSLKEYLOGFILE/],
  ["export NETRC=./n && git fetch -q", /did not get the user's keys.*the variable NETRC/],
  ["env GNUTLS_X=. git fetch -q", /did not get the user's keys.*the variable GNUTLS_X/],
  ["GH_CONFIG_DIR=./x gh pr list", /did not get the user's keys.*the variable GH_CONFIG_DIR/],
  ["ssh -F ./config host", /did not get the user's keys.*ssh -F \.\/config/],
  ["ssh -o ProxyCommand=./tool.sh host", /did not get the user's keys.*ssh -o ProxyCommand/],
  ["scp -S ./tool.sh a.txt host:", /did not get the user's keys.*scp -S \.\/tool/],
  ["kubectl --kubeconfig ./config get pods", /did not get the user's keys.*--kubeconfig/],
  ["a=host; read a <<< '-F ./config'; ssh $a x", /did not get the user's keys.*ssh \$/],
  ["ssh {-F,./config} host", /did not get the user's keys.*ssh \{-F,\.\/config\}/],
  ["a=NETRC=./n; env $a git fetch -q", /did not get the user's keys.*the variable/],
  ["read HOME <<< $PWD/x; git fetch -q", /did not get the user's keys|exited with code/],
  ["A\\\n=b git fetch -q", /did not get the user's keys.*the variable A/],
  ["let y=($(git fetch -q))", /exited with code/],
  ["/usr/bin/env X=1 git fetch -q", /did not get the user's keys.*the variable X/],
  ["ssh -R 9:/run/agent.sock host", /did not get the user's keys.*ssh -R 9:\/run/],
  ["./kubectl get pods", /did not get the user's keys.*\.\/kubectl/],
  ["timeout 5 ./ssh host", /did not get the user's keys.*\.\/ssh/],
  ["gh repo clone o/r -- --template=x", /did not get the user's keys.*settings of git/],
  ["glab repo clone o/r -- --template=x", /did not get the user's keys.*settings of git/],
  ["gh issue create -t x -wFlink", /did not get the user's keys.*-wFlink/],
  ["gh gist create $PWD/link", /did not get the user's keys.*link/],
  ["git fetch -q --stdin < $PWD/link", /did not get the user's keys.*link/],
  ["gh release create v1 link#label", /did not get the user's keys.*link#label/],
  ["(cd d1; gh gist create id)", /did not get the user's keys.*gh id/],
  ["helm template r two", /did not get the user's keys.*helm two/],
  ["aws ec2 describe-instances --filters file://link", /did not get the user's keys.*link/],
  ["scp -- -i link host:", /did not get the user's keys.*scp link/],
  ["aws s3 cp file://~/.ssh/id_test s3://x", /did not get the user's keys.*~\/\.ssh/],
];

for (const [command, told] of ATTEMPTS) {
  Deno.test({
    name: `a command gets no keys by which it would obey others: ${command}`,
    ignore: !hasBubblewrap(),
    async fn() {
      await using at = await withThief([command]);
      await Deno.mkdir(join(at.place.dir, "x"));
      const key = join(at.place.env.HOME!, ".ssh", "id_test");
      for (const path of ["d1", "real", "two"]) await Deno.mkdir(join(at.place.dir, path));
      for (const path of ["link", "d1/id", "real/id"]) {
        await Deno.symlink(key, join(at.place.dir, path));
      }
      await Deno.symlink("../real", join(at.place.dir, "two", "sub"));
      await at.place.write("x/.gitconfig", "[core]\n\tsshCommand = ./tool.sh\n");
      await at.place.write("config", `Host *\n\tProxyCommand ${join(at.place.dir, "tool.sh")}\n`);
      const named = /\b(?:gh|glab|scp|kubectl|helm|aws)\b/.exec(command);
      await at.run(["-A", ...named ? [`--allow-run=${named[0]}`] : []]);
      assert.match(at.results()[0]!, told);
      assert.doesNotMatch(await stolen(at), /plover/);
    },
  });
}

Deno.test({
  name: "what has keys runs as it was understood, though everything is allowed",
  ignore: !hasBubblewrap(),
  async fn() {
    const commands = [
      "git fetch -q origin ma{in,in}; echo {a,b}",
      "git fetch -q `echo origin`",
      "x=a; git fetch -q origin main && echo ${x/a/b}",
    ];
    await using at = await withThief(commands);
    await at.run(["-A"]);
    const [braces, quoted, replaced] = at.results();
    assert.match(braces!, /a b\n/);
    assert.doesNotMatch(braces! + replaced!, /"success":false|did not get/);
    assert.match(quoted!, /exited with code/);
  },
});

Deno.test({
  name: "words that only the shell reads take no keys from git in a list",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await withThief([
      "false; git fetch -q; echo $?; git fetch -q",
      "git fetch -q || exit $?; wc -l < a.txt",
      'false || exit "$?"; git fetch -q',
      '[[ -n "$NO_SUCH" ]] || git fetch -q',
      "until git fetch -q; do sleep ${N:-1}; done",
    ]);
    await at.run(["-A"]);
    const results = at.results();
    assert.match(results.splice(2, 1)[0]!, /exited with code 1"/);
    for (const result of results) assert.doesNotMatch(result, /"success":false|did not get/);
    assert.deepEqual(results.slice(0, 2), ["0\n", "1\n"]);
  },
});

Deno.test({
  name: "variables that say nothing to programs take no keys from git",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await withThief([
      "LANG=C HUSKY=0 git fetch -q",
      "b=main; git fetch -q origin $b",
      "B=$(git branch --show-current) && git push -q origin HEAD:$B-2",
    ]);
    await at.run(["-A"]);
    for (const result of at.results()) assert.doesNotMatch(result, /"success":false|did not get/);
  },
});

Deno.test({
  name: "where commands may write what the user's settings of ssh name, git and ssh have no keys",
  ignore: !hasBubblewrap(),
  async fn() {
    const told = /did not get the user's keys.*~\/\.ssh\/config/;
    const kept = /\(no output\)/;
    for (
      const [config, extra, wanted] of [
        ["", "Host x\n", told],
        ["Include @DIR@/ssh.conf\n", "", told],
        ["Include config.d/*\n", "Include @DIR@/ssh.conf\n", told],
        ["Host x\n  ProxyCommand=@DIR@/tool.sh %h\n", "", told],
        ['Match host x exec "test -e @DIR@/a"\n', "", told],
        [
          "Host x\n  IdentityFile ~/.ssh/id_work\n  ProxyJump y\nInclude config.d/*\n",
          "# @DIR@",
          kept,
        ],
      ] as const
    ) {
      await using at = await withThief(["git fetch -q", "ssh x.invalid true"]);
      const write = (name: string, text: string) =>
        Deno.writeTextFile(name, text.replace("@DIR@", at.place.dir));
      const keys = join(at.place.env.HOME!, ".ssh");
      await Deno.mkdir(join(keys, "config.d"));
      if (config === "") {
        await write(join(at.place.dir, "ssh.conf"), extra);
        await Deno.symlink(join(at.place.dir, "ssh.conf"), join(keys, "config"));
      } else {
        await write(join(keys, "config"), config);
        await write(join(keys, "config.d", "more"), extra);
      }
      await at.run(["-A"]);
      const [git, ssh] = at.results();
      assert.match(git!, wanted, config);
      if (wanted === told) assert.match(ssh!, told);
      else assert.doesNotMatch(ssh!, /did not get/);
    }
  },
});

Deno.test({
  name: "a program that a link in PATH takes from the workspace has no keys",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await withThief(["ssh host"]);
    const env = await withPrograms(at, []);
    await Deno.symlink(join(at.place.dir, "tool.sh"), join(at.place.env.HOME!, "bin", "ssh"));
    await at.run(["-A"], { env });
    assert.match(at.results()[0]!, /did not get the user's keys.*: ssh\./);
    assert.equal(await stolen(at), "ran\n");
  },
});

/** Programs that log in with keys, or start others that do. */
const KEYED_PROGRAMS = [
  ...["scp", "sftp", "ssh-agent", "ssh-copy-id", "ssh-add", "autossh", "sshpass", "sshfs", "rsync"],
  ...[
    "gh",
    "glab",
    "tea",
    "hub",
    "docker",
    "podman",
    "kubectl",
    "oc",
    "helm",
    "terraform",
    "ansible",
  ],
  ...["aws", "gcloud", "az", "fly", "heroku", "rclone", "lftp", "psql", "mysql", "op", "gpg"],
];

Deno.test({
  name: "of what nobody named only git and ssh have keys, though everything is allowed",
  ignore: !hasBubblewrap(),
  async fn() {
    const commands = [
      ...KEYED_PROGRAMS.map((program) => `${program} list`),
      ...["echo host | xargs ssh", "find a.txt -exec ssh {} ';'", "timeout 5 gh pr list"],
    ];
    await using at = await withThief(commands);
    const env = await withPrograms(at, [...KEYED_PROGRAMS, "ssh"]);
    await at.run(["-A"], { env });
    assert.equal(await stolen(at), "ran\n".repeat(commands.length));
  },
});

Deno.test({
  name: "what is named has keys, also under -A",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await withThief(["terraform plan", "ssh host"]);
    const env = await withPrograms(at, ["terraform", "ssh"]);
    await at.run(["-A", "--allow-run=terraform"], { env });
    assert.match(await stolen(at), /^(?:plover.*\n){2}$/);
  },
});

Deno.test({
  name: "what nobody named says by which flag it has keys",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await withThief(["gh pr list", "echo > b.txt && docker ps"]);
    const env = await withPrograms(at, ["gh", "docker"]);
    const done = await at.run(["-A"], { env });
    assert.equal(done.code, 3);
    const [gh, docker] = at.results();
    assert.match(
      gh!,
      /nobody named its program, so that it had none of the user's keys.*--allow-run=gh/,
    );
    assert.match(docker!, /--allow-run=docker/);
  },
});

/** The environment with programs of the user's that do as a file of the workspace says, and ask for a login. */
async function withPrograms(at: Guarded, names: readonly string[]) {
  const bin = join(at.place.env.HOME!, "bin");
  for (const name of names) {
    await writeProgram(join(bin, name), "#!/bin/sh\n./tool.sh\necho please log in\nexit 1\n");
  }
  return { PATH: `${bin}:${at.place.env.PATH}` };
}
