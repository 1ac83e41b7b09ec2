/**
 * Names of servers' tools as models call them: `server__tool`, of legal characters, at most 64 long and unique.
 */
import { cutEnd, oneLine } from "../lib/text.ts";
import { hashShortText } from "../lib/text_hash.ts";

/** What model servers accept. */
const MAX_NAME = 64;

/** Characters shown of a name that a server chose. */
const MAX_DISPLAY_NAME = 60;

/** A name that a server chose, safe to show within a line. */
export function displayName(name: string): string {
  return cutEnd(oneLine(name), MAX_DISPLAY_NAME);
}

/** The name of a server's tool; `taken` holds the names in use. */
export function toolName(slug: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `${slug}__${tool.replace(/[^A-Za-z0-9_-]+/g, "_")}`;
  if (plain.length <= MAX_NAME && !taken.has(plain)) return plain;
  // Derived from the tool, so that it has the same name in every run.
  const suffix = hashShortText(`${slug}\0${tool}`).slice(0, 6);
  return `${plain.slice(0, MAX_NAME - suffix.length - 1)}_${suffix}`;
}
