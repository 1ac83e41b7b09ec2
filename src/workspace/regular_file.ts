/**
 * Opens the user's files: only regular ones, never through a link, without waiting. Every failure is described in
 * words a model can act on.
 */
import { ToolError } from "../core/errors.ts";
import type { FileInfo, ResolvedPath } from "../core/files.ts";
import { errorCode, isMissing, openCanonical, type OpenedFile, sha256 } from "../lib/fs.ts";
import { formatBytes } from "../lib/text.ts";
import { ioError } from "./io_error.ts";
import type { FileState } from "./ledger.ts";
import { isSystemPath, type Roots } from "./paths.ts";

/** Bytes of the largest file that is held whole, and so can be changed. */
export const MAX_LOADED_BYTES = 256 * 1024 * 1024;

/** A regular file with all its bytes. */
export interface LoadedFile {
  readonly bytes: Uint8Array;
  readonly state: FileState;
  readonly stats: OpenedFile["stats"];
}

/**
 * Opens a regular file, or gives undefined if nothing is there; the caller closes the handle.
 * @throws {ToolError} user: a directory, a device, a FIFO, a socket; system: it may not be opened
 */
export async function openRegular(
  path: ResolvedPath,
  roots: Roots,
): Promise<OpenedFile | undefined> {
  if (isSystemPath(path.absolute, roots)) throw notRegularError(path, "a file of the system");
  let file: OpenedFile;
  try {
    file = await openCanonical(path.absolute);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (errorCode(error) === "ENXIO") throw notRegularError(path, "a socket or device");
    throw ioError(`open ${path.display}`, error);
  }
  if (file.stats.isFile()) return file;
  await file.handle.close();
  if (file.stats.isDirectory()) {
    throw new ToolError(`Cannot open ${path.display}: it is a directory.`, {
      kind: "user",
      suggestion: "Name a file; ls lists what the directory holds.",
    });
  }
  throw notRegularError(path, file.stats.isFIFO() ? "a FIFO" : "a device");
}

/** Loads a regular file whole, or gives undefined if nothing is there; @throws as `openRegular` */
export async function loadRegular(
  path: ResolvedPath,
  roots: Roots,
): Promise<LoadedFile | undefined> {
  const file = await openRegular(path, roots);
  if (file === undefined) return undefined;
  const { handle, stats } = file;
  try {
    if (stats.size > MAX_LOADED_BYTES) throw tooLargeError(path, stats.size);
    const bytes = await handle.readFile() as Uint8Array;
    return { bytes, stats, state: { hash: sha256(bytes), inode: stats.ino } };
  } catch (error) {
    throw error instanceof ToolError ? error : ioError(`read ${path.display}`, error);
  } finally {
    await handle.close();
  }
}

/** What the system says of a file, as the port `Files` has it. */
export function toFileInfo(info: Deno.FileInfo): FileInfo {
  return {
    kind: info.isFile ? "file" : info.isDirectory ? "directory" : "other",
    size: info.size,
    modified: info.mtime?.getTime() ?? 0,
    mode: (info.mode ?? 0o644) & 0o7777,
  };
}

/** The error for a file that holds no text. */
export function binaryFileError(path: ResolvedPath): ToolError {
  return new ToolError(`Cannot read ${path.display} as text: it is a binary file.`, {
    kind: "user",
    suggestion: "Use a program made for that kind of file.",
  });
}

function notRegularError(path: ResolvedPath, what: string): ToolError {
  return new ToolError(`Cannot open ${path.display}: it is ${what}, not a regular file.`, {
    kind: "user",
    suggestion: "Name a regular file.",
  });
}

function tooLargeError(path: ResolvedPath, size: number): ToolError {
  return new ToolError(
    `Cannot hold ${path.display}: it has ${formatBytes(size)}, more than ${
      formatBytes(MAX_LOADED_BYTES)
    }.`,
    { kind: "user", suggestion: "Read it in pieces, or change it with a command." },
  );
}
