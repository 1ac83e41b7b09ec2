/**
 * Scans every path of the workspace that git would not ignore, and where that is wanted some files that it ignores by
 * themselves, such as `.env`, and takes its signature, by which a change shows without reading the content. Never in
 * `.git` and `.ally`, never through a link, never in `/proc` and the like. The rules of ignore files are remembered from
 * scan to scan, so that a single path can be looked at again too.
 */
import { basename, dirname, join } from "node:path";
import { contains } from "../lib/contains.ts";
import {
  childPath,
  directoriesIn,
  type DirectoryLister,
  type ListedEntry,
  type Listing,
  type OpenLister,
  openLister,
  PORTABLE,
} from "../lib/directory_listing.ts";
import { kernelMounts } from "../lib/local_disk.ts";
import { IgnoreRules, type ReadHead } from "../lib/ignore_rules.ts";
import { type EntryRange, PackedEntries } from "../lib/packed_entries.ts";
import { signatureOf } from "../lib/path_signature.ts";
import type { Roots } from "./paths.ts";
import type { TimeSlice } from "../lib/time_slice.ts";

/** Names of the files that say what is ignored. */
const IGNORE_FILES: ReadonlySet<string> = new Set([".gitignore", ".ignore", ".rgignore"]);
/** What is ignored in one repository without being part of it. */
const EXCLUDE_FILE = ".git/info/exclude";
const ALWAYS_SKIPPED: ReadonlySet<string> = new Set([".git", ".ally"]);

/** Paths above which a workspace is not scanned to its end: what is known of each is held. */
const MAX_PATHS = 1_000_000;

/** Bytes of the largest ignored file that is seen, and how many are at most: those on top first. */
const [MAX_IGNORED_SIZE, MAX_IGNORED_FILES] = [1024 * 1024, 100];

/** There are more paths than are held. */
export class TooManyPaths extends Error {
  /** How many are. */
  readonly limit: number;

  constructor(limit: number) {
    super(`the workspace has more than ${limit} paths`);
    this.limit = limit;
  }
}

/** Entries of one directory. */
export interface FoundEntries extends EntryRange {
  readonly directory: string;
}

const NO_NAME = /(?!)/;

/** What a scan saw. */
export interface ScanResult {
  readonly entries: PackedEntries;
  /** The directories in which some were found, and which those are; one that was listed may have none. */
  readonly found: FoundEntries[];
  /** Ignored paths that are passed over, and directories that may not be listed; nothing is known of what lies below. */
  readonly ignored: Set<string>;
}

/** Told of every directory before it is listed. */
interface DirectoryWatch {
  add(path: string, options: { ignored: boolean }): void;
}

/** What is known of one directory's ignore files. */
interface DirectoryRules {
  readonly above: IgnoreRules;
  readonly signature: string;
  readonly rules: IgnoreRules;
  /** Of others it need not be asked whether they are ignored. */
  readonly names: RegExp;
  /** By name, with a slash for a directory. */
  readonly ignored: Map<string, boolean>;
}

/** What a scan is run with. */
interface ScanOptions {
  /** Is to be told of the directories. */
  readonly watch: DirectoryWatch | undefined;
  /** Ends with an abort. */
  readonly slice: TimeSlice;
}

/** One walk on its way. */
interface Walk extends ScanOptions {
  readonly scanned: ScanResult;
  readonly lister: DirectoryLister;
}

/** Scans the same roots again and again. */
export class TreeScan {
  /** Always as they are now. */
  readonly #workspace: Pick<Roots, "all">;
  /** Roots of the current scan that lie in no other root. */
  #roots: readonly string[] = [];
  /** Names of what is passed over, by directory. */
  readonly #excluded: ReadonlyMap<string, ReadonlySet<string>>;
  /** Where there is nothing but what the kernel tells. */
  readonly #kernels: readonly string[];
  readonly #rules = new Map<string, DirectoryRules>();
  /** Ignored files that are seen. */
  readonly #ignoredFiles = new Set<string>();
  #above = new Map<string, IgnoreRules>();
  /** How the file was in each repository when it was read last. */
  readonly #excludes = new Map<string, string>();
  readonly #openLister: OpenLister;
  readonly #limit: number;
  readonly #seesIgnored: boolean;

  /** Paths in `excluded` are passed over, as ally's own. */
  constructor(
    options: {
      roots: Pick<Roots, "all">;
      excluded: readonly string[];
      /** @default directories are only listed */
      openLister?: OpenLister | undefined;
      /** Paths above which there is no end. */
      limit?: number | undefined;
      /** Whether ignored files that lie in no ignored directory are seen too, if they are small and few. @default false */
      seesIgnored?: boolean;
    },
  ) {
    this.#workspace = options.roots;
    this.#openLister = options.openLister ?? (() => Promise.resolve(openLister()));
    this.#limit = options.limit ?? MAX_PATHS;
    this.#seesIgnored = options.seesIgnored ?? false;
    this.#kernels = kernelMounts();
    const passedOver = [...options.excluded, ...this.#kernels];
    const excluded = Map.groupBy(passedOver, (path) => dirname(path));
    this.#excluded = new Map(
      Array.from(
        excluded,
        ([directory, paths]) => [directory, new Set(paths.map((path) => basename(path)))],
      ),
    );
  }

