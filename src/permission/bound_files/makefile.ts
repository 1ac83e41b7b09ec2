/**
 * The files that a makefile takes in or runs: what it includes and loads, the shell that it names, and the scripts of
 * its recipes.
 */
import { basename, dirname, join } from "node:path";
import { filesInside } from "../../shell/paths.ts";
import { MakeVariables } from "./make_variables.ts";
import { valuesOf } from "./named_places.ts";
import {
  joinReferences,
  languageOf,
  pathsLike,
  type Reference,
  type References,
  type SourceFile,
} from "./reference.ts";
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
/** Names in the values of variables that are looked at. */
const MAX_NAMES = 500;
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
  const included = joinReferences(found.map((word) => includedFiles(word, file)));
  const makefiles = [file.path, ...included.files.map(({ path }) => path)];
  return joinReferences([
    included,
    { files: makefiles.flatMap((path) => remadeFrom(path, file)), complete: true },
    { files: shells.map((path) => ({ path })), complete: !hidden },
    recipeReferences(lines, file),
  ]);
}

/** What changes which lines are recipes, or what runs them, so that nobody knows it here. */
const CHANGES_RECIPES =
  /^[ \t]*\.(?:RECIPEPREFIX|ONESHELL|SHELLFLAGS[ \t]*[:?+]*=(?!(?:[ \t]+(?:-\w+|\w{7,}))*[ \t]*$))/;
