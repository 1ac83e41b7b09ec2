/**
 * Which files an interpreter takes for the code that its words name. It completes names (`node build` runs `build.js`),
 * looks for modules (`python -m pkg`, `java Main`), reads words from a file (`java @args`), and by an option that is not
 * known nobody can tell which word is the code.
 */
import { basename, join } from "node:path";
import { isFile, type PathFacts } from "../../core/path_facts.ts";
import { filesInside } from "../../shell/paths.ts";
import { type Arguments, type Program, readArguments } from "../../shell/program.ts";
import { findProgram } from "../../shell/programs/table.ts";
import { isHijacking } from "../../shell/variables.ts";
import { literalWord, type ShellWord } from "../../shell/words.ts";
import { valuesOf } from "./named_places.ts";
import type { Reference, References } from "./reference.ts";

/** Where names count from. */
interface EntryContext {
  readonly pathFacts: PathFacts;
  readonly cwds: readonly string[];
}

/** The words behind the name of an interpreter. */
interface Call extends EntryContext {
  readonly name: string;
  readonly table: Program;
  readonly rest: readonly ShellWord[];
}

const JAVASCRIPT = ["js", "cjs", "mjs", "ts", "cts", "mts", "jsx", "tsx", "json"];
/** Programs that run a name that is not there with one of these endings. */
const COMPLETES: readonly (readonly [program: RegExp, endings: readonly string[]])[] = [
  [
    /^(node|nodejs|tsx|ts-node|bun-node|esno|jiti|swc-node|bun|deno)$/,
    [...JAVASCRIPT, "node", "d.ts"],
  ],
  [/^groovy$/, ["groovy", "gvy", "gy", "gsh"]],
];
/** Programs that run a name as it stands, or nothing. */
const TAKES_EXACTLY =
  /^(python[\d.]*|pypy[\d.]*|ipython[\d.]*|php|perl|ruby|irb|lua|luajit|raku|R|Rscript|julia|tclsh)$/;
/** Programs that look for a class or a module by a word, unless it has one of these endings. */
const FINDS_CLASSES = /^(javaw?|kotlin|scala|clj|clojure|erl)$/;
const RUNS_AS_FILE = /\.(java|jar|kts?|scala|sc|cljc?|clj)$/;
/** Files that a program runs, or obeys, wherever it begins. */
const BEGINS_WITH: readonly (readonly [program: RegExp, files: readonly string[]])[] = [
  [/^(R|Rscript)$/, [".Rprofile", ".Renviron"]],
  [/^irb$/, [".irbrc"]],
  [/^iex$/, [".iex.exs"]],
  [/^erl$/, [".erlang"]],
  [/^bb$/, ["bb.edn"]],
  [/^(clj|clojure)$/, ["deps.edn"]],
];
/** Options without a value, among those that are not known. */
const FLAGS =
  /^(-[^-].*|--(no|trace|experimental|preserve|allow|deny|enable|disable|use|test|expose|harmony|show|unstable)(-(?!config-file|warning|event-|native)[\w-]*|_\w+)?|--(watch|inspect|interactive|check|quiet|verbose|cached-only|reload|frozen|vendor|node-modules-dir|vanilla))$/;
/** Words of node's family that are no script. */
const ACTS = /^(watch|inspect|debug)$/;
const NODE = /^(node|nodejs|tsx|ts-node|bun-node|esno|jiti|swc-node)$/;
/** Options by which JavaScript is loaded first, of programs whose rows do not say so. */
const LOADS = /^(?:-r|--preload|--require|--import)(?:=(.*))?$/s;
const ONLY_TELLS = /^(--?(version|help)|-[vVh])$/;

/** What the interpreters among the words of a command take for code, beyond the files that these name as they stand. */
export function entryFilesOf(
  argv: readonly string[],
  { programs, ...context }: EntryContext & { readonly programs: readonly string[] },
): References {
  const words = argv.map(literalWord);
  const found = words.flatMap(({ value }, at) =>
    programs.includes(basename(value)) ? [entryFiles(words.slice(at), context)] : []
  );
  return {
    files: found.flatMap(({ files }) => files),
    complete: found.every(({ complete }) => complete),
  };
}

/** The same for one of them, by its own words. */
export function entryFiles(
  [first, ...rest]: readonly ShellWord[],
  context: EntryContext,
): References {
  const name = basename(first?.value ?? "");
  const program = findProgram(name);
  const isOther = program?.interpreter === undefined || program.interpreter === "shell";
  if (!program || (isOther && !/^(deno|bun)$/.test(name))) return { files: [], complete: true };
  const call = readCall({ name, table: program, rest, ...context });
  return call ? readEntry(call) : { files: [], complete: true };
}

/** Behind the word for running a script, if it is to be run; undefined if another command is meant. */
function readCall(call: Call): Call | undefined {
  const { name, table, rest } = call;
  if (!/^(deno|bun)$/.test(name)) return call;
  const [word] = readArguments(table, rest, { first: true }).operands;
  const sub = word && table.subcommands.get(word.value);
  const at = word ? rest.indexOf(word) : -1;
  if (word && /^(run|serve)$/.test(word.value)) {
    const own = sub && sub.options.size > 0 ? sub : table;
    return { ...call, table: own, rest: [...rest.slice(0, at), ...rest.slice(at + 1)] };
  }
  return sub ? undefined : call;
}

