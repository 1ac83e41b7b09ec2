/**
 * Errors of the system in words a model or a person can act on.
 */
import { ToolError } from "../core/errors.ts";
import { reasonOf } from "../lib/fs.ts";

/** An error of the system, told as "Cannot <what>: <why>". */
export function ioError(what: string, error: unknown): ToolError {
  return new ToolError(`Cannot ${what}: ${reasonOf(error)}.`, {
    kind: "system",
    suggestion: "Check the permissions and the free space there, then try again.",
    cause: error,
  });
}
