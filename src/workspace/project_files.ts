/**
 * The files that a linter or formatter is to look at, each with the program its project uses for it, and
 * those that are left out with the reason. Directories are searched for files that the table knows.
 */
import type { Files, ResolvedPath } from "../core/files.ts";
import type { Shell } from "../core/shell.ts";
import { pathFilter } from "../lib/path_filter.ts";
import { walkFiles } from "../lib/walk.ts";
import {
  type FoundProgram,
  handlesFile,
  type ProgramChoice,
  ProgramFinder,
  type ProjectProgram,
} from "./project_program.ts";

/** A file with the program for it. */
export interface ChosenFile<R extends ProjectProgram> {
  /** The file. */
  readonly file: ResolvedPath;
  /** Its program. */
  readonly found: FoundProgram<R>;
}

/** A file, or a directory, that is left out. */
export interface SkippedFile {
  /** Display path. */
  readonly file: string;
  /** The reason, in a few words. */
  readonly why: string;
}

/** What files are to be chosen, and among which programs. */
export interface ChooseOptions<R extends ProjectProgram> {
  /** The programs known; of rows that fit alike the first is taken. */
  readonly table: readonly R[];
  /** What the programs are, such as "linter". */
  readonly noun: string;
  /** Name of the program to take, whatever the project's choice. */
  readonly name?: string | undefined;
  /** The user's files. */
  readonly files: Files;
  /** Where programs are found that are not the project's own. */
  readonly shell: Pick<Shell, "which">;
  /** Ends a search of directories early. */
  readonly signal: AbortSignal;
  /** Files taken at most. */
  readonly limit: number;
}

/** Files below a directory that are named if there is a program for none of them. */
const MAX_UNHANDLED = 3;

/** Chooses a program for each file named, or below a directory named. */
export async function choosePrograms<R extends ProjectProgram>(
  paths: readonly string[],
  options: ChooseOptions<R>,
): Promise<{ chosen: ChosenFile<R>[]; left: SkippedFile[] }> {
  const { name, limit } = options;
  if (paths.length === 0) {
    return { chosen: [], left: [{ file: "nothing", why: "no file is named" }] };
  }
  const finder = new ProgramFinder(options.table, options);
  const chosen: ChosenFile<R>[] = [];
  const left: SkippedFile[] = [];
  const named = new Set<string>();
  const files = new Map<string, ResolvedPath>();
  for (const path of paths) {
    const target = await options.files.resolve(path);
    named.add(target.absolute);
    const found = await filesAt(target, options);
    if (typeof found === "string") left.push({ file: target.display, why: found });
    else for (const file of found) files.set(file.absolute, file);
  }
  const unserved: SkippedFile[] = [];
  for (const file of [...files.values()].slice(0, limit)) {
    const choice = await finder.find(file, name);
    if (choice.kind === "found") {
      chosen.push({ file, found: choice.found });
      continue;
    }
    // Of a directory nobody expects that every file in it has a program.
    const expected = choice.kind === "missing" || named.has(file.absolute);
    (expected ? left : unserved).push({
      file: file.display,
      why: describeMissing(choice, options),
    });
  }
  if (chosen.length === 0) left.push(...unserved.slice(0, MAX_UNHANDLED));
  const over = files.size - limit;
  if (over > 0) left.push({ file: `${over} more`, why: `at most ${limit} are taken at once` });
  return { chosen, left };
}

/** The file itself, or the files below it that the table knows, or why there are none. */
async function filesAt<R extends ProjectProgram>(
  target: ResolvedPath,
  { table, files, signal, noun, name }: ChooseOptions<R>,
): Promise<ResolvedPath[] | string> {
  const info = await files.info(target);
  if (info === undefined) return "there is no such file";
  if (info.kind === "file") return [target];
  if (info.kind !== "directory") return "it is not a regular file";
  const found = await walkFiles(target, { port: files, signal, filter: await pathFilter({}) });
  const wanted = table.filter((row) => row.name === name);
  const rows = wanted.length > 0 ? wanted : table;
  const known = found.filter(({ path }) => rows.some((row) => handlesFile(row, path)));
  return known.length > 0
    ? known.map(({ file }) => file)
    : `no ${noun} is known for the files in it`;
}

function describeMissing(
  choice: Exclude<ProgramChoice<ProjectProgram>, { kind: "found" }>,
  { noun, name, table }: {
    noun: string;
    name?: string | undefined;
    table: readonly ProjectProgram[];
  },
): string {
  if (choice.kind === "missing") {
    return `${choice.config} chooses ${choice.name}, which is not installed`;
  }
  if (choice.names.length === 0) {
    return name === undefined
      ? `no ${noun} is known for it`
      : `no ${noun} is named '${name}' (known: ${table.map((row) => row.name).join(", ")})`;
  }
  return name === undefined
    ? `no ${noun} for it is configured or installed (these would serve: ${choice.names.join(", ")})`
    : `${name} is not installed`;
}
