/**
 * What a terminal has taken into its history is found again in a text, however either is broken into rows.
 */
import assert from "node:assert/strict";
import { keepRows, omitShown } from "../../src/ui/kept_rows.ts";

Deno.test("keepRows() keeps lines whole but for the one that the cursor is in", () => {
  const lines = ["abcdefgh", "ijklmnop"];
  const columns = 3;
  const keep = (hidden: number, cursorRow: number) =>
    keepRows(lines, { columns, hidden, cursorRow });
  assert.deepEqual(keep(0, 5), { kept: [], count: 0 });
  assert.deepEqual(keep(1, 5), { kept: ["abcdefgh"], count: 3 });
  assert.deepEqual(keep(1, 2), { kept: ["abc"], count: 1 });
  assert.deepEqual(keep(5, 5), { kept: ["abcdefgh", "ijklmn"], count: 5 });
});

Deno.test("omitShown() leaves out what kept lines show, wherever the text is broken now", () => {
  const kept = ["› one two three", "  four"];
  assert.deepEqual(omitShown(["› one two", "  three four", "  five"], kept), {
    rest: ["  five"],
    lines: 2,
    cells: 0,
  });
  assert.deepEqual(omitShown(["\x1b[1m›\x1b[22m one", "  two three four five", "  six"], kept), {
    rest: ["  five", "  six"],
    lines: 1,
    cells: 15,
  });
  assert.deepEqual(omitShown(["› one 2 three four"], kept).rest, ["› one 2 three four"]);
  assert.deepEqual(omitShown(["› one two three 4"], kept).rest, ["4"]);
  assert.deepEqual(omitShown(["› one two three four"], kept).rest, []);
  assert.deepEqual(omitShown(["a \x1b[1mbold word\x1b[22m"], ["a bold"]).rest, [
    "\x1b[1mword\x1b[22m",
  ]);
});
