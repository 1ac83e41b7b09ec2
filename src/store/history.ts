/**
 * The lines the user typed, over all sessions: one JSON string a line, so that a line may hold line ends.
 */
import { dirname } from "node:path";
import { requireWrite } from "../lib/fs.ts";

/** How many lines are offered again. */
const MOST = 1000;

/** The last lines, oldest first; none if the file cannot be read. */
export async function readHistory(path: string): Promise<string[]> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === "string" ? [value] : [];
    } catch {
      return [];
    }
  }).slice(-MOST);
}

/** Adds a line. A history that cannot be written is no reason to stop. */
export async function appendHistory(path: string, line: string): Promise<void> {
  try {
    requireWrite(path);
    await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await Deno.writeTextFile(path, `${JSON.stringify(line)}\n`, { append: true, mode: 0o600 });
  } catch {
    // The line is still in this session's memory.
  }
}
