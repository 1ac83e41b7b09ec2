/**
 * The files that a recorded run began with: stored in the recording if they are few and small, so that it can be
 * replayed anywhere. Where they are not, a replay works on a copy of the directory as it is now.
 */
import { Buffer } from "node:buffer";
import { dirname, join, resolve } from "node:path";
import { UsageError } from "../core/errors.ts";
import type { Secrets } from "../core/secrets.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";

/** One stored file: its text or bytes, or the target of a link. */
interface StoredFile {
  readonly text?: string;
  readonly base64?: string;
  readonly link?: string;
  readonly mode?: number;
  /** Whether secrets in it were masked. */
  readonly masked?: boolean;
  /** Milliseconds since the epoch: searches show the newest file first. */
  readonly modified?: number;
}

/** Files that a recording holds at most. */
export const MAX_FILES = 400;
/** Bytes of all of them. */
export const MAX_BYTES = 1_000_000;
/** The same of a directory that is copied for a replay. */
const MAX_COPIED_FILES = 200_000;
const MAX_COPIED_BYTES = 4 * 1024 ** 3;

/** All files below a directory by their paths, secrets masked in both; undefined if they are too many or too large. */
export async function gatherFiles(
  directory: string,
  secrets: Secrets,
): Promise<JsonObject | undefined> {
  const files: Record<string, StoredFile> = {};
  let bytes = 0;
  const visit = async (below: string): Promise<boolean> => {
    for (const { name, isDirectory, isSymlink } of Deno.readDirSync(join(directory, below))) {
      // Git's own files come from the repository itself.
      if (below === "" && name === ".git") continue;
      if (name === ".git" || Object.keys(files).length >= MAX_FILES) return false;
      const path = below === "" ? name : `${below}/${name}`;
      if (isDirectory) {
        if (!await visit(path)) return false;
        continue;
      }
      const stored = isSymlink
        ? storeLink(directory, path, secrets)
        : storeFile(directory, path, secrets);
      bytes += stored?.size ?? Infinity;
      if (stored === undefined || bytes > MAX_BYTES) return false;
      files[secrets.mask(path)] = stored.file;
    }
    return true;
  };
  try {
    return await visit("") ? files : undefined;
  } catch {
    // A file that cannot be read cannot be stored.
    return undefined;
  }
}

function storeLink(directory: string, path: string, secrets: Secrets) {
  const link = Deno.readLinkSync(join(directory, path));
  const isInside = resolve(directory, dirname(path), link).startsWith(`${directory}/`);
  return isInside && !link.startsWith("/")
    ? { file: { link: secrets.mask(link) }, size: link.length }
    : undefined;
}

function storeFile(directory: string, path: string, secrets: Secrets) {
  const absolute = join(directory, path);
  const { size, isFile, mode, mtime } = Deno.statSync(absolute);
  if (!isFile || size > MAX_BYTES) return undefined;
  const bytes = Deno.readFileSync(absolute);
  const about = { mode: (mode ?? 0o644) & 0o777, modified: mtime?.getTime() ?? 0 };
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const masked = secrets.mask(text);
    return { file: { text: masked, ...about, ...masked !== text && { masked: true } }, size };
  } catch {
    // One character for each byte: a secret stands in a database as it stands in a text.
    const text = Buffer.from(bytes).toString("latin1");
    const masked = secrets.mask(text);
    if (masked === text) return { file: { base64: bytes.toBase64(), ...about }, size };
    const base64 = Buffer.from(masked, "latin1").toString("base64");
    return { file: { base64, ...about, masked: true }, size };
  }
}

/** Removes all files below a directory except git's own and those whose secrets were masked in the recording. */
export function clearFiles(directory: string, files: JsonObject): void {
  const stays = (path: string) => isObject(files[path]) && files[path].masked === true;
  const visit = (below: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(join(directory, below))) {
      const path = below === "" ? name : `${below}/${name}`;
      if (path === ".git") continue;
      if (isDirectory) visit(path);
      else if (!stays(path)) Deno.removeSync(join(directory, path));
    }
  };
  Deno.mkdirSync(directory, { recursive: true });
  visit("");
}

/**
 * Copies a directory with all that is in it, but for the files named; times and links stay as they are.
 * @throws {UsageError} it is too large
 */
export async function copyTree(
  from: string,
  to: string,
  { without }: { without: readonly string[] },
): Promise<void> {
  let files = 0;
  let bytes = 0;
  const copyFile = async (source: string, target: string) => {
    const { size, mtime, atime } = await Deno.stat(source);
    bytes += size;
    if (bytes > MAX_COPIED_BYTES) throw tooLarge(from);
    await Deno.copyFile(source, target);
    if (mtime) await Deno.utime(target, atime ?? mtime, mtime);
  };
  const visit = async (source: string, target: string): Promise<void> => {
    await Deno.mkdir(target, { recursive: true });
    for await (const { name, isDirectory, isFile, isSymlink } of Deno.readDir(source)) {
      if (++files > MAX_COPIED_FILES) throw tooLarge(from);
      const [here, there] = [join(source, name), join(target, name)];
      if (without.includes(here)) continue;
      if (isDirectory) await visit(here, there);
      else if (isSymlink) await Deno.symlink(await Deno.readLink(here), there);
      else if (isFile) await copyFile(here, there);
    }
  };
  await visit(from, to);
}

function tooLarge(directory: string): UsageError {
  return new UsageError(
    `Cannot copy ${directory}: it holds more than a replay copies. Name the project's own directory with -C DIR.`,
  );
}
