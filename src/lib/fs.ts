/**
 * Careful access to the disk: regular files opened without following or blocking, in directories that are held
 * so that no link swapped in leads elsewhere, and files replaced atomically.
 */
import * as fs from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { DirectoryHandle, isSameFile, openFlags } from "./directory_handle.ts";
import { formatBytes, messageOf } from "./text.ts";

/** Attempts to remove a file that was created where a swapped link led. */
const MAX_REMOVALS = 1000;

/** The system's code of an error, such as "ENOENT", or undefined. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

const REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ["ENOENT", "there is no such file or directory"],
  ["EEXIST", "it exists already"],
  ["EISDIR", "it is a directory"],
  ["EACCES", "permission denied"],
  ["EPERM", "the operation is not permitted"],
  ["EROFS", "the file system is read-only"],
  ["ENOSPC", "no space is left on the device"],
  ["EDQUOT", "the disk quota is exceeded"],
  ["ENAMETOOLONG", "the name is too long"],
  ["ENOTDIR", "a part of the path is not a directory"],
  ["EMFILE", "too many files are open"],
  ["ELOOP", "a part of the path is a link"],
]);

/** Why something failed, to follow "Cannot read PATH: "; an error of the system in plain words. */
export function reasonOf(error: unknown): string {
  return REASONS.get(errorCode(error)) ?? messageOf(error);
}

/** Why a file could not be made: where its directory is not there, that is said. */
export function reasonNotMade(path: string, error: unknown): string {
  const directory = dirname(path);
  return errorCode(error) === "ENOENT" && !exists(directory)
    ? `there is no directory ${directory}`
    : reasonOf(error);
}

/** Why a new file cannot be made where something is already, and what to do. */
export function reasonTaken(info: Pick<Deno.FileInfo, "isDirectory">): string {
  return info.isDirectory
    ? "it is a directory. Name a file in it"
    : "it is there already. Name another file, or remove it";
}

/** Whether an error says that there is nothing at a path. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** What lies at a path, no link followed; undefined if nothing does, or if it may not be looked at. */
export function tryLstat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch {
    return undefined;
  }
}

/** What a path leads to; undefined if that is nothing, or may not be looked at. */
export function tryStat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}

/** Whether nothing is at a path; what may not be looked at may be there. */
export function isGone(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return false;
  } catch (error) {
    return isMissing(error);
  }
}

/** This user's id; undefined where there are none, or Deno would have to ask a person for it. */
export function ownUid(): number | undefined {
  const { state } = Deno.permissions.querySync({ name: "sys", kind: "uid" });
  return state === "granted" ? Deno.uid() ?? undefined : undefined;
}

/** Whether a file is this user's, or root's, and nobody else may have written it. */
export function isOwnFile({ uid, mode }: Pick<Deno.FileInfo, "uid" | "mode">): boolean {
  const own = ownUid();
  return own === undefined || ((uid === own || uid === 0) && ((mode ?? 0) & 0o022) === 0);
}

/** The real path of a file or directory; the path itself if there is none. */
export function realPathOrSame(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path;
  }
}

/** Whether something lies at a path, a link to nothing included. */
export function exists(path: string): boolean {
  return tryLstat(path) !== undefined;
}

/**
 * The text of a regular file, however the path leads to it.
 * @throws {Error} it is not a regular file, or too large; else with a system code
 */
export async function readSmallFile(
  path: string,
  { maxBytes }: { maxBytes: number },
): Promise<string> {
  const { isFile, size } = await Deno.stat(path);
  requireSmallFile({ isFile, size }, maxBytes);
  return await Deno.readTextFile(path);
}

/** The bytes of a regular file, however the path leads to it: reading a pipe would wait for ever. @throws as `readSmallFile` */
export function readSmallFileSync(
  path: string,
  { maxBytes }: { maxBytes: number },
): Uint8Array<ArrayBuffer> {
  requireSmallFile(Deno.statSync(path), maxBytes);
  return Deno.readFileSync(path);
}

/** @throws {Error} it is not a regular file, or has more bytes than it may have */
export function requireSmallFile(
  { isFile, size }: { isFile: boolean; size: number },
  maxBytes: number,
): void {
  if (!isFile) throw new Error("it is not a regular file");
  if (size <= maxBytes) return;
  throw new Error(`it has ${formatBytes(size)}, more than ${formatBytes(maxBytes)}`);
}

/** The whole lines among the last bytes of a file, oldest first. @throws {Error} with a system code */
export async function readLastLines(
  path: string,
  { maxBytes }: { maxBytes: number },
): Promise<string[]> {
  using file = await Deno.open(path);
  const { size } = await file.stat();
  const start = Math.max(0, size - maxBytes);
  await file.seek(start, Deno.SeekMode.Start);
  const lines = (await new Response(file.readable).text()).split("\n");
  // The first one may have lost its beginning, and what follows the last line end is no whole line.
  return lines.slice(start > 0 ? 1 : 0, -1);
}

