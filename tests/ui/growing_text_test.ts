/**
 * A text that grows below the screen: what moves up is moved, what is typed meanwhile is seen at once, and what is
 * written and computed stays in proportion to the text.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { EventBody } from "../../src/core/event.ts";
import { loadHighlight, plainCode } from "../../src/ui/highlight.ts";
import { LiveRegion } from "../../src/ui/live_region.ts";
import { loadLexer, MarkdownStream } from "../../src/ui/markdown.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";
import { randomNumbers, TEST_SEED, testCount } from "../support/random.ts";
import { stageRenderer } from "../support/renderer_stage.ts";
import { end, START } from "../support/turn_facts.ts";

const lexer = await loadLexer();
const colour = createTheme({ depth: "truecolor" });

Deno.test("a block taller than the screen costs no more than a few times its bytes while it is written", async () => {
  const words = Array.from({ length: 500 }, (_, n) => `word${n}`);
  const rows = Array.from({ length: 60 }, (_, n) => `| cell ${n} | some words of row ${n} |`);
  for (
    const [text, last] of [
      [words.join(" "), "word499"],
      [words.join(""), "word499"],
      [words.map((word) => `> ${word} and more of it`).join("\n"), "word499"],
      [["| a | b |", "|---|---|", ...rows].join("\n"), "row59"],
    ] as const
  ) {
    const { terminal, clock, show } = stageRenderer({ columns: 60, rows: 20 });
    await show(START);
    for (let at = 0; at < text.length; at += 20) {
      clock.ms += 40;
      await show([{ type: "text_delta", text: text.slice(at, at + 20) }]);
    }
    assert.ok(terminal.screen.replace(/\s+/g, "").includes(last), terminal.screen);
    const share = terminal.output.length / text.length;
    assert.ok(share <= 3, `${text.slice(0, 20)}: ${share} times`);
  }
});

/** Words of random length, some of them marked up. */
function randomWords(next: () => number, count: number): string {
  const words = "a the quick browser keeps sending several `tokens` over **long** connections"
    .split(" ");
  return Array.from({ length: count }, () => words[Math.floor(next() * words.length)]).join(" ");
}

Deno.test("whatever streams, three times its bytes are written at most, in thirty frames a second, and it stands there once", async () => {
  const next = randomNumbers(15);
  const upTo = (most: number) => Math.floor(next() * most);
  const lines = (count: number, draw: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => draw(n)).join("\n");
  const words = (most: number) => randomWords(next, 1 + upTo(most));
  const texts = {
    paragraphs: lines(6, () => `${words(60)}\n`),
    "nested lists": lines(30, (n) => `${"  ".repeat(n % 4)}- ${words(12)}`),
    "short items": lines(60, () => `- ${words(2)}`),
    "a table": ["| name | what it does | size |", "|---|---|---|", ""].join("\n") +
      lines(14, (n) => `| file${n}.ts | ${words(8)} | ${upTo(9999)} |`),
    "a table wider than the screen": ["| name | what | why |", "|---|---|---|", ""].join("\n") +
      lines(12, (n) => `| file${n}.ts | ${words(18)} | ${words(14)} |`),
    "a table taller than the screen": ["| n | what it does |", "|---|---|", ""].join("\n") +
      lines(40, (n) => `| ${n} | ${words(6)} |`),
    code: `\`\`\`ts\n${
      lines(30, (n) => `${"  ".repeat(n % 4)}const a${n} = f("${words(3)}"); // ${n}`)
    }\n\`\`\``,
    Japanese: lines(8, () => `${"サーバーは言葉を一つずつ送ります。".repeat(1 + upTo(4))}\n`),
    "items in Chinese": lines(12, () => `- **中文**${"服务器逐字发送文本。".repeat(1 + upTo(5))}`),
    Korean: lines(8, () => `${"서버는 단어를 하나씩 보냅니다. ".repeat(1 + upTo(4))}\n`),
  };
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  for (const [name, text] of Object.entries(texts)) {
    const { terminal, clock, show, tick } = stageRenderer({ columns: 90, rows: 24, depth: "256" });
    const message: EventBody = {
      type: "message",
      message: { role: "assistant", content: text, calls: [] },
    };
    const frames: number[] = [];
    const control = terminal.control.bind(terminal);
    terminal.control = (sequences) => {
      frames.push(clock.ms);
      control(sequences);
    };
    await show(START);
    const before = terminal.output;
    const characters = [...text];
    for (let at = 0, length = 0; at < characters.length; at += length) {
      length = 1 + upTo(4);
      clock.ms += 5;
      const piece = characters.slice(at, at + length).join("");
      await show([{ type: "text_delta", text: piece }]);
      if (clock.ms % 100 === 0) tick(0);
    }
    const most = Math.max(
      ...frames.map((ms) => frames.filter((one) => one >= ms && one < ms + 1000).length),
    );
    assert.ok(most <= 30, `${name}: ${most} frames a second`);
    await show([message, end()]);
    const share = bytes(terminal.output.slice(before.length)) / bytes(text);
    assert.ok(share <= 3, `${name}: ${share} times`);
    const whole = stageRenderer({ columns: 90, rows: 24, depth: "256" });
    await whole.show([...START, message, end()]);
    assert.deepEqual(terminal.styledLines, whole.terminal.styledLines, name);
  }
});

