/**
 * All that is promised of ally's speed and memory, with the limits; beyond one the exit code is 1. Machines differ and
 * are shared, so contenders take turns, and what counts are medians of what the rounds give, one beside the other. Run
 * by `deno task bench [--rounds N]`.
 */
import { parseArgs } from "node:util";
import { measureAnswers } from "./bench_answers.ts";
import { measureSandbox } from "./bench_sandbox.ts";
import { measureSessions } from "./bench_sessions.ts";
import { measureTerminal } from "./bench_terminal.ts";
import { measureUndo } from "./bench_undo.ts";
import { BUNDLE, bundle } from "./bundle.ts";
import { Limits } from "./limits.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: { rounds: { type: "string", default: "5" } },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds is a number from 1");

await bundle(BUNDLE);
const scratch = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-bench-" }));
const limits = new Limits();
try {
  for (
    const measure of [
      measureAnswers,
      measureSandbox,
      measureTerminal,
      measureSessions,
      measureUndo,
    ]
  ) {
    await measure(limits, { rounds, scratch });
  }
} finally {
  await Deno.remove(scratch, { recursive: true });
}
limits.exit();
