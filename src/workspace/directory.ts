/**
 * Directories as the workspace names them: the canonical path of one that is there, the display path of what
 * lies in one, and the refusal to limit a session to one. Called by the workspace.
 */
import { join } from "node:path";
import { ToolError, UsageError } from "../core/errors.ts";
import type { ResolvedPath } from "../core/files.ts";
import { messageOf } from "../lib/text.ts";

/** The display path of what is directly below a directory. */
export function below({ display }: ResolvedPath, name: string): string {
  return display === "." ? name : join(display, name);
}

/** Why a session cannot be limited to a directory, and what to do. */
export function refusedFocus(
  { display }: ResolvedPath,
  why: string,
  suggestion: string,
): ToolError {
  return new ToolError(`Cannot limit the session to ${display}: ${why}. ${suggestion}`, {
    kind: "user",
  });
}

/** A directory's canonical path. @throws {UsageError} there is no such directory */
export function canonicalDirectory(path: string): string {
  try {
    const canonical = Deno.realPathSync(path);
    if (Deno.statSync(canonical).isDirectory) return canonical;
  } catch (error) {
    throw new UsageError(`Cannot use the directory ${path}: ${messageOf(error)}`, { cause: error });
  }
  throw new UsageError(`Cannot use the directory ${path}: it is not a directory`);
}
