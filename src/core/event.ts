/**
 * Everything that happens in a turn, as plain JSON. One sink gets them all; the REPL, print mode,
 * `stream-json` and a parent agent differ only in their sink and in whom they ask.
 */
import type { Change } from "./files.ts";
import type { Message } from "./message.ts";
import type { PromptProgress } from "./model.ts";
import type { EditableCall, Preview, Risk } from "./permission.ts";
import type { AgentIdentity } from "./tool.ts";

/** How far a call is. */
export type CallState =
  | "validating"
  | "scheduled"
  | "awaiting_approval"
  | "executing"
  | "success"
  | "error"
  | "cancelled";

/** What cut an answer off: its limit of tokens, or the server's filter. */
export type AnswerCut = "length" | "content_filter";

/** Why a turn ended. */
export type TurnEndReason =
  | "done"
  | "denied"
  | "turn_limit"
  | "context"
  | "budget"
  | "interrupted"
  | "error";

/** A tool's result as programs read it: `success`, `error`, and the tool's own fields. */
export interface ResultRecord {
  /** Whether the call did what it should. */
  readonly success: boolean;
  /** Empty on success. */
  readonly error: string;
  /** What kind of failure it is. */
  readonly error_type?: string;
  /** What to do about it. */
  readonly suggestion?: string;
  /** What the tool itself tells. */
  readonly [field: string]: unknown;
}

/** Tokens of a whole turn, as the server counted them. */
export interface TurnUsage {
  /** Tokens that were sent. */
  readonly prompt_tokens: number;
  /** Tokens that came back. */
  readonly completion_tokens: number;
  /** Of the prompt's tokens those that the server had cached, if it said so. */
  readonly cached_tokens?: number;
  /** Of the completion's tokens those of thinking, if the server said so. */
  readonly reasoning_tokens?: number;
  /** Money, in the currency of the configured prices; absent without a price for the model. */
  readonly cost?: number;
}

/** Where a request differs from the one before it: a server has to read all of it again from there on. */
export interface CacheBreak {
  /** "tools", "message 4 (assistant)" */
  readonly where: string;
  /** Bytes of that part's JSON that are still the same. */
  readonly byte: number;
  /** The JSON around there: as it was, and as it is. */
  readonly before: string;
  /** The same place in this request. */
  readonly now: string;
}

/** What agents have cost that worked for another one. */
export interface DelegatedUsage {
  /** How many requests they made. */
  readonly requests: number;
  /** How many tools they called. */
  readonly tool_calls: number;
  /** How many of these calls were denied. */
  readonly denied: number;
  /** Tokens and money of these requests. */
  readonly usage: TurnUsage;
}

/** What happened, without when and to whom. */
export type EventBody =
  | {
    readonly type: "turn_start";
    readonly prompt: string;
    /** Name of the profile, if the user speaks to an agent that has one. */
    readonly addressed?: string;
  }
  | {
    /** Announced again for the same turn if the reply begins anew: what was received of it is void. */
    readonly type: "request_start";
    readonly turn: number;
    readonly messages: number;
    readonly model?: string;
  }
  | { readonly type: "thinking_delta"; readonly text: string }
  | { readonly type: "text_delta"; readonly text: string }
  | {
    readonly type: "message";
    readonly message: Message;
    /** With a reply: what its request cost, if the server said so. */
    readonly usage?: TurnUsage;
    /** With a reply: where its request was no longer the continuation of the one before it. */
    readonly cache_break?: CacheBreak;
  }
  | {
    readonly type: "tool_start";
    readonly call_id: string;
    readonly name: string;
    readonly input: unknown;
    readonly description: string;
    /** Set if the model wrote the call into its text. */
    readonly rescued?: boolean;
  }
  | {
    readonly type: "tool_state";
    readonly call_id: string;
    readonly state: CallState;
    /** The state that the call has left, and how long it was in it. */
    readonly previous?: CallState;
    readonly duration_ms?: number;
  }
  | {
    readonly type: "tool_preview";
    readonly call_id: string;
    readonly previews: readonly Preview[];
    /** The changes of files with their whole texts, where a frontend shows them. No JSON has them. */
    readonly changes?: readonly Change[] | undefined;
  }
  | { readonly type: "tool_output"; readonly call_id: string; readonly text: string }
  | {
    readonly type: "tool_end";
    readonly call_id: string;
    readonly name: string;
    readonly duration_ms: number;
    readonly result: ResultRecord;
    /** What went wrong, for people: the record's error without the call it repeats. */
    readonly message?: string;
    /** A few lines for people. */
    readonly preview: readonly string[];
    /** All of these lines, if the preview is shorter. Only for a screen: no JSON has it. */
    readonly whole?: readonly string[] | undefined;
  }
  | {
    readonly type: "permission";
    readonly call_id: string;
    readonly class: Risk;
    readonly decision: "allow" | "always" | "deny" | "instead" | "edit";
    readonly why: string;
    readonly by: "rule" | "user";
    /** What the person made of the call, with the decision "edit". */
    readonly edited?: { readonly kind: EditableCall["kind"]; readonly text: string };
  }
  | {
    readonly type: "context";
    readonly tokens: number;
    readonly size: number;
    readonly percent: number;
    readonly level: "normal" | "moderate" | "aggressive" | "critical";
  }
  | {
    readonly type: "notice";
    readonly level: "info" | "warning" | "error";
    readonly text: string;
    /** Milliseconds of silence, if that is all there is to tell: a live screen shows it by itself. */
    readonly waiting_ms?: number;
    /** The server is loading its model meanwhile. */
    readonly loading?: true;
    /** How far the server is with reading the prompt: a live screen shows it in its status. */
    readonly reading?: PromptProgress;
    /** The model that takes over for the rest of the turn. */
    readonly fallback_model?: string;
  }
  | {
    readonly type: "turn_end";
    readonly reason: TurnEndReason;
    readonly turns: number;
    readonly tool_calls: number;
    readonly denied: number;
    readonly duration_ms: number;
    readonly usage: TurnUsage;
    /** What agents that worked for this one came to; not part of the figures above. */
    readonly delegated?: DelegatedUsage;
    /** The answer as a value, where one by a schema was asked for and given. */
    readonly structured?: unknown;
    /** What cut the last reply off, if something did. */
    readonly cut?: AnswerCut;
    readonly error?: string | undefined;
  };

/** One thing that happened, with when and to whom. */
export type Event = EventBody & {
  /** ISO 8601. */
  readonly time: string;
  readonly agent: AgentIdentity;
};

/** Receives every event, in order; must not throw and does not wait. */
export type EventSink = (event: Event) => void;
