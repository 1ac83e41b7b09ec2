import assert from "node:assert/strict";
import { join } from "node:path";
import { readMaskKey } from "../../src/store/mask_key.ts";

async function inDirectory(run: (path: string) => Promise<void> | void): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await run(join(directory, "home", "mask.key"));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("readMaskKey() makes a key that only its owner can read, and gives the same one again", () =>
  inDirectory((path) => {
    const key = readMaskKey(path);
    assert.equal(key.length, 32);
    assert.deepEqual(readMaskKey(path), key);
    assert.equal(Deno.statSync(path).mode! & 0o777, 0o600);
    assert.deepEqual([...Deno.readDirSync(join(path, ".."))].map(({ name }) => name), ["mask.key"]);
  }));

Deno.test("readMaskKey() gives a key for this process where none can be kept", () =>
  inDirectory((path) => {
    Deno.writeTextFileSync(join(path, "..", "..", "file"), "");
    const key = readMaskKey(join(path, "..", "..", "file", "mask.key"));
    assert.equal(key.length, 32);
  }));
