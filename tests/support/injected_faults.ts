/**
 * Injects faults into runs without a terminal. Whatever goes wrong, the run ends, with the exit code that
 * `ally help scripts` names and with one result that says the same.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import type { OutputStream } from "../../src/app/io.ts";
import { run } from "../../src/cli/run.ts";
import type { FaultRow } from "./fault_row.ts";
import * as rows from "./fault_rows.ts";
import * as servers from "./server_fault_rows.ts";
import { createMemoryIo, type MemoryIo } from "./memory_io.ts";
import { stage } from "./program.ts";

/** After that a run counts as one that hangs. */
const DEADLINE_MS = 60_000;

/** Reasons that a result may give with an exit code. */
const REASONS: Readonly<Record<number, readonly string[]>> = {
  0: ["done"],
  1: ["error"],
  2: ["error"],
  3: ["denied"],
  4: ["turn_limit", "budget"],
  5: ["context"],
  6: ["error"],
  75: ["error"],
  129: ["interrupted"],
  130: ["interrupted"],
  143: ["interrupted"],
};

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function inject(row: FaultRow): Promise<Outcome> {
  const { args = ["go"], replies = [{ text: "Done." }], files = {}, config = {}, env, input } = row;
  await using at = await stage(replies, files);
  const { place } = at;
  if (row.before) await row.before(dirname(place.dir));
  else {
    const quick = typeof config === "string"
      ? config
      : JSON.stringify({ retries: 0, idle_timeout: 1, ...config });
    await Deno.mkdir(place.home);
    await Deno.writeTextFile(join(place.home, "config.json"), quick);
  }
  const io = createMemoryIo({
    env: { ...place.env, ...env },
    cwd: place.dir,
    ...input !== undefined && { input },
  });
  const format = row.signal === undefined ? "json" : "stream-json";
  try {
    const code = await withDeadline(
      run(["-p", "--output-format", format, ...args], { ...io, stdout: createOutput(row, io) }),
    );
    assert.equal(io.listeners, 0, "listeners for signals are left");
    return { code, stdout: io.output, stderr: io.errors };
  } finally {
    io.end();
  }
}

/** Standard output as the row has it: it takes nothing, or an event in it brings the signal. */
function createOutput({ output, signal }: FaultRow, io: MemoryIo): OutputStream {
  const decoder = new TextDecoder();
  let isSent = false;
  return {
    isTerminal: () => false,
    writeSync(bytes) {
      if (output === "gone") throw new Deno.errors.BrokenPipe("Broken pipe (os error 32)");
      if (output === "full") throw new Error("No space left on device (os error 28)");
      const text = decoder.decode(bytes, { stream: true });
      if (signal !== undefined && !isSent && text.includes(`"type":"${signal.on}"`)) {
        isSent = true;
        io.signal(signal.name);
      }
      return io.stdout.writeSync(bytes);
    },
  };
}

async function withDeadline<T>(promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("the run hangs")), DEADLINE_MS);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What is wrong with an outcome; undefined if nothing is. */
function faultOf({ code, output }: FaultRow, outcome: Outcome): string | undefined {
  if (outcome.code !== code) return `exit code ${outcome.code} instead of ${code}`;
  if (/Uncaught|TypeError|at file:/.test(outcome.stderr)) return "it crashed";
  if (code !== 0 && code !== 3 && outcome.stderr === "" && output === undefined) {
    if (!outcome.stdout.includes('"error"') && code !== 4 && code < 128) return "nothing was said";
  }
  if (output !== undefined) return undefined;
  const last = outcome.stdout.trimEnd().split("\n").at(-1) ?? "";
  // What is wrong with the command line is told before anything is printed.
  if (last === "") return code === 2 ? undefined : "there is no result";
  const { type, reason } = JSON.parse(last);
  if (type !== "result") return `the last line is ${type}`;
  return REASONS[code]?.includes(reason) ? undefined : `the reason is ${reason}`;
}

/** All rows by what they have in common. */
export const FAULT_GROUPS: readonly (readonly [name: string, rows: readonly FaultRow[]])[] = [
  ["a call that is denied: exit code 3", rows.DENIED],
  ["no server, or one that only fails: exit code 75", servers.NO_SERVER],
  ["a stream that breaks: exit code 75", servers.BROKEN_STREAM],
  ["a call that cannot be run: the model goes on, exit code 0", rows.BAD_CALLS],
  ["no answer that fits a schema: exit code 6", rows.NO_FIT],
  ["a limit that is reached: exit code 4", rows.LIMITS],
  ["a window that is full: exit code 5", rows.NO_ROOM],
  ["wrong usage: exit code 2", rows.USAGE],
  ["an end from outside: exit codes by what ended it", rows.ENDED],
  ["a disk that is not as it should be", rows.DISK],
];

/** What is wrong with the runs of these rows; nothing, if all ends as it should. */
export async function injectFaults(group: readonly FaultRow[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const row of group) {
    try {
      const outcome = await inject(row);
      const fault = faultOf(row, outcome);
      if (fault !== undefined) wrong.push(`${row.name}: ${fault}\n${outcome.stderr.slice(0, 300)}`);
    } catch (error) {
      wrong.push(`${row.name}: ${error}`);
    }
  }
  return wrong;
}
