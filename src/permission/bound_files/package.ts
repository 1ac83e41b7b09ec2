/**
 * The files that a package names: its scripts, and what decides beside these what they run.
 */
import { basename, dirname, join, normalize } from "node:path";
import { directoriesAbove } from "../../lib/contains.ts";
import { isObject } from "../../lib/schema.ts";
import { filesInside } from "../../shell/paths.ts";
import { joinReferences, type Reference, type References, type SourceFile } from "./reference.ts";
import { lineReferences, shellReferences } from "./shell_script.ts";

/** What npm and its like run by themselves when they install, pack or publish. */
const LIFECYCLE = [
  ...["preinstall", "install", "postinstall", "prepublish", "prepublishOnly", "preprepare"],
  ...["prepare", "postprepare", "prepack", "postpack", "preversion", "version", "postversion"],
];
const RUNS_LIFECYCLE =
  /^(i|in|ins|inst|install|isntall|add|a|ci|clean-install|it|cit|install-.*|rebuild|rb|update|up|upgrade|pack|publish|version|link|ln|dedupe|prune|remove|rm|r|un|unlink|uninstall)$/;
/** Other words for a script. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ["t", ["test"]],
  ["tst", ["test"]],
  ["it", ["test"]],
  ["cit", ["test"]],
  ["restart", ["stop", "start"]],
]);
/** Words by which a command is for members of a project. */
const FOR_MEMBERS =
  /^(?:-ws?|-r|-F|--workspaces?|--recursive|--filter|workspaces?|foreach|lerna|nx|turbo)(?:$|=)/;
/** What names scripts by patterns. */
const RUNS_SEVERAL = /\b(run-[sp]|npm-run-all2?|concurrently|wireit|turbo|nx|lerna)\b|\*/;

/** What a package says. */
type Content = Readonly<Record<string, unknown>>;
/** Keys of a package that hold no commands, though programs or scripts may be called so. */
const STANDARD = new Set(
  "bin browser config cpu dependencies description engines exports files imports license main name os type types version"
    .split(" "),
);
/** Scripts of one package that one command starts. */
const MAX_SCRIPTS = 200;

/** Programs that start scripts; those of a project come before others. */
const STARTS_SCRIPTS = ["sh", "node"];
/** A program where a command begins, behind variables that it is given. */
const BEGINS =
  /(?:^|[;&|(\n]|\b(?:npx|env|cross-env|exec|time)\s)\s*(?:\w+=\S*\s+)*([\w@.+-]+)(?=\s|$|[;&|)])/g;
/** Words of a command that may name a program of packages. */
const MAX_WORDS = 5;
/** Packages of a project that one package names. */
const MAX_PACKAGES = 50;

/** Looks through the scripts of a package that a command runs; those of `deno.json` and `composer.json` alike. */
export function packageReferences(file: SourceFile): References {
  const content = parsed(file.text);
  const scripts = content ? scriptsIn(content) : pairsIn(file.text);
  const cwds = [dirname(file.path)];
  const started = startedScripts(scripts, file.argv);
  const programs = started.flatMap((text) => [...text.matchAll(BEGINS)].map(([, name]) => name!));
  // `npx x`, `yarn x` and the like run a program of the project's packages, where these have it.
  const named = file.argv.slice(1).filter((word) => /^\w[\w.-]*$/.test(word)).slice(0, MAX_WORDS);
  const needed = [
    ...programs,
    ...named,
    ...started.length > 0 ? STARTS_SCRIPTS : [],
  ];
  const isForAll = file.argv.some((word) => FOR_MEMBERS.test(word));
  return joinReferences([
    {
      files: projectPrograms([...new Set(needed)], file),
      complete: started.length <= MAX_SCRIPTS,
    },
    ...isForAll ? [memberReferences(file, content)] : [],
    ...basename(file.path).startsWith("deno.") ? [mappedReferences(file, content)] : [],
    lineReferences(commandsFor(file.argv, content), { ...file, cwds }),
    ...started.slice(0, MAX_SCRIPTS).map((text) => shellReferences({ ...file, cwds, text })),
  ]);
}

/** Where the packages of a project have programs of these names, there or not: scripts find them before all others. */
function projectPrograms(names: readonly string[], { path, pathFacts }: SourceFile): Reference[] {
  const own = dirname(path);
  const directories = [own, ...directoriesAbove(own)]
    .map((directory) => join(directory, "node_modules", ".bin"))
    .filter((directory) => pathFacts.locate(directory).inside);
  return directories.flatMap((directory) =>
    names.map((name): Reference => ({ path: join(directory, name), as: "leaf" }))
  );
}

/** The commands that a package keeps for a program, as those of `lint-staged`, under its name. */
function commandsFor(argv: readonly string[], content: Content = {}): string[] {
  return [...new Set(argv)].filter((word) => !STANDARD.has(word) && Object.hasOwn(content, word))
    .flatMap((word) => textsIn(content[word]));
}

