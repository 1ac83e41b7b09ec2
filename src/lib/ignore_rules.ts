/**
 * What git and ripgrep ignore, for a walk in TypeScript: `.gitignore` of every directory up to the repository's
 * root, `.git/info/exclude`, `.ignore` and `.rgignore`, the deeper and the more special file winning.
 */
import type { Ignore } from "ignore";
import { dirname, join, sep } from "node:path";

/** Files with rules, the one that wins first; the last two hold within one repository. */
const FILES = [".rgignore", ".ignore", ".gitignore", ".git/info/exclude"] as const;
const REPOSITORY_ONLY = 2;
/** Bytes read of one such file. */
const MAX_SIZE = 1_000_000;

/** Reads the first bytes of a file, or nothing if it is missing or may not be read. */
export type ReadHead = (path: string, length: number) => Promise<Uint8Array | undefined>;

/** What one directory says. */
interface Level {
  readonly directory: string;
  /** In the order of `FILES`. */
  readonly rules: readonly (Ignore | undefined)[];
  /** Whether a repository begins here. */
  readonly repository: boolean;
}

/** The rules that hold in one directory: its own and those of the directories above it. */
export class IgnoreRules {
  /** The deepest first. */
  readonly #levels: readonly Level[];
  /** True if nothing is ignored. */
  readonly isEmpty: boolean;

  private constructor(levels: readonly Level[]) {
    this.#levels = levels;
    this.isEmpty = levels.every(({ rules }) => rules.every((rule) => rule === undefined));
  }

  /** The rules that hold where a walk begins. */
  static async at(
    directory: string,
    port: { head: ReadHead; exists: (path: string) => Promise<boolean> },
  ): Promise<IgnoreRules> {
    const levels: Level[] = [];
    for (let at = directory;; at = dirname(at)) {
      const repository = await port.exists(join(at, ".git"));
      const level = await loadLevel(at, { repository, head: port.head });
      // A directory named by the caller is searched even if it is ignored itself.
      const own = at === directory;
      if (own || !new IgnoreRules([level]).isIgnored(directory, { directory: true })) {
        levels.push(level);
      }
      if (repository || dirname(at) === at) return new IgnoreRules(levels);
    }
  }

  /** The rules in a directory one level down; `names` are its hidden entries. */
  async forSubdirectory(
    directory: string,
    options: { names: ReadonlySet<string>; head: ReadHead },
  ): Promise<IgnoreRules> {
    const { names, head } = options;
    const repository = names.has(".git");
    if (!repository && !FILES.some((file) => names.has(file))) return this;
    return new IgnoreRules([await loadLevel(directory, { repository, head }), ...this.#levels]);
  }

  /** Whether a path below the directory is ignored. */
  isIgnored(path: string, options: { directory: boolean }): boolean {
    if (this.isEmpty) return false;
    for (let file = 0; file < FILES.length; file++) {
      for (const level of this.#levels) {
        const result = testLevel(level, { file, path, directory: options.directory });
        if (result?.ignored) return true;
        if (result?.unignored) return false;
        if (file >= REPOSITORY_ONLY && level.repository) break;
      }
    }
    return false;
  }
}

function testLevel(level: Level, entry: { file: number; path: string; directory: boolean }) {
  const rules = level.rules[entry.file];
  if (rules === undefined) return undefined;
  // Cheaper than `relative`: a level lies above all that it is asked about.
  const start = level.directory.length + (level.directory.endsWith(sep) ? 0 : 1);
  const below = entry.path.slice(start).replaceAll(sep, "/");
  return rules.test(entry.directory ? `${below}/` : below);
}

async function loadLevel(
  directory: string,
  options: { repository: boolean; head: ReadHead },
): Promise<Level> {
  const { default: ignore } = await import("ignore");
  const rules = await Promise.all(FILES.map(async (file) => {
    const bytes = await options.head(join(directory, file), MAX_SIZE);
    const text = bytes && new TextDecoder().decode(bytes);
    // Git writes an exclude file that has only comments.
    if (text === undefined || !/^\s*[^#\s]/m.test(text)) return undefined;
    return ignore({ ignorecase: false }).add(text);
  }));
  return { directory, rules, repository: options.repository };
}
