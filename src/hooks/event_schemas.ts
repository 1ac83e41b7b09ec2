/**
 * The contract with hooks, published by `ally config schema`: what each event sends to standard input, and what a hook
 * may answer on standard output. Whatever else it answers counts as a failure.
 */
import type { HookEvent } from "../core/hooks.ts";
import type { JsonObject } from "../lib/schema.ts";

/** Version of the contract; a field that is added does not change it. */
export const HOOK_VERSION = 1;

const TEXT = { type: "string" };
const COUNT = { type: "integer", minimum: 0 };

const CALL = {
  tool: { ...TEXT, description: "name of the tool" },
  call_id: TEXT,
  arguments: {
    type: "object",
    description: "as the model sent them, with placeholders for secrets",
  },
  paths: {
    type: "array",
    items: TEXT,
    description: "absolute paths that the call names, and afterwards those it has changed",
  },
};

const AGENT = {
  type: "object",
  properties: {
    id: TEXT,
    name: TEXT,
    depth: { ...COUNT, description: "0 is the agent you talk to" },
    call_id: { ...TEXT, description: "of the call that gave it its task" },
  },
  required: ["id", "name", "depth"],
  additionalProperties: false,
};

const CONTEXT = { ...TEXT, description: "what the model is told, marked as the hook's" };
const REASON = { ...TEXT, description: "why, in one line" };

/** What there is to say about an event. */
interface EventContract {
  readonly when: string;
  /** Fields of its own that it sends. */
  readonly sends: Readonly<Record<string, JsonObject>>;
  /** Fields that a hook may answer with. */
  readonly takes: Readonly<Record<string, JsonObject>>;
  /** What exit code 2 means; absent where it is a failure like any other code. */
  readonly refusal?: "deny" | "continue";
  /** Set if its hooks may change files of the workspace: then one runs at a time, and `/undo` knows of it. */
  readonly changesFiles?: true;
}

/** All events, in the order in which a session meets them. */
export const HOOK_EVENTS: Readonly<Record<HookEvent, EventContract>> = {
  session_start: {
    when: "before the first prompt of a session",
    sends: { model: TEXT, resumed: { type: "boolean" } },
    takes: { context: CONTEXT },
  },
  prompt: {
    when: "before what you typed is sent",
    sends: { prompt: TEXT },
    takes: { decision: { enum: ["deny"] }, reason: REASON, context: CONTEXT },
    refusal: "deny",
  },
  before_tool: {
    when: "before a call is judged",
    sends: CALL,
    takes: {
      decision: { enum: ["deny", "ask"] },
      reason: REASON,
      arguments: { type: "object", description: "what the call is made with instead" },
      context: CONTEXT,
    },
    refusal: "deny",
  },
  after_tool: {
    when: "after a call that ran",
    sends: { ...CALL, success: { type: "boolean" }, result: { type: "object" } },
    takes: { context: CONTEXT },
    changesFiles: true,
  },
  stop: {
    when: "when the model has answered and would stop",
    sends: {
      text: { ...TEXT, description: "its answer" },
      continued: { ...COUNT, description: "how often hooks had it go on in this turn" },
    },
    takes: { decision: { enum: ["continue"] }, reason: REASON },
    refusal: "continue",
    changesFiles: true,
  },
  compact: {
    when: "before the older part of a conversation is summarized",
    sends: { messages: COUNT, tokens: COUNT },
    takes: { context: CONTEXT },
  },
  notification: {
    when: "when a question waits for you, or a turn has ended",
    sends: { kind: { enum: ["question", "turn_end"] }, text: TEXT },
    takes: {},
  },
};

/** Whether a word names an event. */
export function isHookEvent(word: string): word is HookEvent {
  return Object.hasOwn(HOOK_EVENTS, word);
}

/** The schema of what an event sends. */
export function inputSchema(event: HookEvent): JsonObject {
  const { when, sends } = HOOK_EVENTS[event];
  const properties = {
    version: { const: HOOK_VERSION },
    event: { const: event },
    cwd: { ...TEXT, description: "the working directory, absolute" },
    session_id: { ...TEXT, description: "absent if the session is not saved" },
    agent: AGENT,
    ...sends,
  };
  const required = Object.keys(properties).filter((key) => key !== "session_id");
  return { type: "object", description: when, properties, required, additionalProperties: false };
}

/** The schema of what a hook may answer to an event. */
export function outputSchema(event: HookEvent): JsonObject {
  const { takes } = HOOK_EVENTS[event];
  return { type: "object", properties: takes, additionalProperties: false };
}

/** The whole contract as definitions of a JSON schema: `hook_EVENT_input` and `hook_EVENT_output`. */
export function hookDefinitions(): JsonObject {
  const events = Object.keys(HOOK_EVENTS).filter(isHookEvent);
  return Object.fromEntries(events.flatMap((event) => [
    [`hook_${event}_input`, inputSchema(event)],
    [`hook_${event}_output`, outputSchema(event)],
  ]));
}
