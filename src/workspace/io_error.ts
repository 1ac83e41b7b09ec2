/**
 * Errors of the system in words a model or a person can act on.
 */
import { ToolError } from "../core/errors.ts";
import { errorCode, reasonOf } from "../lib/fs.ts";

/** What to do where the name is at fault, by the code of the error. */
const MISNAMED: ReadonlyMap<string | undefined, string> = new Map([
  ["ENOTDIR", "Give a path on which every part but the last is a directory."],
  ["ENAMETOOLONG", "Give it a shorter name."],
]);

/** An error of the system, told as "Cannot <what>: <why>". */
export function ioError(what: string, error: unknown): ToolError {
  return new ToolError(`Cannot ${what}: ${reasonOf(error)}.`, {
    kind: "system",
    suggestion: MISNAMED.get(errorCode(error)) ??
      "Check the permissions and the free space there, then try again.",
    cause: error,
  });
}
