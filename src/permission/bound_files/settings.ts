/**
 * The files that configurations name: scripts of packages, and the paths and commands in settings of package managers,
 * cargo, git and what runs hooks.
 */
import { dirname, join } from "node:path";
import { isObject } from "../../lib/schema.ts";
import { filesInside } from "../../shell/paths.ts";
import { joinReferences, type References, type SourceFile } from "./reference.ts";
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
/** What names scripts by patterns. */
const RUNS_SEVERAL = /\b(run-[sp]|npm-run-all2?|concurrently|wireit|turbo|nx|lerna)\b|\*/;

/** Scripts of one package that one command starts. */
const MAX_SCRIPTS = 200;

/** Looks through the scripts of a package that a command runs; those of `deno.json` and `composer.json` alike. */
export function packageReferences(file: SourceFile): References {
  const scripts = scriptsIn(file.text);
  const cwds = [dirname(file.path)];
  const started = startedScripts(scripts, file.argv);
  return joinReferences([
    { files: [], complete: started.length <= MAX_SCRIPTS },
    ...started.slice(0, MAX_SCRIPTS).map((text) => shellReferences({ ...file, cwds, text })),
  ]);
}

function scriptsIn(text: string): ReadonlyMap<string, string> {
  try {
    const value: unknown = JSON.parse(text);
    const { scripts, tasks } = isObject(value) ? value : {};
    return new Map(
      [scripts, tasks].flatMap((some) => isObject(some) ? Object.entries(some) : [])
        .map(([name, script]) => [name, textOf(script)]),
    );
  } catch {
    // With comments: whatever is said of a name may be a script.
    const pairs = text.matchAll(/"((?:[^"\\]|\\.)*)"\s*:\s*"((?:[^"\\]|\\.)*)"/g);
    return new Map([...pairs].map(([, name = "", script = ""]) => [name, script]));
  }
}

/** A script may be a text, several, or a task with its command. */
function textOf(script: unknown): string {
  if (typeof script === "string") return script;
  if (Array.isArray(script)) return script.map(textOf).join("\n");
  return isObject(script) ? textOf(script.command) : "";
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

/** What may be a path in settings: with a slash, or a name with an ending of code. */
const PATH = /^(?!\/\/)[\w.@/-]+$/;
const NAMES_CODE = /\/[\w.@-]+$|\.(?:[cm]?js|sh|py|rs|ts)$/;
/** Words of settings that are looked at. */
const MAX_NAMES = 500;

/** Looks through settings: any file of the workspace that they name may be run. */
export function settingsReferences({ path, text, pathFacts }: SourceFile): References {
  const directory = dirname(path);
  const cwds = [directory, ...(directory.endsWith("/.cargo") ? [dirname(directory)] : [])];
  const names = [...new Set(text.match(/[^\s"'=,;()[\]{}]+/g) ?? [])]
    .filter((name) => name.length < 1000 && PATH.test(name) && NAMES_CODE.test(name));
  const files = names.slice(0, MAX_NAMES)
    .flatMap((name) => filesInside(name, { pathFacts, cwds }))
    // What is no file at all, as a directory of packages, is nothing that is run.
    .filter((one) => pathFacts.fingerprint(one) !== undefined);
  return {
    files: files.map((one) => ({ path: one })),
    complete: names.length <= MAX_NAMES,
  };
}

/** Looks through a configuration of git's: what it includes, and the commands that it sets. */
export function gitReferences(file: SourceFile): References {
  const { pathFacts } = file;
  const root = pathFacts.cwd;
  const values = [...file.text.matchAll(/^[ \t]*([A-Za-z][\w-]*)[ \t]*=[ \t]*(.*)$/gm)];
  const named = values.flatMap(([, key = "", written = ""]) => {
    const value = written.replace(/^"(.*)"$/s, "$1");
    const paths = filesInside(value.replace(/^~(?=\/)/, pathFacts.home), {
      pathFacts,
      cwds: [key.toLowerCase() === "path" ? dirname(file.path) : root],
    });
    if (key.toLowerCase() === "path") return paths.map((path) => ({ path, as: "git" as const }));
    if (key.toLowerCase() !== "hookspath") return [];
    return paths.flatMap((directory) =>
      pathFacts.entries(directory).map((name) => ({ path: join(directory, name) }))
    ).filter((hook) => pathFacts.fingerprint(hook.path) !== undefined);
  });
  // Most values are no commands at all.
  const lines = values.map(([, , written = ""]) =>
    written.replace(/^"(.*)"$/s, "$1").replaceAll('\\"', '"').replace(/^!/, "")
  );
  const commands = lineReferences(lines, { ...file, cwds: [root] });
  return joinReferences([{ files: named, complete: true }, commands]);
}

const COMMANDS =
  /^[ \t]*(?:-[ \t]+)?(?:entry|run|cmd|command|script|taskfile|sh|-)[ \t]*:?[ \t]+(.+)$/gm;

/** Looks through what runs commands of its own: configurations of hooks and of tasks. */
export function commandReferences(file: SourceFile): References {
  const cwds = [...file.cwds, dirname(file.path)];
  const lines = [...file.text.matchAll(COMMANDS)]
    .map(([, text = ""]) => text.replace(/^(['"])(.*)\1$/s, "$2"));
  const named = lines.filter((line) => /^[\w./-]+\.ya?ml$/.test(line))
    .flatMap((line) => filesInside(join(".", line), { pathFacts: file.pathFacts, cwds }));
  return joinReferences([
    { files: named.map((path) => ({ path })), complete: true },
    lineReferences(lines, { ...file, cwds }),
  ]);
}
