/**
 * The log of decisions, `~/.ally/decisions.jsonl`: one JSON line for each, appended whole, so that several
 * processes may write at once. It is opened for each line: who moves the file away loses nothing.
 */
import { dirname } from "node:path";
import type { LogDecision, PermissionDecision } from "../core/decision.ts";
import { requireWrite } from "../lib/fs.ts";
import { messageOf } from "../lib/text.ts";

export interface DecisionLogOptions {
  readonly path: string;
  /** Absolute. */
  readonly cwd: string;
  /** Id of the session that goes on now, if it is saved. */
  readonly session: () => string | undefined;
  /** Hides what looks like a secret. @default nothing is hidden */
  readonly mask?: ((text: string) => string) | undefined;
  /** Keeps the file open from now on, for a process that gives up writing. @default false */
  readonly keepOpen?: boolean | undefined;
  /** Told once that the log cannot be written. */
  readonly onProblem: (message: string) => void;
}

/** Makes the port over a file; the directory is made when it is missing. */
export function createDecisionLog(options: DecisionLogOptions): LogDecision {
  const { path, mask = (text) => text } = options;
  let failed = false;
  const held = options.keepOpen ? tryOpen(path) : undefined;
  /** Part of a line may have been written: the next one begins after a line end. */
  let torn = false;
  return (decision) => {
    try {
      const line = JSON.stringify(entryOf(decision, { ...options, mask }));
      appendLine(held ?? path, torn ? `\n${line}` : line);
      torn = false;
    } catch (error) {
      torn = true;
      if (failed) return;
      failed = true;
      options.onProblem(
        `Cannot write the log of decisions to ${path}: ${
          messageOf(error)
        }. ally goes on without it.`,
      );
    }
  };
}

function entryOf(
  { agent, tool, callId, kinds, what, risk: risk, reasons, decision, by }: PermissionDecision,
  { cwd, session, mask }: DecisionLogOptions & { mask: (text: string) => string },
) {
  return {
    time: new Date().toISOString(),
    session: session() ?? null,
    cwd,
    agent,
    tool,
    call_id: callId,
    kinds,
    what: mask(what),
    class: risk,
    reasons: reasons.map(mask),
    decision,
    by: mask(by),
  };
}

/** One write for the whole line: lines of other processes stay whole too. */
function appendLine(log: string | Deno.FsFile, line: string): void {
  const bytes = new TextEncoder().encode(`${line}\n`);
  if (typeof log !== "string") return write(log, bytes);
  using file = open(log);
  write(file, bytes);
}

function write(file: Deno.FsFile, bytes: Uint8Array): void {
  if (file.writeSync(bytes) < bytes.length) throw new Error("the disk is full");
}

/** Without a file the first decision tells what is wrong. */
function tryOpen(path: string): Deno.FsFile | undefined {
  try {
    return open(path);
  } catch {
    return undefined;
  }
}

function open(path: string): Deno.FsFile {
  requireWrite(path);
  const options = { append: true, create: true, mode: 0o600 };
  try {
    return Deno.openSync(path, options);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return Deno.openSync(path, options);
  }
}
