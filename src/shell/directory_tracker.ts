/**
 * Follows `cd` through a script: every directory in which a command may run. A chain is in one for sure, where all of its
 * commands before have succeeded; what runs more than once, and a function, may also begin where what is behind it leads.
 */
import type { SimpleCommand } from "./parsed_command.ts";
import { type PathContext, resolve } from "./paths.ts";

/** Directories; undefined if only running it shows them. */
type Directories = readonly string[] | undefined;

/** `cd` and its like, also behind what runs a builtin. */
const CHANGES_DIRECTORY = /^((builtin|command) (.* )?)?(cd|pushd|popd)( |$)/s;
const CD_OPTION = /^-[LPe@]+$/;

/** Where each of the commands runs, in their order. */
export function directoriesOf(
  commands: readonly SimpleCommand[],
  context: PathContext,
): Directories[] {
  const moves = new Set(commands.filter(changesDirectory));
  // A chain that may call a function that moves is nowhere for sure.
  const mayMoveAnywhere = [...moves].some(({ inFunction }) => inFunction !== undefined);
  let possible: Directories = context.cwds;
  /** Of each shell: the chain that is somewhere for sure. */
  const certain = new Map<number | undefined, { chain: number; cwds: Directories }>();
  const places: { command: SimpleCommand; cwds: Directories; isCertain: boolean }[] = [];
  for (const command of commands) {
    const { chain, isolated } = command;
    const shell = command.shells.at(-1);
    const found = certain.get(shell);
    const isCertain = found?.chain === chain;
    const cwds = isCertain ? found.cwds : possible;
    if (moves.has(command)) {
      const targets = targetsOf(command, { ...context, cwds });
      if (!targets || mayMoveAnywhere) certain.clear();
      else if (isolated) certain.delete(shell);
      else certain.set(shell, { chain, cwds: targets });
      possible = union(possible, targets);
      const again = places.filter((place) => !place.isCertain && leadsBack(command, place.command));
      for (const place of again) place.cwds = union(place.cwds, targets);
    }
    places.push({ command, cwds, isCertain });
  }
  return places.map(({ cwds }) => cwds);
}

function changesDirectory({ words }: SimpleCommand): boolean {
  return CHANGES_DIRECTORY.test(words.map(({ value }) => value).join(" "));
}

/** Where a change of directory leads. */
function targetsOf(
  { words: [name, ...rest], repeated }: SimpleCommand,
  context: PathContext,
): Directories {
  const [target, ...others] = rest.filter(({ value }) => value !== "--" && !CD_OPTION.test(value));
  const isPlain = /^(cd|pushd)$/.test(name?.value ?? "") && others.length === 0 &&
    target?.kind === "literal" && !/^[-+]/.test(target.value);
  if (!isPlain || (repeated && !target.value.startsWith("/"))) return undefined;
  return resolve(target.value, context)?.map(({ absolute }) => absolute);
}

/** Whether a command that runs again may begin where one behind it has led: a function has callers everywhere. */
function leadsBack(move: SimpleCommand, { repeated, inFunction, at, shells }: SimpleCommand) {
  const isInLoop = move.repeated && move.at === at &&
    move.shells.every((shell, depth) => shell === shells[depth]);
  return repeated && (isInLoop || inFunction !== undefined);
}

function union(one: Directories, other: Directories): Directories {
  return one && other && [...new Set([...one, ...other])];
}
