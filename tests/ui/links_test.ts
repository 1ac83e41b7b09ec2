/**
 * Links on the screen: where they lead, and that nothing but ally makes one.
 */
import assert from "node:assert/strict";
import { stripControls } from "../../src/lib/text.ts";
import { fileAddress, markReferences } from "../../src/ui/links.ts";
import { LiveRegion } from "../../src/ui/live_region.ts";
import { loadLexer, MarkdownStream } from "../../src/ui/markdown.ts";
import { plainCode } from "../../src/ui/highlight.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";

const KEY = "5b1c";
const OPTIONS = { key: KEY, cwd: "/work/shop" };
const theme = createTheme({ depth: "256", links: () => OPTIONS });

/** The links in what is written, as [address, text]. */
function linksIn(output: string): [string, string][] {
  // deno-lint-ignore no-control-regex
  return [...output.matchAll(/\x1b\]8;([^;]*);([^\x1b\x07]+)\x1b\\(.*?)\x1b\]8;;\x1b\\/gs)]
    .map((
      [, , address = "", text = ""],
    ) => [address, stripControls(text)]);
}

function written(text: string): string {
  const terminal = new MemoryTerminal({ linkKey: KEY });
  terminal.write(text);
  return terminal.output;
}

Deno.test("a file is addressed by what is shown of it, with its line where the terminal takes one", () => {
  const rows: [
    shown: string,
    options: Parameters<typeof fileAddress>[1],
    address: string | undefined,
  ][] = [
    ["src/a b.ts", OPTIONS, "file:///work/shop/src/a%20b.ts"],
    ["src/a.ts:12:3", OPTIONS, "file:///work/shop/src/a.ts"],
    ["src/a.ts:12:3", { ...OPTIONS, fileLines: "fragment" }, "file:///work/shop/src/a.ts#12"],
    ["src/a.ts:12", { ...OPTIONS, fileLines: "vscode" }, "vscode:///work/shop/src/a.ts:12"],
    ["/etc/hosts", OPTIONS, "file:///etc/hosts"],
    ["größe#1?.ts", OPTIONS, "file:///work/shop/gr%C3%B6%C3%9Fe%231%3F.ts"],
    ["~/notes.md", OPTIONS, undefined],
    ["src/a.ts", { key: KEY }, undefined],
  ];
  for (const [shown, options, address] of rows) {
    assert.equal(fileAddress(shown, options), address, shown);
  }
});

Deno.test("addresses and files with a line are links within text, and what is cut or no file is none", () => {
  const rows: [text: string, links: [string, string][]][] = [
    ["see https://example.com/a?b=1#c, or", [[
      "https://example.com/a?b=1#c",
      "https://example.com/a?b=1#c",
    ]]],
    ["(http://localhost:8080/x)", [["http://localhost:8080/x", "http://localhost:8080/x"]]],
    ["src/a.ts:3:1 - error", [["file:///work/shop/src/a.ts", "src/a.ts:3:1"]]],
    ["  at main (./b/c.test.js:10)", [["file:///work/shop/b/c.test.js", "./b/c.test.js:10"]]],
    ["…/very/long.ts:3, src/lon…", []],
    ["12:30, ratio 3:1, node:fs, x.y", []],
  ];
  for (const [text, links] of rows) {
    assert.deepEqual(linksIn(written(markReferences(text, OPTIONS))), links, text);
  }
});

Deno.test("a link that ally did not make never reaches the terminal, whatever it is wrapped in", () => {
  const evil = "https://evil.example/";
  const texts = [
    `\x1b]8;;${evil}\x07click\x1b]8;;\x07`,
    `\x1b]8;;${evil}\x1b\\click\x1b]8;;\x1b\\`,
    `\x1b]8;id=${KEY};${evil}\x1b\\click`,
    `\x1b]8;${KEY}:x;${evil}\x07click`,
    `\x9d8;;${evil}\x9cclick`,
    `\x1b]0;a\x1b]8;;${evil}\x07click`,
    `\x1b\x1b]8;;${evil}\x07click`,
    `\x1b]8;;${theme.linkAddress(evil)}click`,
    // Even with the key, only what can be an address.
    `\x1b]8;${KEY};javascript:alert(1)\x07click`,
    `\x1b]8;${KEY};https://a b\x07click`,
  ];
  for (const text of texts) {
    const links = linksIn(written(`${text} and more`));
    assert.deepEqual(links.filter(([, shown]) => shown !== evil), [], JSON.stringify(text));
  }
  const unkeyed = new MemoryTerminal();
  unkeyed.write(theme.linkAddress(evil));
  assert.equal(unkeyed.output, evil);
});

Deno.test("the key never reaches the terminal, and a link that is left open is ended", () => {
  const whole = theme.linkFile("src/a.ts");
  const cut = whole.slice(0, whole.lastIndexOf("\x1b"));
  for (const text of [whole, cut, theme.paint("bold", `${whole} +1`)]) {
    const output = written(text);
    assert.ok(!output.includes(KEY));
    assert.deepEqual(linksIn(output), [["file:///work/shop/src/a.ts", "src/a.ts"]]);
  }
});

Deno.test("a link in Markdown leads to the address that is shown, also over several lines", async () => {
  const stream = new MarkdownStream({
    theme,
    lexer: await loadLexer(),
    highlight: () => plainCode,
    columns: () => 24,
  });
  const address = "https://example.com/a/long/way/to/go";
  const lines = [
    ...stream.push(`[the docs](${address}) and <${address}>, \`src/a.ts:7\`\n`),
    ...stream.end(),
  ];
  const output = lines.map(written);
  const links = output.flatMap(linksIn);
  const shown = (address: string) =>
    links.filter(([to]) => to === address).map(([, text]) => text).join("");
  assert.equal(shown(address), address + address);
  assert.equal(shown("file:///work/shop/src/a.ts"), "src/a.ts:7");
  for (const [, text] of links) assert.ok(!text.includes("the docs"));
});

Deno.test("lines with links are drawn again as they were, without a trace of what they replace", () => {
  const terminal = new MemoryTerminal({ linkKey: KEY, depth: "256" });
  const region = new LiveRegion(terminal);
  region.update([], [`one ${theme.linkFile("a.ts")} tail`, "two"]);
  region.update([], [`one ${theme.linkFile("bb.ts")} tail`, "two"]);
  region.update([`done ${theme.linkFile("bb.ts")}`], []);
  assert.equal(terminal.screen, "done bb.ts");
  assert.equal(linksIn(terminal.output).at(-1)?.[0], "file:///work/shop/bb.ts");
});
