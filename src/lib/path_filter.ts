/**
 * Decides which files of a tree a search looks at: hidden ones and other people's code only if a glob names them, and
 * only what is included and not excluded. Both ripgrep and the walk in `walk.ts` use it, so that they find the same.
 */

/** Directories that are searched only if named. */
const SKIPPED = [".git", "node_modules", "vendor", "__pycache__"];

/** Which files of a search count. */
export interface PathFilter {
  /** Judges a file by its path below the root of the search, with `/` between its parts. */
  accepts(path: string): boolean;
  /** Whether nothing below a directory can be accepted. */
  prunes(path: string): boolean;
  /** Options that keep ripgrep from most of what would not be accepted. */
  readonly ripgrepArgs: readonly string[];
}

/**
 * Makes a filter. A glob of `include` or `exclude` without a slash is compared with the name alone if
 * `byName` is set; an excluded directory excludes all below it. @throws {RangeError} the globs are too long
 */
export async function pathFilter(
  globs: {
    include?: readonly string[];
    exclude?: readonly string[];
    /** Ends of names such as "ts" or "d.ts"; a file must have one of them. */
    extensions?: readonly string[];
    byName?: boolean;
  },
): Promise<PathFilter> {
  const { globMatcher } = await import("./glob.ts");
  const anywhere = (glob: string) => globs.byName && !glob.includes("/") ? `**/${glob}` : glob;
  const include = globs.include?.map(normalizeGlob);
  const exclude = globs.exclude?.map(normalizeGlob).filter((glob) => glob !== "");
  const included = include && globMatcher(include.map(anywhere));
  const excluded = exclude && globMatcher(exclude.map(anywhere), { dot: true });
  const endings = globs.extensions?.map((extension) => `.${extension}`);
  const named = new Set(include?.flatMap((glob) => glob.split("/")));
  const skipped = SKIPPED.filter((name) => !named.has(name));
  const hidden = include?.some((glob) => /(?:^|[/{,(])\.[^./]/.test(glob)) ?? false;
  const isSkipped = (name: string) => skipped.includes(name);
  const isOut = (path: string) => excluded?.(path) ?? false;
  const belowSkipped = new RegExp(`(?:^|/)(?:${skipped.map(RegExp.escape).join("|")})/`);
  return {
    // This runs for every file of a tree: a path is split into its parts only if needed.
    accepts(path) {
      if (skipped.length > 0 && belowSkipped.test(path)) return false;
      if (excluded && prefixesOf(path).some(isOut)) return false;
      if (endings && !endings.some((ending) => path.endsWith(ending))) return false;
      // The globs themselves match a leading dot only where they spell it.
      if (included) return included(path) || (include?.includes(path) ?? false);
      return !path.startsWith(".") && !path.includes("/.");
    },
    prunes(path) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      return isSkipped(name) || isOut(path) || (name.startsWith(".") && !hidden);
    },
    ripgrepArgs: [
      ...(hidden ? ["--hidden"] : []),
      // What is hidden is left out already, and every glob is compared with every file.
      ...skipped.filter((name) => hidden || !name.startsWith("."))
        .map((name) => `--glob=!${name}/`),
      ...nameTypes(include ?? globs.extensions?.map((extension) => `*.${extension}`)),
    ],
  };
}

/** Makes a matcher of names, hidden ones too; a glob after `!` stands for all others. @throws {RangeError} too long */
export async function nameMatcher(globs: readonly string[]): Promise<(name: string) => boolean> {
  const { globMatcher } = await import("./glob.ts");
  return globMatcher(globs, { dot: true, negation: true });
}

/** Splits a list such as `*.ts, *.{js,jsx}` at the commas outside braces. */
export function splitGlobs(list: string): string[] {
  const globs: string[] = [];
  let end = list.length;
  let inBraces = false;
  for (let at = list.length - 1; at >= -1; at--) {
    const char = list[at];
    if (char === "}") inBraces = true;
    else if (char === "{") inBraces = false;
    else if (at < 0 || (char === "," && !inBraces)) {
      globs.unshift(list.slice(at + 1, end).trim());
      end = at;
    }
  }
  return globs.filter((glob) => glob !== "");
}

/** A path with all the directories that lead to it, the outermost first. */
function prefixesOf(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, i) => parts.slice(0, i + 1).join("/"));
}

function normalizeGlob(glob: string): string {
  const bare = glob.replace(/^(?:\.\/)+/, "");
  let end = bare.length;
  while (bare[end - 1] === "/") end--;
  return bare.slice(0, end);
}

/**
 * File types of ripgrep that hold every name the globs may match. They only save work; unlike its
 * `--glob` they leave what is ignored ignored.
 */
function nameTypes(include: readonly string[] | undefined): string[] {
  const names = include?.map((glob) => glob.slice(glob.lastIndexOf("/") + 1)) ?? [];
  const plain = (name: string) => /^[\w.*?-]+(?:\{[\w.,-]+\})?$/.test(name) && !/^\*+$/.test(name);
  if (names.length === 0 || !names.every(plain)) return [];
  return [...names.map((name) => `--type-add=wanted:${name}`), "--type=wanted"];
}
