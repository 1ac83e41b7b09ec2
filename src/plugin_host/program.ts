/**
 * Runs a plugin's tool that is a program in any language: it gets the input as JSON on standard input, and what it
 * prints is the result.
 */
import { ToolError } from "../core/errors.ts";
import { Excerpt } from "../lib/excerpt.ts";
import { killGroup, spawnPiped } from "../lib/process_group.ts";
import { isObject } from "../lib/schema.ts";
import { formatBytes, plural } from "../lib/text.ts";
import { MAX_RESULT } from "./child/messages.ts";
import type { Launch } from "./launch.ts";

/** Characters of a failed program's output that the model reads. */
const MAX_OUTPUT = 4_000;
/** Characters of its standard error that are shown while it runs. */
const MAX_REPORT = 1_000_000;
/** Milliseconds to wait for output that a process it left running holds open. */
const DRAIN = 200;

/** How a program is run. */
interface ProgramOptions {
  /** Of the plugin, for messages. */
  readonly name: string;
  /** JSON. */
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Gets what it writes to its standard error. */
  readonly report: (text: string) => void;
  /** Process groups of running programs, which are ended with ally. */
  readonly groups: Set<number>;
}

/**
 * Runs a program to its end and returns what it printed: a value if that is JSON, else the text.
 * @throws {ToolError} user: it failed, printed too much or took too long; interrupted
 */
export async function runProgram(launch: Launch, options: ProgramOptions): Promise<unknown> {
  const { name, groups } = options;
  const child = spawnPiped(launch.argv, launch);
  groups.add(child.pid);
  try {
    const { output, errors, code, ended } = await waitForExit(child, options);
    if (ended) throw new ToolError(`The plugin ${name} ${ended.message}`, ended);
    const value = parseOutput(output);
    // A failure reported in JSON says more than the exit code.
    const reported = isObject(value) && value.success === false;
    if (code === 0 || reported) return value;
    const excerpt = new Excerpt(MAX_OUTPUT);
    excerpt.add(`${errors.text()}\n${output}`.trim());
    throw new ToolError(`The plugin ${name} failed with exit code ${code}`, {
      kind: "user",
      data: { output: excerpt.text() },
    });
  } finally {
    killGroup(child.pid, "SIGKILL");
    groups.delete(child.pid);
    await launch.release();
  }
}

/** Why a program was ended early. */
interface Termination {
  readonly message: string;
  readonly kind: "user" | "interrupted";
}

async function waitForExit(
  child: Deno.ChildProcess,
  { input, timeoutMs, signal, report }: ProgramOptions,
): Promise<{ output: string; errors: Excerpt; code: number; ended: Termination | undefined }> {
  let ended: Termination | undefined;
  const end = (message: string, kind: Termination["kind"]) => {
    ended ??= { message, kind };
    killGroup(child.pid, "SIGKILL");
  };
  const limit = plural(timeoutMs / 1000, "second");
  const tooLong = () => end(`was stopped: it did not end within ${limit}`, "user");
  const timer = setTimeout(tooLong, timeoutMs);
  const onAbort = () => end("was interrupted", "interrupted");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  // A program may end without reading all of its input.
  new Blob([input]).stream().pipeTo(child.stdin).catch(() => {});
  const errors = new Excerpt(MAX_OUTPUT);
  let reported = 0;
  const watching = drain(child.stderr, (text) => {
    errors.add(text);
    if (reported < MAX_REPORT) report(text);
    reported += text.length;
  });
  const pieces: string[] = [];
  let length = 0;
  const reading = drain(child.stdout, (text) => {
    length += text.length;
    if (length <= MAX_RESULT) pieces.push(text);
    else end(`printed more than ${formatBytes(MAX_RESULT)}`, "user");
  });
  const { code } = await child.status;
  // Nothing that it started may outlive it.
  killGroup(child.pid, "SIGKILL");
  const rest = setTimeout(() => [reading, watching].forEach((one) => one.stop()), DRAIN);
  await Promise.all([reading.done, watching.done]);
  clearTimeout(rest);
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
  return { output: pieces.join(""), errors, code, ended };
}

/** Passes a stream on as text until it ends or is stopped. */
function drain(
  stream: ReadableStream<Uint8Array>,
  onText: (text: string) => void,
): { done: Promise<void>; stop: () => void } {
  const reader = stream.getReader();
  const read = async () => {
    const decoder = new TextDecoder();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      onText(decoder.decode(value, { stream: true }));
    }
  };
  return { done: read(), stop: () => void reader.cancel().catch(() => {}) };
}

function parseOutput(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return output;
  }
}
