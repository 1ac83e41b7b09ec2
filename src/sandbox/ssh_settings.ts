/**
 * The user's own settings of ssh, as far as commands may write what they name: git and ssh that have the keys obey these.
 */
import { dirname, isAbsolute, join } from "node:path";
import { contains } from "../lib/contains.ts";
import { entriesOf, followPath, placesOnPath, readSmallFile, realPath } from "./inspect.ts";

/** Settings that name files which ssh obeys, or programs and libraries that it starts. */
const OBEYED =
  /^\s*(include|proxycommand|localcommand|knownhostscommand|match|pkcs11provider|smartcarddevice|securitykeyprovider|xauthlocation)\b[\s=]*(.*)$/gim;
/** Files that settings include, one by the other; ssh itself reads 16 deep. */
const MAX_FILES = 200;

/** What of the settings commands may write, as it is shown. */
export function findWritableSshSettings(
  { home, keys, ...places }: {
    readonly home: string;
    /** Where the keys are, which commands do not write. */
    readonly keys: readonly string[];
    /** Whether commands may write what is at a path, absolute. */
    readonly isWritable: (path: string) => boolean;
  },
): string[] {
  const isKey = (path: string) => keys.some((place) => contains(place, path));
  const isWritable = (path: string) => places.isWritable(path) && !isKey(realPath(path) ?? path);
  const directory = join(home, ".ssh");
  const names = [...entriesOf(directory)?.keys() ?? []].filter((name) => /conf/.test(name));
  const files = new Set(["config", ...names].map((name) => join(directory, name)));
  for (const file of files) {
    const shown = file.replace(`${home}/`, "~/");
    if (isWritable(file) || files.size > MAX_FILES) return [shown];
    for (const [, name = "", value = ""] of readSmallFile(realPath(file) ?? "").matchAll(OBEYED)) {
      const isInclude = /^include$/i.test(name);
      for (const path of pathsIn(value, { home, directory: isInclude ? directory : undefined })) {
        const places = placesOnPath("/", fixedPart(path));
        if (places.some(isWritable)) return [`${shown}: ${name} ${value}`];
        if (isInclude) filesMatching(path).forEach((one) => files.add(one));
      }
    }
  }
  return [];
}

/** The paths among words; relative ones count where a directory is given for them. */
function pathsIn(
  value: string,
  { home, directory }: { home: string; directory: string | undefined },
): string[] {
  return value.split(/[\s"',;=|&()<>]+/).flatMap((word) => {
    const path = word.replace(/^(?:~|%d|\$\{HOME\}|\$HOME)(?=\/)/, home);
    if (isAbsolute(path)) return [path];
    return directory === undefined || path === "" ? [] : [`${directory}/${path}`];
  });
}

/** A path up to its first pattern. */
function fixedPart(path: string): string {
  return path.replace(/\/[^/]*[*?[].*$/s, "") || "/";
}

function filesMatching(pattern: string): string[] {
  if (!/[*?[]/.test(pattern)) return [pattern];
  const directory = followPath("/", dirname(pattern));
  return [...entriesOf(directory)?.keys() ?? []].map((name) => join(directory, name));
}
