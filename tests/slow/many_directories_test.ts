/**
 * More directories than are searched for repositories, made by one command: what it hides among them is set aside.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

const plant = (count: number) =>
  `mkdir -p zz/.git/objects zz/.git/refs; echo 'ref: refs/heads/main' >zz/.git/HEAD; ` +
  `seq ${count} | sed 's/^/d/' | xargs mkdir; mkdir -p d1/in; cp -r zz/.git d1/in`;

Deno.test({
  name: "a repository among 51,000 new directories is set aside",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded([plant(51_000)]);
    await at.run(["-A"]);
    const [result] = at.results();
    for (const path of ["zz", "d1/in"]) {
      assert.match(result!, new RegExp(`${path}/\\.git-set-aside`));
      await Deno.lstat(join(at.place.dir, path, ".git-set-aside"));
    }
    assert.doesNotMatch(result!, /not looked at/);
  },
});
