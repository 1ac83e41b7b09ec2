/**
 * Which files of the workspace say what a tool of development does: a grant holds for their content. They are
 * looked for where the tool looks, in the directory it works in and above, and where its options say.
 */
import { join } from "node:path";
import { contains, directoriesAbove } from "../lib/contains.ts";
import type { Invocation } from "./command_analysis.ts";
import { filesInside } from "./paths.ts";
import type { Program } from "./program.ts";
import type { ShellWord } from "./words.ts";

/** Options by which a tool is told to work in another directory, or by another file. */
const DIRECTORY =
  /^(?:(?:-C|-p|--directory|--prefix|--cwd|--dir|--project|--project-dir|--project-directory|--rootdir|--working-directory)(?:=|$)|-C(?=.))(.*)$/s;
const FILE =
  /^(?:(?:-f|-c|-r|--requirement|--file|--makefile|--manifest-path|--config|--config-file|--justfile|--taskfile|--rcfile|--build-file|--settings-file|--import-map|--eslintrc)(?:=|$)|-f(?=.))(.*)$/s;
/** A tool by its bare name, apart from those that run the others. */
const TOOL = /^(?!(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|corepack)$)[\w-]+$/;
/** Endings of the configurations that are programs. */
const CODE = ["js", "mjs", "cjs", "ts", "mts", "cts"];

/** The files that decide what a program does, absolute, besides the scripts that it names. */
export function configFiles(
  program: Pick<Program, "executes">,
  { name, analysis: { words, context } }: Omit<Invocation, "rest">,
): string[] {
  if (program.executes.length === 0 || !context.cwds) return [];
  const named = (pattern: RegExp, cwds = context.cwds) =>
    optionValues(words, pattern).flatMap((path) => filesInside(path, { ...context, cwds }));
  const names = [...program.executes, ...configNames(name, program)];
  const places = [...context.cwds, ...named(DIRECTORY)];
  const above = places.flatMap(directoriesAbove);
  const { cwd: root } = context.pathFacts;
  const directories = [...places, ...above.filter((directory) => contains(root, directory))];
  return [
    ...new Set([
      ...directories.flatMap((directory) => names.map((file) => join(directory, file))),
      // What git is told in these options is no file that it is run by.
      ...(name === "git" ? [] : named(FILE, places)),
    ]),
  ];
}

/** What the values of an option are, wherever it stands. */
function optionValues(words: readonly ShellWord[], pattern: RegExp): string[] {
  return words.flatMap(({ kind, value }, at) => {
    const attached = kind === "literal" ? pattern.exec(value)?.[1] : undefined;
    if (attached === undefined) return [];
    const text = attached || words[at + 1]?.value;
    return text ? [text] : [];
  });
}

/** `eslint.config.js` and its like, of tools that the packages of a project bring. */
function configNames(name: string, { executes }: Pick<Program, "executes">): string[] {
  if (!executes.includes("package.json") || !TOOL.test(name)) return [];
  return [...CODE.map((end) => `${name}.config.${end}`), `.${name}rc.js`, `.${name}rc.cjs`];
}
