/**
 * Lists the files of a tree as ripgrep would, for where ripgrep may not run: without following links,
 * without what is ignored, newest first. Knows the disk only through the port it is given.
 */
import { IgnoreRules, type ReadHead } from "./ignore_rules.ts";
import type { PathFilter } from "./path_filter.ts";
import { TimeSlice } from "./time_slice.ts";

/** A path as the port resolved it. */
export interface WalkPath {
  /** Absolute and canonical. */
  readonly absolute: string;
}

/** An entry of a directory. */
export interface WalkEntry<P extends WalkPath> {
  /** Its last part. */
  readonly name: string;
  /** What it is. */
  readonly kind: "file" | "directory" | "other";
  /** Whether it is a link. */
  readonly link: boolean;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** The entry itself. */
  readonly path: P;
}

/** What a walk needs of the disk. */
export interface WalkPort<P extends WalkPath> {
  /** Resolves an absolute path. */
  resolve(path: string): Promise<P>;
  /** Facts about what a path names, or undefined if nothing is there. */
  info(path: P): Promise<object | undefined>;
  /** The entries of a directory, in no order. */
  list(path: P): Promise<readonly WalkEntry<P>[]>;
  /** The first bytes of a file, at most `length`. */
  head(path: P, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** A file that a walk found. */
export interface WalkedFile<P extends WalkPath> {
  /** Below the root, with `/` between its parts. */
  readonly path: string;
  /** The file itself. */
  readonly file: P;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/**
 * The files below a directory that a filter accepts, newest first; directories that may not be listed
 * are passed over, and an aborted walk returns what it has. `maxDepth` 1 stays in the directory itself.
 */
export async function walkFiles<P extends WalkPath>(
  root: P,
  options: { port: WalkPort<P>; filter: PathFilter; signal: AbortSignal; maxDepth?: number },
): Promise<WalkedFile<P>[]> {
  const { port, filter, signal, maxDepth = Infinity } = options;
  const head: ReadHead = async (path, length) => {
    try {
      const resolved = await port.resolve(path);
      // Most are missing, and the error for that is costly: it looks for similar names.
      return (await port.info(resolved)) && await port.head(resolved, length);
    } catch {
      return undefined;
    }
  };
  const exists = async (path: string) => {
    try {
      return (await port.info(await port.resolve(path))) !== undefined;
    } catch {
      // Files above the directory that may not be read are ignored.
      return false;
    }
  };
  const found: WalkedFile<P>[] = [];
  const slice = new TimeSlice();

  async function visit(directory: P, at: { path: string; depth: number; rules: IgnoreRules }) {
    if (signal.aborted) return;
    const entries = await port.list(directory).catch(() => []);
    const hidden = entries.filter(({ name }) => name.startsWith("."));
    const names = new Set(hidden.map(({ name }) => name));
    const rules = at.depth === 1
      ? at.rules
      : await at.rules.forSubdirectory(directory.absolute, { names, head });
    for (const { name, kind, link, size, modified, path: file } of entries) {
      const path = at.path + name;
      if (slice.step()) await slice.pause();
      if (signal.aborted) return;
      if (link || kind === "other") continue;
      if (rules.isIgnored(file.absolute, { directory: kind === "directory" })) continue;
      if (kind === "file") {
        if (filter.accepts(path)) found.push({ path, file, size, modified });
      } else if (at.depth < maxDepth && !filter.prunes(path)) {
        await visit(file, { path: `${path}/`, depth: at.depth + 1, rules });
      }
    }
  }

  const rules = await IgnoreRules.at(root.absolute, { head, exists });
  await visit(root, { path: "", depth: 1, rules });
  return found.sort((a, b) => b.modified - a.modified || (a.path < b.path ? -1 : 1));
}
