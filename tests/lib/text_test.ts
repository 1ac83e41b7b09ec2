import assert from "node:assert/strict";
import { boundWords, cutEnd } from "../../src/lib/text.ts";

Deno.test("a text is cut between characters, never within one", () => {
  assert.deepEqual([1, 2, 3, 4, 5].map((max) => cutEnd("a😀b😀", max)), [
    "…",
    "a…",
    "a…",
    "a😀…",
    "a😀b…",
  ]);
  assert.equal(cutEnd("a😀b😀", 6), "a😀b😀");
  for (const lead of ["", "a"]) {
    assert.ok(boundWords(lead + "😀".repeat(500)).isWellFormed());
  }
});
