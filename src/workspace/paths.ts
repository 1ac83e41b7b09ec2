/**
 * Resolution of paths as a model, a person or a command writes them. A path is judged by the object it finally
 * names: links are followed as the system follows them, missing parts are kept as they are, and nothing (`~`,
 * `$VAR`, `%2e`, backslashes) is expanded. The workspace and the permission policy both resolve paths here, so
 * that what is asked about is what is opened.
 */
import { basename, dirname, isAbsolute, join, parse, relative, sep } from "node:path";
import { ToolError } from "../core/errors.ts";
import type { ResolvedPath } from "../core/files.ts";
import { contains } from "../lib/contains.ts";
import { exists, isMissing } from "../lib/fs.ts";
import { ioError } from "./io_error.ts";

/** Links followed before a path counts as a loop: as many as Linux follows. */
const MAX_LINKS = 40;
// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;
/** The joiner and the style selector of an emoji, which are part of how it looks. */
const EMOJI_PARTS = /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])[\u200d\ufe0f]/gu;
/** Characters that make one name look like another: zero-width, bidirectional, blank. */
const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}\ufff9-\ufffb\u2800]/u;
const SYSTEM_DIRECTORIES = ["/proc", "/dev", "/sys"];

/** The directories of the workspace, absolute and canonical. */
export interface Roots {
  readonly cwd: string;
  /** The working directory and each added directory. */
  readonly all: readonly string[];
}

/**
 * Resolves a path against the working directory.
 * @throws {ToolError} validation: empty, control characters, or a new name that cannot be seen; user: a
 * loop of links; system: a part may not be looked at
 */
export function resolvePath(path: string, roots: Roots): ResolvedPath {
  if (path === "") throw invalidPathError(path, "it is empty");
  if (CONTROL.test(path)) throw invalidPathError(path, "it contains a control character");
  const absolute = followLinks(path, roots.cwd);
  refuseOtherNotation(path, absolute);
  const suspects = absolute.split(sep).filter((name) => name !== "" && !isVisible(name));
  if (suspects.length > 0 && hasNewInvisiblePart(absolute)) {
    throw invalidPathError(path, "a new name may not contain invisible characters or blanks alone");
  }
  return describePath(absolute, roots);
}

