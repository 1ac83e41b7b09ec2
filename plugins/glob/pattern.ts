/**
 * A glob pattern as a model writes it, made fit for a search: below the directory it searches, with the
 * directories it names outright taken off its front, so that the search begins as deep as it can.
 */
import { ToolError } from "../../src/api.ts";

/** Where to begin and what to match there. */
export interface Start {
  /** Directories below the search path, e.g. "src/lib", or "". */
  readonly directory: string;
  /** The rest of the pattern. */
  readonly pattern: string;
  /** Levels that can hold a match, or undefined if all can. */
  readonly maxDepth: number | undefined;
}

/** What makes of a part of a pattern more than a name. */
const MAGIC = /[*?[\]{}()!+@\\|,]/;

/** The directory that a pattern names outright, below the search path or absolute; "" if none. */
export function namedDirectory(pattern: string): string {
  const parts = pattern.split("/").slice(0, -1);
  const magic = parts.findIndex((part) => MAGIC.test(part));
  return (magic < 0 ? parts : parts.slice(0, magic)).join("/");
}

/**
 * Splits a pattern for a search below the absolute path `root`.
 * @throws {ToolError} validation: it leads out of that directory
 */
export function splitPattern(pattern: string, root: string): Start {
  const inside = pattern.startsWith(`${root}/`) ? pattern.slice(root.length + 1) : pattern;
  const parts = inside.split("/").filter((part) => part !== "" && part !== ".");
  if (/^(?:[/~\\]|[A-Za-z]:)/.test(inside) || /(?:^|[/{,])\.\.(?:[/},]|$)/.test(inside)) {
    throw new ToolError(`The pattern ${pattern} leads out of the directory that is searched.`, {
      kind: "validation",
      suggestion: "Name the directory in path and give a pattern relative to it.",
    });
  }
  const magic = parts.findIndex((part) => MAGIC.test(part));
  const fixed = magic < 0 ? Math.max(0, parts.length - 1) : magic;
  const rest = parts.slice(fixed);
  const bounded = rest.every((part) => !part.includes("**") && !/[{(]/.test(part));
  return {
    directory: parts.slice(0, fixed).join("/"),
    pattern: rest.join("/"),
    maxDepth: bounded ? rest.length : undefined,
  };
}