  /** All paths with their signatures. @throws {TooManyPaths} @throws {DOMException} aborted */
  async run(options: ScanOptions): Promise<ScanResult> {
    using lister = await this.#openLister();
    const walk: Walk = { ...options, lister, scanned: nothingScanned() };
    this.#excludes.clear();
    this.#ignoredFiles.clear();
    this.#roots = outermost(this.#workspace.all);
    for (const root of this.#roots) {
      if (this.#kernels.some((mount) => contains(mount, root))) walk.scanned.ignored.add(root);
      else await this.#visit(root, { walk, above: await this.#rulesAbove(root) });
    }
    return walk.scanned;
  }

  /** Single paths again, with all that lies below where that is asked for. @throws as `run` */
  async look(paths: ReadonlyMap<string, boolean>, options: ScanOptions): Promise<ScanResult> {
    const { watch } = options;
    using lister = paths.values().some((deep) => deep) ? openLister() : PORTABLE;
    const walk: Walk = { ...options, lister, scanned: nothingScanned() };
    for (const [path, deep] of paths) {
      const directory = dirname(path);
      const known = this.#rules.get(directory);
      const signature = signatureOf(path);
      if (signature === undefined) this.#ignoredFiles.delete(path);
      if (known === undefined || signature === undefined) continue;
      const { entries, found } = walk.scanned;
      const name = basename(path);
      const entry = { name, isDirectory: signature.kind === "directory" };
      const kept = !this.#isLeftOut(entry, { directory, known, walk });
      if (kept) {
        const start = entries.length;
        entries.add(name, signature);
        found.push({ directory, start, end: entries.length });
      }
      const isWalked = deep && entry.isDirectory;
      if (isWalked && kept) await this.#visit(path, { walk, above: known.rules });
      else if (isWalked && watch) await this.#watchIgnored(path, walk);
      await walk.slice.pause();
    }
    return walk.scanned;
  }

  /** Whether a file that was seen last is one that git ignores. */
  isIgnoredFile(path: string): boolean {
    return this.#ignoredFiles.has(path);
  }

  /** Watches an ignored directory with all below it, of which nothing else is kept. @throws {DOMException} aborted */
  async #watchIgnored(path: string, walk: Walk): Promise<void> {
    // What lies in `.git` is git's own, and no other name for a file of the workspace.
    if (this.#isPassedOver(dirname(path), basename(path))) return;
    walk.watch?.add(path, { ignored: true });
    for (const name of listDirectories(path, walk.lister)) {
      await this.#watchIgnored(childPath(path, name), walk);
    }
    await walk.slice.pause();
  }

  /** True if something that lies in no watched directory says what is ignored, and has changed. */
  async hasNewRules(): Promise<boolean> {
    for (const [directory, signature] of this.#excludes) {
      if (signatureText(directory, EXCLUDE_FILE) !== signature) return true;
    }
    for (const root of this.#roots) {
      if (this.#rules.get(root)?.above !== await this.#rulesAbove(root)) return true;
    }
    return false;
  }

  async #visit(directory: string, at: { walk: Walk; above: IgnoreRules }): Promise<void> {
    const { walk, walk: { watch } } = at;
    watch?.add(directory, { ignored: false });
    const inner: string[] = [];
    const unknown: string[] = [];
    const rules = await this.#list(directory, { ...at, inner, unknown });
    if (walk.scanned.entries.length > this.#limit) throw new TooManyPaths(this.#limit);
    await walk.slice.pause();
    if (rules === undefined) return;
    if (watch) { for (const path of unknown) await this.#watchIgnored(path, walk); }
    for (const path of inner) await this.#visit(path, { walk, above: rules });
  }

  /** Notes the entries of a directory, and tells its directories apart; undefined if it may not be listed. */
  async #list(
    directory: string,
    { walk, above, inner, unknown }: {
      walk: Walk;
      above: IgnoreRules;
      inner: string[];
      unknown: string[];
    },
  ): Promise<IgnoreRules | undefined> {
    const { scanned: { entries, found, ignored }, lister } = walk;
    using listing = lister.open(directory);
    if (listing === undefined) {
      ignored.add(directory);
      return undefined;
    }
    const known = await this.#rulesIn(directory, { above, listing });
    const at = { directory, known, walk };
    const mayLeaveOut = !known.rules.isEmpty || this.#excluded.has(directory);
    const start = entries.length;
    for (let index = 0; index < listing.length; index++) {
      const isAsked = mayLeaveOut || listing.isHidden(index);
      const isKept = !isAsked || !this.#isLeftOut(listing.entryAt(index), at);
      const kind = isKept ? listing.addTo(entries, index) : undefined;
      if (kind === "directory") inner.push(childPath(directory, listing.entryAt(index).name));
      else if (listing.isDirectory(index)) {
        unknown.push(childPath(directory, listing.entryAt(index).name));
      }
    }
    found.push({ directory, start, end: entries.length });
    return known.rules;
  }

  /** Whether nothing is to be known of an entry of a directory; notes it if it is ignored. */
  #isLeftOut(
    entry: ListedEntry,
    { directory, known, walk }: { directory: string; known: DirectoryRules; walk: Walk },
  ): boolean {
    if (this.#isPassedOver(directory, entry.name)) return true;
    if (!isIgnored(entry, { directory, known })) return false;
    const path = childPath(directory, entry.name);
    if (this.#seesIgnored && !entry.isDirectory && this.#isSeen(path)) return false;
    walk.scanned.ignored.add(path);
    return true;
  }

  /** Whether an ignored file is small enough, and among the first ones. */
  #isSeen(path: string): boolean {
    const files = this.#ignoredFiles;
    if (files.size >= MAX_IGNORED_FILES && !files.has(path)) return false;
    const isSmall = (signatureOf(path)?.size ?? Infinity) <= MAX_IGNORED_SIZE;
    if (isSmall) files.add(path);
    else files.delete(path);
    return isSmall;
  }

  #isPassedOver(directory: string, name: string): boolean {
    return isSkipped(name) || this.#excluded.get(directory)?.has(name) === true;
  }

  async #rulesIn(
    directory: string,
    { above, listing }: { above: IgnoreRules; listing: Listing },
  ): Promise<DirectoryRules> {
    const hidden = hiddenNames(listing);
    const files = [...IGNORE_FILES].filter((name) => hidden.has(name));
    if (hidden.has(".git")) {
      files.push(EXCLUDE_FILE);
      this.#excludes.set(directory, signatureText(directory, EXCLUDE_FILE));
    }
    const signature = files.map((name) => signatureText(directory, name)).join(" ");
    const known = this.#rules.get(directory);
    if (known?.above === above && known.signature === signature) return known;
    const root = this.#roots.includes(directory);
    const rules = root
      ? above
      : await above.forSubdirectory(directory, { names: hidden, head: readHead });
    const names = rules.isEmpty ? NO_NAME : rules.namesIn(directory);
    const fresh = { above, signature, rules, names, ignored: new Map<string, boolean>() };
    this.#rules.set(directory, fresh);
    return fresh;
  }

