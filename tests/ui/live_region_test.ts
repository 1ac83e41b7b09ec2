/**
 * What is written to the terminal against what ought to be seen there, whatever changes.
 */
import assert from "node:assert/strict";
import { LiveRegion } from "../../src/ui/live_region.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";
import { randomNumbers, TEST_SEED, testCount } from "../support/random.ts";

const theme = createTheme({ depth: "256" });
const WORDS = [
  "one",
  "two ",
  "日本",
  "か\u3099",
  "한국",
  "é",
  "e\u0301",
  "👩‍🚀",
  "⠋",
  "…",
  "x",
  " ",
  "12s",
];
const BLANKS = " ".repeat(9);
const STYLES = ["bold", "dim", "error", "accent", "code", "italic"] as const;

/** A line of random words, some of them in one style within another. */
function randomLine(next: () => number): string {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!;
  const words = (): string =>
    Array.from({ length: Math.floor(next() * 4) }, () => {
      const word = next() < 0.2 ? BLANKS + pick(WORDS) : pick(WORDS);
      const inner = next() < 0.3 ? theme.paint(pick(STYLES), word) : word;
      return next() < 0.3 ? theme.paint(pick(STYLES), `a${inner}b`) : inner;
    }).join("");
  return words() + words();
}

Deno.test(`whatever changes, the screen shows it, with its styles (seed ${TEST_SEED})`, () => {
  const next = randomNumbers(TEST_SEED);
  for (let round = 0; round < testCount(6); round++) {
    const terminal = new MemoryTerminal({ columns: 60, rows: 30, depth: "256" });
    const region = new LiveRegion(terminal);
    const standing: string[] = [];
    let live: string[] = [];
    for (let step = 0; step < 30; step++) {
      const done = next() < 0.5 ? [] : [...live.slice(0, 2), randomLine(next)];
      live = live.slice(Math.floor(next() * 2))
        .map((line) => next() < 0.6 ? line : line + randomLine(next))
        .map((line) => next() < 0.8 ? line : randomLine(next))
        .map((line) => line.length > 200 ? "" : line);
      if (live.length < 6) live.push(randomLine(next));
      if (next() < 0.1) live = [];
      region.update(done, live);
      standing.push(...done);
      const plain = new MemoryTerminal({ columns: 60, rows: 30, depth: "256" });
      plain.control([...standing, ...live].join("\n"));
      assert.deepEqual(
        terminal.styledLines.join("\n").trimEnd(),
        plain.styledLines.join("\n").trimEnd(),
      );
    }
  }
});

Deno.test("a change of the width draws the live lines anew once it has settled, and nothing of what stands", async () => {
  const terminal = new MemoryTerminal({ columns: 40, rows: 10 });
  const region = new LiveRegion(terminal);
  region.update(["stands"], ["first", "second"]);
  terminal.resize(30, 10);
  const before = terminal.output.length;
  region.update(["stands too"], ["second"]);
  region.update([], ["second", "third"]);
  assert.equal(terminal.output.length, before);
  await terminal.shown("stands\nstands too\nsecond\nthird");
  const written = terminal.output.slice(before);
  assert.ok(written.startsWith("\x1b[?2026h") && written.endsWith("\x1b[?2026l"), written);
  assert.ok(!written.includes("stands\n"));
  region.clear();
  assert.equal(terminal.screen, "stands\nstands too");
});

Deno.test("of a text nothing is drawn again that the terminal has taken into its history, and nothing above is erased", async () => {
  for (const isText of [true, false]) {
    const terminal = new MemoryTerminal({ columns: 40, rows: 3 });
    terminal.control("\n\n\x1b[2A");
    const region = new LiveRegion(terminal, { isText });
    region.update([], ["one two three four five", "six seven"], { row: 1, column: 9 });
    // As a terminal shows it that has wrapped the first line and has room for the last two rows.
    terminal.askCursor = () => Promise.resolve({ row: 1, column: 9 });
    terminal.resize(20, 3);
    const before = terminal.output.length;
    const live = ["one two three four", "five six seven 8"];
    region.update([], live, { row: 1, column: 16 });
    await terminal.shown("six seven 8");
    const written = terminal.output.slice(before);
    assert.equal(written.includes("one"), !isText, written);
    const [up = 0, down = 0] = ["\x1b[1A", "\n"].map((move) => written.split(move).length - 1);
    assert.ok(up <= down, written);
    region.update([...live, "nine"], ["live"]);
    assert.match(
      terminal.screen,
      isText ? /five\nsix seven 8\nnine\nlive$/ : /four\nfive six seven 8\nnine\nlive$/,
    );
  }
});

Deno.test("what has to be seen once takes no more rows than a terminal half as wide has room for", () => {
  const rows = [
    { columns: 100, rows: 30, safe: 15 },
    { columns: 100, rows: 12, safe: 6 },
    { columns: 100, rows: 10, safe: 5 },
    { columns: 100, rows: 8, safe: 5 },
    { columns: 100, rows: 4, safe: 3 },
    // Nobody makes this one half as wide.
    { columns: 20, rows: 10, safe: 8 },
  ];
  for (const { safe, ...size } of rows) {
    assert.equal(new LiveRegion(new MemoryTerminal(size)).safeRows, safe, JSON.stringify(size));
  }
});
