/**
 * The files that configurations name: scripts of packages, and the paths and commands in settings of package managers,
 * cargo, git and what runs hooks.
 */
import { dirname, join } from "node:path";
import { isObject } from "../../lib/schema.ts";
import { filesInside } from "../paths.ts";
import { joinReferences, type References, type SourceFile } from "./reference.ts";
import { shellReferences } from "./shell_script.ts";

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

/** Looks through the scripts of a package that a command runs; those of `deno.json` and `composer.json` alike. */
export function packageReferences(file: SourceFile): References {
  const scripts = scriptsIn(file.text);
  const cwds = [dirname(file.path)];
  return joinReferences(
    startedScripts(scripts, file.argv).map((text) => shellReferences({ ...file, cwds, text })),
  );
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

/** A path as settings write it: with a slash, or a name with an ending of code. */
const PATHS =
  /(?<![\w@:/.$\\-])(?!\w+:\/\/)[\w.@-]*[\w.@/-]*(?:\/[\w.@-]+|\.(?:[cm]?js|sh|py|rs|ts))(?![\w/:.@-])/g;

/** Looks through settings: any file of the workspace that they name may be run. */
export function settingsReferences({ path, text, pathFacts }: SourceFile): References {
  const directory = dirname(path);
  const cwds = [directory, ...(directory.endsWith("/.cargo") ? [dirname(directory)] : [])];
  const files = [...new Set(text.match(PATHS) ?? [])]
    .flatMap((name) => filesInside(name, { pathFacts, cwds }))
    // What is no file at all, as a directory of packages, is nothing that is run.
    .filter((one) => pathFacts.fingerprint(one) !== undefined);
  return { files: files.map((one) => ({ path: one })), complete: true };
}

/** Looks through a configuration of git's: what it includes, and the commands that it sets. */
export function gitReferences(file: SourceFile): References {
  const { pathFacts } = file;
  const root = pathFacts.cwd;
  const values = [...file.text.matchAll(/^[ \t]*([A-Za-z][\w-]*)[ \t]*=[ \t]*(.*)$/gm)];
  return joinReferences(values.map(([, key = "", written = ""]) => {
    const value = written.replace(/^"(.*)"$/s, "$1").replaceAll('\\"', '"');
    if (key.toLowerCase() === "path") {
      const name = value.replace(/^~(?=\/)/, pathFacts.home);
      const included = filesInside(name, { pathFacts, cwds: [dirname(file.path)] });
      return { files: included.map((path) => ({ path, as: "git" as const })), complete: true };
    }
    if (key.toLowerCase() === "hookspath") {
      const hooks = filesInside(value, { pathFacts, cwds: [root] }).flatMap((directory) =>
        pathFacts.entries(directory).map((name) => ({ path: join(directory, name) }))
      ).filter((hook) => pathFacts.fingerprint(hook.path) !== undefined);
      return { files: hooks, complete: true };
    }
    // Most values are no commands at all, and what they say is not known to be one.
    const { files } = shellReferences({ ...file, cwds: [root], text: value.replace(/^!/, "") });
    return { files, complete: true };
  }));
}

const COMMANDS =
  /^[ \t]*(?:-[ \t]+)?(?:entry|run|cmd|command|script|taskfile|sh|-)[ \t]*:?[ \t]+(.+)$/gm;

/** Looks through what runs commands of its own: configurations of hooks and of tasks. */
export function commandReferences(file: SourceFile): References {
  const cwds = [...file.cwds, dirname(file.path)];
  const files = [...file.text.matchAll(COMMANDS)].flatMap(([, text = ""]) => {
    const plain = text.replace(/^(['"])(.*)\1$/s, "$2");
    const named = /^[\w./-]+\.ya?ml$/.test(plain)
      ? filesInside(join(".", plain), { pathFacts: file.pathFacts, cwds }).map((path) => ({ path }))
      : [];
    return [...named, ...shellReferences({ ...file, cwds, text: plain }).files];
  });
  return { files, complete: true };
}
