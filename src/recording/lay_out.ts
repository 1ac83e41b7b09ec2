/**
 * Lays out the files of a recording in a scratch directory. A recording may come from anybody: what it says of a file is
 * checked before anything is written, each file is made new in a directory that is reached without following a link,
 * and links come last, when all that they could lead through is there.
 */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../core/errors.ts";
import { contains } from "../lib/contains.ts";
import { DirectoryHandle } from "../lib/directory_handle.ts";
import { anchorFor, reasonOf, tryLstat } from "../lib/fs.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import { MAX_BYTES, MAX_FILES } from "./start_files.ts";

/** Directories in one another, so that 400 files cannot make a million directories. */
const MAX_DEPTH = 64;
/** Placeholders are longer than the secrets in whose place they stand. */
const MAX_LAID_OUT = 8 * MAX_BYTES;

/** What is to be made, checked. */
interface Entry {
  readonly path: string;
  /** Parts of the path. */
  readonly directories: readonly string[];
  readonly name: string;
  /** A file's content, or where a link points. */
  readonly content: Uint8Array<ArrayBuffer> | string;
  /** Permission bits of a file. */
  readonly mode: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Whether secrets of the text were masked. */
  readonly masked: boolean;
}

/**
 * Writes stored files into a directory; a file with secrets that came with the clone stays as it is. `follow` says what
 * a path finally names, links followed.
 * @throws {UsageError} an entry is no file or link of the project, there are too many, or one cannot be written
 */
export function layOutFiles(
  files: JsonObject,
  directory: string,
  { follow }: { follow: (path: string) => string },
): void {
  const paths = Object.keys(files);
  if (paths.length > MAX_FILES) {
    throw new UsageError(
      `Cannot lay out ${paths.length} files: a recording holds at most ${MAX_FILES}.`,
    );
  }
  const entries = paths.map((path) => attempt(path, () => readEntry(path, files[path])));
  const size = entries.reduce((sum, { content }) => sum + content.length, 0);
  if (size > MAX_LAID_OUT) {
    throw new UsageError(
      `Cannot lay out ${size} bytes: the files of a recording have at most ${MAX_LAID_OUT}.`,
    );
  }
  const links = entries.filter(({ content }) => typeof content === "string");
  for (const entry of entries) {
    const { path, content } = entry;
    if (typeof content !== "string") {
      attempt(path, () => writeFile({ ...entry, content }, directory));
    }
  }
  for (const link of links) attempt(link.path, () => makeLink(link, directory));
  // Only now: each may lead through others.
  for (const { path } of links) {
    attempt(path, () => {
      if (!contains(directory, follow(join(directory, path)))) {
        throw new Error("it leads out of the project");
      }
    });
  }
}

function attempt<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw new UsageError(`Cannot lay out '${path}': ${reasonOf(cause)}.`, { cause });
  }
}

function readEntry(path: string, file: unknown): Entry {
  const parts = path.split("/");
  if (!parts.every(isPlainName) || parts.length > MAX_DEPTH) {
    throw new Error("it is no file below the project");
  }
  // What stands in .git makes git run programs.
  if (parts.some(namesGit)) throw new Error("it belongs to git");
  if (!isObject(file)) throw new Error("it is no file");
  const { mode, modified, masked } = file;
  const time = typeof modified === "number" && modified > 0 ? modified : 0;
  return {
    path,
    directories: parts.slice(0, -1),
    name: parts.at(-1)!,
    content: readContent(file),
    mode: Number.isInteger(mode) ? Number(mode) & 0o777 : 0o644,
    modified: Math.min(time, Date.now()),
    masked: masked === true,
  };
}

function readContent({ text, base64, link }: JsonObject): Entry["content"] {
  const [content, ...others] = [text, base64, link].filter((one) => one !== undefined);
  if (typeof content !== "string" || others.length > 0) {
    throw new Error("it is neither a file nor a link");
  }
  if (content === link) return content;
  return content === text ? new TextEncoder().encode(content) : Uint8Array.fromBase64(content);
}

function isPlainName(part: string): boolean {
  const isSeparated = Deno.build.os === "windows" && /[\\:]/.test(part);
  return part !== "" && part !== "." && part !== ".." && !part.includes("\0") && !isSeparated;
}

/** Whether some file system takes a name for `.git`: they leave out what is invisible, and ends, or shorten names. */
function namesGit(part: string): boolean {
  const folded = part.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/:.*$/s, "").replace(/[. ]+$/, "").toLowerCase();
  return /^(\.git|git~\d+)$/.test(folded);
}

function openDirectory({ directories }: Entry, directory: string): DirectoryHandle {
  return DirectoryHandle.open(join(directory, ...directories), {
    create: true,
    anchor: anchorFor(`.${crypto.randomUUID()}`),
  });
}

function writeFile(
  entry: Entry & { readonly content: Uint8Array<ArrayBuffer> },
  directory: string,
): void {
  using parent = openDirectory(entry, directory);
  const { name, content, mode, modified, masked } = entry;
  const path = parent.entry(name);
  if (masked && tryLstat(path)?.isFile) return;
  // Only a new file: nothing is written through a link, or into a file that has another name too.
  using file = Deno.openSync(path, { write: true, createNew: true, mode });
  const { dev, ino } = file.statSync();
  if (!parent.contains(name, { dev, ino: ino ?? 0 })) throw parent.movedError;
  for (let rest = content; rest.length > 0;) rest = rest.subarray(file.writeSync(rest));
  file.utimeSync(new Date(modified), new Date(modified));
}

function makeLink(entry: Entry, directory: string): void {
  using parent = openDirectory(entry, directory);
  symlinkSync(String(entry.content), parent.entry(entry.name));
}
