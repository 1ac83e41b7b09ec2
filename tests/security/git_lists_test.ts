/**
 * Commands of git in a list: what one part may do to a repository is not undone after another one, which may do less.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

const FILES = { "a.txt": "a\n" };

for (
  const command of [
    "git submodule add -q ./lib sub && git commit -q -m sub",
    "(git submodule add -q ./lib sub); git commit -q -m sub; git status",
    "git commit -q --allow-empty -m first && git submodule add -q ./lib sub && git commit -q -m sub",
  ]
) {
  Deno.test({
    name: `a submodule stays one after: ${command}`,
    ignore: !hasBubblewrap(),
    async fn() {
      await using at = await guarded([command], { repository: true, files: FILES });
      await at.git("init", "-q", "lib");
      const identity = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b.c",
        "-c",
        "commit.gpgSign=false",
      ];
      await at.git("-C", "lib", ...identity, "commit", "-q", "--allow-empty", "-m", "lib");
      await at.git("config", "--global", "protocol.file.allow", "always");
      await at.git("remote", "add", "origin", at.place.dir);
      await at.run(["-A"]);
      assert.doesNotMatch(at.results()[0]!, /set-aside/);
      assert.match(await at.git("submodule", "status"), /^ \S+ sub /);
      assert.match(await at.git("-C", "sub", "log", "--oneline"), /lib/);
      assert.match(await at.git("log", "--oneline"), /sub/);
    },
  });
}

Deno.test({
  name: "settings of a working tree that a part of a list makes stay",
  ignore: !hasBubblewrap(),
  async fn() {
    const command = "git sparse-checkout set src && git commit -q --allow-empty -m sparse";
    await using at = await guarded([command], { repository: true, files: FILES });
    for (const name of ["src", "other"]) {
      await Deno.mkdir(join(at.place.dir, name));
      await at.place.write(`${name}/a.txt`, "a\n");
    }
    await at.git("add", "-A");
    await at.git("commit", "-q", "-m", "files");
    await at.run(["-A"]);
    assert.doesNotMatch(at.results()[0]!, /set-aside/);
    assert.match(await at.git("sparse-checkout", "list"), /src/);
    assert.match(await at.git("log", "--oneline"), /sparse/);
    await assert.rejects(Deno.lstat(join(at.place.dir, "other")));
  },
});
