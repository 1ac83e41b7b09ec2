/**
 * The command line of a server as it is started: found, with its environment, in the OS sandbox if its entry wants
 * that. Called by `server.ts`.
 */
import { isAbsolute, join } from "node:path";
import { findProgram } from "../lib/process.ts";
import type { StdioEntry } from "./entry.ts";
import type { StdioOptions } from "./stdio.ts";
import type { Surroundings } from "./surroundings.ts";

/** What to start. @throws {Error} the program is not found, or there is no sandbox though the entry wants one */
export async function startOf(
  { command, args, env, cwd = ".", sandbox }: StdioEntry,
  { around, onLine }: { around: Surroundings; onLine: (line: string) => void },
): Promise<StdioOptions> {
  const directory = isAbsolute(cwd) ? cwd : join(around.cwd, cwd);
  const given = { ...around.childVariables, ...env };
  const program = await findProgram(command, { path: given.PATH ?? "", cwd: directory });
  if (program === undefined) {
    throw new Error(`there is no program '${command}' on PATH; install it, or name it by its path`);
  }
  const argv = [program, ...args] as const;
  if (!sandbox) return { argv, cwd: directory, env: given, onLine };
  const held = await around.confine(argv, { cwd: directory, network: sandbox === "network" });
  const all = { ...given, ...held.env };
  return { argv: held.argv, cwd: directory, env: all, onLine, onGone: held.done };
}
