/**
 * Words of a command with the user's keys that name a file or a variable by which its program would obey what commands
 * may have written: it gets no keys, though everything is allowed.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { hasBubblewrap } from "../support/sandbox.ts";
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
  ] as const
) {
  Deno.test({
    name: `a command gets no keys by which it would obey others: ${command}`,
    ignore: !hasBubblewrap(),
    async fn() {
      await using at = await withThief([command]);
      await Deno.mkdir(join(at.place.dir, "x"));
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
