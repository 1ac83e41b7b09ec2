/**
 * What a session knew of the files whose contents it stored, kept beside the objects, so that the next session
 * need not read them all again.
 */
import { join } from "node:path";
import type { PathSignature } from "../lib/path_signature.ts";
import { fileSide, type KnownPath, objectOf } from "./known_path.ts";
import type { KnownTree } from "./known_tree.ts";
import type { ObjectStore } from "./objects.ts";

const STATE_FILE = "known.json";

/** What an earlier session knew, by path; empty if its objects are gone. */
export async function loadKnownFiles(objects: ObjectStore): Promise<Map<string, KnownPath>> {
  const paths = new Map<string, KnownPath>();
  try {
    await Deno.lstat(join(objects.directory, "HEAD"));
    const text = await Deno.readTextFile(join(objects.directory, STATE_FILE));
    const entries: unknown = JSON.parse(text);
    for (const [path, signature, object] of entries as [string, PathSignature, string][]) {
      paths.set(path, { signature, side: fileSide(signature, object), stable: true });
    }
    objects.remember(Array.from(paths.values(), ({ side }) => objectOf(side) ?? ""));
  } catch {
    paths.clear();
  }
  return paths;
}

/** Keeps what is known of the files whose contents are stored. @throws {Error} with a system code */
export function saveKnownFiles(tree: KnownTree, objects: ObjectStore): void {
  const entries: [string, PathSignature, string][] = [];
  for (const [path, known] of tree.unpacked()) {
    if (!known.stable || known.isBorrowed) continue;
    const object = objectOf(known.side);
    if (object !== undefined) entries.push([path, known.signature, object]);
  }
  if (entries.length === 0) return;
  const temporary = join(objects.directory, `.known-${Deno.pid}.tmp`);
  // Synchronous, so that nothing is left behind if ally ends meanwhile; a lost state is only found out again.
  try {
    Deno.writeTextFileSync(temporary, JSON.stringify(entries), { mode: 0o600 });
    Deno.renameSync(temporary, join(objects.directory, STATE_FILE));
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
}

/** Forgets it, because objects are gone. */
export function dropKnownFiles(directory: string): void {
  removeQuietly(join(directory, STATE_FILE));
}

function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It was never made, or the disk fails.
  }
}
