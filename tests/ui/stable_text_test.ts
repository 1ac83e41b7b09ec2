/**
 * Rows of an unfinished block that are handed out before it ends, against the same text drawn at once.
 */
import assert from "node:assert/strict";
import { plainCode } from "../../src/ui/highlight.ts";
import { loadLexer, MarkdownStream } from "../../src/ui/markdown.ts";
import { omitWritten } from "../../src/ui/stable_text.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { randomNumbers, TEST_SEED, testCount } from "../support/random.ts";

const lexer = await loadLexer();

/** Parts of Markdown, which say the same however they are put together. */
const PARTS = [
  "some words ",
  "and more of them ",
  "\n",
  "\n\n",
  "**bold** ",
  "**",
  "*",
  "_em_ ",
  "`code` ",
  "`",
  "[a link](https://example.com/x) ",
  "[",
  "~~gone~~ ",
  "<b>",
  "2 * 3 ",
  "\n- item ",
  "\n  - nested ",
  "\n1. first ",
  "\n> quoted ",
  "\n## heading\n",
  "\n| a | b |\n|---|---|\n| c | d |\n",
  "\n```ts\nconst a = 1;\n```\n",
  "日本語のテキストは長い",
  "中文",
  "\\*",
  "&amp; ",
  "👩‍🚀 ",
];

function openStream({ columns = 40, depth = "256" as "256" | "none" } = {}) {
  const size = { columns };
  const stream = new MarkdownStream({
    theme: createTheme({ depth }),
    lexer,
    highlight: () => plainCode,
    columns: () => size.columns,
  });
  return { stream, size };
}

Deno.test(`what is handed out of an unfinished block is what stands there in the end (seed ${TEST_SEED})`, () => {
  const next = randomNumbers(TEST_SEED);
  const upTo = (most: number) => Math.floor(next() * most);
  for (let round = 0; round < testCount(150); round++) {
    const depth = next() < 0.5 ? "256" : "none";
    const columns = 20 + upTo(60);
    const text = Array.from({ length: 1 + upTo(40) }, () => PARTS[upTo(PARTS.length)]).join("");
    const whole = openStream({ columns, depth }).stream;
    const wanted = [...whole.push(text), ...whole.end()];
    const { stream } = openStream({ columns, depth });
    const rows: string[] = [];
    for (let at = 0, length = 0; at < text.length; at += length) {
      length = 1 + upTo(12);
      rows.push(...stream.push(text.slice(at, at + length)));
      if (next() < 0.7) {
        rows.push(...stream.settle());
        assert.ok(stream.begun === "" || stream.partial(3)[0]?.startsWith(stream.begun), text);
      }
    }
    rows.push(...stream.end());
    const characters = (lines: readonly string[]) =>
      // deno-lint-ignore no-control-regex
      lines.join("").replace(/\x1b\[[\d;]*m|[^\p{L}\p{N}\x1b]/gu, "");
    assert.equal(characters(rows), characters(wanted), JSON.stringify(text));
  }
});

Deno.test("of rows broken elsewhere what stands already is left out, and nothing else", () => {
  const written = ["one two (three)", "four, "];
  assert.deepEqual(omitWritten(["one two (three)", "four, five"], written), ["five"]);
  assert.deepEqual(omitWritten(["one", "two (three) four, (five)", "six"], written), [
    "(five)",
    "six",
  ]);
  assert.deepEqual(omitWritten(["one two (three) four,"], written), []);
});

Deno.test("a row that was begun at another width is ended, and what follows stands below it", () => {
  const { stream, size } = openStream({ columns: 30, depth: "none" });
  assert.deepEqual(stream.push("some words that fill a row and then some mo"), []);
  assert.deepEqual(stream.settle(), ["some words that fill a row and"]);
  assert.equal(stream.begun, "then some");
  size.columns = 12;
  const rows = [...stream.push("re of them"), ...stream.settle()];
  assert.equal([...rows, ...stream.end()].join(" "), "then some more of them");
});

Deno.test("an item without words is ended by the code behind it", () => {
  const { stream } = openStream({ depth: "none" });
  stream.push("- item\n*\n`");
  stream.settle();
  assert.equal(stream.begun, "• ");
  assert.deepEqual(stream.push("``ts\n"), ["• "]);
  assert.equal(stream.begun, "");
  assert.deepEqual(stream.push("const a = 1;\n"), ["  const a = 1;"]);
});