function readEntry(call: Call): References {
  const { name, rest, table, cwds } = call;
  const args = readArguments(table, rest, { first: true });
  const values = (options: RegExp) =>
    args.effects.flatMap(({ option, value }) => options.test(option) && value ? [value.value] : []);
  const moduleName = table.interpreter === "python" ? values(/^-m$/)[0] : undefined;
  const isText = ({ effect }: { effect: unknown }) =>
    effect === "script" || (name === "bun" && effect === "code");
  const hasText = args.effects.some(isText);
  const scripts = moduleName === undefined && !hasText ? scriptsIn(call) : [];
  // By these ruby works in another directory.
  const entered = name === "ruby" ? values(/^-C$/) : [];
  const places = entered.reduce(
    (from, one) => from.map((place) => join(place, one)),
    cwds,
  );
  const found = [
    ...scripts.map((script) => namedScript(script, { ...call, cwds: places })),
    ...loadedFirst(call, args).map((word) => loadedModule(word, { call, args })),
    ...moduleName === undefined ? [] : [pythonModule(moduleName, call)],
    ...environmentFiles(call).map((word) => environmentFile(word, call)),
  ];
  const begins = BEGINS_WITH.flatMap(([program, files]) => program.test(name) ? files : []);
  return {
    files: [
      ...begins.flatMap((file) => filesInside(file, call)).map((path) => ({ path })),
      ...perlModules(call).map((path) => ({ path })),
      ...found.flatMap(({ files }) => files),
    ],
    complete: found.every(({ complete }) => complete) && !isUntold(call, { args, scripts }),
  };
}

/** Whether something runs that no word, or none that is understood, says. */
function isUntold(
  { name, rest, table, cwds, pathFacts }: Call,
  { args, scripts }: { args: Arguments; scripts: readonly ShellWord[] },
): boolean {
  const own = rest.slice(0, rest.length - Math.max(0, args.operands.length - 1));
  const has = (options: RegExp) => own.some(({ value }) => options.test(value));
  if (NODE.test(name)) {
    const acts = scripts.some(({ value }) =>
      ACTS.test(value) && !isThere(value, { pathFacts, cwds })
    );
    if (acts || has(/^--run(=|$)/)) return true;
  }
  if (name === "ruby" && has(/^-X/)) return true;
  if (name === "deno" && has(/^--import-map(=|$)/)) return true;
  if (scripts.length > 0 || has(ONLY_TELLS)) return false;
  return FINDS_CLASSES.test(name) ||
    (table.interpreter !== undefined && has(/^--\w[\w-]*=.*[./]/));
}

/** The words that may name the script: behind an option that is not known, which may have a value, also the next one. */
function scriptsIn({ table, rest }: Call): ShellWord[] {
  const scripts: ShellWord[] = [];
  for (let left = rest; left.length > 0;) {
    const { operands: [script], unknownOptions } = readArguments(table, left, { first: true });
    if (!script) break;
    const at = left.indexOf(script);
    const before = left[at - 1];
    scripts.push(script);
    const mayBeValue = before !== undefined && unknownOptions.includes(before) &&
      !before.value.includes("=") && !FLAGS.test(before.value);
    if (!mayBeValue) break;
    left = left.slice(at + 1);
  }
  return scripts.filter(({ kind, value }) => kind === "literal" && value !== "-");
}

/** What a word means that names a script. */
function namedScript({ value }: ShellWord, call: Call): References {
  const { name } = call;
  const inside = filesInside(value, call);
  const itself = inside.map((path) => ({ path }));
  if (FINDS_CLASSES.test(name)) {
    const told = filesInside(value.replace(/^@/, ""), call);
    const classes = value.startsWith("@")
      ? []
      : filesInside(`${value.replaceAll(".", "/")}.class`, call);
    const files = [...told, ...classes].map((path) => ({ path }));
    return { files, complete: RUNS_AS_FILE.test(value) && isThere(value, call) };
  }
  // A package, or an address: where it is found no file says.
  if (/^[a-z]{3,}:/.test(value)) return { files: [], complete: false };
  const endings = COMPLETES.find(([program]) => program.test(name))?.[1];
  if (endings === undefined || isThere(value, call)) {
    return { files: itself, complete: isThere(value, call) || knowsNames(name) };
  }
  return { files: [...itself, ...completed(inside, endings)], complete: true };
}

function knowsNames(name: string): boolean {
  return TAKES_EXACTLY.test(name) || COMPLETES.some(([program]) => program.test(name)) ||
    /^(?!pwsh$)\w*sh$/.test(name);
}

