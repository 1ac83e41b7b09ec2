import assert from "node:assert/strict";
import { excerptErrors } from "../../src/tools/error_excerpt.ts";

const numbered = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);

Deno.test("of a failed command the first error and the end are shown, and what is left out is counted", () => {
  const lines = [...numbered(20, "step"), "src/a.ts: error: no such name", "  at line 3"]
    .concat(numbered(30, "after"), ["2 tests failed"]);
  assert.deepEqual(excerptErrors(lines, 8), [
    "… +20 lines",
    "src/a.ts: error: no such name",
    "  at line 3",
    "after 1",
    "… +27 lines",
    "after 29",
    "after 30",
    "2 tests failed",
  ]);
});

Deno.test("without an error before its end a failed command shows its end", () => {
  const lines = [...numbered(20, "step"), "0 errors", "Error: it broke"];
  const shown = excerptErrors(lines, 5);
  assert.deepEqual(shown, ["… +18 lines", "step 19", "step 20", "0 errors", "Error: it broke"]);
  assert.deepEqual(excerptErrors(lines.slice(0, 4), 5), lines.slice(0, 4));
});
