/**
 * A directory held open while something is done in it, so that a link swapped in for it, or for one above it, cannot
 * redirect the work.
 */
import * as fs from "node:fs";
import { dirname, join } from "node:path";

/** Linux: a descriptor that only names a directory, so that search permission suffices. */
const O_PATH = 0o10000000;
/** Looks in a row that must agree where no descriptor holds a directory. */
const CHECKS = 12;
/** Attempts to remove an anchor that was created where a swapped link led, a millisecond apart. */
const MAX_REMOVALS = 2_000;

/** What tells a file or directory from all others. */
interface Identity {
  readonly dev: number;
  /** Windows may not tell. */
  readonly ino: number | null;
}

/**
 * Flags of `open(2)`; one that this system does not have is 0. They are looked up where they are used and not while
 * modules load, so that a start does without `node:fs`.
 */
export function openFlags() {
  const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = fs.constants;
  const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  return { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY };
}

/**
 * A directory held open. On Linux with every permission its entries are named through the open
 * descriptor, reached without following one link. Elsewhere its path is verified when it is opened; what
 * is opened in it, `contains` verifies again; and what changes it goes through an anchor.
 */
export class DirectoryHandle {
  readonly #path: string;
  readonly #fd: number | undefined;
  #anchor = "";

  private constructor(path: string, fd: number | undefined) {
    this.#path = path;
    this.#fd = fd;
  }

  /**
   * Opens a canonical absolute path; with `create` missing parts are made. Whoever changes entries names an
   * anchor: a link to the directory itself, lying in it for as long as it is held where there is no
   * descriptor. A path that leads through it leads to the directory that was verified, or nowhere.
   * @throws {Error} with a system code: missing, not a directory, or a link where none was
   */
  static open(path: string, options: { create?: boolean; anchor?: string } = {}): DirectoryHandle {
    const root = openRoot();
    if (root !== undefined) return new DirectoryHandle(path, descend(root, path, options));
    if (options.create) makeDirectories(path);
    const identity = requireRealDirectory(path);
    const directory = new DirectoryHandle(path, undefined);
    if (options.anchor !== undefined) directory.#placeAnchor(options.anchor, identity);
    return directory;
  }

  /** A path for an entry, valid while the directory is held. */
  entry(name: string): string {
    return this.#fd === undefined
      ? join(this.#path, this.#anchor, name)
      : `${descriptor(this.#fd)}/${name}`;
  }

  /** Sets the permission bits of an entry. @throws {Error} with a system code: it is a link, whose target keeps its own */
  chmod(name: string, mode: number): void {
    if (this.#fd === undefined) {
      if (fs.lstatSync(this.entry(name)).isSymbolicLink()) throw linkError(join(this.#path, name));
      return fs.chmodSync(this.entry(name), mode);
    }
    // Held as well, so that what is looked at is what is changed; it need not be readable.
    const fd = fs.openSync(this.entry(name), O_PATH | openFlags().O_NOFOLLOW);
    try {
      if (fs.fstatSync(fd).isSymbolicLink()) throw linkError(join(this.#path, name));
      fs.chmodSync(descriptor(fd), mode);
    } finally {
      fs.closeSync(fd);
    }
  }

  /** Whether an opened file lies here under this name; if not, a link swapped in led to it. */
  contains(name: string, { dev, ino }: Identity): boolean {
    if (this.#fd !== undefined || Deno.build.os === "windows") return true;
    return checkRepeatedly(() => {
      const now = fs.lstatSync(this.entry(name));
      const same = now.dev === dev && now.ino === ino;
      return same && (this.#anchor !== "" || fs.realpathSync(this.#path) === this.#path);
    });
  }

  /** The error for a file that is not in it, as `contains` says. */
  get movedError(): Error {
    return linkError(this.#path);
  }

  /** Makes additions, renames and removals durable, where the system can. */
  sync(): void {
    if (Deno.build.os === "windows") return;
    let fd: number;
    try {
      const { O_RDONLY, O_DIRECTORY } = openFlags();
      fd = fs.openSync(this.entry("."), O_RDONLY | O_DIRECTORY);
    } catch (error) {
      if (codeOf(error) === "EACCES") return;
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
    else if (this.#anchor !== "") fs.rmSync(this.entry(this.#anchor), { force: true });
  }

  /** Makes the anchor, and verifies that it lies in the directory that was opened. */
  #placeAnchor(anchor: string, { dev, ino }: Identity): void {
    if (Deno.build.os === "windows") return;
    const path = join(this.#path, anchor);
    try {
      fs.symlinkSync(".", path);
    } catch (error) {
      // Deno makes no links where it may write to some paths only; it guards those itself.
      if (error instanceof Deno.errors.NotCapable) return;
      throw error;
    }
    if (checkRepeatedly(() => isSameFile(fs.statSync(path), { dev, ino }), 1)) {
      this.#anchor = anchor;
      return;
    }
    removeAnchor(path);
    throw linkError(this.#path);
  }
}

/** Opens "/" if descriptors can be used as paths: on Linux, with every permission granted. */
function openRoot(): number | undefined {
  if (Deno.build.os !== "linux") return undefined;
  let fd: number;
  try {
    fd = fs.openSync("/", O_PATH | openFlags().O_DIRECTORY);
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
  const { O_DIRECTORY, O_NOFOLLOW } = openFlags();
  const flags = O_PATH | O_DIRECTORY | O_NOFOLLOW;
  try {
    return fs.openSync(path, flags);
  } catch (error) {
    if (!options.create || codeOf(error) !== "ENOENT") throw error;
    fs.mkdirSync(path);
    return fs.openSync(path, flags);
  }
}

function descriptor(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

/** Makes what is missing of a path, part by part, in directories that are no links. */
function makeDirectories(path: string): void {
  if (fs.existsSync(path)) return;
  makeDirectories(dirname(path));
  requireRealDirectory(dirname(path));
  fs.mkdirSync(path);
}

/** Verifies that a path has no link in it, and says which directory it names. @throws {Error} with a system code */
function requireRealDirectory(path: string): Identity {
  // Throws with its own code if something is missing.
  const real = fs.realpathSync(path);
  const known = fs.lstatSync(path);
  if (!known.isDirectory()) throw systemError("ENOTDIR", `${path} is not a directory`);
  const agree = () => fs.realpathSync(path) === path && isSameFile(fs.lstatSync(path), known);
  if (real !== path || !checkRepeatedly(agree)) throw linkError(path);
  return known;
}

/** Removes an anchor from where it was created, once what leads there does so again. */
function removeAnchor(path: string): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let count = 0; count < MAX_REMOVALS; count++) {
    try {
      return fs.unlinkSync(path);
    } catch {
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

/** Whether two looks found the same file; Windows does not tell. */
export function isSameFile(a: Identity, b: Identity): boolean {
  return Deno.build.os === "windows" || (a.dev === b.dev && a.ino === b.ino);
}

function checkRepeatedly(look: () => boolean, looks = CHECKS): boolean {
  try {
    for (let count = 0; count < looks; count++) if (!look()) return false;
    return true;
  } catch {
    return false;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function linkError(path: string): Error {
  return systemError("ELOOP", `a part of ${path} became a link`);
}

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
