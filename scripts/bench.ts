/**
 * All that is promised of ally's speed and memory, with the limits; beyond one the exit code is 1. Machines differ and
 * are shared, so contenders take turns, and what counts are medians of what the rounds give, one beside the other. Run
 * by `deno task bench [--rounds N] [PART...]`; without a part all of them are measured.
 */
import { parseArgs } from "node:util";
import { measureAnswers } from "./bench_answers.ts";
import { measureSandbox } from "./bench_sandbox.ts";
import { measureSessions } from "./bench_sessions.ts";
import { measureTerminal } from "./bench_terminal.ts";
import { measureUndo } from "./bench_undo.ts";
import { BUNDLE, bundle } from "./bundle.ts";
import { Limits } from "./limits.ts";

const PARTS = new Map([
  ["answers", measureAnswers],
  ["sandbox", measureSandbox],
  ["terminal", measureTerminal],
  ["sessions", measureSessions],
  ["undo", measureUndo],
]);

const { values, positionals } = parseArgs({
  args: Deno.args,
  options: { rounds: { type: "string", default: "5" } },
  allowPositionals: true,
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds is a number from 1");
const unknown = positionals.filter((name) => !PARTS.has(name));
if (unknown.length > 0) throw new Error(`${unknown} is none of ${[...PARTS.keys()].join(", ")}`);

await bundle(BUNDLE);
const scratch = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-bench-" }));
const limits = new Limits();
try {
  for (const [name, measure] of PARTS) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    await measure(limits, { rounds, scratch });
  }
} finally {
  await Deno.remove(scratch, { recursive: true });
}
limits.exit();
