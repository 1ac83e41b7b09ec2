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
/** The same in files of Java, which name archives. */
const NAMES_ARCHIVE = /\.(?:jar|zip|xml)$/;
/** Names in one file that are looked at. */
const MAX_NAMES = 500;

/** Looks through settings: any file of the workspace that they name may be run. */
export function settingsReferences({ path, text, pathFacts }: SourceFile): References {
  const directory = dirname(path);
  const cwds = [directory, .../\/\.(?:cargo|mvn)$/.test(directory) ? [dirname(directory)] : []];
  // In files of Java signs are escaped, and addresses may be those of files.
  const plain = isJava(path)
    ? text.replaceAll("\\", "").replaceAll(/\bfile:(?:\/\/)?|-(?:javaagent|agentpath):/g, " ")
    : text;
  const names = [...new Set(plain.match(/[^\s"'=,;()[\]{}]+/g) ?? [])]
    .filter((name) => name.length < 1000 && PATH.test(name))
    .filter((name) => NAMES_CODE.test(name) || (isJava(path) && NAMES_ARCHIVE.test(name)));
  const files = names.slice(0, MAX_NAMES)
    .flatMap((name) => filesInside(name, { pathFacts, cwds }))
    // Where Java is, the program below is run.
    .flatMap((one) => isJava(path) ? [one, join(one, "bin", "java")] : [one])
    .filter((one) => !one.endsWith("/bin/java") || pathFacts.exists(one))
    // What is no file at all, as a directory of packages, is nothing that is run.
    .filter((one) => pathFacts.fingerprint(one) !== undefined);
  return {
    files: files.map((one) => ({ path: one })),
    complete: names.length <= MAX_NAMES,
  };
}

function isJava(path: string): boolean {
  return /\.(properties|config)$/.test(path);
}

/** Looks through a configuration of git's: what it includes, and the commands that it sets. */
export function gitReferences(file: SourceFile): References {
  const { pathFacts } = file;
  const root = pathFacts.cwd;
  // A value may stand behind the name of its section, and go on in the next line.
  const text = file.text.replaceAll(/\\\r?\n/g, "").replaceAll(/^([ \t]*\[[^\]\n]*\])/gm, "$1\n");
  const values = [...text.matchAll(/^[ \t]*([A-Za-z][\w-]*)[ \t]*=[ \t]*(.*)$/gm)];
  const named = values.flatMap(([, key = "", written = ""]) => {
    const value = written.replace(/\s[#;].*$/, "").replaceAll('"', "");
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

/** What a line of YAML says behind its keys. */
const SAID = /^\s*(?:-\s+)*(?:(?:"[^"]*"|'[^']*'|[\w.-]+)\s*:(?:\s+|$))?(.*?),?$/;
/** One of several things that stand in one line. */
const ONE_OF = /\s*(?:(?:"[^"]*"|'[^']*'|[\w.-]+)\s*:\s*)?("(?:[^"\\]|\\.)*"|'[^']*'|[^,[\]{}]+)/g;

/** Looks through what runs commands of its own: configurations of hooks and of tasks, of which any text may be one. */
export function commandReferences(file: SourceFile): References {
  const { path, pathFacts } = file;
  const directory = dirname(path);
  const cwds = [...file.cwds, directory];
  const said = file.text.split("\n").map((line) => SAID.exec(line)?.[1]?.trim() ?? "");
  const texts = said.flatMap((text) =>
    /^[[{]/.test(text) ? [...text.matchAll(ONE_OF)].map(([, one = ""]) => one.trim()) : [text]
  ).map((text) => text.replace(/^(['"])(.*)\1$/s, "$2"))
    // Of a command on several lines each is looked at by itself.
    .map((text) => text.replace(/\s*(?:&&|\|\|?|\\)$/, ""));
  const named = texts.filter((text) => /^[\w./-]*[\w-][\w./-]*$/.test(text));
  // Other files of tasks, also by the directory that they lie in, and what such a file reads.
  const files = named.slice(0, MAX_NAMES)
    .flatMap((text) => [text, join(text, "Taskfile.yml"), join(text, "Taskfile.yaml")])
    .flatMap((name) => filesInside(join(".", name), { pathFacts, cwds }))
    .filter((one) => pathFacts.exists(one) && pathFacts.fingerprint(one) !== undefined);
  return joinReferences([
    {
      files: [...files, ...scriptsOfHooks(file)].map((one) => ({ path: one })),
      complete: named.length <= MAX_NAMES,
    },
    lineReferences(texts, { ...file, cwds }),
  ]);
}

/** The scripts that lefthook runs by their names, in a directory for each hook. */
function scriptsOfHooks({ path, text, pathFacts }: SourceFile): string[] {
  if (!/lefthook/.test(path)) return [];
  const named = /^source_dir(?:_local)?\s*:\s*["']?([\w./-]+)/gm;
  const places = [
    ".lefthook",
    ".lefthook-local",
    ...[...text.matchAll(named)].map(([, one]) => one!),
  ];
  return places.flatMap((place) => filesInside(place, { pathFacts, cwds: [dirname(path)] }))
    .flatMap((place) => pathFacts.entries(place).map((hook) => join(place, hook)))
    .flatMap((hook) => pathFacts.entries(hook).map((script) => join(hook, script)));
}
