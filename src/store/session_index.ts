/**
 * The summaries of a project's sessions, kept in one file, so that a list need not read every session whole. A summary
 * counts as long as its session's file has the same size and time; the file can be removed at any time.
 */
import { dirname, join } from "node:path";
import { parseJson } from "../lib/json_text.ts";
import { realPathOrSame, replaceFile } from "../lib/fs.ts";
import { isObject } from "../lib/schema.ts";
import { type SearchableSummary, summarizeSession } from "./session_summary.ts";

/** Changes whenever a summary holds something else. */
const VERSION = 1;

/** A summary, and the file that it was made from. */
interface Indexed {
  readonly size: number;
  /** Milliseconds. */
  readonly time: number;
  readonly summary: SearchableSummary;
}

/** A session's file as it is now. */
export interface SessionFileStats {
  readonly id: string;
  readonly path: string;
  readonly size: number;
  /** Milliseconds. */
  readonly time: number;
}

/** Sums up sessions, in their order; those that are no longer in the list leave the index. */
export async function summarizeSessions(
  directory: string,
  { wanted, all }: {
    wanted: readonly SessionFileStats[];
    /** Ids of all sessions there are. */
    all: ReadonlySet<string>;
  },
): Promise<SearchableSummary[]> {
  const path = indexPath(directory);
  const indexed = await readIndex(path);
  const summaries: SearchableSummary[] = [];
  const fresh = new Map(indexed);
  // One after the other: each is read whole.
  for (const file of wanted) {
    const known = indexed.get(file.id);
    const isCurrent = known?.size === file.size && known.time === file.time;
    const summary = isCurrent ? known.summary : await summarizeSession(file.id, file.path);
    if (!isCurrent) fresh.set(file.id, { size: file.size, time: file.time, summary });
    summaries.push(summary);
  }
  for (const id of fresh.keys()) if (!all.has(id)) fresh.delete(id);
  const isSame = fresh.size === indexed.size &&
    [...fresh].every(([id, one]) => indexed.get(id) === one);
  if (!isSame) await writeIndex(path, fresh);
  return summaries;
}

function indexPath(directory: string): string {
  return join(realPathOrSame(dirname(directory)), "session_index.json");
}

/** What the index holds; nothing if it is of another version, damaged or missing. */
async function readIndex(path: string): Promise<ReadonlyMap<string, Indexed>> {
  const text = await Deno.readTextFile(path).catch(() => "");
  const value = parseJson(text);
  if (!isObject(value) || value.version !== VERSION || !isObject(value.sessions)) return new Map();
  return new Map(
    Object.entries(value.sessions).filter((entry): entry is [string, Indexed] =>
      isIndexed(...entry)
    ),
  );
}

function isIndexed(id: string, value: unknown): boolean {
  if (!isObject(value) || typeof value.size !== "number" || typeof value.time !== "number") {
    return false;
  }
  const { summary } = value;
  return isObject(summary) && summary.id === id &&
    ["title", "cwd", "created", "used", "words"].every((field) =>
      typeof summary[field] === "string"
    ) &&
    ["messages", "turns", "size"].every((field) => typeof summary[field] === "number") &&
    ["branch", "forked_from"].every((field) =>
      ["string", "undefined"].includes(typeof summary[field])
    );
}

/** Writes it for the next list; where that cannot be done, the next list reads the sessions again. */
async function writeIndex(path: string, sessions: ReadonlyMap<string, Indexed>): Promise<void> {
  const text = JSON.stringify({ version: VERSION, sessions: Object.fromEntries(sessions) });
  try {
    await replaceFile(path, new TextEncoder().encode(text), { mode: 0o600 });
  } catch {
    // It is a convenience.
  }
}
