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

Deno.test("lines come back as they were typed, with where, the last ten thousand of them", () =>
  inDirectory(async (path) => {
    assert.deepEqual(await readHistory(path), []);
    const entry = { text: "two\nlines \u2028", project: "/home/me/tool" };
    await appendHistory(path, entry);
    assert.deepEqual(await readHistory(path), [entry]);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    const many = Array.from({ length: 12_000 }, (_, at) => `{"text":"${at}","project":"/p"}\n`);
    await Deno.writeTextFile(path, `${many.join("")}torn`, { append: true });
    const read = await readHistory(path);
    assert.equal(read.length, 10_000);
    assert.deepEqual(read.at(-1), { text: "11999", project: "/p" });
  }));

Deno.test("lines of earlier versions, which noted no project, come back too, and nothing else", () =>
  inDirectory(async (path) => {
    await appendHistory(path, { text: "new" });
    const others = ['"old"', "7", "null", '{"text":1}', '{"text":"here","project":2}', "{"];
    await Deno.writeTextFile(path, `${others.join("\n")}\n`, { append: true });
    assert.deepEqual(await readHistory(path), [
      { text: "new" },
      { text: "old" },
      { text: "here" },
    ]);
  }));

Deno.test("a history that is far too long is cut to its end, and loses no line that is added meanwhile", () =>
  inDirectory(async (path) => {
    await appendHistory(path, { text: "first" });
    await pruneHistory(path);
    assert.deepEqual(await readHistory(path), [{ text: "first" }]);
    const long = `${JSON.stringify("x".repeat(20_000))}\n`.repeat(450);
    await Deno.writeTextFile(path, long, { append: true });
    const added = Array.from({ length: 20 }, (_, index) => `added ${index}`);
    await Promise.all([pruneHistory(path), ...added.map((text) => appendHistory(path, { text }))]);
    const read = (await readHistory(path)).map(({ text }) => text);
    assert.deepEqual(read.filter((line) => line.startsWith("added")).sort(), [...added].sort());
    assert.ok(!read.includes("first"));
    assert.ok((await Deno.stat(path)).size < 5_000_000);
  }));
