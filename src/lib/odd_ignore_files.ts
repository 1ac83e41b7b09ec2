/**
 * Looks for files with the names of ignore files that are none: ripgrep opens whatever has such a name, and waits for a
 * pipe, or reads a device, without end. Like git's own, they may lie in every directory.
 */
import { dirname, join } from "node:path";
import { childPath, directoriesIn, openLister } from "./directory_listing.ts";
import { exists, tryStat } from "./fs.ts";
import { IGNORE_FILES, MAX_IGNORE_BYTES } from "./ignore_rules.ts";
import { TimeSlice } from "./time_slice.ts";

/** Whether one is in a directory, or in one above it. */
export function hasOddIgnoreFileAbove(directory: string): boolean {
  const above = dirname(directory);
  return hasOddIgnoreFile(directory) || (above !== directory && hasOddIgnoreFileAbove(above));
}

/** Whether one is anywhere below a directory; false also if the search for it was aborted. */
export async function hasOddIgnoreFileBelow(
  directory: string,
  options: { descends: (name: string) => boolean; signal: AbortSignal },
): Promise<boolean> {
  using lister = openLister();
  const slice = new TimeSlice();
  const directories = [directory];
  for (let at = directories.pop(); at !== undefined; at = directories.pop()) {
    if (slice.step()) await slice.pause();
    if (options.signal.aborted) return false;
    const below = listBelow(at);
    if (below === undefined) return true;
    for (const one of below) directories.push(one);
  }
  return false;

  /** The directories in one; undefined if an odd file is in it. */
  function listBelow(at: string): string[] | undefined {
    using listing = lister.open(at);
    if (listing === undefined) return [];
    const rules = IGNORE_FILES.filter((name) => listing.has(name.replace(/\/.*/, "")));
    if (rules.some((name) => isOdd(join(at, name)))) return undefined;
    const below = directoriesIn(listing).filter(options.descends);
    // Nothing here sees what is in a directory whose name is no text, but ripgrep does.
    if (below.some((name) => name.includes("\ufffd") && !exists(childPath(at, name)))) {
      return undefined;
    }
    return below.map((name) => childPath(at, name));
  }
}

function hasOddIgnoreFile(directory: string): boolean {
  return IGNORE_FILES.some((name) => isOdd(join(directory, name)));
}

/** A directory cannot be read as a file, which ripgrep passes over. */
function isOdd(path: string): boolean {
  const stats = tryStat(path);
  if (stats === undefined || stats.isDirectory) return false;
  return !stats.isFile || stats.size > MAX_IGNORE_BYTES;
}
