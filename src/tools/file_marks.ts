/**
 * What a call's result has to do with files, so that the context can tell which of its texts are out of
 * date: files it shows whole, files it has changed. The scheduler asks for every call that ended.
 */
import type { EditPlan } from "../core/files.ts";
import type { FileMark } from "../core/message.ts";
import type { ToolResult } from "../core/tool.ts";
import { hashText } from "../lib/content_hash.ts";

/** The marks of a result; undefined if there are none. */
export function fileMarksOf(
  result: ToolResult,
  plan: EditPlan | undefined,
): FileMark[] | undefined {
  if (!result.ok) return undefined;
  const planned = (plan?.changes ?? []).map(({ path, after }): FileMark => ({
    path: path.display,
    how: "changed",
    ...(after !== null && { hash: hashText(after) }),
  }));
  const { files_changed: noted } = result.data;
  const byCommand = (Array.isArray(noted) ? noted : []).map((path): FileMark => ({
    path: String(path),
    how: "changed",
  }));
  const marks = [...result.files ?? [], ...planned, ...byCommand];
  return marks.length === 0 ? undefined : marks;
}
