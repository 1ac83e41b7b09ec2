/**
 * The files that a makefile takes in or runs: what it includes and loads, the shell that it names, and the scripts of
 * its recipes.
 */
import { basename, dirname, join } from "node:path";
import { filesInside } from "../../shell/paths.ts";
import { joinReferences, type Reference, type References, type SourceFile } from "./reference.ts";
import { lineReferences } from "./shell_script.ts";

const INCLUDES = /^[ \t]*(?:[-s]?include|-?load)[ \t]+([^#]*)/;
const NAMES_SHELL = /^[ \t]*(?:(?:override|export)[ \t]+)*SHELL[ \t]*[:?+]*=[ \t]*(\S+)/;
const CALLS_SHELL = /\$[({]shell[ \t]+((?:[^(){}]|\([^()]*\))*)[)}]/g;
/** What makes lines of a makefile that no line shows. */
const MAKES_LINES = /\$[({](?:eval|file)\b|^[ \t]*(?:override[ \t]+)?define\b/;
const CURRENT = /^\$[({](CURDIR|PWD)[)}]\//;
const BESIDE = /^\$[({]dir \$[({](?:lastword|firstword) \$[({]MAKEFILE_LIST[)}][)}][)}]\/?/;
/** The end of a path whose beginning is a variable. */
const KNOWN_END = /[\w)}]\/?((?:[\w.@+-]+\/)*[\w.@+-]+)$/;
/** Characters of a name that are looked at. */
const MAX_NAME = 1000;
/** Options that name where else included files are looked for. */
const SEARCHED = /^(?:-I|--include-dir(?:=|$))(.*)$/s;

/** Looks through a makefile. */
export function makeReferences(file: SourceFile): References {
  const lines = file.text.replace(/\\\r?\n[ \t]*/g, " ").split(/\r?\n/);
  const found = lines.map((line) => INCLUDES.exec(line)?.[1] ?? "").flatMap(wordsOf);
  const shells = lines.flatMap((line) => NAMES_SHELL.exec(line)?.[1] ?? [])
    .filter((path) => !path.startsWith("/")).flatMap((path) => filesIn(path, file));
  // A line that makes others may make any that includes something, if there is a word of that.
  const hidden = lines.some((line) => MAKES_LINES.test(line)) &&
    lines.some((line) =>
      /\binclude\b/.test(line) && (MAKES_LINES.test(line) || !INCLUDES.test(line))
    );
  return joinReferences([
    ...found.map((word) => includedFiles(word, file)),
    { files: shells.map((path) => ({ path })), complete: !hidden },
    // Variables of make's are no part of what a recipe must say plainly.
    lineReferences(lines.flatMap(commandsIn), file),
  ]);
}

/** What a line has a shell run. */
function commandsIn(line: string): string[] {
  const called = [...line.matchAll(CALLS_SHELL)].flatMap(([, command]) => command ?? []);
  const colon = line.indexOf(":");
  const inRule = colon < 0 ? -1 : line.indexOf(";", colon);
  const assigned = line.indexOf("!=");
  const recipe = line.startsWith("\t") ? line : inRule < 0 ? "" : line.slice(inRule + 1);
  return [...called, recipe, assigned < 0 ? "" : line.slice(assigned + 2)]
    .map((command) => command.replace(/^[ \t]*[-@+]*/, "").replaceAll("$$", "$"));
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
  const end = KNOWN_END.exec(word.slice(-MAX_NAME))?.[1];
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
