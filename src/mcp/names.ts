/**
 * Names of servers' tools as models may call them: `server__tool`, of legal characters, at most 64 of them, and none
 * twice. Called by `servers.ts`.
 */
import { createHash } from "node:crypto";
import { cutEnd, stripControls } from "../lib/text.ts";

/** What model servers accept. */
const LONGEST = 64;

/** Characters of a server's own name for a thing that are shown. */
const LONGEST_SHOWN = 60;

/** A name that a server chose, as it can stand in a line. */
export function plainName(name: string): string {
  return cutEnd(stripControls(name).replace(/\s+/g, " ").trim(), LONGEST_SHOWN);
}

/** The name of a server's tool; `taken` are the names that stand for something else already. */
export function toolName(slug: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `${slug}__${tool.replace(/[^A-Za-z0-9_-]+/g, "_")}`;
  if (plain.length <= LONGEST && !taken.has(plain)) return plain;
  // The same tool has the same name in every run.
  const mark = createHash("sha256").update(`${slug}\0${tool}`).digest("hex").slice(0, 6);
  return `${plain.slice(0, LONGEST - mark.length - 1)}_${mark}`;
}
