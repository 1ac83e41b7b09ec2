/**
 * The vocabulary of hooks: commands of the user's that ally runs at certain moments. They get JSON, and may refuse,
 * ask, change arguments or add context. They never allow anything.
 */
import type { AgentIdentity } from "./tool.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** When hooks run. */
export type HookEvent = keyof HookFacts;

/** What hooks are told of each event, besides what all are told. */
export interface HookFacts {
  /** Before the first prompt of a session. */
  readonly session_start: { readonly model: string; readonly resumed: boolean };
  /** Before what a person typed is sent. */
  readonly prompt: { readonly prompt: string };
  /** Before a call is judged. */
  readonly before_tool: CallFacts;
  /** After a call that ran. */
  readonly after_tool: CallFacts & { readonly success: boolean; readonly result: JsonObject };
  /** When the model has answered without a call. `continued` counts how often hooks had it go on. */
  readonly stop: { readonly text: string; readonly continued: number };
  /** Before the older part of a conversation is summarized. */
  readonly compact: { readonly messages: number; readonly tokens: number };
  /** When a person is asked something, or a turn has ended. */
  readonly notification: { readonly kind: "question" | "turn_end"; readonly text: string };
}

/** A call, as hooks see it: with placeholders for secrets. */
interface CallFacts {
  readonly tool: string;
  readonly call_id: string;
  readonly arguments: JsonObject;
  /** Absolute paths: those that the call names, and afterwards also those that it has changed. */
  readonly paths: readonly string[];
}

/** One hook, as a configuration has it. */
export interface HookSetting {
  readonly name?: string;
  /** A program with its arguments, or a line for `sh`. */
  readonly command: string | readonly string[];
  /** Names of tools, `*` for any letters. @default all */
  readonly tools?: readonly string[];
  /** Globs below the working directory. @default calls without a path, too */
  readonly paths?: readonly string[];
  /** Seconds. @default 10 */
  readonly timeout?: number;
  /** Whether its failure refuses what it was asked about. @default false */
  readonly required?: boolean;
  /** Whether it runs outside of the sandbox; only in the user's own configuration. @default false */
  readonly trusted?: boolean;
}

/** The hooks of a configuration, by event, in the order in which they run. */
export type HookSettings = { readonly [E in HookEvent]?: readonly HookSetting[] };

/** What the hooks of an event came to. */
export interface HookOutcome {
  /** "deny" and "ask" are about what is to happen; "continue" has a model go on that would stop. */
  readonly decision?: "deny" | "ask" | "continue" | undefined;
  /** Who decided, and why: one line. */
  readonly why?: string | undefined;
  /** What the call is to be made with instead. */
  readonly arguments?: JsonObject | undefined;
  /** Names of the hooks that changed the arguments. */
  readonly changedBy: readonly string[];
  /** What the model is told: masked, bounded, and marked as a hook's. */
  readonly notes: readonly string[];
}

/** Whom an event is about, and what ends the hooks. */
export interface HookContext {
  readonly agent: AgentIdentity;
  readonly signal: AbortSignal;
  /** The paths of a call that is made with other arguments. */
  readonly pathsOf?: (changed: JsonObject) => Promise<readonly string[]>;
}

/** Runs the hooks of events. */
export interface Hooks {
  /** Runs those that match, one after the other. Never throws; hooks that fail are told to the person. */
  run<E extends HookEvent>(
    event: E,
    facts: HookFacts[E],
    context: HookContext,
  ): Promise<HookOutcome>;
  /** Whether a conversation is new to hooks; true once for each. */
  beginsSession(conversation: object): boolean;
  /** Whether there is one for an event. */
  has(event: HookEvent): boolean;
  /** Tells hooks without waiting for them. */
  notify(facts: HookFacts["notification"], agent: AgentIdentity): void;
}
