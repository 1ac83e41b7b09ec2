/**
 * The file of a session that is written to: opened by one process at a time, appended to line by line, and made
 * whole where it is damaged.
 */
import { basename, dirname, join } from "node:path";
import { UsageError } from "../core/errors.ts";
import { isSameFile } from "../lib/directory_handle.ts";
import { errorCode, exists, PrivateFile, replaceFile, requireWrite } from "../lib/fs.ts";
import { unlockAndClose } from "../lib/locked_file.ts";
import { recordUse } from "./session_order.ts";

/** The folder of a session's images, by the path of its file. */
export function imagesFolder(sessionFile: string): string {
  return sessionFile.replace(/\.jsonl$/, IMAGES_END);
}

/** By what the names of these folders end. */
export const IMAGES_END = ".images";

/** Opens a session's file to go on with it, for this process alone. @throws {UsageError} another process has it open */
export async function openForAppend(path: string, id: string): Promise<Deno.FsFile> {
  const file = await openLocked(path, id);
  recordUse(dirname(path), id);
  return file;
}

/** Adds a line to a session that nobody has open. @throws {UsageError} another process has */
export async function appendLine(
  path: string,
  { id, line }: { id: string; line: string },
): Promise<void> {
  const file = await openLocked(path, id);
  try {
    await writeAll(file, `${line}\n`);
  } finally {
    unlockAndClose(file);
  }
}

async function openLocked(path: string, id: string): Promise<Deno.FsFile> {
  requireWrite(path);
  createIfMissing(path);
  const file = await Deno.open(path, { append: true });
  if (!isSameFile(await file.stat(), await Deno.lstat(path))) {
    file.close();
    throw new Error(`${path} is a link`);
  }
  // On Windows a locked file cannot be read: a session in use could not even be listed.
  if (Deno.build.os !== "windows" && !await file.tryLock(true)) {
    file.close();
    throw new UsageError(
      `Cannot go on with session ${id}: another ally has it open. ` +
        "End that one first, go on with another session (--resume lists them), or begin a new one.",
    );
  }
  return file;
}

/** A link is not followed, not even one that leads nowhere. */
function createIfMissing(path: string): void {
  if (exists(path)) return;
  try {
    PrivateFile.create(path).close();
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** Whether another process has a session's file open; one that cannot be looked at counts as such. */
export async function isInUse(path: string): Promise<boolean> {
  try {
    const file = await Deno.open(path);
    try {
      return !await file.tryLock(true);
    } finally {
      unlockAndClose(file);
    }
  } catch {
    return true;
  }
}

/** Cuts off what was half written; false if that cannot be done. */
export async function truncateTo(file: Deno.FsFile | undefined, size: number): Promise<boolean> {
  return await file?.truncate(size).then(() => true, () => false) ?? false;
}

/** Throws the error that a session is in use; ignores all others. @throws {UsageError} */
export function rethrowInUse(error: unknown): undefined {
  if (error instanceof UsageError) throw error;
}

/** Writes a whole text. @throws {Error} a part of it may have been written */
export async function writeAll(file: Deno.FsFile, text: string): Promise<void> {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(await file.write(bytes));
}

/**
 * Sets a damaged session's file aside as it is, and puts the lines that can be read in its place, so that nothing is
 * lost and the next start finds the session whole. Returns the path of the copy.
 */
export async function repairSessionFile(path: string, id: string): Promise<string> {
  const real = join(await Deno.realPath(dirname(path)), basename(path));
  const copy = await backUp(real);
  const { readableLines } = await import("./session_reader.ts");
  const lines = await readableLines(copy, id);
  const text = lines.map((line) => `${line}\n`).join("");
  await replaceFile(real, new TextEncoder().encode(text), { mode: 0o600 });
  return copy;
}

/** Gives the file another name, beside the one it has until it is replaced. */
async function backUp(path: string): Promise<string> {
  for (let count = 1;; count++) {
    const copy = `${path}.damaged${count === 1 ? "" : `-${count}`}`;
    try {
      await Deno.link(path, copy);
      return copy;
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) continue;
      if (exists(copy)) continue;
      await Deno.copyFile(path, copy);
      return copy;
    }
  }
}
