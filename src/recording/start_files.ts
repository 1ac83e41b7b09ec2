/**
 * The files that a recorded run began with: stored in the recording if they are few and small, so that it can be
 * replayed anywhere, and written to a scratch directory for that.
 */
import { dirname, join, resolve } from "node:path";
import type { Secrets } from "../core/secrets.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";

/** One stored file: its text or bytes, or the target of a link. */
interface StoredFile {
  readonly text?: string;
  readonly base64?: string;
  readonly link?: string;
  readonly mode?: number;
  /** Whether secrets of the text were masked. */
  readonly masked?: boolean;
  /** Milliseconds since the epoch: searches show the newest file first. */
  readonly modified?: number;
}

const MAX_FILES = 400;
const MAX_BYTES = 1_000_000;

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
    return { file: { base64: bytes.toBase64(), ...about }, size };
  }
}

/**
 * Writes stored files into a directory; a file with secrets that came with the clone stays as it is.
 * @throws {Error} a path leads out of it, or the disk is full
 */
export function restoreFiles(files: JsonObject, directory: string): void {
  for (const [path, file] of Object.entries(files)) {
    const absolute = resolve(directory, path);
    // What stands in .git makes git run programs.
    const isGit = path.split("/").some((part) => part.toLowerCase() === ".git");
    if (!absolute.startsWith(`${directory}/`) || isGit || !isObject(file)) {
      throw new Error(`Cannot lay out '${path}': it is no file below the project.`);
    }
    Deno.mkdirSync(dirname(absolute), { recursive: true });
    const { text, base64, link, mode = 0o644, modified = 0, masked } = file as StoredFile;
    if (masked && isRegular(absolute)) continue;
    if (link !== undefined) {
      if (!resolve(dirname(absolute), link).startsWith(`${directory}/`)) {
        throw new Error(`Cannot lay out '${path}': it leads out of the project.`);
      }
      Deno.symlinkSync(link, absolute);
      continue;
    }
    const bytes = base64 === undefined
      ? new TextEncoder().encode(text ?? "")
      : Uint8Array.fromBase64(base64);
    // Only a new file: nothing is written through a link.
    Deno.writeFileSync(absolute, bytes, { mode, createNew: true });
    Deno.utimeSync(absolute, new Date(modified), new Date(modified));
  }
}

function isRegular(path: string): boolean {
  try {
    return Deno.lstatSync(path).isFile;
  } catch {
    return false;
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

/** Copies a directory with all that is in it, but for the files named; times and links stay as they are. */
export async function copyTree(
  from: string,
  to: string,
  options: { without: readonly string[] },
): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isFile, isSymlink } of Deno.readDir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (options.without.includes(source)) continue;
    if (isDirectory) await copyTree(source, target, options);
    else if (isSymlink) await Deno.symlink(await Deno.readLink(source), target);
    else if (isFile) {
      await Deno.copyFile(source, target);
      const { mtime, atime } = await Deno.stat(source);
      if (mtime) await Deno.utime(target, atime ?? mtime, mtime);
    }
  }
}
