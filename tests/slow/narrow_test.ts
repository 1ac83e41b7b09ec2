/**
 * A terminal that changes its size while a long line is typed: every word of it stays on the screen or above it, once.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { STARTED, startInTmux } from "../support/ally_terminal.ts";
import { stage } from "../support/program.ts";
import { randomNumbers, TEST_SEED, testCount } from "../support/random.ts";
import { hasTmux, type TmuxSession } from "../support/tmux.ts";

const WORDS = Array.from({ length: 40 }, (_, n) => `w${String(n + 1).padStart(2, "0")}d`);
/** Until a size has settled and the line is drawn in it. */
const DRAWN_MS = 1_000;

/** Sizes one after the other. */
interface Case {
  readonly name: string;
  readonly sizes: readonly (readonly [columns: number, rows: number])[];
  /** Lines that are shown before the line is typed. */
  readonly filled?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Keys after the words. */
  readonly keys?: readonly string[];
}

/** A row below the prompt. */
const STATE_ROW = { ALLY_STATUS_LINE: "state of {project}" };
const NARROWER = [[100, 30], [60, 30], [45, 30], [30, 30]] as const;

const CASES: readonly Case[] = [
  { name: "narrower", sizes: NARROWER },
  { name: "narrower and wider again", sizes: [...NARROWER, [45, 30], [100, 30]] },
  { name: "narrower at the bottom of a full screen", sizes: NARROWER, filled: 40 },
  {
    name: "narrower with a row below the prompt",
    sizes: NARROWER,
    env: STATE_ROW,
  },
  {
    name: "narrower, with the cursor before the end",
    sizes: NARROWER,
    keys: ["Left", "Left", "Left", "Left", "Left", "Left"],
  },
  {
    name: "lower with a row below the prompt",
    sizes: [[100, 30], [100, 8], [100, 30]],
    env: STATE_ROW,
  },
  {
    name: "narrower after the screen was cleared",
    sizes: [...NARROWER, [80, 30], [20, 30], [100, 30]],
    keys: ["C-l"],
  },
  {
    name: `20 random sizes (seed ${TEST_SEED})`,
    sizes: randomSizes(testCount(20)),
  },
];

function randomSizes(count: number): [number, number][] {
  const next = randomNumbers(TEST_SEED);
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least));
  return [
    [100, 30],
    ...Array.from({ length: count }, (): [number, number] => [between(30, 120), between(20, 40)]),
  ];
}

/** How often each word is on the screen or above it; those cut at an edge count once. */
function countWords(screen: string): Record<string, number> {
  const text = screen.replace(/\s+/g, "");
  return Object.fromEntries(WORDS.map((word) => [word, text.split(word).length - 1]));
}

const ONCE = Object.fromEntries(WORDS.map((word) => [word, 1]));

async function resizeAll(session: TmuxSession, sizes: Case["sizes"]): Promise<void> {
  for (const [columns, rows] of sizes) {
    await session.resize(columns, rows);
    await delay(DRAWN_MS);
  }
}

for (const { name, sizes, filled = 0, env = {}, keys = [] } of CASES) {
  Deno.test({
    name: `every word of a long line is seen once after the terminal became ${name}`,
    ignore: !hasTmux(),
    async fn() {
      await using at = await stage([{
        text: Array.from({ length: filled }, (_, n) => `- point ${n}`).join("\n"),
      }]);
      const [[columns, rows] = [100, 30]] = sizes;
      await using session = await startInTmux(at.place, { columns, rows, env });
      await session.shows(STARTED);
      if (filled > 0) {
        await session.keys("fill", "Enter");
        await session.shows(/point 39[^]*›$/);
      }
      await session.keys("-l", WORDS.join(" "));
      await session.shows("w40d");
      if (keys.length > 0) await session.keys(...keys);
      for (const size of sizes.slice(1)) {
        await resizeAll(session, [size]);
        const screen = await session.screen();
        assert.deepEqual(countWords(screen), ONCE, `at ${size}`);
        const states = screen.split("state of").length - 1;
        assert.equal(states, env === STATE_ROW ? 1 : 0, `at ${size}`);
      }
      if (keys.length > 0) await session.keys("C-e");
      await session.keys("-l", " end");
      const end = await session.shows("end");
      assert.deepEqual(countWords(end), ONCE, "after more was typed");
      await session.keys("C-u");
    },
  });
}

