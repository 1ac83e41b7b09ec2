/**
 * What `deno task install` puts on a machine: `share/ally/VERSION` below a root, with the bundle, its Deno and a
 * record of every file, and a shim in `bin`. What is removed is what the records list, and nothing else.
 */
import { dirname, join } from "node:path";
import { contains } from "../lib/contains.ts";
import { errorCode, exists, isMissing, listNames, realPathOrSame } from "../lib/fs.ts";
import { type JsonObject, violations } from "../lib/schema.ts";
import { messageOf } from "../lib/text.ts";

/** The record's name in the folder of a version. */
export const RECORD_NAME = "install.json";

/** A line of every shim; a file without it is somebody else's. */
export const SHIM_MARK = "ally's shim: deno task install writes it, ally uninstall removes it.";

/** What was installed. */
export interface InstallRecord {
  readonly version: string;
  /** SHA-256 of all that was copied: the same version may have been built twice. */
  readonly build: string;
  /** Absolute; the shim is in its `bin`. */
  readonly root: string;
  /** Relative to the folder of the version, with slashes; the record itself is not among them. */
  readonly files: readonly string[];
  /** Absolute. */
  readonly shim: string;
  /** Directories that had to be made for it; absolute. */
  readonly directories: readonly string[];
}

/** A version on this machine. */
export interface InstalledVersion {
  /** Its folder, absolute. */
  readonly directory: string;
  readonly record: InstallRecord;
}

const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    version: { type: "string" },
    build: { type: "string" },
    root: { type: "string" },
    // No path that leads out of the folder.
    files: {
      type: "array",
      items: { type: "string", pattern: "^(?![/\\\\])(?![^]*(^|[/\\\\])\\.\\.([/\\\\]|$))" },
    },
    shim: { type: "string" },
    directories: { type: "array", items: { type: "string" } },
  },
  required: ["version", "build", "root", "files", "shim", "directories"],
};

/** The version in a folder; undefined if no record there can be read. */
export function readInstalledVersion(directory: string): InstalledVersion | undefined {
  try {
    const record: unknown = JSON.parse(Deno.readTextFileSync(join(directory, RECORD_NAME)));
    if (violations(SCHEMA, record).length > 0) return undefined;
    return { directory, record: record as InstallRecord };
  } catch {
    return undefined;
  }
}

/** All versions in `share/ally` of a root. */
export function listInstalledVersions(share: string): InstalledVersion[] {
  return listNames(share).sort()
    .flatMap((name) => readInstalledVersion(join(share, name)) ?? []);
}

/** Whether a shim is there, is none, or is a file of somebody else's. */
export function inspectShim(path: string): "ours" | "missing" | "foreign" {
  try {
    const { isFile, size } = Deno.lstatSync(path);
    if (!isFile || size > 10_000) return "foreign";
    return Deno.readTextFileSync(path).includes(SHIM_MARK) ? "ours" : "foreign";
  } catch (error) {
    return isMissing(error) ? "missing" : "foreign";
  }
}

/** Something that was to be removed and is still there. */
export interface Leftover {
  readonly path: string;
  readonly why: string;
}

/** Removes the files that the record of a version lists, and the folders that are empty then. */
export function removeVersion({ directory, record }: InstalledVersion): Leftover[] {
  // The record goes last, so that what was cut short can be done again.
  const leftovers = record.files.flatMap((file) => removeBelow(directory, file));
  if (leftovers.length > 0) return leftovers;
  removeOne(join(directory, RECORD_NAME));
  const folders = new Set(record.files.flatMap((file) => foldersOf(file)));
  const deepestFirst = [...folders].sort((a, b) => b.length - a.length)
    .map((folder) => join(directory, folder));
  removeEmptyDirectories([...deepestFirst, directory]);
  if (!exists(directory)) return [];
  return [{ path: directory, why: "it holds files that ally did not put there" }];
}

/** Removes a shim that is ours; one of somebody else's stays. */
export function removeShim(path: string): Leftover[] {
  return inspectShim(path) === "ours" ? removeOne(path) : [];
}

/** Removes those of the directories that are empty, the deepest first. */
export function removeEmptyDirectories(directories: readonly string[]): void {
  for (const directory of [...directories].sort((a, b) => b.length - a.length)) {
    try {
      Deno.removeSync(directory);
    } catch {
      // Somebody uses it by now, or it is gone.
    }
  }
}

/** The directory and those above it that are not there yet. */
export function findMissingDirectories(directory: string): string[] {
  const missing: string[] = [];
  for (let at = directory; dirname(at) !== at && !exists(at); at = dirname(at)) missing.push(at);
  return missing;
}

/** Removes a file that no link leads out of the directory to. */
function removeBelow(directory: string, file: string): Leftover[] {
  const path = join(directory, file);
  const isBelow = contains(realPathOrSame(directory), realPathOrSame(dirname(path)));
  return isBelow ? removeOne(path) : [{ path, why: "a link on the way leads elsewhere" }];
}

function removeOne(path: string): Leftover[] {
  try {
    Deno.removeSync(path);
    return [];
  } catch (error) {
    return errorCode(error) === "ENOENT" ? [] : [{ path, why: messageOf(error) }];
  }
}

/** "a/b" and "a" of "a/b/file". */
function foldersOf(file: string): string[] {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
