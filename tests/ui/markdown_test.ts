import assert from "node:assert/strict";
import { loadHighlight, plainCode } from "../../src/ui/highlight.ts";
import { loadLexer, MarkdownStream } from "../../src/ui/markdown.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { cellWidth } from "../../src/ui/wrap.ts";

const lexer = await loadLexer();
const plain = createTheme({ depth: "none" });
const colour = createTheme({ depth: "truecolor" });

const SAMPLE = [
  "Intro with **bold**, *soft*, `code` and a [link](https://deno.com).",
  "Still the same paragraph.",
  "",
  "# One",
  "text right after",
  "## Two ##",
  "Setext",
  "------",
  "- a",
  "- b **x**",
  "  - nested",
  "",
  "    more of nested",
  "1. one",
  "2. two",
  "",
  "   ```ts",
  "   const a = 1;",
  "   ```",
  "",
  "> quoted",
  "> more",
  "",
  "| name | n |",
  "|------|--:|",
  "| 日本語 | 1 |",
  "| b | 22 |",
  "",
  "```ts",
  "const x = '```';",
  "",
  "# no heading",
  "~~~",
  "```",
  "",
  "~~~~",
  "open ``` fence",
  "~~~",
  "~~~~",
  "***",
  "    indented code",
  "",
  "- [x] done",
  "- [ ] open",
  "",
  "<div>html</div>",
  "",
  "Last 😀 line without an end",
].join("\n");

function render(
  pieces: Iterable<string>,
  { columns = 80, theme = plain, highlight = plainCode } = {},
): string[] {
  const stream = new MarkdownStream({
    theme,
    lexer,
    highlight: () => highlight,
    columns: () => columns,
  });
  const lines: string[] = [];
  for (const piece of pieces) {
    lines.push(...stream.push(piece));
    stream.partial(10);
  }
  return [...lines, ...stream.end()];
}

function* pieces(text: string, size: number): Iterable<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

Deno.test("the rendered text does not depend on the pieces it came in", () => {
  for (const text of [SAMPLE, SAMPLE.replaceAll("\n", "\r\n"), `${SAMPLE}\n\n`]) {
    for (const columns of [80, 40, 7]) {
      const whole = render([text], { columns });
      for (const size of [1, 2, 3, 7, 50]) {
        assert.deepEqual(render(pieces(text, size), { columns }), whole);
      }
    }
  }
});

Deno.test("no rendered line is wider than the screen", () => {
  for (const columns of [80, 40, 20]) {
    for (const line of render([SAMPLE], { columns, theme: colour })) {
      assert.ok(cellWidth(line) <= columns, `${cellWidth(line)} > ${columns}: ${line}`);
    }
  }
});

Deno.test("a width of one cell or none does not break rendering", () => {
  for (const columns of [1, 0, -3]) assert.ok(render([SAMPLE], { columns }).length > 0);
});

Deno.test("blocks are drawn with one empty line between them", () => {
  assert.deepEqual(render(["# Title\nSome *soft* text.\n\n\n\n- a\n- b\n"]), [
    "# Title",
    "",
    "Some soft text.",
    "",
    "• a",
    "• b",
  ]);
});

Deno.test("a paragraph stands as soon as an empty line ends it", () => {
  const stream = new MarkdownStream({
    theme: plain,
    lexer,
    highlight: () => plainCode,
    columns: () => 80,
  });
  assert.deepEqual(stream.push("one\ntwo\n"), []);
  assert.deepEqual(stream.partial(10), ["one two"]);
  assert.deepEqual(stream.push("\n"), ["one two"]);
  assert.deepEqual(stream.partial(10), []);
});

Deno.test("the unfinished block takes no more rows than it is given", () => {
  const stream = new MarkdownStream({
    theme: plain,
    lexer,
    highlight: () => plainCode,
    columns: () => 10,
  });
  stream.push("word ".repeat(100));
  assert.equal(stream.partial(4).length, 4);
  stream.push("\n\n```\n" + "code line that is long ".repeat(50));
  assert.equal(stream.partial(4).length, 4);
});

Deno.test("items and lines of code stand as soon as the next one begins, as they would in the whole", () => {
  const stream = new MarkdownStream({
    theme: plain,
    lexer,
    highlight: () => plainCode,
    columns: () => 80,
  });
  const steps: [text: string, standing: string[], partial: string[]][] = [
    ["Look:\n\n- **one**\n", ["Look:"], ["", "• one"]],
    ["- two\n  - nested\n", ["", "• one"], ["• two", "  • nested"]],
    ["- three\n\n", ["• two", "  • nested"], ["• three"]],
    ["- four\n", ["• three"], ["", "• four"]],
    ["\nNow 9 and 10:\n\n9. nine\n10. ten\n", ["", "• four", "", "Now 9 and 10:", "", "9. nine"], [
      "10. ten",
    ]],
    ["\n```sh\n", ["10. ten", ""], []],
    ["ls\n\n  pw", ["  ls", ""], ["    pw"]],
    ["d\n``", ["    pwd"], []],
    ["`\n```no fence``` but words", [], ["", "```no fence``` but words"]],
  ];
  for (const [text, standing, partial] of steps) {
    assert.deepEqual(stream.push(text), standing, text);
    assert.deepEqual(stream.partial(10), partial, text);
  }
});

