/**
 * The lines the user typed, over all sessions and projects: one JSON object a line, so that a line may hold line ends.
 * Several processes may add to it at once; when it becomes far too long, its beginning is cut off.
 */
import { readLastLines } from "../lib/fs.ts";
import { parseJson } from "../lib/json_text.ts";
import { updateLocked, withFileLock } from "../lib/locked_file.ts";
import { isObject } from "../lib/schema.ts";

/** What was typed, and where. */
export interface HistoryEntry {
  readonly text: string;
  /** The working directory; undefined if that was not noted. */
  readonly project?: string;
}

/** How many lines are offered again, and the bytes at the end of the file in which they are looked for. */
const MAX_LINES = 10_000;
const TAIL_BYTES = 4_000_000;
/** Bytes over which the file is cut to that. */
const PRUNE_ABOVE_BYTES = 2 * TAIL_BYTES;

/** The last lines, oldest first; none if the file cannot be read. */
export async function readHistory(path: string): Promise<HistoryEntry[]> {
  const lines = await lastLines(path).catch(() => []);
  return lines.flatMap((line) => toEntry(parseJson(line)) ?? []);
}

/** Adds a line. A history that cannot be written is no reason to stop. */
export async function appendHistory(path: string, { project, text }: HistoryEntry): Promise<void> {
  try {
    await withFileLock(path, async (canonicalPath) => {
      await Deno.writeTextFile(canonicalPath, `${JSON.stringify({ project, text })}\n`, {
        append: true,
        mode: 0o600,
      });
    });
  } catch {
    // The line is still in this session's memory.
  }
}

/** Cuts a history that has become too long to its last lines. @throws {Error} it cannot be read or written */
export async function pruneHistory(path: string): Promise<void> {
  const { size } = await Deno.stat(path);
  if (size <= PRUNE_ABOVE_BYTES) return;
  await updateLocked(path, async (canonicalPath) => {
    const lines = await lastLines(canonicalPath);
    return lines.map((line) => `${line}\n`).join("");
  });
}

async function lastLines(path: string): Promise<string[]> {
  return (await readLastLines(path, { maxBytes: TAIL_BYTES })).slice(-MAX_LINES);
}

/** Earlier versions wrote the text alone. */
function toEntry(value: unknown): HistoryEntry | undefined {
  if (typeof value === "string") return { text: value };
  if (!isObject(value) || typeof value.text !== "string") return undefined;
  const { text, project } = value;
  return { text, ...typeof project === "string" && { project } };
}
