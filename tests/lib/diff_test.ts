import assert from "node:assert/strict";
import { countChangedLines, unifiedDiff } from "../../src/lib/diff.ts";

Deno.test("unifiedDiff() shows three lines of context under two header lines", async () => {
  const lines = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
  const before = `${lines.join("\n")}\n`;
  const diff = await unifiedDiff(before, before.replace("5", "five"), { path: "n.txt" });
  assert.equal(
    diff,
    "--- a/n.txt\n+++ b/n.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
  );
});

Deno.test("unifiedDiff() names /dev/null for a created and a deleted file", async () => {
  assert.equal(
    await unifiedDiff(null, "a\n", { path: "x" }),
    "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
  );
  assert.equal(
    await unifiedDiff("a\n", null, { path: "x" }),
    "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
  );
});

Deno.test("unifiedDiff() says where the final newline is missing, and is empty without change", async () => {
  assert.match(
    await unifiedDiff("a", "b\n", { path: "x" }),
    /-a\n\\ No newline at end of file\n\+b/,
  );
  assert.equal(await unifiedDiff("a", "a", { path: "x" }), "");
});

Deno.test("unifiedDiff() gives up the shortest difference in time, and still tells the whole", async () => {
  const numbers = (factor: number) =>
    Array.from({ length: 40_000 }, (_, index) => `${(index * factor) % 1_000_003}`).join("\n");
  const before = `same\n${numbers(7919)}\n`;
  const after = `same\n${numbers(104_729)}\n`;
  // One block: the shortest difference would keep lines that both have.
  assert.deepEqual(await countChangedLines(before, after), { added: 39_999, removed: 39_999 });
});

Deno.test("countChangedLines() counts added and removed lines", async () => {
  assert.deepEqual(await countChangedLines("a\nb\nc\n", "a\nx\ny\nc\n"), { added: 2, removed: 1 });
  assert.deepEqual(await countChangedLines("", "a\nb"), { added: 2, removed: 0 });
  assert.deepEqual(await countChangedLines("--a\n", ""), { added: 0, removed: 1 });
});
