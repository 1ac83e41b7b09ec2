/**
 * The rules of one file like `.gitignore`, as git reads them, matched in linear time.
 */
import { readClass } from "./glob.ts";
import { ANY_DIRECTORIES, pathMatcher, type PathPart } from "./path_pattern.ts";

/** What the rules of a file say of a path; neither if none is about it. */
export interface IgnoreVerdict {
  readonly ignored: boolean;
  readonly unignored: boolean;
}

/** One line. */
interface Rule {
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  /** Whether names are matched instead of paths. */
  readonly byName: boolean;
  readonly matches: (path: string) => boolean;
}

const IGNORED: IgnoreVerdict = { ignored: true, unignored: false };
const UNIGNORED: IgnoreVerdict = { ignored: false, unignored: true };
const SILENT: IgnoreVerdict = { ignored: false, unignored: false };

/** The rules of one file. */
export class IgnoreFile {
  /** The last one first: it wins. */
  readonly #rules: readonly Rule[];
  /** What is known of directories. */
  readonly #known = new Map<string, IgnoreVerdict>();

  private constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  /** Reads the text of a file; undefined if there is no rule in it. */
  static read(text: string): IgnoreFile | undefined {
    const rules = text.split(/\r?\n/).flatMap((line) => readRule(line) ?? []);
    return rules.length === 0 ? undefined : new IgnoreFile(rules.reverse());
  }

  /** Judges a path below the directory of the file, that of a directory with a slash at its end. */
  test(path: string): IgnoreVerdict {
    const isDirectory = path.endsWith("/");
    const bare = isDirectory ? path.slice(0, -1) : path;
    for (let at = bare.indexOf("/"); at >= 0; at = bare.indexOf("/", at + 1)) {
      const above = bare.slice(0, at);
      const verdict = this.#known.getOrInsertComputed(above, () => this.#judge(above, true));
      if (verdict.ignored) return verdict;
    }
    return this.#judge(bare, isDirectory);
  }

  #judge(path: string, isDirectory: boolean): IgnoreVerdict {
    const name = path.slice(path.lastIndexOf("/") + 1);
    for (const { negated, directoriesOnly, byName, matches } of this.#rules) {
      if (directoriesOnly && !isDirectory) continue;
      if (matches(byName ? name : path)) return negated ? UNIGNORED : IGNORED;
    }
    return SILENT;
  }
}

function readRule(line: string): Rule | undefined {
  let pattern = withoutEnd(line);
  if (pattern.startsWith("#")) return undefined;
  const negated = pattern.startsWith("!");
  if (negated) pattern = pattern.slice(1);
  const directoriesOnly = pattern.endsWith("/");
  if (directoriesOnly) pattern = pattern.slice(0, -1);
  const byName = !pattern.includes("/");
  if (pattern.startsWith("/")) pattern = pattern.slice(1);
  const parts = pattern === "" ? undefined : readParts(pattern);
  if (parts === undefined) return undefined;
  const matches = pathMatcher({ kind: "sequence", parts }, { dot: true });
  return { negated, directoriesOnly, byName, matches };
}

/** A line without the spaces at its end, unless a backslash keeps them. */
function withoutEnd(line: string): string {
  let end = line.length;
  while (line[end - 1] === " ") end--;
  let slashes = 0;
  while (line[end - 1 - slashes] === "\\") slashes++;
  return line.slice(0, slashes % 2 === 1 ? end + 1 : end);
}

/** The parts of a pattern; undefined if it can match nothing. */
function readParts(pattern: string): PathPart[] | undefined {
  const parts: PathPart[] = [];
  let text = "";
  const add = (part: PathPart) => {
    if (text !== "") parts.push({ kind: "text", text });
    text = "";
    parts.push(part);
  };
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]!;
    if (char === "\\") {
      if (++at === pattern.length) return undefined;
      text += pattern[at];
    } else if (char === "?") add({ kind: "one" });
    else if (char === "[") {
      const found = readClass(pattern, at);
      if (found === undefined) return undefined;
      add(found.part);
      at = found.end - 1;
    } else if (char === "*") {
      const start = at;
      while (pattern[at + 1] === "*") at++;
      const isWhole = (start === 0 || pattern[start - 1] === "/") && at > start;
      const after = pattern[at + 1];
      if (isWhole && after === "/") {
        at++;
        add(ANY_DIRECTORIES);
      } else add({ kind: isWhole && after === undefined ? "anything" : "star" });
    } else text += char;
  }
  if (text !== "") parts.push({ kind: "text", text });
  return parts;
}
