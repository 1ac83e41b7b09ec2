import assert from "node:assert/strict";
import { findMovedLines } from "../../src/workspace/moved_lines.ts";

function moved(before: string | null, after: string | null, already?: [number, number]) {
  const span = already && { first: already[0], last: already[1] };
  const result = findMovedLines({ before, after }, span);
  return result && [result.first, result.last];
}

Deno.test("movedBy() holds all lines from an insertion or a deletion on to be moved", () => {
  assert.deepEqual(moved("1\n2\n3\n", "1\nx\n2\n3\n"), [2, Infinity]);
  assert.deepEqual(moved("1\n2\n3\n", "1\n3\n"), [2, Infinity]);
});

Deno.test("movedBy() holds lines beside a replaced one to be where they were", () => {
  assert.equal(moved("1\n2\n3\n", "1\nx\n3\n"), undefined);
  assert.equal(moved("1\n2\n3", "1\n2\n3\n"), undefined);
});

Deno.test("movedBy() holds what lies between two changes to be uncertain", () => {
  assert.deepEqual(moved("1\n2\n3\n4\n5\n", "1\n3\n4\nx\n5\n"), [2, 4]);
});

Deno.test("movedBy() adds to what was moved already", () => {
  assert.deepEqual(moved("1\n2\n", "1\nx\n", [4, 6]), [4, 6]);
  assert.deepEqual(moved("1\n2\n3\n", "x\ny\n3\n", [4, 6]), [1, 6]);
  assert.deepEqual(moved("1\n2\n", "1\n2\n3\n", [1, 1]), [1, Infinity]);
});

Deno.test("movedBy() holds the lines of a new file to be known", () => {
  assert.equal(moved(null, "1\n", [1, 2]), undefined);
  assert.equal(moved("1\n", null, [1, 2]), undefined);
});
