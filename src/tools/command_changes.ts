/**
 * What a command did to the workspace, as its result tells it. The pipeline calls.
 */
import type { CommandChanges } from "../core/command_watch.ts";
import type { ToolResult } from "../core/tool.ts";

/** Files that a command changed which its result names; the rest is counted. */
const MAX_LISTED = 50;

/** The result with what the command did to the files, if it did anything. */
export function withCommandChanges(
  result: ToolResult,
  changes: CommandChanges | undefined,
): ToolResult {
  if (changes === undefined) return result;
  const { files, patchNumber } = changes;
  const noted = {
    files_changed: files.slice(0, MAX_LISTED),
    ...(files.length > MAX_LISTED && { files_changed_total: files.length }),
    ...(patchNumber !== undefined && { patch_number: patchNumber }),
  };
  return { ...result, data: { ...result.data, ...noted } };
}
