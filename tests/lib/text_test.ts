import assert from "node:assert/strict";
import { boundWords } from "../../src/lib/excerpt.ts";
import {
  cutEnd,
  formatBytes,
  formatDuration,
  formatMoney,
  formatShortDuration,
  jsonLine,
  takeEnd,
} from "../../src/lib/text.ts";

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

Deno.test("a figure that is rounded up to the next unit is told in it", () => {
  assert.deepEqual([999, 1000, 999_940, 999_950, 1_000_000, 999_999_999].map(formatBytes), [
    "999 B",
    "1.0 KB",
    "999.9 KB",
    "1.0 MB",
    "1.0 MB",
    "1.0 GB",
  ]);
  assert.deepEqual([9_940, 9_950, 59_400, 59_500, 119_600].map(formatDuration), [
    "9.9s",
    "10s",
    "59s",
    "1m 00s",
    "2m 00s",
  ]);
  assert.deepEqual([999, 999.6].map(formatShortDuration), ["999 ms", "1.0s"]);
});

Deno.test("money is shown with three digits below one, and never with an exponent", () => {
  const shown = [0, 9.5e-7, 0.00512, 0.9999, 1, 12.345].map(formatMoney);
  assert.deepEqual(shown, ["0", "0.000000950", "0.00512", "1.00", "1.00", "12.35"]);
});

Deno.test("takeEnd() takes the last characters and cuts none in two", () => {
  assert.deepEqual(["abc", "a\u{1f600}b", "\u{1f600}b", ""].map((text) => takeEnd(text, 2)), [
    "bc",
    "b",
    "b",
    "",
  ]);
  assert.equal(takeEnd("a\u{1f600}b", 3), "\u{1f600}b");
});

Deno.test("jsonLine() writes no half of a character, which many programs refuse to read", () => {
  assert.equal(
    jsonLine({ a: ["\ud83d", "\u{1f600}\ude00"] }),
    '{"a":["\ufffd","\u{1f600}\ufffd"]}',
  );
  assert.equal(jsonLine({ a: "\\ud83d" }), '{"a":"\\\\ud83d"}');
});
