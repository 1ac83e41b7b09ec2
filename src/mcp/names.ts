/**
 * Names of servers' tools as models may call them: `server__tool`, of legal characters, at most 64 of them, and none
 * twice. Called by `servers.ts`.
 */
import { createHash } from "node:crypto";

/** What model servers accept. */
const LONGEST = 64;

/** The name of a server's tool; `taken` are the names that stand for something else already. */
export function toolName(slug: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `${slug}__${tool.replace(/[^A-Za-z0-9_-]+/g, "_")}`;
  if (plain.length <= LONGEST && !taken.has(plain)) return plain;
  // The same tool has the same name in every run.
  const mark = createHash("sha256").update(`${slug}\0${tool}`).digest("hex").slice(0, 6);
  return `${plain.slice(0, LONGEST - mark.length - 1)}_${mark}`;
}
