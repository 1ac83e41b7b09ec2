/**
 * The right to rely on the stored contents of a project: as long as one ally has it, no other one removes any. Who
 * comes first to a store that has grown too large makes it smaller.
 */
import { join } from "node:path";
import { tryLstat } from "../lib/fs.ts";
import { unlockAndClose } from "../lib/locked_file.ts";
import { listObjectFiles, type ObjectStore } from "./objects.ts";
import { dropKnownFiles } from "./saved_state.ts";

/** What a store may hold; beyond it, it is made half as large. */
interface StoreLimits {
  readonly bytes: number;
  readonly files: number;
}

const LIMITS: StoreLimits = { bytes: 1024 ** 3, files: 20_000 };

/** What of the stored contents is still of use, the most important first. */
export interface NeededContents {
  /** What changes that can be undone need. */
  readonly ofChanges: readonly string[];
  /** What the files are known to hold. */
  readonly ofFiles: readonly string[];
}

/** Takes the lease, until it is disposed of. @throws {Error} with a system code, or git failed */
export async function leaseObjects(
  objects: ObjectStore,
  { needed, limits = LIMITS }: { needed: () => Promise<NeededContents>; limits?: StoreLimits },
): Promise<Disposable> {
  await Deno.mkdir(objects.directory, { recursive: true, mode: 0o700 });
  const path = join(objects.directory, "lease");
  const file = await Deno.open(path, { write: true, create: true, mode: 0o600 });
  try {
    if (isTooLarge(objects.directory, limits) && await file.tryLock(true)) {
      await makeSmaller(objects, { needed: await needed(), maxBytes: limits.bytes / 2 });
      await file.unlock();
    }
    await file.lock(false);
  } catch (error) {
    file.close();
    throw error;
  }
  return { [Symbol.dispose]: () => unlockAndClose(file) };
}

function isTooLarge(directory: string, limits: StoreLimits): boolean {
  const files = listObjectFiles(directory);
  if (files.length > limits.files) return true;
  return files.reduce((total, path) => total + (tryLstat(path)?.size ?? 0), 0) > limits.bytes;
}

async function makeSmaller(
  objects: ObjectStore,
  { needed, maxBytes }: { needed: NeededContents; maxBytes: number },
): Promise<void> {
  const { ofChanges, ofFiles } = needed;
  const kept = await objects.compact([...ofChanges, ...ofFiles], { maxBytes });
  // What is not stored any more must be read and stored again.
  if (!ofFiles.every((id) => kept.has(id))) dropKnownFiles(objects.directory);
}
