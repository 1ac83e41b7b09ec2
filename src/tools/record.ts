/**
 * One rendering of what a call came to: the record that programs read, and the text that the model reads.
 */
import type { CommandChanges } from "../core/command_watch.ts";
import { ToolError } from "../core/errors.ts";
import type { ResultRecord } from "../core/event.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Effect, Tool, ToolResult } from "../core/tool.ts";
import { mapStrings } from "../lib/json_strings.ts";
import type { JsonObject } from "../lib/schema.ts";
import { boundMessage, cutSafely } from "../lib/excerpt.ts";
import { elideLines, messageOf, quoteName, splitLines } from "../lib/text.ts";
import { excerptErrors } from "./error_excerpt.ts";

/** A result that is no success. */
export type FailedResult = Extract<ToolResult, { ok: false }>;

/** Files that a command changed which its result names; the rest is counted. */
const MAX_LISTED = 50;

/**
 * A failure as a value, from whatever was thrown: that with which the call was ended, by its signal, or an error; one
 * that is no `ToolError` is the system's.
 */
export function failedResultOf(error: unknown, signal?: AbortSignal): FailedResult {
  if (signal?.aborted && error === signal.reason) {
    return failedResult("interrupted", messageOf(error));
  }
  if (error instanceof ToolError) {
    return {
      ok: false,
      error: { kind: error.kind, message: error.message, suggestion: error.suggestion },
      data: error.data,
    };
  }
  return { ok: false, error: { kind: "system", message: messageOf(error) } };
}

/** A result whose failure, if it is one, is told within bounds, whoever worded it. */
export function boundFailure(result: ToolResult): ToolResult {
  if (result.ok) return result;
  const { kind, message, suggestion } = result.error;
  return {
    ...result,
    error: {
      kind,
      message: boundMessage(message),
      suggestion: suggestion === undefined ? undefined : boundMessage(suggestion),
    },
  };
}

/** Shapes a failure that no tool threw. */
export function failedResult(
  kind: ToolError["kind"],
  message: string,
  suggestion?: string,
): FailedResult {
  return { ok: false, error: { kind, message, suggestion } };
}

/** The result with what a command did to the workspace, if it did anything. */
export function withCommandChanges(
  result: ToolResult,
  changes: CommandChanges | undefined,
): ToolResult {
  if (changes === undefined) return result;
  const { files, created, removed, patchNumber } = changes;
  const listed = files.slice(0, MAX_LISTED);
  const [made, gone] = [created, removed].map((some) => listed.filter((one) => some.includes(one)));
  const noted = {
    files_changed: listed,
    ...(made?.length && { files_created: made }),
    ...(gone?.length && { files_removed: gone }),
    ...(files.length > MAX_LISTED && { files_changed_total: files.length }),
    ...(patchNumber !== undefined && { patch_number: patchNumber }),
  };
  return { ...result, data: { ...result.data, ...noted } };
}

