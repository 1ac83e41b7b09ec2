/**
 * Sorts what an unordered search found, newest file first. Searching on all cores and then looking up the times of
 * the few files found is far quicker than asking for the time of every file of a tree.
 */

/** A path whose time can be looked up. */
export interface DatedPath {
  /** Absolute and canonical. */
  readonly absolute: string;
  /** For people and the model. */
  readonly display: string;
}

/**
 * Sorts by time, and files of one time by path, as `walkFiles` does. Paths are below `root`, which `info` must be able
 * to look at without a link between.
 */
export async function sortNewestFirst<T extends { readonly path: string }, P extends DatedPath>(
  found: readonly T[],
  options: { root: P; info: (path: P) => Promise<{ readonly modified: number } | undefined> },
): Promise<T[]> {
  const { root, info } = options;
  const front = root.absolute.replace(/\/$/, "");
  const dated = await Promise.all(found.map(async (one) => {
    const absolute = `${front}/${one.path}`;
    const facts = await info({ ...root, absolute, display: absolute }).catch(() => undefined);
    return { one, modified: facts?.modified ?? 0 };
  }));
  dated.sort((a, b) => b.modified - a.modified || (a.one.path < b.one.path ? -1 : 1));
  return dated.map(({ one }) => one);
}
