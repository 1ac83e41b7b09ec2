/**
 * Words of a command with the user's keys that name a file or a variable by which its program would obey what commands
 * may have written: it gets no keys, though everything is allowed.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { type Guarded, hasBubblewrap } from "../support/sandbox.ts";
import { stolen, withThief } from "../support/thief.ts";

for (
  const [command, told] of [
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
    ["sshpass -p x ./tool.sh", /did not get the user's keys.*sshpass -p x \.\/tool/],
    ["ssh-agent ./tool.sh", /did not get the user's keys.*ssh-agent \.\/tool/],
    ["psql -c '\\! ./tool.sh'", /did not get the user's keys.*psql -c/],
    ["mysql -e 'system ./tool.sh'", /did not get the user's keys.*mysql -e/],
    ["lftp -e '!./tool.sh'", /did not get the user's keys.*lftp -e/],
    ["ansible -c local -i localhost, -a ./tool.sh all", /did not get the user's keys.*ansible/],
    ["op run -- ./tool.sh", /did not get the user's keys.*op run/],
    ["autossh -M 0 -F ./config host", /did not get the user's keys.*autossh/],
    ["sshfs -o ssh_command=./tool.sh host: x", /did not get the user's keys.*sshfs/],
    ["gpg --photo-viewer ./tool.sh -k x", /did not get the user's keys.*--photo-viewer/],
    ["ssh -R 9:/run/agent.sock host", /did not get the user's keys.*ssh -R 9:\/run/],
    ["rclone ls \":sftp,host=h,ssh='./tool.sh':\"", /did not get the user's keys.*rclone/],
    ["podman --runtime ./tool.sh run a", /did not get the user's keys.*podman/],
    ["./kubectl get pods", /did not get the user's keys.*\.\/kubectl/],
    ["timeout 5 ./ssh host", /did not get the user's keys.*\.\/ssh/],
    ["gh repo clone o/r -- --template=x", /did not get the user's keys.*settings of git/],
    ["gh issue create -t x -wFlink", /did not get the user's keys.*-wFlink/],
    ["gh gist create $PWD/link", /did not get the user's keys.*link/],
    ["git fetch -q --stdin < $PWD/link", /did not get the user's keys.*link/],
    ["gh release create v1 link#label", /did not get the user's keys.*link#label/],
    ["(cd d1; gh gist create id)", /did not get the user's keys.*gh id/],
    ["helm template r two", /did not get the user's keys.*helm two/],
    ["aws ec2 describe-instances --filters file://link", /did not get the user's keys.*link/],
    ["scp -- -i link host:", /did not get the user's keys.*scp link/],
    ["xargs kubectl get < words", /did not get the user's keys.*kubectl get/],
    ["kubectl --server http://127.0.0.1 get pods", /did not get the user's keys.*--server/],
    ["aws s3 cp file://~/.ssh/id_test s3://x", /did not get the user's keys.*~\/\.ssh/],
  ] as const
) {
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
      await at.place.write("words", "--kubeconfig=./config\n");
      await at.place.write("x/.gitconfig", "[core]\n\tsshCommand = ./tool.sh\n");
      await at.place.write("config", `Host *\n\tProxyCommand ${join(at.place.dir, "tool.sh")}\n`);
      await at.run(["-A"]);
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
  name: "commands that sftp reads from elsewhere see no keys",
  ignore: !hasBubblewrap(),
  async fn() {
    const commands = [
      "echo '!./tool.sh' | sftp host",
      "sftp host < cmds",
      "sftp host <<< '!./tool.sh'",
    ];
    await using at = await withThief(commands);
    await at.place.write("cmds", "!./tool.sh\n");
    const env = await withProgram(at, "sftp", "sed 's/^!//' | sh");
    await at.run(["-A"], { env });
    assert.match(await stolen(at), /^(?:ran\n){3}$/);
  },
});

Deno.test({
  name: "what runs by files of a project has keys only where its name is allowed",
  ignore: !hasBubblewrap(),
  async fn() {
    const unnamed = [["-A"], /^ran\n$/] as const;
    const named = [["-A", "--allow-run=terraform"], /^plover/] as const;
    for (const [flags, wanted] of [unnamed, named]) {
      await using at = await withThief(["terraform plan"]);
      const env = await withProgram(at, "terraform", "./tool.sh; true");
      await at.run(flags, { env });
      assert.match(await stolen(at), wanted);
      assert.equal(/did not get the user's keys/.test(at.results()[0]!), flags.length === 1);
    }
  },
});

/** The environment with a program of the user's, a script for sh. */
async function withProgram(at: Guarded, name: string, script: string) {
  const bin = join(at.place.env.HOME!, "bin");
  await writeProgram(join(bin, name), `#!/bin/sh\n${script}\n`);
  return { PATH: `${bin}:${at.place.env.PATH}` };
}
