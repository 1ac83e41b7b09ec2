/**
 * What a turn works with, and what it comes to.
 */
import type { Budget } from "../context/budget.ts";
import type { DelegatedUsage, EventBody } from "../core/event.ts";
import type { ImagePart } from "../core/image.ts";
import type { Effort, Model } from "../core/model.ts";
import type { SystemPrompt } from "../core/system_prompt.ts";
import type { SchedulerDeps } from "../tools/scheduler.ts";
import type { AnswerCheck } from "./answer_check.ts";
import type { Thresholds } from "./compact.ts";
import type { Conversation } from "./conversation.ts";
import type { RepetitionLimits } from "./loop_guard.ts";
import type { Spending } from "./spending.ts";
import type { ModelFigures } from "./usage.ts";

/** What is the same for every request of a session. */
export interface RequestSettings {
  readonly model: string;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** @default as the model's endpoint says */
  readonly effort?: Effort | undefined;
}

/** What the turns of an agent work with. */
export interface TurnDeps extends ModelFigures {
  readonly conversation: Conversation;
  readonly model: Model;
  /** Of the next request: they may change within a turn. */
  readonly settings: RequestSettings;
  /** Takes over where the model's server is overloaded or fails. @default the turn fails */
  readonly fallbackModel?: string | undefined;
  /** The system prompt as a conversation that begins now would have it. @default nothing changes */
  readonly currentPrompt?: () => Promise<SystemPrompt>;
  /** Number of the newest change to files, 0 if there is none. @default messages do not say */
  readonly newestChange?: () => Promise<number | undefined>;
  readonly budget: Budget;
  readonly thresholds: Thresholds;
  /** When the model counts as repeating itself. */
  readonly repetition: RepetitionLimits;
  readonly scheduler: SchedulerDeps;
  /** What may be spent. @default nothing is limited */
  readonly spending?: Spending | undefined;
  /** Requests one turn may make. */
  readonly maxTurns: number;
  /** Name of its profile, if the user speaks to the agent by it. */
  readonly addressed?: string;
  /** Takes what the agents that work for this one have cost since the last time; absent if there are none. */
  readonly takeDelegatedUsage?: () => DelegatedUsage | undefined;
  /** What is done before a turn of the user's. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
  /** Saves a text that had to be cut, so that the model can read on in it; the file's path. */
  readonly saveOutput?: (text: string) => Promise<string | undefined>;
  /** The requests under way whose thinking the person can end. @default nobody is there to end it */
  readonly answerable?: Set<AbortController> | undefined;
  /** What checks the answer of one turn of the user's agent. @default it answers as it likes */
  readonly createAnswerCheck?: (() => AnswerCheck) | undefined;
  /** Takes the pictures that go with the user's next words. @default there are none */
  readonly takeImages?: (() => readonly ImagePart[]) | undefined;
  /** What the user has said since the turn began; asked before each request but the first. */
  readonly steer?: (() => Promise<readonly string[]>) | undefined;
}

/** How a turn ended; also told by the event `turn_end`. */
export interface TurnSummary extends Omit<Extract<EventBody, { type: "turn_end" }>, "type"> {
  /** The model's last words. */
  readonly text: string;
  /** What was thrown, if the reason is "error". */
  readonly cause?: unknown;
}
