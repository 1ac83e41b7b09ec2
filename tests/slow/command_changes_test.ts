/** What commands changed is known exactly: thousands of random changes, and more events than the kernel holds. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { ObjectStore } from "../../src/workspace/objects.ts";
import { Snapshots } from "../../src/workspace/snapshots.ts";
import { TEST_SEED } from "../support/random.ts";
import { checkRandomCommands } from "../support/tracked_commands.ts";

for (const by of ["watch", "lossy", "scan"] as const) {
  Deno.test(`what thousands of random changes (${TEST_SEED}) did is known exactly by ${by}`, async () => {
    for (let round = 0; round < 4; round++) {
      const seed = TEST_SEED * 100 + round;
      await checkRandomCommands({ seed, commands: 40, confined: round % 2 === 0, by });
    }
  });
}

Deno.test("where the kernel's queue of events overflows nothing is missed", async () => {
  const place = await Deno.makeTempDir({ prefix: "ally-test-" });
  const root = join(place, "work");
  for (let at = 0; at < 20; at++) fs.mkdirSync(join(root, `d${at}`), { recursive: true });
  const options = {
    directory: join(place, "snapshots"),
    path: Deno.env.get("PATH") ?? "",
    roots: { all: [root] },
  };
  const snapshots = new Snapshots({
    ...options,
    objects: new ObjectStore(options),
    notice: (text) => assert.fail(text),
    readPatches: () => Promise.resolve([]),
  });
  try {
    assert.ok(await snapshots.begin(new AbortController().signal));
    // Nothing can be read from the queue meanwhile.
    for (let at = 0; at < 20_000; at++) {
      const path = join(root, `d${at % 20}`, `f${at % 100}`);
      fs.writeFileSync(path, String(at));
      if (at % 50 === 49) fs.rmSync(path);
    }
    const files = (await snapshots.end({ confined: true, words: "" })).map(({ path }) => path);
    const there = [...Deno.readDirSync(root)].flatMap(({ name }) =>
      [...Deno.readDirSync(join(root, name))].map((entry) => join(root, name, entry.name))
    );
    assert.ok(there.length > 0);
    assert.deepEqual(files.toSorted(), there.toSorted());
  } finally {
    snapshots.close();
    await Deno.remove(place, { recursive: true });
  }
});
