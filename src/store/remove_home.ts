/**
 * Removes what ally keeps for a person. `~/.ally` goes as a whole; a directory that `ALLY_HOME` names may be used for
 * other things too, so there only what is known to be ally's goes.
 */
import { basename, join } from "node:path";
import { listNames, realPathOrSame } from "../lib/fs.ts";
import { ALLY_FILES } from "./private_files.ts";

/** What people put there themselves. */
const OWN_FILES = ["ALLY.md", "skills"];

/** Removes it; returns the names of what stayed because it is not ally's. @throws {Error} with a system code */
export async function removeHome(home: string): Promise<string[]> {
  const isOwn = basename(home) === ".ally";
  const real = realPathOrSame(home);
  const known = new Set([...ALLY_FILES, ...OWN_FILES]);
  for (const name of listNames(real)) {
    if (isOwn || known.has(name)) await Deno.remove(join(real, name), { recursive: true });
  }
  const rest = listNames(real);
  if (rest.length > 0) return rest;
  await Deno.remove(real);
  if (real !== home) await Deno.remove(home);
  return [];
}
