// deno-lint-ignore-file no-console
/**
 * Whole-process times and memory of ally against a scripted server, side by side with a bare script that
 * only streams one answer through `openai`. Machines differ and are shared, so what counts are the ratios
 * of medians from one run. Run by `deno task bench [RUNS]`.
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ScriptedReply, startScriptedServer } from "../src/modes/demo/scripted_server.ts";
import { median } from "./median.ts";
import { PERMISSIONS } from "./permissions.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const RUNS = Number(Deno.args[0] ?? 15);
const SHELL_CALLS = 20;

interface Contender {
  readonly name: string;
  readonly replies: readonly ScriptedReply[];
  /** Arguments of `deno run`. */
  readonly args: readonly string[];
}

interface Sample {
  /** Milliseconds. */
  readonly wall: number;
  /** KiB, the largest resident set of the process. */
  readonly memory: number;
}

const answer: ScriptedReply = { text: "The answer." };
const ally = [...PERMISSIONS, "main.ts", "-p", "-A", "--no-session", "go"];
const calls = Array.from({ length: SHELL_CALLS }, (_, index): ScriptedReply => ({
  calls: [{ name: "bash", arguments: { command: `echo ${index}` } }],
}));

const contenders: readonly Contender[] = [
  { name: "bare script, one answer", replies: [answer], args: [...PERMISSIONS, "scripts/bare.ts"] },
  { name: "ally, one answer", replies: [answer], args: ally },
  { name: `ally, ${SHELL_CALLS} shell calls`, replies: [...calls, answer], args: ally },
];

const samples = contenders.map((): Sample[] => []);
const scratch = await Deno.makeTempDir({ prefix: "ally-bench-" });
try {
  // The first round warms the caches; then all take turns, so that noise meets them alike.
  for (let round = 0; round <= RUNS; round++) {
    for (const [index, contender] of contenders.entries()) {
      const sample = await measure(contender);
      if (round > 0) samples[index]?.push(sample);
    }
  }
} finally {
  await Deno.remove(scratch, { recursive: true });
}
report();

async function measure({ replies, args, name }: Contender): Promise<Sample> {
  await using server = await startScriptedServer({ replies });
  const started = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--unstable-worker-options", ...args],
    cwd: ROOT,
    env: { OPENAI_BASE_URL: server.url, ALLY_HOME: scratch, ALLY_MODEL: "scripted" },
    stdout: "null",
    stderr: "null",
  }).spawn();
  const memory = watchMemory(child.pid);
  const { code } = await child.status;
  const wall = performance.now() - started;
  if (code !== 0) throw new Error(`Cannot measure "${name}": it exited with ${code}`);
  return { wall, memory: await memory.peak() };
}

/** The largest resident set while a process lives: the kernel keeps it in /proc; elsewhere it is unknown. */
function watchMemory(pid: number): { peak(): Promise<number> } {
  let peak = 0;
  const look = () => {
    try {
      const status = Deno.readTextFileSync(`/proc/${pid}/status`);
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      // It has ended, or there is no /proc.
    }
  };
  const timer = setInterval(look, 2);
  return {
    peak() {
      clearInterval(timer);
      return Promise.resolve(peak);
    },
  };
}

function report(): void {
  const [bare, one, many] = samples.map((list) => ({
    wall: median(list.map((sample) => sample.wall)),
    memory: median(list.map((sample) => sample.memory)),
  }));
  if (!bare || !one || !many) return;
  console.log(`medians of ${RUNS} runs in turn\n`);
  for (const [index, figures] of [bare, one, many].entries()) {
    const wall = `${figures.wall.toFixed(0)} ms`.padStart(8);
    const memory = `${(figures.memory / 1024).toFixed(0)} MiB`.padStart(8);
    console.log(`${contenders[index]!.name.padEnd(26)}${wall}${memory}`);
  }
  const ratio = (a: number, b: number, most: number) => `${(a / b).toFixed(2)} (at most ${most})`;
  console.log(`
one answer, wall time, ally / bare script   ${ratio(one.wall, bare.wall, 2.2)}
one answer, memory, ally / bare script      ${ratio(one.memory, bare.memory, 1.6)}
${SHELL_CALLS} shell calls / one answer, wall time   ${ratio(many.wall, one.wall, 4)}`);
}
