import assert from "node:assert/strict";
import { join } from "node:path";
import { appendHistory, pruneHistory, readHistory } from "../../src/store/history.ts";

async function inDirectory(run: (path: string) => Promise<void>): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "ally-test-" });
  try {
    await run(join(root, "home", "history"));
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("lines come back as they were typed, the last thousand of them", () =>
  inDirectory(async (path) => {
    assert.deepEqual(await readHistory(path), []);
    await appendHistory(path, "two\nlines \u2028");
    assert.deepEqual(await readHistory(path), ["two\nlines \u2028"]);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    const many = Array.from({ length: 1500 }, (_, index) => `${JSON.stringify(`${index}`)}\n`);
    await Deno.writeTextFile(path, `${many.join("")}torn`, { append: true });
    const read = await readHistory(path);
    assert.equal(read.length, 1000);
    assert.equal(read.at(-1), "1499");
  }));

Deno.test("a history that is far too long is cut to its end, and loses no line that is added meanwhile", () =>
  inDirectory(async (path) => {
    await appendHistory(path, "first");
    await pruneHistory(path);
    assert.deepEqual(await readHistory(path), ["first"]);
    const long = `${JSON.stringify("x".repeat(20_000))}\n`.repeat(450);
    await Deno.writeTextFile(path, long, { append: true });
    const added = Array.from({ length: 20 }, (_, index) => `added ${index}`);
    await Promise.all([pruneHistory(path), ...added.map((line) => appendHistory(path, line))]);
    const read = await readHistory(path);
    assert.deepEqual(read.filter((line) => line.startsWith("added")).sort(), [...added].sort());
    assert.ok(!read.includes("first"));
    assert.ok((await Deno.stat(path)).size < 5_000_000);
  }));
