/**
 * The log of decisions, `~/.ally/decisions.jsonl`: one JSON line for each, appended whole, so that several
 * processes may write at once. It is opened for each line, so that nothing is lost when a person moves it away.
 */
import type { LogDecision, PermissionDecision } from "../core/decision.ts";
import type { Access } from "../core/permission.ts";
import { PrivateFile } from "../lib/fs.ts";
import { messageOf } from "../lib/text.ts";

/** Where decisions are logged, and for which session. */
interface DecisionLogOptions {
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

/** The log of a run. */
interface DecisionLog {
  readonly log: LogDecision;
  /** Closes the file, if it is kept open. */
  close(): void;
}

/** Makes the port over a file; the directory is made when it is missing. */
export function createDecisionLog(options: DecisionLogOptions): DecisionLog {
  const { path, mask = (text) => text } = options;
  let failed = false;
  const openFile = options.keepOpen ? tryOpen(path) : undefined;
  /** Part of a line may have been written: the next one begins after a line end. */
  let torn = false;
  const log: LogDecision = (decision) => {
    try {
      const line = JSON.stringify(entryOf(decision, { ...options, mask }));
      appendLine(openFile ?? path, torn ? `\n${line}` : line);
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
  return { log, close: () => openFile?.close() };
}

function entryOf(
  { agent, tool, callId, kinds, what, risk, reasons, decision, by, asked }: PermissionDecision,
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
    ...asked && { asked: asked.map((access) => maskAccess(access, mask)) },
  };
}

function maskAccess({ display: _, ...access }: Access, mask: (text: string) => string): Access {
  return { ...access, target: mask(access.target) };
}

function appendLine(log: PrivateFile | string, line: string): void {
  if (typeof log !== "string") return log.appendLine(line);
  using file = PrivateFile.openEnd(log);
  file.appendLine(line);
}

/** Undefined where it cannot be opened: the first decision then tells why. */
function tryOpen(path: string): PrivateFile | undefined {
  try {
    return PrivateFile.openEnd(path);
  } catch {
    return undefined;
  }
}