Deno.test("a paragraph goes on after the terminal has become narrower, and its last word stays where none follows", async () => {
  for (const more of [0, 30]) {
    const { terminal, clock, show, tick } = stageRenderer({ columns: 100, rows: 20 });
    const say = async (from: number, count: number) => {
      for (let n = from; n < from + count; n++) {
        clock.ms += 40;
        await show([{ type: "text_delta", text: `word${n} ` }]);
      }
    };
    await show(START);
    await say(0, 20);
    terminal.resize(60, 20);
    await delay(terminal.settlesInMs);
    await say(20, more);
    tick();
    const words = terminal.screen.match(/word\d+/g);
    assert.deepEqual(words, Array.from({ length: 20 + more }, (_, n) => `word${n}`));
  }
});

Deno.test("a block that is made narrower at any word shows the words that follow at once, and each of them once", () => {
  const words = Array.from({ length: 50 }, (_, n) => `word${n}`);
  for (const begin of ["", "- ", "> "]) {
    for (const [from, to] of [[99, 59], [59, 39], [60, 100]] as const) {
      for (let at = 5; at < 40; at += 6) {
        let columns: number = from;
        const options = { theme: createTheme({ depth: "none" }), lexer };
        const stream = new MarkdownStream({
          ...options,
          highlight: () => plainCode,
          columns: () => columns,
        });
        const rows = stream.push(begin);
        for (const [index, word] of words.entries()) {
          if (index === at) columns = to;
          rows.push(...stream.push(`${word} `), ...stream.settle());
          assert.match(stream.partial(5).join("\n"), new RegExp(`${word}$`), `${at} to ${to}`);
        }
        rows.push(...stream.end());
        assert.deepEqual(rows.join(" ").match(/word\d+/g), words, `${begin}${from} to ${to}`);
      }
    }
  }
});

Deno.test("a key is seen at once, and text that came after the last frame with the next one", async () => {
  const { terminal, renderer, clock, show } = stageRenderer({ columns: 60, rows: 20 });
  await show(START);
  clock.ms += 40;
  await show([{ type: "text_delta", text: "seen " }]);
  const type = (text: string) =>
    renderer.showTyping({
      queued: [],
      draw: () => ({ lines: [text], cursor: { row: 0, column: 5 } }),
    });
  type("> k");
  await show([{ type: "text_delta", text: "later" }]);
  type("> key");
  assert.match(terminal.screen, /seen\n[^]*> key/);
  assert.doesNotMatch(terminal.screen, /later/);
  clock.ms += 40;
  await show([{ type: "text_delta", text: "." }]);
  assert.match(terminal.screen, /seen later\.\n[^]*> key/);
});

Deno.test(`rows that move up between others that stay are moved, and the screen is as if all were written (seed ${TEST_SEED})`, () => {
  const next = randomNumbers(TEST_SEED);
  const upTo = (most: number) => Math.floor(next() * most);
  for (let round = 0; round < testCount(20); round++) {
    const terminal = new MemoryTerminal({ columns: 60, rows: 14 });
    const region = new LiveRegion(terminal);
    const above = Array.from({ length: upTo(20) }, (_, n) => `stands ${n}`);
    region.update(above, []);
    for (let step = 0, top = 0; step < 20; step++, top += upTo(5)) {
      const rows = Array.from(
        { length: 8 },
        (_, n) => `row ${top + n}${" x".repeat((top + n) % 7)}`,
      );
      if (next() < 0.3) rows[upTo(8)] += " changed";
      const live = ["head", ...rows, "", `status ${step}`, "> typed"].slice(upTo(2), 12 - upTo(2));
      const cursor = { row: live.length - 1, column: 2 };
      region.update([], live, cursor);
      assert.deepEqual(terminal.lines, [...above, ...live]);
    }
  }
});

Deno.test("rows that move up are not written again", () => {
  const terminal = new MemoryTerminal({ columns: 60, rows: 24 });
  const region = new LiveRegion(terminal);
  const rows = (from: number) =>
    Array.from({ length: 20 }, (_, n) => `a row of some words: ${from + n}`);
  region.update([], [...rows(0), "", "status"]);
  const before = terminal.output.length;
  region.update([], [...rows(1), "", "status"]);
  assert.deepEqual(terminal.lines, [...rows(1), "", "status"]);
  assert.ok(terminal.output.length - before < 100, JSON.stringify(terminal.output.slice(before)));
});

Deno.test("a line of code is coloured while it is written as it is in the end, in a long comment too", async () => {
  const highlight = await loadHighlight(colour);
  const stream = new MarkdownStream({
    theme: colour,
    lexer,
    highlight: () => highlight,
    columns: () => 80,
  });
  const comment = Array.from(
    { length: 40 },
    (_, n) => `${n} of the comment, whose lines are long enough`,
  );
  const code = Array.from({ length: 40 }, (_, n) => `const value${n} = "a text"; // and a comment`);
  const lines = ["/*", ...comment, "*/", ...code, "const a = `", "in a text", "`;", "const b = 1;"];
  stream.push("```ts\n");
  for (const line of lines) {
    assert.deepEqual(stream.push(line), []);
    const written = stream.partial(30);
    assert.deepEqual(stream.push("\n"), written, line);
  }
  assert.deepEqual(stream.end(), []);
});
