/**
 * What a hook's run came to: its JSON, what its exit code says, or why it counts as failed.
 */
import type { HookEvent } from "../core/hooks.ts";
import { mapStrings } from "../lib/json_strings.ts";
import type { ProcessResult } from "../lib/process.ts";
import { describeViolation, isObject, type JsonObject, violations } from "../lib/schema.ts";
import { cutEnd, messageOf, oneLine } from "../lib/text.ts";
import { HOOK_EVENTS, outputSchema } from "./event_schemas.ts";

/** Characters of its output that are kept; an answer must be whole. */
export const MAX_OUTPUT = 64_000;
/** Characters of a reason that are shown. */
const MAX_REASON = 500;

/** What a hook answered. */
export interface HookAnswer {
  readonly decision?: "deny" | "ask" | "continue";
  readonly reason?: string;
  readonly arguments?: JsonObject;
  readonly context?: string;
  /** Its output was no JSON object, and counts for nothing. */
  readonly ignored?: true;
}

/** An answer, a failure, or nothing because somebody ended it. */
export type HookReply =
  | { readonly kind: "answer"; readonly answer: HookAnswer }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "interrupted" };

/** Reads what a hook wrote and how it ended; no text of it keeps a secret. */
export function readReply(
  event: HookEvent,
  { result, timeout, mask }: {
    result: ProcessResult;
    /** Seconds it was given. */
    timeout: number;
    mask: (text: string) => string;
  },
): HookReply {
  const toReason = (text: string) => cutEnd(oneLine(mask(text)), MAX_REASON);
  const { code, ended, output, errors = "", truncated } = result;
  if (ended === "interrupted") return { kind: "interrupted" };
  if (ended === "timeout") return failed(`it takes more than ${timeout} s`);
  const { refusal } = HOOK_EVENTS[event];
  if (code === 2 && refusal !== undefined) {
    const reason = toReason(errors.trim() || output);
    return { kind: "answer", answer: { decision: refusal, ...reason && { reason } } };
  }
  if (code !== 0) {
    const said = toReason(errors.trim() || output);
    return failed(`it ended with code ${code}${said && `: ${said}`}`);
  }
  const text = output.trim();
  if (!text.startsWith("{")) {
    return { kind: "answer", answer: text === "" ? {} : { ignored: true } };
  }
  if (truncated) return failed(`it wrote more than ${MAX_OUTPUT} characters`);
  const answer = parseAnswer(event, text);
  if (typeof answer === "string") return failed(toReason(answer));
  const { reason, ...rest } = mapStrings(answer, mask);
  return {
    kind: "answer",
    answer: { ...rest, ...reason !== undefined && { reason: toReason(reason) } },
  };
}

/** The answer that a text is, or why it is none. */
function parseAnswer(event: HookEvent, text: string): HookAnswer | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `its output is no JSON: ${messageOf(error)}`;
  }
  if (!isObject(value)) return "its output is no JSON object";
  if (value.decision === "allow") return 'it says "allow", and no hook can allow anything';
  const [wrong] = violations(outputSchema(event), value);
  return wrong ? `its answer does not fit. ${describeViolation(wrong)}` : value as HookAnswer;
}

function failed(why: string): HookReply {
  return { kind: "failed", why };
}
