/**
 * What a file names that takes part in what it does, and how it is read: the vocabulary of those that look for it.
 */
import { basename, dirname, join } from "node:path";
import type { PathFacts } from "../../core/path_facts.ts";
import { contains } from "../../lib/contains.ts";
import { globMatcher } from "../../lib/glob.ts";

/** How the text of a file is read; a `leaf` names nothing. */
export type Language =
  | "shell"
  | "make"
  | "package"
  | "settings"
  | "git"
  | "commands"
  | "build"
  | "leaf";

/** A file that another one names. */
export interface Reference {
  /** Absolute, inside the workspace; there or not. */
  readonly path: string;
  /** How what starts it reads it, where its name does not say it. */
  readonly as?: Language;
  /** The words of the command that runs it. @default those of the file that names it */
  readonly argv?: readonly string[];
}

/** All that a file names. */
export interface References {
  readonly files: readonly Reference[];
  /** False if it takes in what only running it shows. */
  readonly complete: boolean;
  /** What its commands may write. @default nothing */
  readonly writes?: Writes;
  /** Files, absolute, that it has made anew of others before they are run. @default none */
  readonly made?: readonly string[];
}

/** A place that a command writes. */
export interface WrittenPlace {
  /** Absolute. */
  readonly path: string;
  /** Whether anything that lies below may be written as well. */
  readonly below: boolean;
  /** What is followed to where it comes from. */
  readonly except: readonly string[];
}

/** What commands of scripts may write, in the place of what these or others run. */
export interface Writes {
  readonly places: readonly WrittenPlace[];
  /** Whether one of them may write where no word says it. */
  readonly anywhere: boolean;
  /** Whether one of them runs what lies in the workspace. */
  readonly runs: boolean;
}

/** Whether one of these files, which scripts run, may be what commands wrote by then. */
export function mayBeWritten(
  files: readonly string[],
  { places, anywhere, runs }: Writes,
): boolean {
  return (anywhere && runs) ||
    places.some(({ path, below, except }) =>
      files.some((file) => (below ? contains(path, file) : path === file) && !except.includes(file))
    );
}

/** A file whose text is looked through. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Directories in which its commands may run, and from which its relative names count. */
  readonly cwds: readonly string[];
  readonly pathFacts: PathFacts;
  /** The words of the command that runs it. */
  readonly argv: readonly string[];
}

/** Several as one. */
export function joinReferences(all: readonly References[]): References {
  return {
    files: all.flatMap(({ files }) => files),
    complete: all.every(({ complete }) => complete),
    made: all.flatMap(({ made = [] }) => made),
    writes: {
      places: all.flatMap(({ writes }) => writes?.places ?? []),
      anywhere: all.some(({ writes }) => writes?.anywhere),
      runs: all.some(({ writes }) => writes?.runs),
    },
  };
}

/**
 * The paths in a directory whose names match a pattern of stars and question marks, and that of the pattern itself, which
 * is no file: it tells that others may come to be among them.
 */
export function pathsLike(directory: string, pattern: string, pathFacts: PathFacts): string[] {
  const matches = globMatcher([pattern.replace(/[^*?\w]/g, "\\$&")], { dot: true });
  return [pattern, ...pathFacts.entries(directory).filter(matches)]
    .map((name) => join(directory, name));
}

const BY_NAME: readonly (readonly [pattern: RegExp, language: Language])[] = [
  [/^(package|deno|composer)\.jsonc?$/, "package"],
  [/^(GNU|BSD)?[Mm]akefile([.-].*)?$|\.(mk|mak|make)$/, "make"],
  [/^(\.npmrc|\.yarnrc|\.yarnrc\.yml|pnpm-workspace\.yaml|bunfig\.toml|Cargo\.toml)$/, "settings"],
  [/^(gradle|(gradle|maven)-wrapper)\.properties$|^(jvm|maven)\.config$/, "settings"],
  // Whatever they name in quotes may be run.
  [/^((nox|fab)file|tasks|dodo)\.py$|^tox\.ini$/, "settings"],
  [
    /^(\.pre-commit-config\.yaml|\.?lefthook(-local)?\.ya?ml|Taskfile(\.dist)?\.ya?ml|\.lintstagedrc(\.ya?ml|\.json)?)$/,
    "commands",
  ],
  [
    /^([jJ]ustfile|\.justfile|CMakeLists\.txt|Rakefile|meson\.build|pom\.xml)$|\.(just|cmake|gradle|gradle\.kts|rake)$/,
    "build",
  ],
  [/^[A-Z]\w*file$/, "leaf"],
  [/\.(ba|da|z|k)?sh$/, "shell"],
  [/\.([cm]?[jt]sx?|py|rb|pl|php|lua|go|rs|json[c5]?|toml|ya?ml|cfg|ini|xml|txt|lock)$/, "leaf"],
];

/** How a file is read: by its name, by what starts it, or by its first line. */
export function languageOf({ path, as }: Reference, text: string): Language {
  const name = basename(path);
  const above = basename(dirname(path));
  if (above === ".cargo" && /^config(\.toml)?$/.test(name)) return "settings";
  if (above === ".git" && name === "config") return "git";
  const known = BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? as;
  if (known || text.includes("\0")) return known ?? "leaf";
  if (text.startsWith("#!")) return /^#![^\n]*\b(ba|da|z|k|mk)?sh\b/.test(text) ? "shell" : "leaf";
  // A text without a first line of its own is run by a shell.
  return name.includes(".") ? "leaf" : "shell";
}
