/**
 * Names of servers' tools as models may call them: `server__tool`, of legal characters, at most 64 of them, and none
 * twice. Called by `servers.ts`.
 */
import { createHash } from "node:crypto";
import { cutEnd, stripControls } from "../lib/text.ts";

/** What model servers accept. */
const MAX_NAME = 64;

/** Characters of a server's own name for a thing that are shown. */
const MAX_DISPLAY_NAME = 60;

/** A name that a server chose, as it can stand in a line. */
export function displayName(name: string): string {
  return cutEnd(stripControls(name).replace(/\s+/g, " ").trim(), MAX_DISPLAY_NAME);
}

/** The name of a server's tool; `taken` are the names that stand for something else already. */
export function toolName(slug: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `${slug}__${tool.replace(/[^A-Za-z0-9_-]+/g, "_")}`;
  if (plain.length <= MAX_NAME && !taken.has(plain)) return plain;
  // The same tool has the same name in every run.
  const mark = createHash("sha256").update(`${slug}\0${tool}`).digest("hex").slice(0, 6);
  return `${plain.slice(0, MAX_NAME - mark.length - 1)}_${mark}`;
}