  /** The rules where a root begins; its own ignore files are part of them. */
  async #rulesAbove(root: string): Promise<IgnoreRules> {
    const exists = (path: string) => Promise.resolve(signatureOf(path) !== undefined);
    const signatures: string[] = [];
    for (let at = root;; at = dirname(at)) {
      for (const name of [...IGNORE_FILES, ".git", EXCLUDE_FILE]) {
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
}

function nothingScanned(): ScanResult {
  return { entries: new PackedEntries(), found: [], ignored: new Set() };
}

function hiddenNames(listing: Listing): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = 0; at < listing.length; at++) {
    if (listing.isHidden(at)) names.add(listing.entryAt(at).name);
  }
  return names;
}

/** Whether the rules of its directory ignore an entry; the answer is remembered. */
function isIgnored(
  { name, isDirectory }: ListedEntry,
  { directory, known: { rules, names, ignored } }: { directory: string; known: DirectoryRules },
): boolean {
  if (!names.test(name)) return false;
  const key = isDirectory ? `${name}/` : name;
  let answer = ignored.get(key);
  if (answer === undefined) {
    answer = rules.isIgnored(childPath(directory, name), { directory: isDirectory });
    ignored.set(key, answer);
  }
  return answer;
}

const readHead: ReadHead = async (path, length) => {
  if (signatureOf(path)?.kind !== "file") return undefined;
  try {
    return (await Deno.readFile(path)).subarray(0, length);
  } catch {
    return undefined;
  }
};

/** Whether what happens at a path may change what is ignored. */
export function decidesIgnored(path: string): boolean {
  const name = basename(path);
  return IGNORE_FILES.has(name) || name === ".git";
}

function isSkipped(name: string): boolean {
  return name.startsWith(".") && ALWAYS_SKIPPED.has(name.toLowerCase());
}

function signatureText(directory: string, name: string): string {
  const signature = signatureOf(join(directory, name));
  return [name, signature?.inode, signature?.size, signature?.changed].join();
}

/** The roots that lie in no other one. */
function outermost(all: readonly string[]): string[] {
  return all.filter((root, at) =>
    !all.some((other, index) => contains(other, root) && (other !== root || index < at))
  );
}

/** The names of the directories in a directory; none if it may not be listed. */
function listDirectories(directory: string, lister: DirectoryLister): readonly string[] {
  using listing = lister.open(directory);
  return listing === undefined ? [] : directoriesIn(listing);
}