Deno.test("code in a known language is coloured and keeps its text", async () => {
  const highlight = await loadHighlight(colour);
  const lines = render(["```ts\nconst a = `x\n${1}y`;\n```\n"], { theme: colour, highlight });
  assert.ok(lines[0]?.includes("\x1b["));
  // deno-lint-ignore no-control-regex
  const text = lines.map((line) => line.replace(/\x1b\[[0-9;]*m/g, ""));
  assert.deepEqual(text, ["  const a = `x", "  ${1}y`;"]);
  for (const line of lines) assert.ok(!line.endsWith("\x1b[32m"), "a style crosses a line end");
});

Deno.test("code in an unknown language stays as it is", async () => {
  const highlight = await loadHighlight(colour);
  assert.equal(highlight("a <- b", "no-such-language"), "a <- b");
});

Deno.test("escape sequences of the model are removed, even in pieces", () => {
  const text = "safe\x1b[2J\x1b]0;title\x07 text\n\n```\n\x1b[31mred\x9b2J\n```\n";
  for (const size of [1, 4, 100]) {
    const lines = render(pieces(text, size));
    assert.deepEqual(lines, ["safe text", "", "  red"]);
  }
});

Deno.test("a line of code that has no room goes on in the next one, set in, before a word", () => {
  const code = "```sh\nally config get model   # exit code 1 if there is none\n```\n";
  assert.deepEqual(render([code], { columns: 40 }), [
    "  ally config get model   # exit code",
    "    1 if there is none",
  ]);
  // What has no room on a line of its own is broken where the screen ends.
  const word = "x".repeat(50);
  assert.deepEqual(
    render([`\`\`\`\n    ${word}\n\`\`\`\n`], { columns: 42 }).join("").match(/x/g)?.length,
    50,
  );
  const indented = render(["```ts\n    const one = call(of, many, words);\n```\n"], {
    columns: 32,
  });
  assert.deepEqual(indented, ["      const one = call(of,", "        many, words);"]);
});

Deno.test("a table is narrowed between words as long as there is such a column", () => {
  const table = "|name|what it is for|\n|--|--|\n|a_name_of_many_parts|the first of them|\n";
  assert.deepEqual(render([table], { columns: 32 }), [
    "name                 │ what it",
    "                     │ is for",
    "─────────────────────┼──────────",
    "a_name_of_many_parts │ the first",
    "                     │ of them",
  ]);
});

Deno.test("a table that does not fit wraps its cells, and becomes records where it must", () => {
  const table = "|name|what it is for|by|\n|--|--|--|\n|alpha|the very first of them|us|\n";
  assert.deepEqual(render([table], { columns: 27 }), [
    "name  │ what it is for │ by",
    "──────┼────────────────┼───",
    "alpha │ the very first │ us",
    "      │ of them        │",
  ]);
  assert.deepEqual(render([table], { columns: 12 }), [
    "name: alpha",
    "what it is",
    "for: the",
    "very first",
    "of them",
    "by: us",
  ]);
});

Deno.test("a table of names and values becomes a list of them where it must", () => {
  const path = "/home/someone/projects/a-long-name/src/main.ts";
  const table = `|what|value|\n|--|--|\n|ally|0.2.0|\n|session|${path}|\n|events|off|\n`;
  assert.deepEqual(render([table], { columns: 50 }), [
    "what: value",
    "ally: 0.2.0",
    "session:",
    `  ${path}`,
    "events: off",
  ]);
  // With less room the path is set in less, so that it stays in one piece.
  assert.ok(render([table], { columns: path.length }).includes(path));
  // What two rows have in common is no name, nor is a sentence.
  // Without heads it is the same in any width.
  const headless = table.replace("|what|value|", "|  |  |");
  assert.deepEqual(render([headless], { columns: 80 }).slice(0, 2), [
    "ally    │ 0.2.0",
    `session │ ${path}`,
  ]);
  assert.equal(render([headless], { columns: 50 })[0], "ally: 0.2.0");
  const versus = "|pro|con|\n|--|--|\n|fast|dear|\n|fast|incomprehensible|\n";
  assert.deepEqual(render([versus], { columns: 12 }).slice(0, 2), ["pro: fast", "con: dear"]);
});

Deno.test("no word of a table is broken that has room on a line, so that ids can be copied", () => {
  const id = "20261123T090121-dd6b1b";
  const table = "| id | title | branch | used | turns |\n|--|--|--|--|--:|\n" +
    `| \`${id}\` | why is the build so slow | feature/a-long-name | now | 1 |\n`.repeat(2);
  assert.deepEqual(render([table], { columns: 60 }), [
    `id: \`${id}\``,
    "title: why is the build so slow",
    "branch: feature/a-long-name · used: now · turns: 1",
    "────────",
    `id: \`${id}\``,
    "title: why is the build so slow",
    "branch: feature/a-long-name · used: now · turns: 1",
  ]);
  for (let columns = 30; columns <= 120; columns++) {
    const lines = render([table], { columns });
    const whole = lines.filter((line) => line.includes(id) || line.includes("feature/a-long-name"));
    assert.ok(lines.every((line) => cellWidth(line) <= columns), `${columns}`);
    assert.equal(whole.join(" ").split(id).length - 1, 2, lines.join("\n"));
    assert.equal(whole.join(" ").split("feature/a-long-name").length - 1, 2, lines.join("\n"));
  }
});

Deno.test("a link shows where it leads", () => {
  assert.deepEqual(render(["[bank](https://evil.example) <https://a.b>"]), [
    "bank (https://evil.example) https://a.b",
  ]);
});
