/**
 * What becomes of a call once its reply is whole: the tool it means, and arguments that are JSON if they can
 * honestly be made so. A call that is cut off, too large, ambiguous or one of too many is marked as refused:
 * it is answered with the reason and never run.
 */
import type { ToolCall } from "../core/message.ts";
import { parseJson, repairJson, scanJson } from "../lib/json_text.ts";
import { formatCount } from "../lib/text.ts";
import { objectOf } from "./fields.ts";
import { resolveToolName } from "./tool_names.ts";

/** Characters of arguments that one call may have; no model writes that much on purpose. */
export const MAX_ARGUMENT_CHARACTERS = 1_000_000;
/** Objects and lists of arguments within each other: what walks through them later does so recursively. */
const MAX_DEPTH = 100;
/** Calls that one reply may make. */
const MAX_CALLS = 128;
/** Characters kept of arguments that are too large. */
const KEPT_CHARACTERS = 200;

/** How the reply ended that the calls came in. */
interface ReplyEnd {
  /** Names of the tools offered. */
  readonly tools: readonly string[];
  /** As the server spelled it; undefined if it did not say. */
  readonly finishReason: string | undefined;
}

/** The calls as they enter the conversation, in their order. */
export async function finalizeCalls(
  calls: readonly ToolCall[],
  end: ReplyEnd,
): Promise<ToolCall[]> {
  return await Promise.all(calls.map((call, index) => finalizeCall(call, index, end)));
}

async function finalizeCall(call: ToolCall, index: number, end: ReplyEnd): Promise<ToolCall> {
  const named = { ...call, name: resolveToolName(call.name, end.tools) };
  const finalized = await finalizeArguments(named, end.finishReason);
  if (index < MAX_CALLS || finalized.refused !== undefined) return finalized;
  const refused = `The reply makes more than ${MAX_CALLS} calls, so this one was not run. ` +
    "Send it again in a later reply.";
  return { ...finalized, refused };
}

async function finalizeArguments(
  call: ToolCall,
  finishReason: string | undefined,
): Promise<ToolCall> {
  const text = call.arguments;
  if (text.length > MAX_ARGUMENT_CHARACTERS) {
    return refuseTooLarge(
      call,
      `have more than ${formatCount(MAX_ARGUMENT_CHARACTERS)} characters`,
    );
  }
  if (text.trim() === "") {
    // Empty arguments may also have been cut off before their first character.
    return finishReason === undefined || isTruncated(finishReason)
      ? { ...call, arguments: "{}", refused: truncationMessage(finishReason) }
      : { ...call, arguments: "{}" };
  }
  const value = parseJson(text);
  if (value === null) return { ...call, arguments: "{}" };
  // Some servers encode the arguments twice.
  if (typeof value === "string" && objectOf(parseJson(value)) !== undefined) {
    return await finalizeArguments({ ...call, arguments: value, repaired: true }, finishReason);
  }
  const { closed, depth, duplicate } = scanJson(text);
  if (depth > MAX_DEPTH) return refuseTooLarge(call, `are nested over ${MAX_DEPTH} levels deep`);
  if (duplicate !== undefined) {
    const refused = `The arguments give '${duplicate}' twice, so the call was not run. ` +
      "Send it again with one value for each.";
    return { ...call, refused };
  }
  if (value !== undefined) return call;
  if (!closed) return { ...call, refused: truncationMessage(finishReason) };
  const repaired = isTruncated(finishReason) ? undefined : await repairJson(text);
  return repaired === undefined ? call : { ...call, arguments: repaired, repaired: true };
}

function refuseTooLarge(call: ToolCall, why: string): ToolCall {
  return {
    ...call,
    arguments: JSON.stringify({ raw_args: `${call.arguments.slice(0, KEPT_CHARACTERS)}…` }),
    refused: `The arguments ${why}, so the call was not run. Do it in smaller steps.`,
  };
}

function isTruncated(finishReason: string | undefined): boolean {
  return finishReason === "length" || finishReason === "max_tokens";
}

function truncationMessage(finishReason: string | undefined): string {
  return isTruncated(finishReason)
    ? "The reply reached its limit of tokens within this call, so it was not run. " +
      "Make it shorter: write a long file in several steps."
    : "The arguments end in the middle, so the call was not run. Send it again, whole.";
}
