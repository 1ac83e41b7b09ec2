/**
 * The port to a model server. `model/` implements it; the loop knows nothing of HTTP.
 */
import type { AssistantMessage, Message } from "./message.ts";
import type { ToolDefinition } from "./tool.ts";

/** Tokens as the server counted them. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of the prompt's tokens those that the server did not compute anew; absent if it did not say. */
  readonly cachedTokens?: number;
  /** Of the completion's tokens those of thinking; absent if it did not say. */
  readonly reasoningTokens?: number;
}

/** How much a model can be told to think before it answers, from the least to the most. */
export const EFFORTS = ["minimal", "low", "medium", "high"] as const;

/** One of these. */
export type Effort = (typeof EFFORTS)[number];

/** How a server is told how much its model is to think; `model/dialects.ts` has the fields of each. */
export const EFFORT_DIALECTS = [
  "reasoning_effort",
  "reasoning_effort_or_none",
  "high_or_none",
  "template",
  "thinking_budget",
  "thinking_switch",
  "llamacpp",
] as const;

/** One of these. */
export type EffortDialect = (typeof EFFORT_DIALECTS)[number];

/** An answer by a JSON Schema. */
export interface AnswerFormat {
  /** JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** What holds the model to it: the server's own grammar, or a tool that takes the answer. */
  readonly by: "grammar" | "tool";
}

/** What is asked of a model. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** "none": it is to answer at once. @default as the server decides */
  readonly effort?: Effort | "none" | undefined;
  /** Asks for several calls in one reply, where a server has to be asked. @default false */
  readonly parallel?: boolean | undefined;
  /** Id of the agent whose conversation it belongs to. @default nobody's */
  readonly agent?: string | undefined;
  /** Slot of the server that is to work on it. @default the server chooses */
  readonly slot?: number | undefined;
  /** How the reply is to be written. @default as the model likes */
  readonly answer?: AnswerFormat | undefined;
  /** Whether it is only to be read, so that the next request finds it in the cache. @default false */
  readonly warms?: boolean | undefined;
}

/** How far a server is with reading a prompt, in tokens. */
export interface PromptProgress {
  /** Of the whole prompt. */
  readonly total: number;
  /** What it need not read, because it had read it before. */
  readonly cached: number;
  /** What it has read so far of the rest. */
  readonly read: number;
  /** Milliseconds that this has taken. */
  readonly ms: number;
}

/** What happens while a reply arrives. */
export type Delta =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  /** The request failed and is sent again. What was received stands, unless `restart` follows. */
  | { readonly kind: "retry"; readonly why: string; readonly waitMs: number }
  /** The reply starts over: text received so far is void. */
  | { readonly kind: "restart" }
  /** Nothing has come for so many milliseconds: no answer yet, or no more of it. */
  | { readonly kind: "idle"; readonly ms: number; readonly begun: boolean }
  /** The server has been loading the model for so many milliseconds: the request waits for that. */
  | { readonly kind: "loading"; readonly ms: number }
  /** The server reads the prompt. */
  | ({ readonly kind: "reading" } & PromptProgress)
  /** What came of the wish to have an answer at once. */
  | { readonly kind: "answer_now"; readonly how: "told" | "asked_again" | "cannot" }
  /** The server or the model is asked in another way from now on. */
  | { readonly kind: "fallback"; readonly text: string };

/** A part of a request on which a server's cache depends, as it was sent. */
export interface SentPart {
  /** "tools", "message 4 (assistant)" */
  readonly where: string;
  /** Its JSON. */
  readonly value: unknown;
}

/** What came of a request. */
export interface Reply {
  readonly message: AssistantMessage;
  /** What was sent, in the order in which a server reads it. */
  readonly sent?: readonly SentPart[] | undefined;
  /** Absent if the server did not say. */
  readonly usage?: Usage | undefined;
  /** "stop", "tool_calls", "length", ... as the server spelled it. */
  readonly finishReason?: string | undefined;
}

/** The port to a model server. */
export interface Model {
  /**
   * Streams one reply. On abort the socket is closed and what had arrived is returned as a message
   * with `interrupted` set and without calls.
   * @throws {EndpointError} the server cannot be reached or keeps answering with errors
   */
  reply(
    request: ModelRequest,
    options: {
      signal: AbortSignal;
      onDelta: (delta: Delta) => void;
      /** Aborted when the model is to stop thinking and answer. */
      answerNow?: AbortSignal | undefined;
    },
  ): Promise<Reply>;
}
