/**
 * Whole-process times and memory of the bundle against a scripted server, side by side with a bare script that only
 * reads its arguments and streams one answer.
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ScriptedReply, startScriptedServer } from "../src/modes/demo/scripted_server.ts";
import { BUNDLE } from "./bundle.ts";
import type { Limits, MeasureOptions } from "./limits.ts";
import { medianRatio } from "./median.ts";
import { PERMISSIONS } from "./permissions.ts";
import { START_BUNDLE } from "./shim.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The contenders, by the names that their quotients go by. */
const EMPTY = "deno eval 0";
const BARE = "bare script";
const VERSION = "--version";
const ANSWER = "one answer";
const PROMPT = "prompt on screen";
const EDITOR_SESSION = "acp, session/new answered";

/** What is held beside what, and how often it may be as much. */
const RATIOS = [
  { of: VERSION, to: EMPTY, figure: "wall", most: 1.5 },
  { of: ANSWER, to: BARE, figure: "wall", most: 1.35 },
  { of: ANSWER, to: BARE, figure: "memory", most: 1.3 },
  { of: PROMPT, to: ANSWER, figure: "wall", most: 1.5 },
  { of: EDITOR_SESSION, to: BARE, figure: "wall", most: 1.6 },
] as const;

/** What is measured. */
interface Contender {
  readonly name: string;
  readonly replies: readonly ScriptedReply[];
  /** Arguments of Deno. */
  readonly args: readonly string[];
  /** What it is told, and what it then says: it is done when all is said. @default it ends by itself */
  readonly exchange?: readonly (readonly [told: string, says: string])[];
  /** Whether it runs at a terminal. @default false */
  readonly terminal?: true;
}

interface Sample {
  /** Milliseconds. */
  readonly wall: number;
  /** MiB, the largest resident set of the process. */
  readonly memory: number;
}

/** Measures whole runs, side by side. */
export async function measureAnswers(
  limits: Limits,
  { rounds, scratch }: MeasureOptions,
): Promise<void> {
  const contenders = listContenders([...START_BUNDLE, join(BUNDLE, "main.js")]);
  const samples = await measureAll(contenders, { rounds, scratch });
  const valuesOf = (name: string, figure: keyof Sample) =>
    samples.get(name)?.map((sample) => sample[figure]);
  for (const { of, to, figure, most } of RATIOS) {
    const [above, below] = [valuesOf(of, figure), valuesOf(to, figure)];
    if (above && below) {
      limits.check(`${of} / ${to}, ${figure}`, medianRatio(above, below), { most });
    }
  }
}

function listContenders(ally: readonly string[]): readonly Contender[] {
  const answer: ScriptedReply = { text: "The answer." };
  const once = [...ally, "-p", "-A", "--no-session", "go"];
  const bare = ["run", ...PERMISSIONS, join(ROOT, "scripts", "bare.ts"), "-p", "go"];
  return [
    { name: EMPTY, replies: [], args: ["eval", "0"] },
    { name: VERSION, replies: [], args: [...ally, "--version"] },
    { name: BARE, replies: [answer], args: bare },
    { name: ANSWER, replies: [answer], args: once },
    { name: EDITOR_SESSION, replies: [], args: [...ally, "acp"], exchange: OPEN_SESSION },
    ...hasTerminal()
      ? [{ name: PROMPT, replies: [], args: ally, exchange: [["", "›"]], terminal: true } as const]
      : [],
  ];
}

/** What an editor says until it has a session. */
const OPEN_SESSION = [
  [requestLine("initialize", { protocolVersion: 1, clientCapabilities: {} }), "agentCapabilities"],
  [requestLine("session/new", { cwd: Deno.cwd(), mcpServers: [] }), "sessionId"],
] as const;

function requestLine(method: string, params: Record<string, unknown>): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id: method, method, params })}\n`;
}

/** Whether `script` of util-linux is there, which gives a program a terminal. */
export function hasTerminal(): boolean {
  try {
    const { stdout } = new Deno.Command("script", { args: ["--version"] }).outputSync();
    return new TextDecoder().decode(stdout).includes("util-linux");
  } catch {
    return false;
  }
}

/** What each round measured, by the contender's name. */
async function measureAll(
  contenders: readonly Contender[],
  { rounds, scratch }: MeasureOptions,
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const samples = new Map(contenders.map(({ name }) => [name, new Array<Sample>()]));
  // The first round warms the caches; then all take turns, so that noise meets them alike.
  for (let round = 0; round <= rounds; round++) {
    for (const contender of contenders) {
      const sample = await measure(contender, scratch);
      if (round > 0) samples.get(contender.name)?.push(sample);
    }
  }
  return samples;
}

async function measure(
  { replies, args, name, exchange, terminal }: Contender,
  scratch: string,
): Promise<Sample> {
  await using server = await startScriptedServer({ replies });
  const deno = [Deno.execPath(), ...args];
  const words = deno.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
  const [program, ...rest] = terminal ? ["script", "-qec", words, "/dev/null"] : deno;
  const started = performance.now();
  const child = new Deno.Command(program!, {
    args: rest,
    cwd: scratch,
    env: { OPENAI_BASE_URL: server.url, ALLY_HOME: join(scratch, "home"), ALLY_MODEL: "scripted" },
    stdin: exchange ? "piped" : "null",
    stdout: exchange ? "piped" : "null",
    stderr: "null",
  }).spawn();
  const memory = watchMemory(child.pid);
  if (exchange) {
    const input = child.stdin.getWriter();
    const output = new TextReader(child.stdout);
    for (const [told, says] of exchange) {
      if (told !== "") await input.write(new TextEncoder().encode(told));
      await output.readUntil(says);
    }
    const wall = performance.now() - started;
    const peak = memory.peak();
    output.close();
    child.kill("SIGKILL");
    await input.abort().catch(() => {});
    await child.status;
    return { wall, memory: peak };
  }
  const { code } = await child.status;
  const wall = performance.now() - started;
  if (code !== 0) throw new Error(`Cannot measure "${name}": it exited with ${code}`);
  return { wall, memory: memory.peak() };
}

/** Reads text as it comes. */
class TextReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #seen = "";

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** Reads until a text has come. @throws {Error} it ended before */
  async readUntil(text: string): Promise<void> {
    while (!this.#seen.includes(text)) {
      const { done, value } = await this.#reader.read();
      if (done) throw new Error(`It ended before it said ${text}:\n${this.#seen}`);
      this.#seen += this.#decoder.decode(value, { stream: true });
    }
  }

  close(): void {
    this.#reader.cancel().catch(() => {});
  }
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
