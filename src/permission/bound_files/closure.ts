/**
 * All files of the workspace that decide what a command does: those that it executes, and what these name, and so on.
 * A rule of "Always" is bound to them.
 */
import { basename, dirname, isAbsolute, join } from "node:path";
import { filesInside } from "../../shell/paths.ts";
import type { PathFacts } from "../../core/path_facts.ts";
import { findProgram } from "../../shell/programs/table.ts";
import { literalWord } from "../../shell/words.ts";
import { buildReferences } from "./build_file.ts";
import { entryFilesOf } from "./entry_files.ts";
import { makeReferences } from "./makefile.ts";
import { findNamedPlaces, optionWords } from "./named_places.ts";
import {
  joinReferences,
  type Language,
  languageOf,
  mayBeWritten,
  type Reference,
  type References,
  type SourceFile,
} from "./reference.ts";
import { packageReferences, programsOfHook } from "./package.ts";
import { commandReferences, gitReferences, settingsReferences } from "./settings.ts";
import { shellReferences } from "./shell_script.ts";
import { toolFiles } from "./tool_files.ts";
import { readsInput, takesInMore } from "./unseen_code.ts";

/** Files, steps from file to file, and text that is looked through, beyond which what a command runs counts as not known. */
const LIMITS = { files: 200, depth: 10, characters: 1024 * 1024 };

/** A command, as far as the files count that it runs. */
interface ExecutedCommand {
  /** Files of the workspace that it executes, absolute. */
  readonly executes: readonly string[];
  /** Hooks of git's that it may start, absolute. */
  readonly hooks: readonly string[];
  readonly programs: readonly string[];
  readonly argv: readonly string[];
  /** Directories in which it may run. */
  readonly cwds: readonly string[];
  /** Whether what its options name counts as well, in whatever form. @default false */
  readonly looksAtOptions?: boolean;
  /** Whether programs do not count that it builds itself, of what does not count either. @default false */
  readonly skipsBuilt?: boolean;
}

/** The files that decide what a command does. */
export interface Closure {
  /** Absolute, there or not. */
  readonly files: readonly string[];
  /** False if one of them takes in what only running it shows, or there are too many. */
  readonly complete: boolean;
  /** Whether it may obey other files of the project too, as far as anybody knows its programs. */
  readonly obeysMore: boolean;
}

const READERS: Readonly<Record<Language, (file: SourceFile) => References>> = {
  shell: shellReferences,
  make: makeReferences,
  package: packageReferences,
  settings: settingsReferences,
  git: gitReferences,
  commands: commandReferences,
  build: buildReferences,
  leaf: () => ({ files: [], complete: true }),
};

/** A file that is to be looked through. */
interface Pending extends Reference {
  readonly argv: readonly string[];
  readonly cwds: readonly string[];
  readonly depth: number;
  /** Whether it is a hook, by itself. */
  readonly isHook: boolean;
}

/** Follows what a command executes from file to file. */
export function followExecuted(command: ExecutedCommand, pathFacts: PathFacts): Closure {
  const { executes, hooks, programs, argv, cwds } = command;
  const as = startsAs(programs);
  const options = command.looksAtOptions && executes.length > 0
    ? namedByOptions(command, pathFacts)
    : [];
  const entry = entryFilesOf(argv, { programs, cwds, pathFacts });
  const found = [...entry.files, ...toolFiles(command, pathFacts)].map(({ path }) => path);
  const pending: Pending[] = [
    ...[...executes, ...options, ...found]
      .map((path) => ({ path, ...(as && { as }), argv, cwds, depth: 0, isHook: false })),
    ...hooks.map((path) => ({ path, argv, cwds: [pathFacts.cwd], depth: 0, isHook: true })),
  ];
  const seen = new Set<string>();
  const files = new Set<string>();
  let complete = entry.complete && !(as === "make" && readsInput(argv.map(literalWord))) &&
    !(programs.includes("cmake") && argv.includes("-P")) && !takesInMore(argv);
  let left = LIMITS.characters;
  const named: string[] = [];
  const read: Found[] = [];
  for (let next = pending.shift(); next; next = pending.shift()) {
    const { path, depth } = next;
    const key = JSON.stringify([path, next.as, next.argv]);
    if (seen.has(key)) continue;
    seen.add(key);
    if (!files.has(path) && files.size >= LIMITS.files) {
      return { files: [...files], complete: false, obeysMore: true };
    }
    files.add(path);
    const found = lookThrough(next, { pathFacts, left });
    left -= found.length;
    read.push(found);
    if (found.files.length > 0 && depth >= LIMITS.depth) complete = false;
    else {
      const { argv: words, cwds: places } = next;
      for (const one of found.files) {
        named.push(one.path);
        pending.push({ argv: words, cwds: places, ...one, depth: depth + 1, isHook: false });
      }
    }
    complete &&= found.complete || (next.isHook && found.isGenerated);
  }
  const { writes, made = [] } = joinReferences(read);
  if (writes && mayBeWritten(named, writes)) complete = false;
  const built = command.skipsBuilt ? made.filter((path) => isBuilt(path, pathFacts)) : [];
  const bound = files.difference(new Set(built));
  return { files: [...bound], complete, obeysMore: programs.some(obeysProject) };
}

