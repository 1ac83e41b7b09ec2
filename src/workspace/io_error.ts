/**
 * Errors of the system in words a model or a person can act on.
 */
import { ToolError } from "../core/errors.ts";
import { errorCode } from "../lib/fs.ts";
import { messageOf } from "../lib/text.ts";

/** An error of the system, told as "Cannot <what>: <why>". */
export function ioError(what: string, error: unknown): ToolError {
  return new ToolError(`Cannot ${what}: ${reasonOf(error)}.`, {
    kind: "system",
    suggestion: "Check the permissions and the free space there, then try again.",
    cause: error,
  });
}

const REASONS = new Map([
  ["EACCES", "permission denied"],
  ["EPERM", "the operation is not permitted"],
  ["EROFS", "the file system is read-only"],
  ["ENOSPC", "no space is left on the device"],
  ["EDQUOT", "the disk quota is exceeded"],
  ["ENAMETOOLONG", "the name is too long"],
  ["ENOTDIR", "a part of the path is not a directory"],
  ["EMFILE", "too many files are open"],
  ["ELOOP", "a part of the path became a link"],
]);

function reasonOf(error: unknown): string {
  return REASONS.get(errorCode(error) ?? "") ?? messageOf(error);
}
