/**
 * Finds results whose text has been overtaken: files shown whole that a later result shows again, or that
 * were changed since; and what stands in their place once they are given up.
 */
import type { FileMark, Message, ToolMessage } from "../core/message.ts";

/** A result that may be given up. */
export interface StaleResult {
  readonly callId: string;
  /** What stands in its place. */
  readonly note: string;
}

/** The results that show nothing but overtaken files, oldest first. */
export function findStaleReads(messages: readonly Message[]): StaleResult[] {
  /** What came last of each file, seen from the end. */
  const later = new Map<string, FileMark>();
  const found: StaleResult[] = [];
  for (const message of messages.toReversed()) {
    if (message.role !== "tool" || message.cleaned || message.files === undefined) continue;
    const note = noteFor(message, later);
    if (note !== undefined) {
      found.unshift({ callId: message.call_id, note });
      continue;
    }
    for (const mark of message.files) if (!later.has(mark.path)) later.set(mark.path, mark);
  }
  return found;
}

function noteFor(
  { files = [] }: ToolMessage,
  later: ReadonlyMap<string, FileMark>,
): string | undefined {
  const states = files.map((mark) => {
    const since = later.get(mark.path);
    if (mark.how !== "shown" || since === undefined) return undefined;
    if (since.how === "changed") return `${mark.path} was changed since; read it again if needed`;
    const what = since.hash === mark.hash ? "with the same content" : "with other content";
    return `${mark.path} was read again later, ${what}`;
  });
  if (states.length === 0 || states.includes(undefined)) return undefined;
  return `[Cleaned up - overtaken]: ${states.join("; ")}`;
}