/** A variable that is set behind a tab, as within a condition. */
const SETS_INDENTED = /^\t[ \t]*[A-Z_]+[ \t]+[:?+]?=[ \t]/;
/** A shell that is looked for where programs are installed. */
const FINDS_SHELL = /SHELL[ \t]*[:?]*=[ \t]*\$\(shell[ \t]+(?:which|command -v)[ \t]+[a-z]*sh\b/;

/** What the recipes run, and the scripts that variables name, of which other makefiles may make commands. */
function recipeReferences(lines: readonly string[], file: SourceFile): References {
  const { pathFacts, argv } = file;
  let defines = false;
  const plain = lines.filter((line) => {
    const isInside = defines;
    if (/^[ \t]*(?:(?:override|export)[ \t]+)*define\b/.test(line)) defines = true;
    if (/^[ \t]*endef\b/.test(line)) defines = false;
    return !isInside;
  });
  const bodies = lines.filter((line) => !plain.includes(line));
  const variables = new MakeVariables(plain, argv);
  const automatic = automaticOf(plain, variables);
  const commands = plain.flatMap((line, at) =>
    SETS_INDENTED.test(line)
      ? []
      : commandsIn(line).flatMap((command) => variables.expand(command, automatic[at]))
  ).map((command) => command.replace(/^[ \t]*[-@+ \t]*/, ""));
  const named = variables.assignments
    .flatMap(({ value }) => value?.match(/[\w.@+-]*[/.][\w./@+-]+/g) ?? []).slice(0, MAX_NAMES)
    .flatMap((name) => filesIn(name, file))
    .filter((path) => isScript(path, file));
  const isChanged = plain.some((line) => CHANGES_RECIPES.test(line)) ||
    plain.some((line) => NAMES_SHELL.exec(line)?.[1]?.includes("$") && !FINDS_SHELL.test(line));
  return joinReferences([
    {
      files: named.map((path) => ({ path, as: "shell" })),
      complete: !isChanged && !variables.hijacks(pathFacts),
      made: madeTargets(plain, variables).flatMap((name) => filesIn(name, file)),
    },
    lineReferences(commands, file, { all: true }),
    lineReferences(bodies.flatMap(commandsIn), file),
  ]);
}

/** Targets, and what they need. */
const RULE = /^([^\t#=:][^#=:]*)::?(?![:=])([^#=;:]*)(?:[;#].*)?$/;

function isScript(path: string, { pathFacts }: SourceFile): boolean {
  const content = pathFacts.read(path);
  return content !== undefined && languageOf({ path }, content.text) === "shell";
}

/** What `$<`, `$^` and `$@` are in each line, where its rule names its target and what that needs plainly. */
function automaticOf(
  lines: readonly string[],
  variables: MakeVariables,
): ReadonlyMap<string, string>[] {
  const searches = lines.some((line) => /^[ \t]*(?:vpath\b|VPATH[ \t]*[:?+]*=)/.test(line));
  const rules = lines.map((line) => RULE.exec(line));
  const targets = rules.flatMap((rule) => wordsOf(rule?.[1] ?? ""));
  let current: ReadonlyMap<string, string> = new Map();
  return lines.map((line, at) => {
    const [, before = "", behind = ""] = rules[at] ?? [];
    if (rules[at]) {
      const [names = "", ...others] = variables.expand(before);
      const [needed = "", ...more] = variables.expand(behind.split("|")[0] ?? "");
      const [target, ...rest] = wordsOf(names);
      const isPlain = !searches && others.length + more.length + rest.length === 0 &&
        !/[$%*?[~]/.test(names + needed) &&
        targets.filter((one) => one === before.trim()).length === 1;
      const needs = wordsOf(needed);
      current = new Map(
        isPlain && target
          ? [
            ["@", target],
            ...needs.length > 0
              ? [["<", needs[0]!], ["^", needs.join(" ")], ["+", needs.join(" ")]] as const
              : [],
          ]
          : [],
      );
    } else if (/^[^\t#\s]/.test(line) && line.includes(":")) current = new Map();
    return current;
  });
}

/** The names that rules make of others, or by commands. */
function madeTargets(lines: readonly string[], variables: MakeVariables): string[] {
  return lines.flatMap((line, at) => {
    const [, before = "", behind = ""] = RULE.exec(line) ?? [];
    const isMade = behind.trim() !== "" || /:.*;/.test(line) || lines[at + 1]?.startsWith("\t");
    return isMade ? variables.expand(before).flatMap(wordsOf) : [];
  }).filter((name) => !/[$%*?[~]/.test(name)).slice(0, MAX_NAMES);
}

/** What a line has a shell run. */
function commandsIn(line: string): string[] {
  const called = [...line.matchAll(CALLS_SHELL)].flatMap(([, command]) => command ?? []);
  const colon = line.indexOf(":");
  const inRule = colon < 0 ? -1 : line.indexOf(";", colon);
  const assigned = line.indexOf("!=");
  const recipe = line.startsWith("\t") ? line : inRule < 0 ? "" : line.slice(inRule + 1);
  return [...called, recipe, assigned < 0 ? "" : line.slice(assigned + 2)];
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

/** From what make makes a makefile anew, by its built-in rules, before it reads it: `Makefile.sh`, `RCS/Makefile,v`. */
function remadeFrom(path: string, { pathFacts }: SourceFile): Reference[] {
  const [directory, name] = [dirname(path), basename(path)];
  const isSource = (one: string) =>
    one.startsWith(`${name}.`) || one === `${name},v` || one === `s.${name}`;
  return ["", "RCS", "SCCS"].map((place) => join(directory, place)).flatMap((place) =>
    pathFacts.entries(place).filter((one) => isSource(one) || (place !== directory && one === name))
      .map((one) => join(place, one))
  ).map((one): Reference => ({ path: one, as: "leaf" }));
}

/** What a name or a pattern without variables stands for, from wherever make looks for it. */
function literalFiles(name: string, file: SourceFile): References {
  const asMake = (paths: readonly string[]): Reference[] =>
    paths.map((path) => ({ path, as: "make" }));
  if (!/[*?[~]/.test(name)) return { files: asMake(filesIn(name, file)), complete: true };
  const directory = dirname(name);
  const pattern = basename(name);
  if (/[*?[~]/.test(directory) || /[[~]/.test(pattern)) return { files: [], complete: false };
  if (pattern.length > MAX_NAME) return { files: [], complete: false };
  const files = filesIn(directory, file).flatMap((folder) =>
    pathsLike(folder, pattern, file.pathFacts)
  );
  return { files: asMake(files), complete: true };
}

function filesIn(name: string, { cwds, pathFacts, argv }: SourceFile): string[] {
  const searched = valuesOf(argv, SEARCHED)
    .flatMap((path) => filesInside(path || ".", { pathFacts, cwds }));
  return filesInside(name, { pathFacts, cwds: [...cwds, ...searched] });
}
