/**
 * Replaces several files together: all are staged beside their targets, then moved there one after the other. If one
 * fails, those already replaced are put back.
 */
import * as fs from "node:fs";
import { dirname } from "node:path";
import { errorCode, isMissing, removeFile, replaceFile, StagedFile } from "../lib/fs.ts";
import type { FileAttributes } from "../lib/fs.ts";
import { mapLimited } from "../lib/pool.ts";
import type { LoadedFile } from "./regular_file.ts";

/** Files staged at the same time. */
const MAX_STAGING = 16;
/** Files whose directories are held from staging to publication. */
const MAX_HELD_DIRECTORIES = 200;

/** New content for one canonical path. */
export interface Replacement {
  readonly path: string;
  /** The file as it is now, or undefined if there is none. */
  readonly previous: LoadedFile | undefined;
  /** The bytes to write, or null to delete the file. */
  readonly next: Uint8Array | null;
}

/** Thrown when a file is no longer what it was when the replacement was prepared. */
export class ChangedMeanwhile extends Error {
  override name = "ChangedMeanwhile";
  /** Position among the replacements. */
  readonly index: number;

  constructor(index: number, path: string) {
    super(`${path} changed meanwhile`);
    this.index = index;
  }
}

/** Name of a temporary file; its token tells which work it belongs to. */
export function temporaryName(token: string, index: number | "link"): string {
  return `.${token}-${index}.tmp`;
}

/** Contents staged beside their targets; dispose of it whether published or not. */
export class StagedBatch {
  readonly #replacements: readonly Replacement[];
  readonly #files: (StagedFile | undefined)[] = [];
  readonly #stack = new DisposableStack();

  private constructor(replacements: readonly Replacement[]) {
    this.#replacements = replacements;
  }

  /**
   * Writes every new content beside its target, in temporary files whose names begin with the token. No file of the
   * user is touched yet.
   */
  static async stage(
    replacements: readonly Replacement[],
    { token = crypto.randomUUID() }: { token?: string } = {},
  ): Promise<StagedBatch> {
    const batch = new StagedBatch(replacements);
    try {
      // Several at once, because each waits until it is on the disk.
      await mapLimited(replacements, {
        limit: MAX_STAGING,
        run: async ({ path, previous, next }, index) => {
          if (next === null) return;
          const temporary = temporaryName(token, index);
          const attributes = previous === undefined ? {} : attributesOf(previous);
          const file = await StagedFile.write(path, next, { ...attributes, temporary });
          batch.#files[index] = batch.#stack.use(file);
          if (replacements.length > MAX_HELD_DIRECTORIES) file.release();
        },
      });
      return batch;
    } catch (error) {
      batch[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Makes all replacements or none; returns the new inodes, in order, undefined for a deleted file.
   * @throws {ChangedMeanwhile} a file changed after it was loaded
   * @throws {Error} with a system code; everything is as it was
   */
  async publish(): Promise<(number | undefined)[]> {
    let done = 0;
    try {
      for (const [index, replacement] of this.#replacements.entries()) {
        if (!isAsLoaded(replacement)) throw new ChangedMeanwhile(index, replacement.path);
        const file = this.#files[index];
        if (file === undefined) removeFile(replacement.path);
        else {
          file.publish();
          if (this.#replacements.length > MAX_HELD_DIRECTORIES) file.release();
        }
        done = index + 1;
      }
      syncDirectories(this.#replacements.map(({ path }, at) => ({ path, file: this.#files[at] })));
    } catch (error) {
      const last = this.#files[done]?.isPublished ? 1 : 0;
      await rollBack(this.#replacements.slice(0, done + last), error);
      throw error;
    }
    return this.#replacements.map((_, index) => this.#files[index]?.inode);
  }

  [Symbol.dispose](): void {
    this.#stack.dispose();
  }
}

/** Makes publications durable, each directory once. */
function syncDirectories(
  published: readonly { path: string; file: StagedFile | undefined }[],
): void {
  const files = new Map<string, StagedFile>();
  for (const { path, file } of published) if (file) files.set(dirname(path), file);
  for (const file of files.values()) file.sync();
}

/** A last look just before a file is replaced; its content was compared when it was loaded. */
function isAsLoaded({ path, previous }: Replacement): boolean {
  try {
    const now = fs.lstatSync(path);
    return previous !== undefined && now.ino === previous.stats.ino &&
      now.size === previous.stats.size && now.mtimeMs === previous.stats.mtimeMs;
  } catch (error) {
    if (isMissing(error)) return previous === undefined;
    throw error;
  }
}

async function rollBack(done: readonly Replacement[], cause: unknown): Promise<void> {
  const failed: string[] = [];
  for (const { path, previous } of done.toReversed()) {
    try {
      if (previous === undefined) removeFile(path);
      else await replaceFile(path, previous.bytes, attributesOf(previous));
    } catch (error) {
      failed.push(`${path} (${errorCode(error) ?? error})`);
    }
  }
  if (failed.length > 0) {
    throw new Error(`some files could not be put back: ${failed.join(", ")}`, { cause });
  }
}

function attributesOf({ stats }: LoadedFile): FileAttributes {
  return { mode: stats.mode & 0o7777, owner: { uid: stats.uid, gid: stats.gid } };
}