/** What `deno run NAME` runs where an import map gives that name to another file. */
function mappedReferences(
  { path, text, argv, pathFacts }: SourceFile,
  content?: Content,
): References {
  const imports = content ? isObject(content.imports) ? content.imports : {} : undefined;
  const pairs = imports ? Object.entries(imports) : [...pairsIn(text)];
  const own = dirname(path);
  const isNamed = (key: string) =>
    argv.some((word) =>
      [word, normalize(word), join(own, word)].some((name) =>
        [key, normalize(key), join(own, key)].some((one) =>
          name === one || (one.endsWith("/") && name.startsWith(one))
        )
      )
    );
  const mapped = pairs.filter(([key]) => key !== "" && isNamed(key)).map(([, to]) => to);
  const files = mapped.flatMap((to) =>
    typeof to === "string" ? filesInside(to, { pathFacts, cwds: [own] }) : []
  );
  const isPath = (to: unknown) =>
    typeof to === "string" && /^\.{0,2}\//.test(to) && !to.endsWith("/");
  const isElsewhere = content ? Object.hasOwn(content, "importMap") : /"importMap"/.test(text);
  return {
    files: files.map((one) => ({ path: one, as: "leaf" })),
    complete: mapped.every(isPath) && !isElsewhere,
  };
}

/** The packages of a project's members, whose scripts a command starts. */
function memberReferences({ path, pathFacts }: SourceFile, content?: Content): References {
  const { names, complete } = membersNamed(content);
  const own = dirname(path);
  const directories = membersOf(names, { own, pathFacts });
  return {
    files: directories.slice(0, MAX_PACKAGES).flatMap((name) =>
      ["package.json", "deno.json", "deno.jsonc"].flatMap((file) =>
        filesInside(join(name, file), { pathFacts, cwds: [own] })
      )
    ).map((one) => ({ path: one })),
    complete: complete && directories.length <= MAX_PACKAGES,
  };
}

function membersOf(
  names: readonly string[],
  { own, pathFacts }: { own: string; pathFacts: SourceFile["pathFacts"] },
): string[] {
  return names.flatMap((name) =>
    name.endsWith("/*")
      ? pathFacts.entries(join(own, dirname(name))).map((one) => join(dirname(name), one))
      : [name]
  );
}

/** The programs of packages that a hook may find before others, by the names at which its commands begin. */
export function programsOfHook(file: SourceFile): Reference[] {
  const programs = [...file.text.matchAll(BEGINS)].map(([, name]) => name!);
  const path = join(file.pathFacts.cwd, "package.json");
  return projectPrograms([...new Set([...programs, ...STARTS_SCRIPTS])], { ...file, path });
}

/** The members of a project, relative to its directory; undefined is a package that cannot be read. */
function membersNamed(content?: Content): { names: readonly string[]; complete: boolean } {
  if (!content) return { names: [], complete: false };
  const { workspaces, workspace } = content;
  const names = [
    ...textsIn(isObject(workspaces) ? workspaces.packages : workspaces),
    ...textsIn(isObject(workspace) ? workspace.members : workspace),
  ];
  const isPlain = (name: string) => !/[*?[{!]/.test(name.replace(/\/\*$/, ""));
  return { names: names.filter(isPlain), complete: names.every(isPlain) };
}

/** All texts within a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(textsIn) : [];
}

function parsed(text: string): Content | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return undefined;
  }
}

function scriptsIn({ scripts, tasks }: Content): ReadonlyMap<string, string> {
  return new Map(
    [scripts, tasks].flatMap((some) => isObject(some) ? Object.entries(some) : [])
      .map(([name, script]) => [name, textOf(script)]),
  );
}

/** With comments: whatever is said of a name may be a script. */
function pairsIn(text: string): ReadonlyMap<string, string> {
  const pairs = text.matchAll(/"((?:[^"\\]|\\.)*)"\s*:\s*"((?:[^"\\]|\\.)*)"/g);
  return new Map([...pairs].map(([, name = "", script = ""]) => [name, script]));
}

/** A script may be a text, several, or a task with its command. */
function textOf(script: unknown): string {
  if (typeof script === "string") return script;
  if (Array.isArray(script)) return script.map(textOf).join("\n");
  // Tasks that it depends on are started by their names.
  return isObject(script) ? [script.command, script.dependencies].map(textOf).join("\n") : "";
}

/** The scripts that the words of a command start, and those that these start. */
function startedScripts(scripts: ReadonlyMap<string, string>, argv: readonly string[]): string[] {
  const started = new Set<string>();
  const start = (words: readonly string[]) => {
    for (const word of words.flatMap((one) => [one, ...ALIASES.get(one) ?? []])) {
      for (const name of [`pre${word}`, word, `post${word}`]) {
        const text = scripts.get(name);
        if (text === undefined || started.has(name)) continue;
        started.add(name);
        start(RUNS_SEVERAL.test(text) ? [...scripts.keys()] : text.split(/[^\w:.@/-]+/));
      }
    }
  };
  start(argv);
  if (argv.some((word) => RUNS_LIFECYCLE.test(word))) start(LIFECYCLE);
  return [...started].flatMap((name) => scripts.get(name) ?? []);
}
