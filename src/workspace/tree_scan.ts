/**
 * Scans every path of the workspace that git would not ignore, and takes its signature, by which a change shows
 * without reading the content. Never in `.git` and `.ally`, never through a link. The rules of ignore files are
 * remembered from scan to scan.
 */
import { dirname, join } from "node:path";
import { contains } from "../lib/contains.ts";
import { tryLstat } from "../lib/fs.ts";
import { IgnoreRules, type ReadHead } from "../lib/ignore_rules.ts";
import { type Roots } from "./paths.ts";

/** Paths above which a tree is too large to be scanned before each command. */
const MAX_PATHS = 50_000;
/** Milliseconds after which a scan lets others run. */
const SLICE_MS = 10;
/** Names of the files that say what is ignored. */
const IGNORE_FILES: ReadonlySet<string> = new Set([".gitignore", ".ignore", ".rgignore"]);
const ALWAYS_SKIPPED = /^\.(git|ally)$/i;

/** What the system says of a path; if all of it is equal, the content has not changed. */
export interface PathSignature {
  readonly kind: "file" | "link" | "directory";
  /** Permission bits. */
  readonly mode: number;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  readonly changed: number;
  readonly inode: number;
}

/** What a scan saw. */
export interface ScanResult {
  readonly found: Map<string, PathSignature>;
  /** Ignored paths, and directories that may not be listed; nothing is known of what lies below. */
  readonly ignored: Set<string>;
}

/** Thrown when a tree has more paths than can be looked at. */
export class TooManyPaths extends Error {
  override name = "TooManyPaths";
  readonly limit = MAX_PATHS;
}

/** What is known of one directory's ignore files. */
interface DirectoryRules {
  readonly above: IgnoreRules;
  readonly signature: string;
  readonly rules: IgnoreRules;
  /** By name, with a slash for a directory. */
  readonly ignored: Map<string, boolean>;
}

/** Scans the same roots again and again. */
export class TreeScan {
  /** Always as they are now. */
  readonly #workspace: Pick<Roots, "all">;
  /** Roots of the current scan that lie in no other root. */
  #roots: readonly string[] = [];
  readonly #excluded: readonly string[];
  readonly #rules = new Map<string, DirectoryRules>();
  #above = new Map<string, IgnoreRules>();
  #sliceStart = 0;

  /** `excluded` directories are passed over, as ally's own. */
  constructor(options: { roots: Pick<Roots, "all">; excluded: readonly string[] }) {
    this.#workspace = options.roots;
    this.#excluded = options.excluded;
  }

  /** All paths with their signatures. @throws {TooManyPaths} @throws {DOMException} aborted */
  async run(signal: AbortSignal): Promise<ScanResult> {
    const scanned: ScanResult = { found: new Map(), ignored: new Set() };
    this.#sliceStart = performance.now();
    const { all } = this.#workspace;
    this.#roots = all.filter((root, at) =>
      !all.some((other, index) => contains(other, root) && (other !== root || index < at))
    );
    for (const root of this.#roots) {
      await this.#visit(root, { scanned, above: await this.#rulesAbove(root), signal });
    }
    return scanned;
  }

  async #visit(
    directory: string,
    at: { scanned: ScanResult; above: IgnoreRules; signal: AbortSignal },
  ): Promise<void> {
    const { scanned: { found, ignored: skipped }, signal } = at;
    let entries: Deno.DirEntry[];
    try {
      entries = [...Deno.readDirSync(directory)];
    } catch {
      skipped.add(directory);
      return;
    }
    await this.#yield(signal);
    const { rules, ignored } = await this.#rulesIn(directory, { above: at.above, entries });
    const inner: string[] = [];
    for (const entry of entries) {
      const path = join(directory, entry.name);
      if (ALWAYS_SKIPPED.test(entry.name) || this.#excluded.includes(path)) continue;
      const key = entry.isDirectory ? `${entry.name}/` : entry.name;
      let skip = ignored.get(key);
      if (skip === undefined) {
        skip = rules.isIgnored(path, { directory: entry.isDirectory });
        ignored.set(key, skip);
      }
      if (skip) skipped.add(path);
      const signature = skip ? undefined : signatureOf(path);
      if (signature === undefined) continue;
      found.set(path, signature);
      if (found.size > MAX_PATHS) throw new TooManyPaths();
      if (signature.kind === "directory") inner.push(path);
    }
    for (const path of inner) await this.#visit(path, { ...at, above: rules });
  }

  async #rulesIn(
    directory: string,
    { above, entries }: { above: IgnoreRules; entries: readonly Deno.DirEntry[] },
  ): Promise<DirectoryRules> {
    const names = new Set(entries.map((entry) => entry.name));
    const files = [...IGNORE_FILES].filter((name) => names.has(name));
    if (names.has(".git")) files.push(".git/info/exclude");
    const signatures = files.map((name) => {
      const signature = signatureOf(join(directory, name));
      return [name, signature?.inode, signature?.size, signature?.changed].join();
    });
    const signature = signatures.join(" ");
    const known = this.#rules.get(directory);
    if (known?.above === above && known.signature === signature) return known;
    const root = this.#roots.includes(directory);
    const rules = root ? above : await above.forSubdirectory(directory, { names, head: readHead });
    const fresh = { above, signature, rules, ignored: new Map<string, boolean>() };
    this.#rules.set(directory, fresh);
    return fresh;
  }

  /** The rules where a root begins; its own ignore files are part of them. */
  async #rulesAbove(root: string): Promise<IgnoreRules> {
    const exists = (path: string) => Promise.resolve(signatureOf(path) !== undefined);
    const signatures: string[] = [];
    for (let at = root;; at = dirname(at)) {
      for (const name of [...IGNORE_FILES, ".git", ".git/info/exclude"]) {
        const signature = signatureOf(join(at, name));
        if (signature && name !== ".git") {
          signatures.push([at, name, signature.size, signature.changed].join());
        }
      }
      if (signatureOf(join(at, ".git")) || dirname(at) === at) break;
    }
    const key = `${root}\0${signatures.join("\0")}`;
    const known = this.#above.get(key);
    if (known) return known;
    const rules = await IgnoreRules.at(root, { head: readHead, exists });
    this.#above = new Map([...this.#above].filter(([old]) => !old.startsWith(`${root}\0`)));
    this.#above.set(key, rules);
    return rules;
  }

  async #yield(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#sliceStart < SLICE_MS) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal.throwIfAborted();
    this.#sliceStart = performance.now();
  }
}

/** The signature of a path, no link followed; undefined unless it is a file, a link or a directory. */
export function signatureOf(path: string): PathSignature | undefined {
  const info = tryLstat(path);
  const kind = info?.isFile
    ? "file"
    : info?.isSymlink
    ? "link"
    : info?.isDirectory
    ? "directory"
    : undefined;
  if (info === undefined || kind === undefined) return undefined;
  return {
    kind,
    mode: (info.mode ?? 0) & 0o7777,
    size: info.size,
    modified: info.mtime?.getTime() ?? 0,
    changed: info.ctime?.getTime() ?? 0,
    inode: info.ino ?? 0,
  };
}

const readHead: ReadHead = async (path, length) => {
  if (signatureOf(path)?.kind !== "file") return undefined;
  try {
    return (await Deno.readFile(path)).subarray(0, length);
  } catch {
    return undefined;
  }
};
