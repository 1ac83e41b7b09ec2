/**
 * The lines of a session for a copy of it: all that can be read, but for its header and what its turns have cost.
 */
import { isObject } from "../lib/schema.ts";
import { parseJson } from "../lib/json_text.ts";
import { readableLines, type StoredSession } from "./session_reader.ts";
import { titleOf } from "./session_summary.ts";

const HEADER = '{"type":"session"';
const TURN = '{"type":"turn"';

/** The lines of a copy that goes back to the first messages, if `keeps` says so, and has a name of its own. */
export async function copyLines(
  path: string,
  { stored, keeps }: { stored: StoredSession; keeps: number | undefined },
): Promise<string[]> {
  const title = titleOf(stored.title, stored.covered[0] ?? stored.messages);
  const lines = (await readableLines(path, stored.header.id))
    .filter((line) => !line.startsWith(HEADER))
    .map((line) => line.startsWith(TURN) ? withoutCost(line) : line);
  const time = new Date().toISOString();
  if (keeps !== undefined) lines.push(JSON.stringify({ type: "rewind", time, keeps }));
  lines.push(JSON.stringify({ type: "title", time, title: `${title} (fork)` }));
  return lines;
}

function withoutCost(line: string): string {
  const turn = parseJson(line);
  return isObject(turn) ? JSON.stringify({ ...turn, spent: [] }) : line;
}
