/**
 * The files that a linter or formatter is to look at, each with the program its project uses for it, and
 * those that are left out with the reason. Directories are searched for files that the table knows.
 */
import { pathFilter } from "../lib/path_filter.ts";
import { walkFiles, type WalkPort } from "../lib/walk.ts";
import {
  type FoundProgram,
  handlesFile,
  type ProgramChoice,
  ProgramFinder,
  type ProgramPort,
  type ProgramShell,
  type ProjectProgram,
} from "./project_program.ts";

interface PortPath {
  readonly absolute: string;
  readonly display: string;
  readonly inside: boolean;
}

/** A file with the program for it. */
export interface ChosenFile<R extends ProjectProgram, P extends PortPath> {
  readonly file: P;
  readonly found: FoundProgram<R>;
}

/** A file, or a directory, that is left out. */
export interface SkippedFile {
  readonly file: string;
  readonly why: string;
}

/** What a project's programs are chosen from. */
export interface ChooseOptions<R extends ProjectProgram, P extends PortPath> {
  readonly table: readonly R[];
  /** What the programs are, such as "linter". */
  readonly noun: string;
  /** Name of the program to take, whatever the project's choice. */
  readonly name?: string | undefined;
  readonly port: ProgramPort<P> & WalkPort<P>;
  readonly shell: ProgramShell;
  readonly signal: AbortSignal;
  /** Files taken at most. */
  readonly limit: number;
}

/** Files below a directory that are named if there is a program for none of them. */
const MAX_UNHANDLED = 3;

/** Chooses a program for each file named, or below a directory named. */
export async function choosePrograms<R extends ProjectProgram, P extends PortPath>(
  paths: readonly string[],
  options: ChooseOptions<R, P>,
): Promise<{ chosen: ChosenFile<R, P>[]; left: SkippedFile[] }> {
  const { table, port, name, limit } = options;
  if (paths.length === 0) {
    return { chosen: [], left: [{ file: "nothing", why: "no file is named" }] };
  }
  const finder = new ProgramFinder(table, options);
  const chosen: ChosenFile<R, P>[] = [];
  const left: SkippedFile[] = [];
  const named = new Set<string>();
  const files = new Map<string, P>();
  for (const path of paths) {
    const place = await port.resolve(path);
    named.add(place.absolute);
    const found = await filesAt(place, options);
    if (typeof found === "string") left.push({ file: place.display, why: found });
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
async function filesAt<R extends ProjectProgram, P extends PortPath>(
  place: P,
  { table, port, signal, noun, name }: ChooseOptions<R, P>,
): Promise<P[] | string> {
  const info = await port.info(place);
  if (info === undefined) return "there is no such file";
  if (info.kind === "file") return [place];
  if (info.kind !== "directory") return "it is not a regular file";
  const found = await walkFiles(place, { port, signal, filter: await pathFilter({}) });
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