/** What may be meant by paths that are not there: what becomes a directory voids a rule for its name by itself. */
function completed(paths: readonly string[], endings: readonly string[]): { path: string }[] {
  return paths.flatMap((path) => [
    ...endings.map((ending) => `${path}.${ending}`),
    // Of TypeScript the name is that of what it becomes.
    ...["ts", "tsx"].flatMap((ending) => {
      const typed = path.replace(/(?<=\.[cm]?)jsx?$/, ending);
      return typed === path ? [] : [typed];
    }),
  ]).map((path) => ({ path }));
}

/** The files of `perl -I DIR -M MODULE`. */
function perlModules({ name, rest, ...context }: Call): string[] {
  if (name !== "perl") return [];
  const words = rest.map(({ value }) => value);
  const modules = valuesOf(words, /^-\w*[mM]-?(.*)$/s).map((one) =>
    `${/^[\w:]*/.exec(one)![0].replaceAll("::", "/")}.pm`
  );
  return valuesOf(words, /^-\w*I(.*)$/s).flatMap((place) =>
    modules.flatMap((one) => filesInside(join(place, one), context))
  );
}

/** The words for code that runs before the script. */
function loadedFirst({ name, rest }: Call, { effects, operands }: Arguments): string[] {
  const loaded = effects.flatMap(({ effect, value }) =>
    effect === "loads" && value ? [value.value] : []
  );
  if (!/^(deno|bun)$/.test(name)) return loaded;
  const own = rest.slice(0, operands[0] ? rest.indexOf(operands[0]) : rest.length);
  return [
    ...loaded,
    ...own.flatMap(({ value }, at) => {
      const [isLoading, attached] = LOADS.exec(value) ?? [];
      const found = attached ?? rest[at + 1]?.value;
      return isLoading === undefined || found === undefined ? [] : [found];
    }),
  ];
}

function loadedModule(word: string, { call, args }: { call: Call; args: Arguments }): References {
  const isPath = /^(\.{0,2}\/|\.{1,2}$)/.test(word);
  if (call.name === "ruby" || call.name === "irb") {
    const searched = args.effects.flatMap(({ option, value }) =>
      option === "-I" && value ? value.value.split(":") : []
    );
    const names = isPath ? [word] : searched.map((place) => join(place, word));
    const paths = names.flatMap((one) => filesInside(one, call));
    // Ruby adds the ending whether or not there is a file without it.
    const files = paths.flatMap((path) => [path, `${path}.rb`, `${path}.so`]);
    return { files: files.map((path) => ({ path })), complete: true };
  }
  if (/^(node|bun|data):/.test(word)) return { files: [], complete: !word.startsWith("data:") };
  const paths = filesInside(word, call);
  const files = isThere(word, call) ? [] : completed(paths, [...JAVASCRIPT, "node"]);
  // What is no path is looked for in packages.
  return { files: [...paths.map((path) => ({ path })), ...files], complete: isPath };
}

/** What node, deno and bun are told to read variables from. */
function environmentFiles({ name, rest }: Call): string[] {
  if (!NODE.test(name) && !/^(deno|bun)$/.test(name)) return [];
  return rest.flatMap(({ value }, at) => {
    const [isNamed, attached] = /^--env(?:-file(?:-if-exists)?)?(?:=(.*))?$/s.exec(value) ?? [];
    if (isNamed === undefined) return [];
    const next = rest[at + 1]?.value ?? "";
    return [attached ?? next, ...attached === undefined && name === "deno" ? [".env"] : []];
  });
}

/** These may turn programs into others: that is not followed further. */
function environmentFile(word: string, call: Call): References {
  const paths = filesInside(word, call);
  const lines = paths.flatMap((path) => call.pathFacts.read(path)?.text.split(/\r?\n/) ?? []);
  return {
    files: paths.map((path): Reference => ({ path, as: "leaf" })),
    complete: lines.every((line) => {
      const [, name, value = ""] = /^\s*(?:export\s+)?(\w+)\s*=\s*(.*)$/.exec(line) ?? [];
      return name === undefined || !isHijacking(name, literalWord(value));
    }),
  };
}

/** The files that Python takes for a module, and for the packages in which it lies. */
function pythonModule(name: string, call: Call): References {
  const parts = name.split(".");
  const packages = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  const names = [...packages.map((one) => `${one}/__init__`), `${packages.at(-1)}/__main__`];
  const files = [...packages, ...names].flatMap((one) =>
    ["py", "pyc", "so", "abi3.so"].map((ending) => `${one}.${ending}`)
  );
  const { pathFacts } = call;
  const absent = packages.filter((one) =>
    filesInside(one, call).every((path) => !pathFacts.exists(path))
  );
  return {
    // A directory that comes to be voids a rule by its name.
    files: [...files, ...absent].flatMap((one) => filesInside(one, call)).map((path) => ({ path })),
    complete: true,
  };
}

/** Whether a name is that of a file, wherever the program may run. */
function isThere(name: string, { pathFacts, cwds }: EntryContext): boolean {
  const paths = filesInside(name, { pathFacts, cwds });
  return paths.length > 0 && paths.every((path) => isFile(pathFacts.fingerprint(path)));
}
