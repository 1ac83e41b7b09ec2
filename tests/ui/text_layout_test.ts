import assert from "node:assert/strict";
import { cursorAt, layoutText, offsetAt } from "../../src/ui/text_layout.ts";
import { cellWidth } from "../../src/ui/wrap.ts";
import { randomNumbers, TEST_SEED, testCount } from "../support/random.ts";

const WORDS = [
  "a",
  "of ",
  "words",
  " ",
  "  ",
  "\n",
  "longerword",
  "日本",
  "👩‍🚀",
  "e\u0301",
  "\t",
  "x-",
];
const options = (columns: number) => ({ columns, labelOf: () => "[paste 1: 40 lines]" });
const shown = (text: string, columns: number) =>
  layoutText(text, options(columns)).map((row) => row.shown);

Deno.test("rows break behind blanks, beside wide characters, and within words that are too long", () => {
  assert.deepEqual(shown("one two three", 8), ["one two", "three"]);
  assert.deepEqual(shown("one two three", 7), ["one two", "three"]);
  assert.deepEqual(shown("onetwothree", 4), ["onet", "woth", "ree"]);
  assert.deepEqual(shown("a onetwothree", 5), ["a", "onetw", "othre", "e"]);
  assert.deepEqual(shown("日本語の文", 5), ["日本", "語の", "文"]);
  assert.deepEqual(shown("ab日本", 5), ["ab日", "本"]);
  assert.deepEqual(shown("a\n\nb", 5), ["a", "", "b"]);
  assert.deepEqual(shown("a \u{100000} b", 40), ["a [paste 1: 40 lines] b"]);
  assert.deepEqual(shown("a \u{100000} b", 9), ["a", "[paste 1…", "b"]);
  assert.deepEqual(shown("", 5), [""]);
});

Deno.test(`every offset has one place, within the width (seed ${TEST_SEED})`, () => {
  const next = randomNumbers(TEST_SEED);
  for (let round = 0; round < testCount(200); round++) {
    const some = next() < 0.5 ? WORDS.slice(0, 7) : WORDS;
    const text = Array.from(
      { length: 1 + Math.floor(next() * 20) },
      () => some[Math.floor(next() * some.length)],
    ).join("");
    const columns = 4 + Math.floor(next() * 12);
    const rows = layoutText(text, options(columns));
    const places = new Set<string>();
    let at = 0;
    for (const [index, row] of rows.entries()) {
      assert.ok(cellWidth(row.shown) <= columns, JSON.stringify({ text, columns }));
      assert.ok(row.from === at || text[at] === "\n" && row.from === at + 1);
      at = row.to;
      for (const [offset, column] of row.stops()) {
        const place = { row: index, column };
        assert.deepEqual(cursorAt(rows, offset), place, JSON.stringify({ text, columns, offset }));
        assert.equal(offsetAt(rows, place), offset);
        places.add(JSON.stringify(place));
      }
    }
    assert.equal(at, text.length);
    const characters = [...new Intl.Segmenter().segment(text)].length;
    assert.equal(places.size, characters + 1, JSON.stringify({ text, columns }));
  }
});
