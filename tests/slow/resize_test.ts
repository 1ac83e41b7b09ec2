/**
 * A terminal that changes its size all the time, in the middle of an answer: what was written stays, once.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { startInTmux } from "../support/ally_terminal.ts";
import { stage } from "../support/program.ts";
import { randomNumbers, TEST_SEED, testCount } from "../support/random.ts";
import { hasTmux } from "../support/tmux.ts";

const POINTS = 150;
const TEXT = [
  "# Many points",
  ...Array.from({ length: POINTS }, (_, n) => [
    ...(n % 50 === 0 ? ["", `Now from ${n} on, with words of every **kind**:`, ""] : []),
    `${
      n + 1
    }. **Point** number<${n}> is about \`code ${n}\` and some twenty more words that fill a row or two.`,
    ...(n % 100 === 99 ? ["", "```ts", `const line<${n}> = 1;`, "```"] : []),
  ]).flat(),
].join("\n");

Deno.test({
  name:
    `after random resizes every line of an answer is in the scrollback exactly once (seed ${TEST_SEED})`,
  ignore: !hasTmux(),
  async fn() {
    const next = randomNumbers(TEST_SEED);
    await using at = await stage([{ text: `${TEXT}\n\nThe end.`, delayMs: 25, chunkSize: 30 }]);
    await using session = await startInTmux(at.place, { columns: 100, rows: 30 });
    await session.shows(/›$/);
    await session.keys("-l", "tell me");
    await session.keys("Enter");
    await session.shows(/number<0>/);
    const between = (least: number, most: number) => least + Math.floor(next() * (most - least));
    for (let n = 0; n < testCount(200); n++) {
      await session.resize(between(40, 130), between(8, 45));
      if (next() < 0.1) await delay(between(0, 700));
    }
    await session.resize(100, 30);
    // A busy machine takes its time for all of it.
    for (const part of [1 / 3, 2 / 3]) await session.shows(`number<${POINTS * part}>`);
    const screen = await session.shows(/The end\.[^]*›$/);
    const words = screen.replace(/\s+/g, "");
    for (let n = 0; n < POINTS; n++) {
      assert.equal(words.split(`number<${n}>`).length - 1, 1, `point ${n} (seed ${TEST_SEED})`);
    }
  },
});
