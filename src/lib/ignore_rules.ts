/**
 * What git and ripgrep ignore, for a walk in TypeScript: `.gitignore` of every directory up to the repository's
 * root, `.git/info/exclude`, `.ignore` and `.rgignore`, the deeper and the more special file winning.
 */
import { dirname, join, sep } from "node:path";
import type { IgnoreFile } from "./ignore_file.ts";

/** Files with rules, the one that wins first; the last two hold within one repository. */
export const IGNORE_FILES = [".rgignore", ".ignore", ".gitignore", ".git/info/exclude"] as const;
const REPOSITORY_ONLY = 2;
/** Bytes read of one such file. */
export const MAX_IGNORE_BYTES = 1_000_000;

/** Reads the first bytes of a file, or nothing if it is missing or may not be read. */
export type ReadHead = (path: string, length: number) => Promise<Uint8Array | undefined>;

/** The rules of one file. */
interface FileRules {
  readonly rules: IgnoreFile;
  /** Patterns for the names of what they ignore; undefined if that may have any name. */
  readonly names: readonly string[] | undefined;
}

/** What one directory says. */
interface Level {
  readonly directory: string;
  /** In the order of `IGNORE_FILES`. */
  readonly files: readonly (FileRules | undefined)[];
  /** Whether a repository begins here. */
  readonly repository: boolean;
}

/** The rules that hold in one directory: its own and those of the directories above it. */
export class IgnoreRules {
  /** The deepest first. */
  readonly #levels: readonly Level[];
  /** True if nothing is ignored. */
  readonly isEmpty: boolean;
  #names: RegExp | undefined;

  private constructor(levels: readonly Level[]) {
    this.#levels = levels;
    this.isEmpty = levels.every(({ files }) => files.every((file) => file === undefined));
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
    if (!repository && !IGNORE_FILES.some((file) => names.has(file))) return this;
    return new IgnoreRules([await loadLevel(directory, { repository, head }), ...this.#levels]);
  }

  /**
   * The names that may be ignored in a directory; whatever has another one is not. To ask about every path of a large
   * tree takes longer than to find them all.
   */
  namesIn(directory: string): RegExp {
    // What a rule says of a directory it may say of all below it, and another rule the contrary.
    const isNamed = this.#levels.some((level) =>
      level.directory !== directory && IGNORE_FILES.some((_name, file) => {
        const result = testLevel(level, { file, path: directory, directory: true });
        return result?.ignored || result?.unignored;
      })
    );
    return isNamed ? ANY_NAME : this.#names ??= toNames(this.#levels);
  }

  /** Whether a path below the directory is ignored. */
  isIgnored(path: string, options: { directory: boolean }): boolean {
    if (this.isEmpty) return false;
    for (let file = 0; file < IGNORE_FILES.length; file++) {
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
  const rules = level.files[entry.file]?.rules;
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
  const { IgnoreFile } = await import("./ignore_file.ts");
  const files = await Promise.all(IGNORE_FILES.map(async (file) => {
    const bytes = await options.head(join(directory, file), MAX_IGNORE_BYTES);
    const text = bytes && new TextDecoder().decode(bytes);
    // Git writes an exclude file that has only comments.
    const rules = text === undefined ? undefined : IgnoreFile.read(text);
    return rules && { rules, names: namePatterns(text!) };
  }));
  return { directory, files, repository: options.repository };
}

const ANY_NAME = /(?:)/;
/** The last part of a rule that is understood here: at most one star, and nothing else that is special. */
const PLAIN_PART = /^[\w.@+~=,%#-]*\*?[\w.@+~=,%#-]*$/;

/** Patterns for the names of what the rules of a file ignore; undefined if that may have any name. */
function namePatterns(text: string): string[] | undefined {
  const patterns: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    // A comment, or an exception, which ignores nothing.
    if (line === "" || line.startsWith("#") || line.startsWith("!")) continue;
    const part = line.replace(/\/$/, "").replace(/^.*\//s, "");
    if (part === "" || !PLAIN_PART.test(part)) return undefined;
    patterns.push(part.replace(/[.+]/g, "\\$&").replace("*", ".*"));
  }
  return patterns;
}

/** One pattern for the names that any of the rules may ignore. */
function toNames(levels: readonly Level[]): RegExp {
  const patterns = new Set<string>();
  for (const file of levels.flatMap(({ files }) => files)) {
    if (file === undefined) continue;
    if (file.names === undefined) return ANY_NAME;
    for (const pattern of file.names) patterns.add(pattern);
  }
  return new RegExp(`^(?:${[...patterns].join("|")})$`, "s");
}
