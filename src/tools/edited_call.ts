/**
 * A call that the person edits instead of allowing it as it stands: what of it can be edited, the call that
 * an edit makes of it, and what the model is told. An edited call goes through the whole pipeline again, so
 * that nothing runs that was not judged and, if need be, asked about.
 */
import { safeStart } from "../lib/excerpt.ts";
import { extname } from "node:path";
import type { ToolCall } from "../core/message.ts";
import { type EditableCall, type EditAnswer, isRiskier } from "../core/permission.ts";
import type { ToolResult } from "../core/tool.ts";
import { unifiedDiff } from "../lib/diff.ts";
import { editableChanges } from "./edited_content.ts";
import type { PreparedCall } from "./pipeline.ts";

/** Characters of a difference that the model is told. */
const MAX_DIFF_CHARACTERS = 4000;

/** What the person made of a call. */
export interface EditedCall {
  readonly call: ToolCall;
  /** What the files that it changes shall hold, in their order, whatever the arguments say. */
  readonly contents?: readonly string[];
  /** What the model is told. */
  readonly note: string;
}

/** What of a call is edited: its command, the content it would leave behind, else its arguments. */
export function editableCallOf(prepared: PreparedCall): EditableCall {
  const command = commandKey(prepared);
  if (command !== undefined) {
    return { kind: "command", text: String(prepared.input[command]), suffix: ".sh" };
  }
  const [first, ...others] = editableChanges(prepared.plan).map(({ path, after }) => ({
    text: after,
    suffix: extname(path.display),
    name: path.display,
  }));
  if (first) return { kind: "content", ...first, ...others.length > 0 && { others } };
  const text = `${JSON.stringify(prepared.input, null, 2)}\n`;
  return { kind: "arguments", text, suffix: ".json" };
}

/** The call that an edit makes of a prepared one. It is not yet validated. */
export async function applyEdit(
  prepared: PreparedCall,
  { text, others = [] }: EditAnswer,
): Promise<EditedCall> {
  const { call, input } = prepared;
  const command = commandKey(prepared);
  if (command !== undefined) {
    const edited = { ...call, arguments: JSON.stringify({ ...input, [command]: text }) };
    const note = `The user edited the command before it ran. What ran: ${text}`;
    return { call: edited, note };
  }
  const changes = editableChanges(prepared.plan);
  if (changes.length === 0) {
    const note =
      `The user edited the arguments of this call before it ran. What ran: ${text.trim()}`;
    return { call: { ...call, arguments: text }, note };
  }
  const contents = [text, ...others];
  const diffs = await Promise.all(
    changes.map(({ path, after }, index) =>
      unifiedDiff(after, contents[index] ?? after, { path: path.display })
    ),
  );
  const diff = diffs.filter((one) => one !== "").join("\n");
  const rest = diff.length > MAX_DIFF_CHARACTERS
    ? "\n(cut; read the file before you change it again)"
    : "";
  return {
    call,
    contents,
    note: `The user edited the content before it was written. What was changed in it:\n${
      safeStart(diff, MAX_DIFF_CHARACTERS)
    }${rest}`,
  };
}

/** The edited call, to be asked about in any case if its risk is higher than what the person saw. */
export function askIfRiskier(original: PreparedCall, edited: PreparedCall): PreparedCall {
  const { verdict } = edited;
  const asks = verdict.decision === "allow" && isRiskier(verdict.risk, original.verdict.risk);
  if (!asks) return edited;
  return { ...edited, verdict: { ...verdict, decision: "ask" } };
}

/** A result that tells what the person changed. */
export function withEditNote(result: ToolResult, { note }: EditedCall): ToolResult {
  const data = { ...result.data, user_edited: note };
  if (!result.ok || result.text === undefined) return { ...result, data };
  return { ...result, data, text: `${result.text}\n\n[${note}]` };
}

/** The argument that is the call's only command line. */
function commandKey({ tool, input }: PreparedCall): string | undefined {
  const keys = Object.entries(tool.definition.parameters.properties)
    .filter(([key, property]) => property.format === "command" && typeof input[key] === "string")
    .map(([key]) => key);
  return keys.length === 1 ? keys[0] : undefined;
}
