/**
 * The lines the user typed, over all sessions: one JSON string a line, so that a line may hold line ends. Several
 * processes may add to it at once; what is far too much goes from its beginning. Used by the REPL and by
 * housekeeping.
 */
import { updateLocked, withFileLock } from "../lib/locked_file.ts";

/** How many lines are offered again, and the bytes at the end of the file in which they are looked for. */
const MAX_LINES = 1000;
const TAIL_BYTES = 4_000_000;
/** Bytes over which the file is cut to that. */
const PRUNE_ABOVE_BYTES = 2 * TAIL_BYTES;

/** The last lines, oldest first; none if the file cannot be read. */
export async function readHistory(path: string): Promise<string[]> {
  const lines = await lastLines(path).catch(() => []);
  return lines.flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === "string" ? [value] : [];
    } catch {
      return [];
    }
  });
}

/** Adds a line. A history that cannot be written is no reason to stop. */
export async function appendHistory(path: string, line: string): Promise<void> {
  try {
    await withFileLock(path, async (place) => {
      await Deno.writeTextFile(place, `${JSON.stringify(line)}\n`, { append: true, mode: 0o600 });
    });
  } catch {
    // The line is still in this session's memory.
  }
}

/** Cuts a history that has become too long to its last lines. @throws {Error} it cannot be read or written */
export async function pruneHistory(path: string): Promise<void> {
  const { size } = await Deno.stat(path);
  if (size <= PRUNE_ABOVE_BYTES) return;
  await updateLocked(path, async (place) => {
    const lines = await lastLines(place);
    return lines.map((line) => `${line}\n`).join("");
  });
}

/** The last lines as they stand, oldest first. */
async function lastLines(path: string): Promise<string[]> {
  using file = await Deno.open(path);
  const { size } = await file.stat();
  const start = Math.max(0, size - TAIL_BYTES);
  await file.seek(start, Deno.SeekMode.Start);
  const lines = (await new Response(file.readable).text()).split("\n");
  // The first one may have lost its beginning, and behind the last line end there is nothing.
  return lines.slice(start > 0 ? 1 : 0, -1).slice(-MAX_LINES);
}
