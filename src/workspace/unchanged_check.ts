/**
 * How the shell that joins the parts of a command line finds out whether the files that a rule is bound to are still as
 * they were when it answered: by the fingerprints of `path_facts.ts`.
 */
import { ABSENT } from "../core/path_facts.ts";
import { findOwnProgram } from "../lib/find_program.ts";
import { searchPath } from "./shell_environment.ts";

/** What hashes a file: a program that prints one, and one that prints the SHA-256 of its input with its arguments. */
interface Hashing {
  readonly print: string;
  readonly hash: readonly [program: string, ...args: string[]];
}

/** Programs of this machine that do; undefined if there are none. @throws {Deno.errors.NotCapable} Deno may not look */
export function findHashing(
  env: Readonly<Record<string, string>>,
  roots: readonly string[],
): Hashing | undefined {
  const find = (name: string) => findOwnProgram(name, { path: searchPath(env), roots });
  const [print, sha256sum, shasum] = ["cat", "sha256sum", "shasum"].map(find);
  const hash = sha256sum ? [sha256sum] as const : shasum && [shasum, "-a", "256"] as const;
  return print && hash ? { print, hash } : undefined;
}

/**
 * A function of bash that takes paths, each with its fingerprint behind it, and says which has another one; the variables
 * `print` and `hash` hold the programs, and without them no file has its fingerprint.
 */
export const UNCHANGED = `unchanged() {
  local found
  while [ $# -gt 0 ]; do
    if [ "$2" = ${ABSENT} ]; then [ ! -e "$1" ]
    else
      [ -f "$1" ] && found=$({ printf '%s\\0' "$1" && "$print" -- "$1"; } | "\${hash[@]}") &&
        [ "\${found:0:16}" = "$2" ]
    fi 2>/dev/null || {
      printf >&2 '%s\\n' "ally: not run: the rule for it is bound to $1, which has changed meanwhile. Run it by itself."
      return 1
    }
    shift 2
  done
}`;
