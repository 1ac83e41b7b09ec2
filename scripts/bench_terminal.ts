/**
 * What a person feels at the terminal: how soon a key is seen while an answer streams, how long a command of much output
 * holds a turn up and how much memory it takes, and how much is written for an answer.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type ScriptedReply,
  type ScriptedServer,
  startScriptedServer,
} from "../src/modes/demo/scripted_server.ts";
import { hasTerminal } from "./bench_answers.ts";
import { BUNDLE } from "./bundle.ts";
import type { Limits, MeasureOptions } from "./limits.ts";
import { median } from "./median.ts";
import { START_BUNDLE } from "./shim.ts";

/** Typed one after the other; neither ally nor the model writes them. */
const LETTERS = "αβγδεζηθικλμνξοπρστυφχψω";
/** Milliseconds between two keys: more than one frame of the screen. */
const KEY_MS = 60;
/** 200 tokens a second. */
const TOKEN_MS = 5;
/** One frame of the screen, which a key may have to wait for. */
const FRAME_MS = 34;
const SLOW_SHARE = 0.9;
const OUTPUT_BYTES = 1_000_000;
const ITEMS = Array.from(
  { length: 100 },
  (_, n) =>
    `${n + 1}. **Point ${n + 1}** is about \`code ${n}\`, and some more words to fill a row.`,
).join("\n");
/** One character: words can come in two frames, with other rows between them. Nobody else writes it. */
const END = "Ω";

/** Measures sessions at a terminal; nothing without `script` of util-linux. */
export async function measureTerminal(
  limits: Limits,
  { rounds, scratch }: MeasureOptions,
): Promise<void> {
  if (!hasTerminal()) return;
  const echoes: number[] = [];
  const bytes: number[] = [];
  const times: number[] = [];
  const memories: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const measured = {
      echoes: await measureEchoes(scratch),
      bytes: await measureBytes(scratch),
      much: await measureOutput(scratch, OUTPUT_BYTES),
      little: await measureOutput(scratch, 1),
    };
    // The first round warms the caches.
    if (round === 0) continue;
    echoes.push(...measured.echoes);
    bytes.push(measured.bytes);
    times.push(measured.much.wall - measured.little.wall);
    memories.push(measured.much.memory - measured.little.memory);
  }
  limits.check("a key until its echo, at 200 tokens a second", median(echoes), {
    most: 16,
    unit: "ms",
  });
  const slow = echoes.toSorted((a, b) => a - b)[Math.floor(echoes.length * SLOW_SHARE)] ?? NaN;
  limits.check("the same, nine keys in ten", slow, { most: FRAME_MS, unit: "ms" });
  limits.check("bytes written / bytes of the answer", median(bytes), { most: 3 });
  limits.check("1 MB of a command's output, time", median(times), { most: 1500, unit: "ms" });
  limits.check("1 MB of a command's output, memory", median(memories), { most: 40, unit: "MiB" });
}

/** Milliseconds from each key to the first output that has it. */
async function measureEchoes(scratch: string): Promise<number[]> {
  const reply = { text: "so it goes on ".repeat(120), delayMs: TOKEN_MS, chunkSize: 4 };
  await using session = await Session.start(scratch, [reply]);
  await session.say("go");
  await session.shows("so it");
  const echoes: number[] = [];
  for (const letter of LETTERS) {
    await delay(KEY_MS);
    const started = performance.now();
    await session.type(letter);
    await session.shows(letter);
    echoes.push(performance.now() - started);
  }
  return echoes;
}

/** How many bytes are written for one byte of a long list. */
async function measureBytes(scratch: string): Promise<number> {
  const text = `${ITEMS}\n\n${END}`;
  await using session = await Session.start(scratch, [{ text, delayMs: 2, chunkSize: 12 }]);
  const before = session.written;
  await session.say("go");
  await session.shows(END);
  return (session.written - before) / text.length;
}

/** Milliseconds from the reply with the call to the request with its result, and MiB at the most. */
async function measureOutput(
  scratch: string,
  bytes: number,
): Promise<{ wall: number; memory: number }> {
  const command = `yes 'a line of output, as commands write them' | head -c ${bytes}`;
  const replies = [
    { calls: [{ name: "bash", arguments: { command } }] },
    { text: END },
  ];
  await using session = await Session.start(scratch, replies, ["-A"]);
  const started = performance.now();
  await session.say("go");
  await session.shows(END);
  return { wall: performance.now() - started, memory: session.memory() };
}

/** One ally at a terminal of its own. */
class Session implements AsyncDisposable {
  readonly #server: ScriptedServer;
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  /** Bytes that came so far. */
  written = 0;
  #seen = "";
  #changed = Promise.withResolvers<void>();

  private constructor(server: ScriptedServer, child: Deno.ChildProcess) {
    this.#server = server;
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#read();
  }

  static async start(
    scratch: string,
    replies: readonly ScriptedReply[],
    args: readonly string[] = [],
  ): Promise<Session> {
    const server = await startScriptedServer({ replies });
    const ally = [Deno.execPath(), ...START_BUNDLE, join(BUNDLE, "main.js"), ...args];
    const words = ally.map((word) => `'${word}'`).join(" ");
    const child = new Deno.Command("script", {
      args: ["-qec", `stty cols 100 rows 30; exec ${words}`, "/dev/null"],
      cwd: scratch,
      env: {
        OPENAI_BASE_URL: server.url,
        ALLY_HOME: join(scratch, "home"),
        ALLY_MODEL: "scripted",
        TERM: "xterm-256color",
        LANG: "C.UTF-8",
      },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const session = new Session(server, child);
    await session.shows("›");
    return session;
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of this.#child.stdout) {
      this.written += bytes.length;
      this.#seen += decoder.decode(bytes, { stream: true });
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    }
  }

  /** Types a message and sends it. */
  async say(text: string): Promise<void> {
    await this.type(text);
    // What arrives at once would be taken for a paste.
    await delay(KEY_MS);
    await this.type("\r");
  }

  async type(text: string): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(text));
  }

  /** Waits until a text has been written, from now on or before. */
  async shows(text: string): Promise<void> {
    while (!this.#seen.includes(text)) await this.#changed.promise;
  }

  /** MiB, the largest resident set of ally itself. */
  memory(): number {
    const { pid } = this.#child;
    const ally = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim();
    const status = Deno.readTextFileSync(`/proc/${ally}/status`);
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#writer.abort().catch(() => {});
    await this.#child.status;
    await this.#server.close();
  }
}