/** What people write in a path that no program but a shell or a browser understands. */
const OTHER_NOTATIONS: readonly (readonly [
  pattern: RegExp,
  why: string,
  correct: (path: string) => string,
])[] = [
  [/^file:\//i, "it is a URL", (path) => `Write ${pathOfUrl(path)}`],
  [/^[a-z][a-z\d+.-]+:\//i, "it is a URL", () => "Write the path of a file on this machine"],
  [
    /^~[\w.+-]*(?=\/|$)/,
    "~ is not expanded",
    () => "Write the home directory's whole path, such as /home/NAME/file",
  ],
  [
    /^(?:\$\{?(?:HOME|PWD|OLDPWD|TMPDIR|USER)\}?(?=\/|$)|\$\{|%[a-z_]\w*%)/i,
    "variables are not expanded",
    () => "Write the variable's value",
  ],
  [
    /^[a-z]:(?=[\\/]|$)|\\/i,
    "parts of a path are separated by /",
    (path) => `Write ${path.replace(/^[a-z]:/i, "").replace(/\\+/g, "/")}`,
  ],
  [
    /%(?:2e|2f|5c|00)/i,
    "% signs are not decoded",
    () => "Write the characters themselves, . and /",
  ],
  [
    /[\uff0e\u2024-\u2026\ufe52\uff0f\u2044\u2215\u29f8\uff3c\uff5e]/,
    "it has characters that only look like . or /",
    (path) => `Write ${path.normalize("NFKC").replace(/[\u2044\u2215\u29f8]/g, "/")}`,
  ],
];

/**
 * A path in the notation of a URL, a shell or Windows would make directories called `file:` and `~root`. What is on
 * disk may be called so.
 */
function refuseOtherNotation(path: string, absolute: string): void {
  if (sep === "\\") return;
  const notation = OTHER_NOTATIONS.find(([pattern]) => pattern.test(path));
  if (notation === undefined || exists(absolute)) return;
  const [, why, correct] = notation;
  throw invalidPathError(path, why, `${correct(path)}.`);
}

function pathOfUrl(url: string): string {
  const path = url.replace(/^file:(\/\/[^/]*)?/i, "") || "/";
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isVisible(name: string): boolean {
  return name.trim() !== "" && !INVISIBLE.test(name.replace(EMOJI_PARTS, ""));
}

/** Whether a part of a path that cannot be seen does not exist yet. */
function hasNewInvisiblePart(absolute: string): boolean {
  for (let at = absolute; at !== dirname(at) && !exists(at); at = dirname(at)) {
    if (!isVisible(basename(at))) return true;
  }
  return false;
}

/** The resolved form of a path that is canonical already. */
export function describePath(absolute: string, roots: Roots): ResolvedPath {
  return {
    absolute,
    display: contains(roots.cwd, absolute) ? relative(roots.cwd, absolute) || "." : absolute,
    inside: roots.all.some((root) => contains(root, absolute)),
  };
}

/**
 * A path that was found below a directory, with `/` between its parts. It is not resolved again: a link that has come in
 * its way since is not followed, so that opening it fails.
 */
export function pathBelow(directory: ResolvedPath, path: string): ResolvedPath {
  const { absolute, display, inside } = directory;
  const front = display === "." ? "" : `${display.replace(/\/$/, "")}/`;
  return { absolute: `${absolute.replace(/\/$/, "")}/${path}`, display: front + path, inside };
}

/**
 * Whether a path lies in /proc, /dev or /sys, whose files act when they are opened. A workspace that
 * itself lies there (such as below /dev/shm) is meant to be used.
 */
export function isSystemPath(path: string, roots: Roots): boolean {
  return SYSTEM_DIRECTORIES.some((directory) =>
    contains(directory, path) &&
    !roots.all.some((root) => contains(directory, root) && contains(root, path))
  );
}

/**
 * The object that a path finally names, absolute and canonical; parts that do not exist stay as they are.
 * @throws {ToolError} user: a loop of links; system: a part may not be looked at
 */
export function followLinks(path: string, cwd: string): string {
  try {
    return Deno.realPathSync(isAbsolute(path) ? path : `${cwd}/${path}`);
  } catch {
    // Something is missing or may not be looked at: the parts are followed one by one.
  }
  const parts = splitParts(path).reverse();
  let current = isAbsolute(path) ? parse(path).root : cwd;
  let links = 0;
  let missing = false;
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (part === "..") {
      current = dirname(current);
      missing = missing && !exists(current);
      continue;
    }
    const next = join(current, part);
    const target: string | undefined | null = missing ? undefined : linkTarget(next);
    if (target === undefined || target === null) {
      current = next;
      missing ||= target === null;
      continue;
    }
    if (++links > MAX_LINKS) {
      throw new ToolError(`Cannot resolve ${path}: its links lead in a circle.`, { kind: "user" });
    }
    if (isAbsolute(target)) current = parse(target).root;
    parts.push(...splitParts(target).reverse());
  }
  return current;
}

function splitParts(path: string): string[] {
  const parts = path.slice(parse(path).root.length).split(sep === "\\" ? /[\\/]/ : "/");
  return parts.filter((part) => part !== "" && part !== ".");
}

/** What a link points to, undefined if the path is no link, null if nothing is there. */
function linkTarget(path: string): string | undefined | null {
  try {
    return Deno.lstatSync(path).isSymlink ? Deno.readLinkSync(path) : undefined;
  } catch (error) {
    if (isMissing(error)) return null;
    // Deno shows these only to programs with all permissions; they are never inside.
    if (SYSTEM_DIRECTORIES.some((directory) => contains(directory, path))) return undefined;
    // Deno may read only the workspace: what lies above it cannot be used either.
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw ioError(`look at ${path}`, error);
  }
}

function invalidPathError(
  path: string,
  why: string,
  suggestion = "Give the name of a file or directory as it is on disk.",
): ToolError {
  return new ToolError(`Cannot use the path ${JSON.stringify(path)}: ${why}.`, {
    kind: "validation",
    suggestion,
  });
}