/** Names of what a directory holds; none if it cannot be listed. */
export function listNames(directory: string): string[] {
  try {
    return [...Deno.readDirSync(directory)].map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Whether Deno lets this process read a path without asking the person. */
export function mayRead(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

/**
 * Fails where Deno does not let this process write: where there is a terminal, trying would make Deno ask.
 * @throws {Deno.errors.NotCapable}
 */
export function requireWrite(path: string): void {
  if (Deno.permissions.querySync({ name: "write", path }).state === "granted") return;
  throw new Deno.errors.NotCapable('Deno\'s permission "write" does not cover it');
}

/** SHA-256 of some bytes, in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A file opened for reading, with what the system says of it. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly stats: fs.Stats;
}

/**
 * Opens a canonical path for reading; never follows a link, never waits for a FIFO. The caller closes
 * the handle, and must look at `stats`: directories and devices open as well.
 * @throws {Error} with a system code
 */
export async function openCanonical(path: string): Promise<OpenedFile> {
  using directory = DirectoryHandle.open(dirname(path));
  const name = basename(path) || ".";
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = openFlags();
  const handle = await open(directory.entry(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!directory.contains(name, stats)) throw directory.movedError;
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** What the system says of a canonical path, no link followed on the way. @throws {Error} with a system code */
export function lstatCanonical(path: string): Deno.FileInfo {
  try {
    using directory = DirectoryHandle.open(dirname(path));
    return Deno.lstatSync(directory.entry(basename(path) || "."));
  } catch (error) {
    // Deno lets nothing above be read: then it holds this process to the directory itself.
    if (error instanceof Deno.errors.NotCapable) return Deno.lstatSync(path);
    throw error;
  }
}

/** What a replaced file had and its replacement keeps. */
export interface FileAttributes {
  /** Permission bits; @default what the umask leaves of 0o666 */
  readonly mode?: number | undefined;
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
}

/** How new content is staged. */
interface StageOptions extends FileAttributes {
  /** Name of the temporary file. @default a random one */
  readonly temporary?: string | undefined;
}

/** New content, complete and durable beside its target, not yet in place. */
export class StagedFile {
  /** Undefined while it is released. */
  #directory: DirectoryHandle | undefined;
  readonly #path: string;
  readonly #temporary: string;
  readonly #stats: fs.Stats;
  #pending = true;

  private constructor(
    staged: { directory: DirectoryHandle; temporary: string; path: string; stats: fs.Stats },
  ) {
    this.#directory = staged.directory;
    this.#temporary = staged.temporary;
    this.#path = staged.path;
    this.#stats = staged.stats;
  }

  /** Number of the inode that the file will have. */
  get inode(): number {
    return this.#stats.ino;
  }

  /** Writes a temporary file in the directory of a canonical path, which is made if missing. */
  static async write(
    path: string,
    bytes: Uint8Array,
    attributes: StageOptions = {},
  ): Promise<StagedFile> {
    requireWrite(path);
    const temporary = attributes.temporary ?? temporaryName();
    const directory = DirectoryHandle.open(dirname(path), {
      create: true,
      anchor: anchorFor(temporary),
    });
    let handle: FileHandle | undefined;
    try {
      const mode = attributes.mode === undefined ? 0o666 : 0o600;
      const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = openFlags();
      const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
      handle = await open(directory.entry(temporary), flags, mode);
      const stats = await handle.stat();
      if (!directory.contains(temporary, stats)) throw directory.movedError;
      await handle.writeFile(bytes);
      await applyAttributes(handle, attributes);
      await handle.sync();
      await handle.close();
      return new StagedFile({ directory, temporary, path, stats });
    } catch (error) {
      const paths = [directory.entry(temporary), join(dirname(path), temporary)];
      if (handle !== undefined) await removeCreated(handle, paths);
      directory[Symbol.dispose]();
      throw error;
    }
  }

  /** Whether the content is in its place, even if `publish` has thrown since. */
  get isPublished(): boolean {
    return !this.#pending;
  }

  /** Puts the content in its place, atomically. */
  publish(): void {
    const directory = this.#openDirectory();
    const name = basename(this.#path);
    if (!directory.contains(this.#temporary, this.#stats)) throw directory.movedError;
    fs.renameSync(directory.entry(this.#temporary), directory.entry(name));
    this.#pending = false;
    if (!directory.contains(name, this.#stats)) throw directory.movedError;
  }

  /** Makes the publication durable. */
  sync(): void {
    this.#openDirectory().sync();
  }

  /** Closes the directory until it is needed again: no process can hold thousands open. */
  release(): void {
    this.#directory?.[Symbol.dispose]();
    this.#directory = undefined;
  }

  /** Removes the temporary file, if it is still there, and closes the directory. */
  [Symbol.dispose](): void {
    try {
      if (this.#pending) fs.rmSync(this.#openDirectory().entry(this.#temporary), { force: true });
    } catch {
      // Its directory is gone, and the file with it.
    } finally {
      this.release();
    }
  }

  /** The directory, opened again if it was released: it must be the one that the file was staged in. */
  #openDirectory(): DirectoryHandle {
    if (this.#directory) return this.#directory;
    const anchor = anchorFor(this.#temporary);
    const directory = DirectoryHandle.open(dirname(this.#path), { anchor });
    const name = this.#pending ? this.#temporary : basename(this.#path);
    if (inodeOf(directory.entry(name)) !== this.#stats.ino) {
      directory[Symbol.dispose]();
      throw directory.movedError;
    }
    return this.#directory = directory;
  }
}

function inodeOf(path: string): number | undefined {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.ino;
}

function temporaryName(): string {
  return `.${crypto.randomUUID()}.tmp`;
}

/** Name of the anchor of the directory in which a temporary file lies: a sweep for temporary files finds it too. */
export function anchorFor(temporary: string): string {
  return temporary.replace(/(\.tmp)?$/, "-at.tmp");
}

/** Removes a file just created, wherever its paths lead by now, and closes it. */
async function removeCreated(handle: FileHandle, paths: readonly string[]): Promise<void> {
  for (let count = 0; count < MAX_REMOVALS; count++) {
    for (const path of paths) {
      try {
        fs.unlinkSync(path);
      } catch {
        // It is not there at the moment; the handle tells whether it is anywhere.
      }
    }
    const stats = await handle.stat().catch(() => undefined);
    if (stats === undefined || stats.nlink === 0 || Deno.build.os === "windows") break;
  }
  await handle.close().catch(() => {});
}

/** Owner before mode, because a change of owner clears the set-id bits. */
async function applyAttributes(handle: FileHandle, attributes: FileAttributes): Promise<void> {
  const { mode, owner } = attributes;
  if (owner !== undefined) {
    const { uid, gid } = await handle.stat();
    if (uid !== owner.uid || gid !== owner.gid) {
      await handle.chown(owner.uid, owner.gid).catch(() => {});
    }
  }
  if (mode !== undefined) await handle.chmod(mode);
}

/** Replaces or makes one file atomically and durably; the path is canonical. */
export async function replaceFile(
  path: string,
  bytes: Uint8Array,
  attributes: FileAttributes = {},
): Promise<void> {
  using staged = await StagedFile.write(path, bytes, attributes);
  staged.publish();
  staged.sync();
}

/** Removes one file durably; the path is canonical. */
export function removeFile(path: string): void {
  using directory = DirectoryHandle.open(dirname(path), { anchor: anchorFor(temporaryName()) });
  fs.unlinkSync(directory.entry(basename(path)));
  directory.sync();
}

/** How often a file to add to is looked for again where another one was put in its place meanwhile. */
const MAX_OPENINGS = 10;

/**
 * A file for its owner alone (0600, in a directory 0700), written piece by piece, and never through a link. Every run
 * writes one, so this does without `node:fs`, which takes longer to load than all of it.
 */
export class PrivateFile {
  readonly #path: string;
  readonly #file: Deno.FsFile;

  private constructor(path: string, file: Deno.FsFile) {
    this.#path = path;
    this.#file = file;
  }

  /** Makes the file, and its directory if need be. @throws {Error} with a system code, if it is there too */
  static create(path: string): PrivateFile {
    makePrivateDirectoryOf(path);
    return new PrivateFile(path, openNew(path));
  }

  /** Opens the file to add to its end; makes it, and its directory, if need be. @throws {Error} with a system code */
  static openEnd(path: string): PrivateFile {
    makePrivateDirectoryOf(path);
    for (let openings = 1;; openings++) {
      const file = tryOpenNew(path) ?? openOld(path);
      if (file !== undefined) return new PrivateFile(path, file);
      if (openings === MAX_OPENINGS) throw systemError("ELOOP", path);
    }
  }

  append(bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(this.#file.writeSync(rest));
  }

  /** Adds a line by one write, as far as the disk takes it, so that lines of other processes stay whole too. */
  appendLine(line: string): void {
    this.append(new TextEncoder().encode(`${line}\n`));
  }

  close(): void {
    this.#file.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Closes and removes it. */
  discard(): void {
    this.close();
    Deno.removeSync(this.#path);
  }
}

function makePrivateDirectoryOf(path: string): void {
  requireWrite(path);
  Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
}

/** Makes a file, which follows no link: there must be nothing. @throws {Error} with a system code */
function openNew(path: string): Deno.FsFile {
  return Deno.openSync(path, { append: true, createNew: true, mode: 0o600 });
}

/** Undefined if something is there. @throws {Error} with a system code */
function tryOpenNew(path: string): Deno.FsFile | undefined {
  try {
    return openNew(path);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return undefined;
    throw error;
  }
}

/** Undefined if it is no longer what it was, or gone. @throws {Error} with a system code, if it is no regular file too */
function openOld(path: string): Deno.FsFile | undefined {
  const found = tryLstat(path);
  if (found === undefined) return undefined;
  if (found.isSymlink) throw systemError("ELOOP", path);
  if (!found.isFile) throw systemError("ENXIO", path);
  const file = Deno.openSync(path, { append: true });
  if (isSameFile(file.statSync(), found)) return file;
  file.close();
  return undefined;
}

function systemError(code: "ELOOP" | "ENXIO", path: string): Error {
  const why = code === "ELOOP" ? "it is a link" : "it is no regular file";
  return Object.assign(new Error(`${why}: ${path}`), { code });
}