Deno.test({
  name: "a long line is seen once after the screen was cleared while the terminal became narrower",
  ignore: !hasTmux(),
  async fn() {
    await using at = await stage([]);
    await using session = await startInTmux(at.place, { columns: 100, rows: 30 });
    await session.shows(STARTED);
    await session.keys("-l", WORDS.join(" "));
    await session.shows("w40d");
    await session.resize(60, 30);
    await session.resize(45, 30);
    await session.keys("C-l");
    await delay(DRAWN_MS);
    assert.deepEqual(countWords(await session.screen()), ONCE);
    assert.match(await session.visible(), /^› w01d/);
    await session.keys("C-u");
  },
});

Deno.test({
  name:
    "an open list, and a line taller than the screen, are seen once however narrow the terminal becomes",
  ignore: !hasTmux(),
  async fn() {
    for (const filled of [0, 40]) {
      await using at = await stage([{
        text: Array.from({ length: filled }, (_, n) => `- point ${n}`).join("\n"),
      }]);
      await using session = await startInTmux(at.place, { columns: 100, rows: 16, env: STATE_ROW });
      await session.shows(STARTED);
      if (filled > 0) {
        await session.keys("fill", "Enter");
        await session.shows(/point 39[^]*›/);
      }
      const atMostOnce = async (words: readonly string[], size: string) => {
        const text = (await session.screen()).replace(/\s+/g, "");
        for (const word of words) {
          const count = text.split(word).length - 1;
          assert.ok(count < 2, `${word} ${count} times at ${size}, filled ${filled}:\n${text}`);
        }
      };
      const sizes = [[60, 16], [40, 16], [22, 16], [90, 16], [50, 16], [100, 16]] as const;
      await session.keys("-l", "/");
      await session.shows("/compact");
      for (const size of sizes) {
        await resizeAll(session, [size]);
        await atMostOnce(["›/", "/helps", "/clear", "/compact", "/context"], String(size));
      }
      await session.keys("C-u");
      const many = Array.from({ length: 200 }, (_, n) => `v${String(n + 1).padStart(3, "0")}d`);
      await session.keys("-l", many.join(" "));
      await session.shows("v200d");
      for (const size of sizes) {
        await resizeAll(session, [size]);
        await atMostOnce(many, String(size));
        assert.match(await session.screen(), /v199d\s+v200d/);
      }
      await session.keys("C-u");
    }
  },
});

Deno.test({
  name:
    `on a screen of few rows an open list is seen once however narrow the terminal becomes at once (seed ${TEST_SEED})`,
  ignore: !hasTmux(),
  async fn() {
    const next = randomNumbers(TEST_SEED);
    const between = (least: number, most: number) => least + Math.floor(next() * (most - least));
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`a${n}_${"long_name_of_a_file_".repeat(4)}.ts`, ""]),
    );
    await using at = await stage([
      { text: Array.from({ length: 30 }, (_, n) => `- point ${n}`).join("\n") },
    ], files);
    await using session = await startInTmux(at.place, { columns: 100, rows: 16, env: STATE_ROW });
    await session.shows(STARTED);
    await session.keys("fill", "Enter");
    await session.shows(/point 29[^]*›/);
    const lists = [
      { keys: ["-l", "/"], shown: /^❯ \/help/m, once: /\/[a-z]+/g },
      { keys: ["-l", "@a"], shown: /^❯ \S*a\d+_/m, once: /a\d+_long/g },
      { keys: ["C-r"], shown: /fill/, once: /fill/g },
      {
        keys: ["/settings", "Enter"],
        shown: /^Settings:[^]*^❯ /m,
        once: /^(?:[❯ ] [a-z_]+:|Settings:$)/gm,
      },
    ];
    for (const { keys, shown, once } of lists) {
      for (let round = 0; round < testCount(6); round++) {
        const rows = between(6, 16);
        await session.resize(between(40, 121), rows);
        await delay(DRAWN_MS);
        await session.clearHistory();
        await session.keys(...keys);
        await session.shows(shown);
        await session.resize(between(20, 60), rows);
        await delay(DRAWN_MS);
        const text = await session.lines();
        const found = [...text.matchAll(once)].map(([one]) => one);
        assert.deepEqual(found, [...new Set(found)], `${rows} rows (seed ${TEST_SEED}):\n${text}`);
        await session.keys("Escape");
        await delay(DRAWN_MS);
        await session.keys("C-u");
      }
    }
  },
});
