/**
 * The file of a session that is written to: one process at a time, line by line. The session opens it with
 * its first message and again after a disk refused.
 */
import { dirname } from "node:path";
import { UsageError } from "../core/errors.ts";
import { requireWrite } from "../lib/fs.ts";
import { recordUse } from "./session_order.ts";

/** Opens a session's file for this process alone. @throws {UsageError} another process has it open */
export async function openForAppend(path: string, id: string): Promise<Deno.FsFile> {
  requireWrite(path);
  const directory = dirname(path);
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  const file = await Deno.open(path, { append: true, create: true, mode: 0o600 });
  // Where a locked file cannot be read either, a session in use could not even be listed.
  if (Deno.build.os !== "windows" && !await file.tryLock(true)) {
    file.close();
    throw new UsageError(
      `Cannot go on with session ${id}: another ally has it open. ` +
        "End that one first, or begin a new session without --continue and --resume.",
    );
  }
  await recordUse(directory, id);
  return file;
}

/** Whether another process has a session's file open; one that cannot be looked at counts as such. */
export async function isInUse(path: string): Promise<boolean> {
  try {
    using file = await Deno.open(path);
    return !await file.tryLock(true);
  } catch {
    return true;
  }
}

/** Cuts off what was half written; false if that cannot be done. */
export async function truncateTo(file: Deno.FsFile | undefined, size: number): Promise<boolean> {
  return await file?.truncate(size).then(() => true, () => false) ?? false;
}

/** Passes on that a session is in use, and no other error. @throws {UsageError} */
export function rethrowInUse(error: unknown): undefined {
  if (error instanceof UsageError) throw error;
}

/** Writes a whole text. @throws {Error} with a part of it written, maybe */
export async function writeAll(file: Deno.FsFile, text: string): Promise<void> {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(await file.write(bytes));
}
