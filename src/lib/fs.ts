/**
 * Careful access to the disk: directories held open so that no link swapped in later leads elsewhere,
 * regular files opened without following or blocking, and files replaced atomically. Knows nothing of
 * ally; called by the workspace and by whatever stores files.
 */
import * as fs from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";

const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = fs.constants;
const O_DIRECTORY = fs.constants.O_DIRECTORY ?? 0;
const O_NOFOLLOW = fs.constants.O_NOFOLLOW ?? 0;
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0;
/** Linux: a descriptor that only names a directory, so that search permission suffices. */
const O_PATH = 0o10000000;

/** The system's code of an error, such as "ENOENT", or undefined. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** Whether an error says that there is nothing at a path. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
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

/**
 * A directory held open. On Linux with full access to /proc its entries are named through the open
 * descriptor, reached without following one link; elsewhere its path is verified when it is opened.
 */
export class HeldDirectory {
  readonly #path: string;
  readonly #fd: number | undefined;

  private constructor(path: string, fd: number | undefined) {
    this.#path = path;
    this.#fd = fd;
  }

  /**
   * Opens a canonical absolute path; with `create` missing parts are made.
   * @throws {Error} with a system code: missing, not a directory, or a link where none was
   */
  static open(path: string, options: { create?: boolean } = {}): HeldDirectory {
    const root = openRoot();
    if (root !== undefined) return new HeldDirectory(path, descend(root, path, options));
    if (options.create) fs.mkdirSync(path, { recursive: true });
    if (fs.realpathSync(path) !== path) throw linkError(path);
    return new HeldDirectory(path, undefined);
  }

  /** A path for an entry, valid while the directory is held. */
  entry(name: string): string {
    return this.#fd === undefined ? join(this.#path, name) : `${descriptor(this.#fd)}/${name}`;
  }

  /** Makes additions, renames and removals durable, where the system can. */
  sync(): void {
    if (Deno.build.os === "windows") return;
    let fd: number;
    try {
      fd = fs.openSync(this.entry("."), O_RDONLY | O_DIRECTORY);
    } catch (error) {
      if (errorCode(error) === "EACCES") return;
      throw error;
    }
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
  }
}

/** Opens "/" if descriptors can be used as paths: on Linux, with every permission granted. */
function openRoot(): number | undefined {
  if (Deno.build.os !== "linux") return undefined;
  let fd: number;
  try {
    fd = fs.openSync("/", O_PATH | O_DIRECTORY);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
  try {
    fs.statSync(descriptor(fd));
    return fd;
  } catch {
    fs.closeSync(fd);
    return undefined;
  }
}

function descend(root: number, path: string, options: { create?: boolean }): number {
  let fd = root;
  for (const name of path.split("/").filter((part) => part !== "")) {
    try {
      const next = openChild(`${descriptor(fd)}/${name}`, options);
      fs.closeSync(fd);
      fd = next;
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  }
  return fd;
}

function openChild(path: string, options: { create?: boolean }): number {
  const flags = O_PATH | O_DIRECTORY | O_NOFOLLOW;
  try {
    return fs.openSync(path, flags);
  } catch (error) {
    if (!options.create || errorCode(error) !== "ENOENT") throw error;
    fs.mkdirSync(path);
    return fs.openSync(path, flags);
  }
}

function descriptor(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

function linkError(path: string): Error {
  return Object.assign(new Error(`a part of ${path} became a link`), { code: "ELOOP" });
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
  using directory = HeldDirectory.open(dirname(path));
  const name = basename(path) || ".";
  const handle = await open(directory.entry(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return { handle, stats: await handle.stat() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** What a replaced file had and its replacement keeps. */
export interface KeptAttributes {
  /** Permission bits; @default what the umask leaves of 0o666 */
  readonly mode?: number | undefined;
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
}

/** How new content is staged. */
export interface StageOptions extends KeptAttributes {
  /** Name of the temporary file. @default a random one */
  readonly temporary?: string | undefined;
}

/** New content lying complete and durable beside its place, not yet in it. */
export class StagedFile {
  readonly #directory: HeldDirectory;
  readonly #temporary: string;
  readonly #name: string;
  #pending = true;
  /** Number of the inode that the file will have. */
  readonly inode: number;

  private constructor(
    place: { directory: HeldDirectory; temporary: string; name: string; inode: number },
  ) {
    this.#directory = place.directory;
    this.#temporary = place.temporary;
    this.#name = place.name;
    this.inode = place.inode;
  }

  /** Writes a temporary file in the directory of a canonical path, which is made if missing. */
  static async write(
    path: string,
    bytes: Uint8Array,
    attributes: StageOptions = {},
  ): Promise<StagedFile> {
    requireWrite(path);
    const directory = HeldDirectory.open(dirname(path), { create: true });
    const temporary = directory.entry(attributes.temporary ?? `.${crypto.randomUUID()}.tmp`);
    let handle: FileHandle | undefined;
    try {
      const mode = attributes.mode === undefined ? 0o666 : 0o600;
      handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
      await handle.writeFile(bytes);
      await keep(handle, attributes);
      await handle.sync();
      const inode = (await handle.stat()).ino;
      await handle.close();
      return new StagedFile({ directory, temporary, name: basename(path), inode });
    } catch (error) {
      await handle?.close().catch(() => {});
      if (handle !== undefined) fs.rmSync(temporary, { force: true });
      directory[Symbol.dispose]();
      throw error;
    }
  }

  /** Puts the content in its place, atomically. */
  publish(): void {
    fs.renameSync(this.#temporary, this.#directory.entry(this.#name));
    this.#pending = false;
  }

  /** Makes the publication durable. */
  sync(): void {
    this.#directory.sync();
  }

  /** Removes the temporary file, if it is still there, and lets the directory go. */
  [Symbol.dispose](): void {
    if (this.#pending) fs.rmSync(this.#temporary, { force: true });
    this.#directory[Symbol.dispose]();
  }
}

/** Owner before mode, because a change of owner clears the set-id bits. */
async function keep(handle: FileHandle, attributes: KeptAttributes): Promise<void> {
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
  attributes: KeptAttributes = {},
): Promise<void> {
  using staged = await StagedFile.write(path, bytes, attributes);
  staged.publish();
  staged.sync();
}

/** Removes one file durably; the path is canonical. */
export function removeFile(path: string): void {
  using directory = HeldDirectory.open(dirname(path));
  fs.unlinkSync(directory.entry(basename(path)));
  directory.sync();
}

/** A new file for its owner alone (0600, in a directory 0700), written piece by piece. */
export class PrivateFile {
  readonly #path: string;
  readonly #fd: number;

  private constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
  }

  /** Makes the file, and its directory if need be. @throws {Error} with a system code, if it is there too */
  static create(path: string): PrivateFile {
    requireWrite(path);
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return new PrivateFile(path, fs.openSync(path, "wx", 0o600));
  }

  append(bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0;) {
      rest = rest.subarray(fs.writeSync(this.#fd, rest));
    }
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  /** Closes and removes it. */
  discard(): void {
    this.close();
    fs.unlinkSync(this.#path);
  }
}
