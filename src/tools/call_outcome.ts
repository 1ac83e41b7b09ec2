/**
 * What a call came to, in the three forms that are needed of it: the result itself, the record that programs
 * read, and the text that the model reads, with the files that this text shows or that the call has changed.
 */
import type { ResultRecord } from "../core/event.ts";
import type { EditPlan } from "../core/files.ts";
import type { FileMark, LoadedSkill, ToolCall } from "../core/message.ts";
import type { Secrets } from "../core/secrets.ts";
import type { ToolResult } from "../core/tool.ts";
import { hashText } from "../lib/content_hash.ts";
import { mapStrings } from "../lib/json_strings.ts";
import type { TrackedCall } from "./call_state.ts";
import { maskResult, recordOf, textOf } from "./record.ts";

/** What a call came to. */
export interface CallOutcome {
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly record: ResultRecord;
  /** What the model reads, secrets masked. */
  readonly text: string;
  /** What the model is to do otherwise; the record's suggestion says it too. */
  readonly hint?: string | undefined;
  /** What the model is told of hooks besides. @default nothing */
  readonly notes?: readonly string[];
  /** Files that the text shows whole, or that the call has changed. */
  readonly files?: readonly FileMark[] | undefined;
  /** The skills whose instructions the text holds. */
  readonly skills?: readonly LoadedSkill[] | undefined;
}

/** Shapes the outcome of a call from its result. */
export function outcomeOf(
  tracked: TrackedCall,
  result: ToolResult,
  { secrets }: { secrets: Secrets },
): CallOutcome {
  const { call, input, definition } = tracked;
  const prepared = tracked.state === "ready" ? tracked.prepared : undefined;
  const masked = maskResult(result, {
    secrets,
    ran: prepared !== undefined,
    effects: definition?.effects ?? [],
  });
  const sent = mapStrings(input, (text) => secrets.remask(text));
  return {
    call,
    result,
    record: recordOf(result, { name: call.name, input }),
    text: textOf(masked, recordOf(masked, { name: call.name, input: sent })),
    ...prepared?.notes && { notes: prepared.notes },
    files: fileMarksOf(result, prepared?.plan),
    ...masked.ok && { skills: masked.skills },
  };
}

/** The files of a result, so that the context can tell which texts are out of date; undefined if none. */
function fileMarksOf(result: ToolResult, plan: EditPlan | undefined): FileMark[] | undefined {
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
