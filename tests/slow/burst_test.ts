/**
 * A terminal that is dragged: several sizes within a moment, while an answer of every kind arrives two hundred tokens a
 * second. Every word of it is on the screen or above it once.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { STARTED, startInTmux } from "../support/ally_terminal.ts";
import { stage } from "../support/program.ts";
import { randomNumbers, TEST_SEED, testCount } from "../support/random.ts";
import { hasTmux } from "../support/tmux.ts";

/** Answers, each in other sizes. */
const RUNS = testCount(10);
const BURSTS = 3;

type Random = (least: number, most: number) => number;

/** An answer of lists, tables, code and paragraphs, whose words are all different. */
function randomAnswer(run: number, between: Random): { text: string; words: string[] } {
  const words: string[] = [];
  const word = () => {
    const made = `r${run}w${words.length}d`;
    words.push(made);
    return made;
  };
  const some = (least: number, most: number) =>
    Array.from({ length: between(least, most) }, (_, n) => {
      const one = word();
      return n % 7 === 3 ? `**${one}**` : n % 9 === 5 ? `\`${one}\`` : one;
    }).join(" ");
  const lines = (count: number, draw: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => draw(n)).join("\n");
  const blocks = [
    () => some(5, 80),
    () => lines(between(2, 12), (n) => `${n + 1}. ${some(1, 30)}`),
    () => lines(between(2, 12), (n) => `${"  ".repeat(n % 3)}- ${some(1, 12)}`),
    () =>
      ["| a | b | c |", "|---|---|---|"].join("\n") + "\n" +
      lines(between(2, 8), () => `| ${word()} | ${some(1, 6)} | ${some(1, 3)} |`),
    () =>
      `\`\`\`ts\n${
        lines(between(2, 12), () => `const ${word()} = "${word()}"; // ${word()}`)
      }\n\`\`\``,
    () => lines(between(1, 4), () => `> ${some(3, 20)}`),
    () => `## ${some(1, 4)}`,
  ];
  const text = Array.from({ length: 12 }, () => blocks[between(0, blocks.length)]!()).join("\n\n");
  return { text: `${text}\n\nThe end of run ${run}.`, words };
}

Deno.test({
  name:
    `after several sizes within a moment every word of an answer is in the scrollback exactly once (seed ${TEST_SEED})`,
  ignore: !hasTmux(),
  async fn() {
    const next = randomNumbers(TEST_SEED);
    const between = (least: number, most: number) => least + Math.floor(next() * (most - least));
    const answers = Array.from({ length: RUNS }, (_, run) => randomAnswer(run, between));
    await using at = await stage(
      answers.map(({ text }) => ({ text, delayMs: 5, chunkSize: 4 })),
    );
    const env = { ALLY_CONTEXT_SIZE: "1000000" };
    await using session = await startInTmux(at.place, { columns: 100, rows: 30, env });
    await session.shows(STARTED);
    for (const [run, { words }] of answers.entries()) {
      await session.clearHistory();
      await session.keys("-l", `tell ${run}`);
      await session.keys("Enter");
      await session.shows(words[0]!);
      const sizes: string[] = [];
      for (let burst = 0; burst < BURSTS; burst++) {
        await delay(between(0, 900));
        const steps = Array.from({ length: between(3, 7) }, () => ({
          columns: between(20, 121),
          rows: between(6, 41),
          waitMs: between(0, 60),
        }));
        sizes.push(steps.map(({ columns, rows }) => `${columns}x${rows}`).join(" "));
        await session.resizeMany(steps);
      }
      await session.shows((screen) =>
        screen.replace(/\s+/g, "").includes(`Theendofrun${run}.`) && /›$/.test(screen)
      );
      const text = (await session.lines()).replace(/\s+/g, "");
      const wrong = words.map((word) => [word, text.split(word).length - 1] as const)
        .filter(([, count]) => count !== 1);
      const where = `run ${run} of seed ${TEST_SEED}, sizes ${sizes.join(" | ")}`;
      assert.deepEqual(wrong, [], `${where}\n${await session.lines()}`);
    }
  },
});
