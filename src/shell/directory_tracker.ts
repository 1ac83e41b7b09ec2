/**
 * Follows `cd` through a script: every directory in which a command may run. A chain is in one for sure, where all of its
 * commands before have succeeded; what runs more than once, and a function, may also begin where what is behind it leads.
 */
import type { PathFacts } from "../core/path_facts.ts";
import type { SimpleCommand } from "./parsed_command.ts";
import { type PathContext, resolve } from "./paths.ts";

/** Directories; undefined if only running it shows them. */
type Directories = readonly string[] | undefined;

/** A command that changes the directory, and where it leads. */
interface Move {
  readonly command: SimpleCommand;
  readonly index: number;
  readonly targets: Directories;
}

/** `cd` and its like, also behind what runs a builtin. */
const CHANGES_DIRECTORY = /^((builtin|command) (.* )?)?(cd|pushd|popd)( |$)/s;
const CD_OPTION = /^-[LPe@]+$/;

/** Where each of the commands runs, in their order. */
export function directoriesOf(
  commands: readonly SimpleCommand[],
  context: PathContext,
): Directories[] {
  const tracker = new DirectoryTracker(commands, context);
  const places = commands.map((command, index) => tracker.enter(command, index));
  return places.map(({ cwds, certain }, index) => {
    const command = commands[index]!;
    if (!command.repeated || certain) return cwds;
    const later = tracker.moves.filter((move) => move.index > index && leadsTo(move, command));
    return later.reduce<Directories>((all, { targets }) => union(all, targets), cwds);
  });
}

/** Whether a command that runs again may begin where one behind it has led: a function has callers everywhere. */
function leadsTo({ command }: Move, { inFunction, at, shells }: SimpleCommand): boolean {
  if (inFunction !== undefined) return true;
  return command.repeated && command.at === at &&
    command.shells.every((shell, depth) => shell === shells[depth]);
}

class DirectoryTracker {
  readonly moves: Move[] = [];
  readonly #pathFacts: PathFacts;
  #possible: Directories;
  /** Of each shell: the chain that is somewhere for sure. */
  readonly #certain = new Map<number | undefined, { chain: number; cwds: Directories }>();
  /** Whether a function moves, so that no chain that may call it is anywhere for sure. */
  readonly #mayMoveAnywhere: boolean;

  constructor(commands: readonly SimpleCommand[], { pathFacts, cwds }: PathContext) {
    this.#pathFacts = pathFacts;
    this.#possible = cwds;
    this.#mayMoveAnywhere = commands.some((command) =>
      command.inFunction !== undefined && changesDirectory(command)
    );
  }

  /** Where a command runs, the next after the one before, and whether it is there for sure. */
  enter(command: SimpleCommand, index: number): { cwds: Directories; certain: boolean } {
    const found = this.#certain.get(command.shells.at(-1));
    const certain = found?.chain === command.chain && !this.#mayMoveAnywhere;
    const cwds = certain ? found.cwds : this.#possible;
    if (changesDirectory(command)) {
      const targets = this.#targetsOf(command, cwds);
      this.moves.push({ command, index, targets });
      this.#leave(command, targets);
    }
    return { cwds, certain };
  }

  #targetsOf({ words: [name, ...rest], repeated }: SimpleCommand, cwds: Directories): Directories {
    const operands = rest.filter(({ value }) => value !== "--" && !CD_OPTION.test(value));
    const [target] = operands;
    const isPlain = /^(cd|pushd)$/.test(name?.value ?? "") && operands.length === 1 &&
      target?.kind === "literal" && !/^[-+]/.test(target.value);
    if (!isPlain || (repeated && !target.value.startsWith("/"))) return undefined;
    return resolve(target.value, { pathFacts: this.#pathFacts, cwds })
      ?.map(({ absolute }) => absolute);
  }

  #leave({ shells, chain, isolated }: SimpleCommand, targets: Directories): void {
    const shell = shells.at(-1);
    if (!targets) this.#certain.clear();
    else if (isolated) this.#certain.delete(shell);
    else this.#certain.set(shell, { chain, cwds: targets });
    this.#possible = union(this.#possible, targets);
  }
}

function changesDirectory({ words }: SimpleCommand): boolean {
  return CHANGES_DIRECTORY.test(words.map(({ value }) => value).join(" "));
}

function union(one: Directories, other: Directories): Directories {
  return one && other && [...new Set([...one, ...other])];
}
