/**
 * What the system says of a file, as the port `Files` tells it. Used by the workspace.
 */
import { ToolError } from "../core/errors.ts";
import type { FileInfo, ResolvedPath } from "../core/files.ts";

/** The facts of a file. */
export function toFileInfo(info: Deno.FileInfo): FileInfo {
  return {
    kind: info.isFile ? "file" : info.isDirectory ? "directory" : "other",
    size: info.size,
    modified: info.mtime?.getTime() ?? 0,
    mode: (info.mode ?? 0o644) & 0o7777,
  };
}

/** The refusal of a file that holds no text. */
export function binaryFileError(path: ResolvedPath): ToolError {
  return new ToolError(`Cannot read ${path.display} as text: it is a binary file.`, {
    kind: "user",
    suggestion: "Use a program made for that kind of file.",
  });
}
