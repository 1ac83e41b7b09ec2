/**
 * The files that a makefile takes in or runs: what it includes and loads, the shell that it names, and the scripts of
 * its recipes.
 */
import { basename, dirname, join } from "node:path";
import { filesInside } from "../paths.ts";
import { joinReferences, type Reference, type References, type SourceFile } from "./reference.ts";
import { shellReferences } from "./shell_script.ts";

const INCLUDES = /^[ \t]*(?:[-s]?include|-?load)[ \t]+([^#\n]*)/gm;
const NAMES_SHELL = /^[ \t]*(?:override[ \t]+|export[ \t]+)*SHELL[ \t]*[:?+]*=[ \t]*(\S+)/gm;
const RECIPE = /^\t(.*)$|^[^\t#\n][^#\n]*?:[^=\n]*?;(.*)$/gm;
const CALLS_SHELL = /\$[({]shell[ \t]+((?:[^(){}]|\([^()]*\))*)[)}]|!=[ \t]*(.*)$/gm;
/** Makes lines of makefiles that no line shows: what these include is not known. */
const MAKES_INCLUDES =
  /\$[({](?:eval|file)\b[^\n]*include\b|^[ \t]*define\b[^]*?^[ \t]*-?s?include\b[^]*?^[ \t]*endef/m;
const CURRENT = /^\$[({](CURDIR|PWD)[)}]\//;
const BESIDE = /^\$[({]dir \$[({](?:lastword|firstword) \$[({]MAKEFILE_LIST[)}][)}][)}]\/?/;
/** The end of a path whose beginning is a variable. */
const KNOWN_END = /[\w)}]\/?((?:[\w.@+-]+\/)*[\w.@+-]+)$/;
/** Options that name where else included files are looked for. */
const SEARCHED = /^(?:-I|--include-dir(?:=|$))(.*)$/s;

/** Looks through a makefile. */
export function makeReferences(file: SourceFile): References {
  const text = file.text.replace(/\\\r?\n[ \t]*/g, " ");
  const named = [...text.matchAll(INCLUDES)].flatMap(([, words = ""]) => wordsOf(words));
  const included = named.map((word) => includedFiles(word, file));
  const shells = [...text.matchAll(NAMES_SHELL)].flatMap(([, path = ""]) =>
    path.startsWith("/") ? [] : filesIn(path, file)
  );
  const recipes = [...text.matchAll(RECIPE), ...text.matchAll(CALLS_SHELL)]
    .flatMap(([, one, other]) => {
      const line = (one ?? other ?? "").replace(/^[ \t]*[-@+]+/, "").replaceAll("$$", "$");
      // Variables of make's are no part of what a recipe must say plainly.
      return shellReferences({ ...file, text: line }).files;
    });
  return joinReferences([
    ...included,
    {
      files: [...shells.map((path) => ({ path })), ...recipes],
      complete: !MAKES_INCLUDES.test(text),
    },
  ]);
}

/** The words of a line; blanks within parentheses divide none. */
function wordsOf(line: string): string[] {
  return line.match(/(?:\$[({](?:[^(){}]|[({][^(){}]*[)}])*[)}]|\S)+/g) ?? [];
}

function includedFiles(written: string, file: SourceFile): References {
  const word = written.replace(CURRENT, "./").replace(/^\$[({]wildcard (\S+)[)}]$/, "$1");
  const beside = word.replace(BESIDE, "");
  if (beside !== word) return literalFiles(join(dirname(file.path), beside), file);
  if (!word.includes("$")) return literalFiles(word, file);
  const end = KNOWN_END.exec(word)?.[1];
  const candidates = end === undefined
    ? []
    : [...file.cwds, dirname(file.path)].map((directory) => join(directory, end));
  const { pathFacts } = file;
  const found = candidates.filter((path) => pathFacts.exists(path))
    .flatMap((path) => filesInside(path, { pathFacts, cwds: [] }));
  return { files: found.map((path) => ({ path, as: "make" })), complete: false };
}

/** What a name or a pattern without variables stands for, from wherever make looks for it. */
function literalFiles(name: string, file: SourceFile): References {
  const asMake = (paths: readonly string[]): Reference[] =>
    paths.map((path) => ({ path, as: "make" }));
  if (!/[*?[~]/.test(name)) return { files: asMake(filesIn(name, file)), complete: true };
  const directory = dirname(name);
  const pattern = basename(name);
  if (/[*?[~]/.test(directory) || /[[~]/.test(pattern)) return { files: [], complete: false };
  const matches = new RegExp(
    `^${pattern.replace(/[^*?\w]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".")}$`,
    "s",
  );
  const { pathFacts } = file;
  const files = filesIn(directory, file).flatMap((folder) =>
    pathFacts.entries(folder).filter((one) => matches.test(one)).map((one) => join(folder, one))
  );
  return { files: asMake(files), complete: true };
}

function filesIn(name: string, { cwds, pathFacts, argv }: SourceFile): string[] {
  const searched = argv.flatMap((word, at) => {
    const attached = SEARCHED.exec(word)?.[1];
    if (attached === undefined) return [];
    return filesInside(attached || (argv[at + 1] ?? "."), { pathFacts, cwds });
  });
  return filesInside(name, { pathFacts, cwds: [...cwds, ...searched] });
}
