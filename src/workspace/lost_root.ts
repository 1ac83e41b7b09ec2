/**
 * The error for a workspace that was deleted or renamed while ally works in it. Nothing may be written then: that
 * would make a new directory in its place.
 */
import * as fs from "node:fs";
import { ToolError } from "../core/errors.ts";
import type { ResolvedPath } from "../core/files.ts";
import { contains } from "../lib/contains.ts";
import { type Roots } from "./paths.ts";

/** The error for a path whose workspace is gone, or undefined if it is there. */
export function lostRootError(path: ResolvedPath, roots: Roots): ToolError | undefined {
  const root = roots.all.find((one) => contains(one, path.absolute));
  if (root === undefined || isDirectory(root)) return undefined;
  const what = root === roots.cwd ? "the working directory" : "the added directory";
  return new ToolError(
    `Cannot use ${path.display}: ${what} ${root} is gone: it was deleted or renamed.`,
    {
      kind: "system",
      suggestion:
        "Tell the user. The session is saved; ally must be started again where the files are.",
    },
  );
}

function isDirectory(path: string): boolean {
  try {
    return fs.statSync(path).isDirectory();
  } catch {
    return false;
  }
}