/** The record of a result: `success`, `error`, `error_type`, `suggestion`, and the tool's fields. */
export function recordOf(
  result: ToolResult,
  call: { name: string; input: JsonObject },
): ResultRecord {
  if (result.ok) return { success: true, error: "", ...result.data };
  const { kind, message, suggestion } = result.error;
  const outcome = {
    success: false,
    error: `${signature(call)}: ${message}`,
    error_type: kind === "interrupted" ? kind : `${kind}_error`,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
  // First for the order of the keys, last because no tool's field may stand in for them.
  return { ...outcome, ...result.data, ...outcome };
}

/**
 * The result as the model may see it. A call that ran brings text from outside, which is masked. One that did
 * not run, or that tells of the session alone, repeats the model's own words, placeholders included.
 */
export function maskResult(
  result: ToolResult,
  { secrets, ran, effects }: { secrets: Secrets; ran: boolean; effects: readonly Effect[] },
): ToolResult {
  const foreign = ran && !effects.every((effect) => effect === "session");
  return mapStrings(result, (text) => foreign ? secrets.mask(text) : secrets.remask(text));
}

/** The record with a hint after the suggestion it has. */
export function withHint(record: ResultRecord, hint: string): ResultRecord {
  const { suggestion } = record;
  return { ...record, suggestion: suggestion === undefined ? hint : `${suggestion} ${hint}` };
}

/** What the model reads: a tool's own text, else the record as JSON without its empty parts. */
export function textOf(result: ToolResult, record: ResultRecord): string {
  if (result.ok && result.text !== undefined) return result.text;
  if (!result.ok) return JSON.stringify(record);
  const { error: _empty, ...rest } = record;
  return JSON.stringify(rest);
}

/** `read(file_paths=["a.ts"])`, long values cut. */
function signature(call: { name: string; input: JsonObject }): string {
  const parts = Object.entries(call.input)
    .map(([name, value]) => `${name}=${cutSafely(JSON.stringify(value) ?? "", 60)}`);
  return `${boundMessage(call.name)}(${cutSafely(parts.join(", "), 160)})`;
}

/** Lines of a result, and of a failed call. */
const PREVIEW_LINES = 3;
const FAILED_PREVIEW_LINES = 8;
/** What a call does to the session shows nowhere else. */
const SESSION_PREVIEW_LINES = 12;

/** A few lines of a result for people, and all of them where these are not all. */
export function previewOf(
  tool: Tool | undefined,
  result: ToolResult,
): { preview: string[]; whole?: string[] } {
  const ofSession = tool?.definition.effects.every((effect) => effect === "session");
  const most = !result.ok
    ? FAILED_PREVIEW_LINES
    : ofSession
    ? SESSION_PREVIEW_LINES
    : PREVIEW_LINES;
  const preview = previewLines(tool, { result, most });
  const whole = previewLines(tool, { result, most: Infinity });
  const isWhole = whole.length === preview.length &&
    whole.every((line, index) => line === preview[index]);
  return { preview, ...!isWhole && { whole } };
}

/** At most so many lines: the tool's own, else some of its text. */
function previewLines(
  tool: Tool | undefined,
  { result, most }: { result: ToolResult; most: number },
): string[] {
  const changed = changedFilesLine(result.data ?? {});
  const room = most - changed.length;
  const own = result.ok ? ownLines(tool, { data: result.data, room }) : undefined;
  if (own !== undefined) return [...own.slice(0, room), ...changed];
  const { output, content } = result.data ?? {};
  const text = [result.ok ? result.text : undefined, output, content]
    .find((one): one is string => typeof one === "string" && one !== "");
  const lines = text === undefined ? [] : splitLines(text);
  const shown = result.ok ? elideLines(lines, { room }) : excerptErrors(lines, room);
  return [...shown, ...changed];
}

/** What the tool has a person see; a fault in that is no reason to lose what the call came to. */
function ownLines(
  tool: Tool | undefined,
  { data, room }: { data: Readonly<Record<string, unknown>>; room: number },
): string[] | undefined {
  try {
    return tool?.preview?.(data, room);
  } catch {
    return undefined;
  }
}

/** Files that are named where many have changed. */
const NAMED = 3;

/** What a command did to files, in one line; no line if it did nothing. */
export function changedFilesLine(data: Readonly<Record<string, unknown>>): string[] {
  const files = data.files_changed;
  if (!Array.isArray(files) || files.length === 0) return [];
  const isIn = (list: unknown, file: unknown) => Array.isArray(list) && list.includes(file);
  const verbOf = (file: unknown) =>
    isIn(data.files_created, file)
      ? "created"
      : isIn(data.files_removed, file)
      ? "removed"
      : "changed";
  const groups = [...Map.groupBy(files.slice(0, NAMED), verbOf)];
  const named = groups.map(([verb, some]) =>
    `${verb} ${some.map(String).map(quoteName).join(", ")}`
  )
    .join(", ");
  const total = Number(data.files_changed_total ?? files.length);
  if (total <= NAMED) return [named];
  const others = files.length === total ? [...Map.groupBy(files.slice(NAMED), verbOf)] : [];
  // What follows the last name is read as the same was done with it.
  const isAlike = others.every(([verb]) => verb === groups.at(-1)![0]);
  const verbs = others.map(([verb, some]) => `${some.length} ${verb}`).join(", ");
  return [`${named} and ${total - NAMED} more${isAlike ? "" : ` (${verbs})`}`];
}
