/**
 * Lists directories while they are held open: one that becomes a link meanwhile leads nowhere else.
 */
import type { DirectoryEntry, ResolvedPath } from "../core/files.ts";
import { DirectoryHandle } from "../lib/directory_handle.ts";
import { isMissing } from "../lib/fs.ts";
import { ioError } from "./io_error.ts";
import { describePath, pathBelow, resolvePath, type Roots } from "./paths.ts";
import { toFileInfo } from "./regular_file.ts";

/** The entries of a directory, in no order. @throws {Error} with a system code */
export async function listHeld(path: ResolvedPath, roots: Roots): Promise<DirectoryEntry[]> {
  const entries: DirectoryEntry[] = [];
  using directory = DirectoryHandle.open(path.absolute);
  for await (const { name, isSymlink } of Deno.readDir(directory.entry("."))) {
    const found = toEntry(path, { name, directory, roots });
    const entry = found && isSymlink ? await followedEntry(found, roots) : found;
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** Synchronous: awaiting each of 100,000 entries takes ten seconds, and all at once half a gigabyte. */
function toEntry(
  parent: ResolvedPath,
  { name, directory, roots }: { name: string; directory: DirectoryHandle; roots: Roots },
): DirectoryEntry | undefined {
  const below = pathBelow(parent, name);
  try {
    const info = toFileInfo(Deno.lstatSync(directory.entry(name)));
    const path = parent.inside ? below : describePath(below.absolute, roots);
    return { ...info, name, path, link: false };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw ioError(`look at ${below.absolute}`, error);
  }
}

/** A link is shown as what it leads to, if it leads to anything. */
async function followedEntry(entry: DirectoryEntry, roots: Roots): Promise<DirectoryEntry> {
  const { absolute } = entry.path;
  const target = await Deno.stat(absolute).catch(() => undefined);
  const path = resolveIfPossible(absolute, roots);
  return { ...entry, ...target && toFileInfo(target), ...path && { path }, link: true };
}

/** Undefined for a link in a circle, or one that leads where nothing may be looked at. */
function resolveIfPossible(absolute: string, roots: Roots): ResolvedPath | undefined {
  try {
    return resolvePath(absolute, roots);
  } catch {
    return undefined;
  }
}
