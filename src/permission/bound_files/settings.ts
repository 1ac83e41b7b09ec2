/**
 * The files that configurations name: the paths and commands in settings of package managers, cargo, git and what runs
 * hooks.
 */
import { dirname, join } from "node:path";
import { filesInside } from "../../shell/paths.ts";
import { joinReferences, type References, type SourceFile } from "./reference.ts";
import { lineReferences } from "./shell_script.ts";

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
