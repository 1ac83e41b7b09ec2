/**
 * Where the programs are that a person has named for the terminal, an editor or a pager: never in a project.
 */
import { pathOutside, SYSTEM_PATH } from "../lib/find_program.ts";

/** What they are looked for with. */
export interface ProgramPlace {
  readonly env: { get(name: string): string | undefined };
  /** The workspace as it is now: no program of it is used. */
  readonly roots: () => readonly string[];
}

/** The value of PATH for such a program. */
export function programPath({ env, roots }: ProgramPlace): string {
  const home = env.get("HOME") ?? "";
  return pathOutside({ path: env.get("PATH") ?? SYSTEM_PATH, roots: roots(), home });
}
