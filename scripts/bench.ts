// deno-lint-ignore-file no-console
/**
 * Whole-process times and memory of the bundle against a scripted server, side by side with a bare script that only
 * reads its arguments and streams one answer. Machines differ and are shared, so what counts are the ratios of medians
 * from one run; beyond a limit the exit code is 1. Run by `deno task bench [RUNS]`.
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ScriptedReply, startScriptedServer } from "../src/modes/demo/scripted_server.ts";
import { bundle } from "./bundle.ts";
import { median } from "./median.ts";
import { PERMISSIONS, RUN_FLAGS } from "./permissions.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const RUNS = Number(Deno.args[0] ?? 15);
const SHELL_CALLS = 20;

/** What is measured, by the name that the report gives it. */
interface Contender {
  readonly name: string;
  readonly replies: readonly ScriptedReply[];
  /** Arguments of Deno. */
  readonly args: readonly string[];
  /** It runs at a terminal, and is done when it shows this. */
  readonly shows?: string;
}

interface Sample {
  /** Milliseconds. */
  readonly wall: number;
  /** MiB, the largest resident set of the process. */
  readonly memory: number;
}

/** A quotient of two medians, and the most that it may be. */
interface Ratio {
  readonly name: string;
  readonly of: number | undefined;
  readonly to: number | undefined;
  readonly limit: number;
}

const scratch = await Deno.makeTempDir({ prefix: "ally-bench-" });
try {
  await bundle(join(scratch, "bundle"));
  const contenders = listContenders(["run", ...RUN_FLAGS, join(scratch, "bundle", "main.js")]);
  report(contenders, await measureAll(contenders));
} finally {
  await Deno.remove(scratch, { recursive: true });
}

function listContenders(ally: readonly string[]): readonly Contender[] {
  const answer: ScriptedReply = { text: "The answer." };
  const once = [...ally, "-p", "-A", "--no-session", "go"];
  const calls = Array.from({ length: SHELL_CALLS }, (_, index): ScriptedReply => ({
    calls: [{ name: "bash", arguments: { command: `echo ${index}` } }],
  }));
  const bare = ["run", ...PERMISSIONS, join(ROOT, "scripts", "bare.ts"), "-p", "go"];
  return [
    { name: "deno eval 0", replies: [], args: ["eval", "0"] },
    { name: "ally --version", replies: [], args: [...ally, "--version"] },
    { name: "bare script, one answer", replies: [answer], args: bare },
    { name: "ally, one answer", replies: [answer], args: once },
    { name: `ally, ${SHELL_CALLS} shell calls`, replies: [...calls, answer], args: once },
    ...hasTerminal()
      ? [{ name: "ally, prompt on screen", replies: [], args: ally, shows: "›" }]
      : [],
  ];
}

/** Whether `script` of util-linux is there, which gives a program a terminal. */
function hasTerminal(): boolean {
  try {
    const { stdout } = new Deno.Command("script", { args: ["--version"] }).outputSync();
    return new TextDecoder().decode(stdout).includes("util-linux");
  } catch {
    return false;
  }
}

async function measureAll(contenders: readonly Contender[]): Promise<Map<string, Sample>> {
  const samples = contenders.map((): Sample[] => []);
  // The first round warms the caches; then all take turns, so that noise meets them alike.
  for (let round = 0; round <= RUNS; round++) {
    for (const [index, contender] of contenders.entries()) {
      const sample = await measure(contender);
      if (round > 0) samples[index]?.push(sample);
    }
  }
  return new Map(contenders.map(({ name }, index): [string, Sample] => {
    const list = samples[index] ?? [];
    return [name, {
      wall: median(list.map(({ wall }) => wall)),
      memory: median(list.map(({ memory }) => memory)),
    }];
  }));
}

async function measure({ replies, args, name, shows }: Contender): Promise<Sample> {
  await using server = await startScriptedServer({ replies });
  const deno = [Deno.execPath(), ...args];
  const words = deno.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
  const [program, ...rest] = shows === undefined ? deno : ["script", "-qec", words, "/dev/null"];
  const started = performance.now();
  const child = new Deno.Command(program!, {
    args: rest,
    cwd: scratch,
    env: { OPENAI_BASE_URL: server.url, ALLY_HOME: join(scratch, "home"), ALLY_MODEL: "scripted" },
    stdin: shows === undefined ? "null" : "piped",
    stdout: shows === undefined ? "null" : "piped",
    stderr: "null",
  }).spawn();
  const memory = watchMemory(child.pid);
  if (shows !== undefined) {
    await readUntil(child.stdout, shows);
    const wall = performance.now() - started;
    child.kill("SIGKILL");
    await child.stdin.abort().catch(() => {});
    await child.status;
    return { wall, memory: memory.peak() };
  }
  const { code } = await child.status;
  const wall = performance.now() - started;
  if (code !== 0) throw new Error(`Cannot measure "${name}": it exited with ${code}`);
  return { wall, memory: memory.peak() };
}

/** Reads until a text has come, and the rest to nowhere. @throws {Error} it ended before */
async function readUntil(stream: ReadableStream<Uint8Array>, text: string): Promise<void> {
  let seen = "";
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`It ended before it showed ${text}:\n${seen}`);
    seen += decoder.decode(value, { stream: true });
    if (seen.includes(text)) break;
  }
  reader.cancel().catch(() => {});
}

/** The largest resident set while a process lives: the kernel keeps it in /proc; elsewhere it is unknown. */
function watchMemory(pid: number): { peak(): number } {
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
      return peak / 1024;
    },
  };
}

function report(contenders: readonly Contender[], medians: ReadonlyMap<string, Sample>): void {
  console.log(`medians of ${RUNS} runs in turn\n`);
  for (const { name, shows } of contenders) {
    const { wall, memory } = medians.get(name)!;
    const text = `${name.padEnd(28)}${`${wall.toFixed(0)} ms`.padStart(8)}`;
    console.log(shows === undefined ? `${text}${`${memory.toFixed(0)} MiB`.padStart(8)}` : text);
  }
  console.log("");
  for (const { name, of, to, limit } of listRatios(medians)) {
    if (of === undefined || to === undefined) continue;
    const isBeyond = !(of / to <= limit);
    if (isBeyond) Deno.exitCode = 1;
    const verdict = `${(of / to).toFixed(2)} (at most ${limit})`;
    console.log(`${name.padEnd(52)}${verdict}${isBeyond ? "  BEYOND" : ""}`);
  }
}

function listRatios(medians: ReadonlyMap<string, Sample>): readonly Ratio[] {
  const of = (name: string) => medians.get(name);
  const [bare, one] = [of("bare script, one answer"), of("ally, one answer")];
  const many = of(`ally, ${SHELL_CALLS} shell calls`);
  return [
    {
      name: "--version / deno eval 0",
      of: of("ally --version")?.wall,
      to: of("deno eval 0")?.wall,
      limit: 1.5,
    },
    { name: "one answer / bare script", of: one?.wall, to: bare?.wall, limit: 1.35 },
    { name: "one answer / bare script, memory", of: one?.memory, to: bare?.memory, limit: 1.3 },
    {
      name: "prompt on screen / one answer",
      of: of("ally, prompt on screen")?.wall,
      to: one?.wall,
      limit: 1.5,
    },
    { name: `${SHELL_CALLS} shell calls / one answer`, of: many?.wall, to: one?.wall, limit: 4 },
  ];
}