/** Whether a file is a program that was compiled, or not there yet; not a script, which says itself what it does. */
function isBuilt(path: string, pathFacts: PathFacts): boolean {
  const content = pathFacts.read(path);
  return content === undefined ? !pathFacts.exists(path) : content.text.includes("\0");
}

/** Whether a program does what files of a project say, or runs code that takes in others. */
function obeysProject(name: string): boolean {
  const program = findProgram(name);
  return program === undefined || program.executes.length > 0 ||
    (program.interpreter !== undefined && program.interpreter !== "shell");
}

/** What options name: files, and in directories what the program looks for there. */
function namedByOptions(
  { argv, cwds, executes }: ExecutedCommand,
  pathFacts: PathFacts,
): readonly string[] {
  const { files, others } = findNamedPlaces(optionWords(argv), { pathFacts, cwds });
  const names = [...new Set(executes.map((path) => basename(path)))];
  return [...files, ...others.flatMap((place) => names.map((name) => join(place, name)))];
}

/** How a program reads the files that it is given. */
function startsAs(programs: readonly string[]): Language | undefined {
  const is = (names: RegExp) => programs.some((name) => names.test(name));
  if (is(/^[bg]?make$/)) return "make";
  return is(/^(source|\.|[a-z]*sh)$/) ? "shell" : undefined;
}

/** What a file names, and what is known of it beside that. */
interface Found extends References {
  /** How many characters were looked through, of those that are left. */
  readonly length: number;
  /** Whether a program wrote it to start hooks of the project. */
  readonly isGenerated: boolean;
}

const NOTHING: Found = {
  files: [],
  complete: true,
  length: 0,
  isGenerated: false,
};

function lookThrough(
  { path, as, argv, cwds, isHook }: Pending,
  { pathFacts, left }: { pathFacts: PathFacts; left: number },
): Found {
  // What is not there names nothing, and must stay away; without a package programs of packages are found all the same.
  const content = pathFacts.read(path) ??
    (basename(path) === "package.json" ? { text: "{}", whole: true } : undefined);
  if (content === undefined) return NOTHING;
  const { text, whole } = content;
  const language = languageOf({ path, ...(as && { as }) }, text);
  const file = { path, text, cwds, pathFacts, argv };
  const own = language === "make" ? [...new Set([...cwds, dirname(path)])] : cwds;
  const found = {
    ...NOTHING,
    isGenerated: isGenerated(path, text),
    files: [...interpreterOf(file), ...isHook ? programsOfHook(file) : []],
  };
  if (language === "leaf") return found;
  const { length } = text;
  if (length > left) return { ...found, complete: false };
  try {
    const { files, complete, ...more } = READERS[language]({ ...file, cwds: own });
    return {
      ...found,
      files: [...found.files, ...files],
      ...more,
      complete: complete && whole,
      length,
    };
  } catch {
    // A text that is nested too deeply to be looked through may name anything.
    return { ...found, complete: false, length };
  }
}

/** What the system starts for a script, by its first line, if it lies in the workspace. */
function interpreterOf({ text, cwds, pathFacts }: SourceFile): Reference[] {
  const [, words = ""] = /^#!([^\n]*)/.exec(text) ?? [];
  return words.split(/\s+/).filter((word) => word.includes("/") && !isAbsolute(word))
    .flatMap((word) => filesInside(word, { pathFacts, cwds }))
    .map((path) => ({ path }));
}

/**
 * What programs wrote to start the hooks of the project, as husky does in `_`, pre-commit and lefthook in `.git`: what
 * they start by variables is looked through by itself.
 */
function isGenerated(path: string, text: string): boolean {
  return /\/_\/[^/]+$/.test(path) ||
    (/\/\.git\/hooks\/[^/]+$/.test(path) &&
      /generated by pre-commit|call_lefthook|\bgit lfs\b|husky/.test(text));
}
