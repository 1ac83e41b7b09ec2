/**
 * The port through which a conversation outlives the process: one explicit call after every message and
 * for every entry. What was saved is never rewritten: a later entry replaces an earlier one.
 */
import type { TurnEndReason, TurnUsage } from "./event.ts";
import type { Message, UserMessage } from "./message.ts";
import type { SystemPrompt } from "./system_prompt.ts";

/** How a call looked on the screen, for people: the model has its result. */
export interface ShownCall {
  readonly call_id: string;
  /** What it was to do, in one line. */
  readonly description: string;
  readonly duration_ms: number;
  /** A few lines of its result. */
  readonly preview: readonly string[];
  /** What went wrong, and what can be done about it. */
  readonly message?: string;
  readonly suggestion?: string;
  /** Number of the change that it made to files. */
  readonly change?: number;
  /** What it changed in files, unless that is very long. */
  readonly diffs?: readonly { readonly path: string; readonly diff: string }[];
}

/** What the requests of one agent to one model came to in a turn. */
export interface SpentTokens extends TurnUsage {
  readonly agent: string;
  readonly model?: string;
  readonly requests: number;
}

/** How a turn ended, and what it cost. */
export interface EndedTurn {
  /** What it began with, shortened. */
  readonly prompt: string;
  readonly reason: TurnEndReason;
  readonly error?: string;
  /** Requests of the main agent. */
  readonly requests: number;
  /** Calls of all agents. */
  readonly tool_calls: number;
  /** Without the time in which a person was asked. */
  readonly duration_ms: number;
  /** The main agent first; empty in the copy of a session, which did not pay for it. */
  readonly spent: readonly SpentTokens[];
  /** How full the window was then. */
  readonly context?: { readonly tokens: number; readonly size: number; readonly percent: number };
  /** The branch of git on which it ended; absent outside of a repository. */
  readonly branch?: string;
  /** The mark of the turn's last message, by which it is found again. */
  readonly end: string;
  /** How many messages there were then, those that compactions cover too; absent in sessions of before. */
  readonly messages?: number;
}

/** What a session holds beside its messages. */
export type Entry =
  /** The system prompt that the session began with. */
  | { readonly type: "system_prompt"; readonly parts: SystemPrompt }
  | { readonly type: "state"; readonly key: string; readonly value: unknown }
  | {
    /** These results now read so. */
    readonly type: "cleanup";
    readonly call_ids: readonly string[];
    readonly content: string;
  }
  /** A piece of the reply that is arriving; void once a message follows. */
  | { readonly type: "draft"; readonly text: string; readonly first: boolean }
  | {
    /** The first messages now read so. */
    readonly type: "compaction";
    /** How many of them that are no results; those go with the replies that called for them. */
    readonly covers: number;
    readonly message: UserMessage;
  }
  | {
    /** An agent begins to work for this conversation. */
    readonly type: "agent";
    readonly id: string;
    readonly name: string;
    /** The call for which it works; absent if the user speaks to it. */
    readonly call_id?: string;
    readonly task: string;
  }
  /** What is said in its own conversation. */
  | { readonly type: "agent_message"; readonly id: string; readonly message: Message }
  | { readonly type: "agent_end"; readonly id: string; readonly reason: string }
  /** The thinking in the first so many messages is not sent any more; results do not count. */
  | { readonly type: "reasoning_dropped"; readonly covers: number }
  /** The pictures in the first so many messages are not sent any more; results do not count. */
  | { readonly type: "images_dropped"; readonly covers: number }
  /** What was said of the fill of the window is void; a compaction says so too. */
  | { readonly type: "status_cleared" }
  /** The last compaction that stands is taken back. */
  | { readonly type: "compaction_undone" }
  | {
    /** The conversation goes on from an earlier point: only the first messages count. */
    readonly type: "rewind";
    /** How many of them that are no results; those go with the replies that called for them. */
    readonly keeps: number;
  }
  /** The last rewind is taken back; nothing was said since. */
  | { readonly type: "rewind_undone" }
  | {
    /** The conversation goes on from another branch; the one that is left takes the last place. */
    readonly type: "branch";
    /** Its place among those that were left, from 0. */
    readonly place: number;
  }
  | { readonly type: "call" } & ShownCall
  | { readonly type: "turn" } & EndedTurn
  /** What the user calls the session. */
  | { readonly type: "title"; readonly title: string };

/** The port through which a conversation outlives the process. */
export interface SessionLog {
  /** Resolves when the message is safe from a crash of the process. Failures are reported, not thrown. */
  append(message: Message): Promise<void>;
  /** The same for an entry. */
  appendEntry(entry: Entry): Promise<void>;
}
