/**
 * What a person is shown before a call runs: the diff of each planned change, the command line, or what is
 * sent to a server or a plugin.
 */
import type { Change, EditPlan } from "../core/files.ts";
import type { Access, Preview } from "../core/permission.ts";
import { readableDiff } from "../lib/diff.ts";
import { splitLines } from "../lib/text.ts";

/** How much of a file is shown around its changed lines. */
export interface DiffContext {
  readonly lines: number;
  /** Bytes of a file above which nothing is. */
  readonly maxFileSize: number;
}

/** The previews of a call, in the order in which it will act. */
export async function previewsOf(
  call: {
    plan: EditPlan | undefined;
    accesses: readonly Access[];
    cwd: string;
    diffs: DiffContext;
    /** What a server or a plugin is given. */
    sent?: unknown;
  },
): Promise<Preview[]> {
  const planned = call.plan?.changes ?? [];
  const changes = await Promise.all(planned.map((one) => previewOfChange(one, call.diffs)));
  const commands = call.accesses
    .filter((access) => access.kind === "run")
    .map((access): Preview => ({ kind: "command", command: access.target, cwd: call.cwd }));
  const sent = call.sent === undefined
    ? []
    : [{ kind: "sent", text: JSON.stringify(call.sent, null, 2) } as const];
  return [...changes, ...commands, ...sent];
}

async function previewOfChange(change: Change, diffs: DiffContext): Promise<Preview> {
  const path = change.path.display;
  if (change.before === null) return { kind: "new_file", path, content: change.after ?? "" };
  if (change.after === null) {
    return { kind: "deleted_file", path, lines: splitLines(change.before).length };
  }
  const { lines, maxFileSize } = diffs;
  // A text has at most as many characters as bytes.
  const context = change.after.length > maxFileSize ? 0 : lines;
  const diff = await readableDiff(change.before, change.after, { path, context });
  return { kind: "diff", path, diff };
}
