/**
 * The words of a command that say which program it is, and which of its subcommands: what may be allowed with any
 * arguments behind it.
 */
import { resolve } from "node:path";
import type { Need } from "../core/sandbox.ts";
import type { Program } from "../shell/program.ts";
import { findProgram } from "../shell/programs/table.ts";

/** What is known of a command. */
interface NamedCommand {
  readonly argv: readonly string[];
  /** Absolute directory in which it runs. */
  readonly cwd: string;
  /** Files of the workspace that decide what it does, absolute. */
  readonly executes: readonly string[];
}

/**
 * `npm run build` is `npm run`, `git commit -m x` is `git commit`, `python3 manage.py test` is `python3 manage.py`.
 * Undefined if the first words do not say what will run: an interpreter or a wrapper by itself could be anything, and
 * what fetches from any address could talk to anyone.
 */
export function programPrefix({ argv, cwd, executes }: NamedCommand): string[] | undefined {
  const [name, first = ""] = argv;
  if (name === undefined) return undefined;
  const program = findProgram(name);
  if (program && runsOther(program)) {
    return executes.includes(resolve(cwd, first)) ? [name, first] : undefined;
  }
  if (program?.special === "network") return undefined;
  if (!program || program.subcommands.size === 0) return [name];
  const sub = program.subcommands.get(first);
  return sub && !runsOther(sub) && sub.subcommands.size === 0 ? [name, first] : undefined;
}

/**
 * What everyday work in a repository is made of. With whatever arguments it talks to no other repository and sets no
 * configuration; where it would discard history it is extremely sensitive, which no rule allows.
 */
const REPOSITORY_WORK =
  "add bisect branch checkout cherry-pick commit merge mv rebase restore revert rm stash switch tag"
    .split(" ");

/** A command of git, and what it needs with any arguments. */
export interface RepositoryCommand {
  readonly argv: readonly string[];
  readonly needs: readonly Need[];
}

/** The commands of everyday work in a repository. */
export function repositoryWork(): RepositoryCommand[] {
  const subcommands = findProgram("git")?.subcommands;
  return REPOSITORY_WORK.flatMap((name) => {
    const needs = subcommands?.get(name)?.needs;
    return needs === undefined ? [] : [{ argv: ["git", name], needs }];
  });
}

function runsOther({ interpreter, wrapper }: Program): boolean {
  return interpreter !== undefined || wrapper !== undefined;
}
