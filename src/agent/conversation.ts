/**
 * The messages of one agent, and what its tools keep with them, saved one by one as they come. Whatever
 * else happens, it stays valid: every call is followed by exactly one result, and call ids are unique.
 * Results are given up in two steps: a clean-up is saved at once, but changes the messages only when the
 * turn applies it, because each change makes the server compute the conversation anew.
 */
import type { StaleResult } from "../context/stale_reads.ts";
import { countTokens } from "../context/tokens.ts";
import { type Branch, leaveRewound, type RewoundBranch, switchBranch } from "../core/branches.ts";
import type {
  CleanedResult,
  ConversationAccess,
  Results,
  State,
} from "../core/conversation_access.ts";
import { ToolError } from "../core/errors.ts";
import {
  type AssistantMessage,
  type LoadedSkill,
  type Message,
  skillsIn,
  type ToolCall,
  type ToolMessage,
  type UserMessage,
  withoutImages,
  withoutReasoning,
  withoutStatus,
} from "../core/message.ts";
import type { SentPart } from "../core/model.ts";
import { NO_MASKING, type Secrets } from "../core/secrets.ts";
import type { EndedTurn, Entry, SessionLog, ShownCall } from "../core/session_log.ts";
import type { SystemPrompt } from "../core/system_prompt.ts";
import { mapStrings } from "../lib/json_strings.ts";
import { maskMessage, maskPrompt, remaskMessage } from "./masked_message.ts";

/** Results named to a model that gave an id which no result has. */
const MAX_NAMED = 8;

/** Owns the history, and the system prompt above it. */
export class Conversation implements ConversationAccess {
  readonly state: State;
  readonly results: Results;
  /** When it was compacted last, on the clock of `performance.now()`. */
  compactedAt: number | undefined;
  /** What was sent with the last request; it is not saved. */
  lastSent: readonly SentPart[] | undefined;
  #prompt: SystemPrompt;
  #hasBegun: boolean;
  readonly #messages: Message[];
  readonly #log: SessionLog;
  readonly #secrets: Secrets;
  readonly #ids: Set<string>;
  /** Clean-ups asked for and not yet applied, by call. */
  readonly #pending = new Map<string, { content: string; tokens: number }>();
  /** What each compaction that stands has covered, the last one last. */
  #covered: (readonly Message[])[];
  /** What each rewind that can be taken back has dropped, the last one last. */
  #rewound: (readonly Message[])[];
  #branches: readonly Branch[];
  readonly #calls: Map<string, ShownCall>;
  readonly #turns: EndedTurn[];
  #title: string | undefined;

  constructor(options: {
    log: SessionLog;
    prompt?: SystemPrompt;
    /** Whether the prompt is the one of an earlier turn. @default false */
    hasBegun?: boolean;
    messages?: readonly Message[];
    state?: ReadonlyMap<string, unknown>;
    covered?: readonly (readonly Message[])[];
    rewound?: readonly (readonly Message[])[];
    branches?: readonly Branch[];
    calls?: ReadonlyMap<string, ShownCall>;
    turns?: readonly EndedTurn[];
    /** What the user calls it. */
    title?: string | undefined;
    /** Keeps secrets out of what is sent and saved. @default nothing is masked */
    secrets?: Secrets;
    /** Whether the messages were masked by the same rules when they were saved. @default false */
    isMasked?: boolean | undefined;
  }) {
    const secrets = this.#secrets = options.secrets ?? NO_MASKING;
    // A session may have been saved when nothing was masked, or by other rules.
    const mask = options.isMasked ? remaskMessage : maskMessage;
    const masked = (messages: readonly Message[]) => messages.map((one) => mask(one, secrets));
    this.#hasBegun = options.hasBegun ?? false;
    this.#prompt = maskPrompt(options.prompt ?? [], (text) => secrets.remask(text));
    this.#covered = (options.covered ?? []).map(masked);
    this.#rewound = (options.rewound ?? []).map(masked);
    this.#branches = (options.branches ?? []).map(({ messages, covered }) => ({
      messages: masked(messages),
      covered: covered.map(masked),
    }));
    this.#calls = new Map(options.calls);
    this.#turns = [...options.turns ?? []];
    this.#title = options.title;
    this.#messages = masked(options.messages ?? []);
    this.#log = options.log;
    const all = [this.#current, ...this.#branches].flatMap(({ messages, covered }) => [
      ...covered.flat(),
      ...messages,
    ]);
    all.push(...this.#rewound.flat());
    this.#ids = new Set(all.flatMap(callsOf).map((call) => call.id));
    const values = new Map(options.state);
    this.state = {
      get: (key) => values.get(key),
      set: (key, value) => {
        const masked = mapStrings(value, (text) => secrets.remask(text));
        values.set(key, masked);
        return this.#log.appendEntry({ type: "state", key, value: masked });
      },
    };
    this.results = {
      cleanUp: (callIds, content) => this.#cleanUp(callIds, secrets.remask(content)),
    };
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** The skills whose instructions can be read in the messages. */
  loadedSkills(): readonly LoadedSkill[] {
    return skillsIn(this.#messages);
  }

  /** The system prompt, the same to the byte from the first turn on. */
  get prompt(): SystemPrompt {
    return this.#prompt;
  }

  /** Whether a turn has begun, in this process or before. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Begins the first turn with a system prompt, which stays and is saved. */
  async begin(prompt: SystemPrompt): Promise<void> {
    this.#prompt = maskPrompt(prompt, (text) => this.#secrets.remask(text));
    this.#hasBegun = true;
    await this.#log.appendEntry({ type: "system_prompt", parts: this.#prompt });
  }

  /** What each compaction that stands has covered, the last one last. */
  get covered(): readonly (readonly Message[])[] {
    return this.#covered;
  }

  /** What the user calls the session, if it has a name of its own. */
  get title(): string | undefined {
    return this.#title;
  }

  /** Gives the session a name. */
  async rename(title: string): Promise<void> {
    this.#title = this.#secrets.remask(title);
    await this.#log.appendEntry({ type: "title", title: this.#title });
  }

  /** Tokens that applying the clean-ups asked for would free. */
  get reclaimableTokens(): number {
    return [...this.#pending.values()].reduce((sum, { tokens }) => sum + tokens, 0);
  }

  /** Appends a message, its secrets masked, and waits until it is saved; returns it as it is kept. */
  async append<M extends Message>(message: M): Promise<M> {
    const masked = maskMessage(message, this.#secrets);
    for (const call of callsOf(masked)) this.#ids.add(call.id);
    this.#leaveRewound();
    this.#messages.push(masked);
    await this.#log.append(masked);
    return masked;
  }

  /** Saves a piece of the reply that is arriving; `first` begins it anew. */
  savePartialReply(text: string, { first }: { first: boolean }): Promise<void> {
    return this.#log.appendEntry({ type: "draft", text: this.#secrets.remask(text), first });
  }

  /** Applies the clean-ups asked for; returns the tokens freed. */
  applyCleanUps(): number {
    const freed = this.reclaimableTokens;
    for (const [index, message] of this.#messages.entries()) {
      const cleanUp = message.role === "tool" ? this.#pending.get(message.call_id) : undefined;
      if (cleanUp === undefined || message.role !== "tool") continue;
      const { files: _overtaken, images: _unseen, skills: _gone, ...rest } = message;
      this.#messages[index] = { ...rest, content: cleanUp.content, cleaned: true };
    }
    this.#pending.clear();
    return freed;
  }

  /**
   * Gives up results whose text was overtaken, or is in the way; applied with the next clean-up. One that is given up
   * then anyway is left to that.
   */
  async cleanUpResults(results: readonly StaleResult[]): Promise<void> {
    const open = results.filter(({ callId }) => !this.#pending.has(callId));
    const byNote = Map.groupBy(open, ({ note }) => note);
    for (const [note, same] of byNote) {
      await this.#cleanUp(same.map(({ callId }) => callId), note);
    }
  }

  /**
   * Sends no thinking any more of the messages so far, but for the last `kept`; returns whether there was some.
   */
  dropReasoning(kept = 0): Promise<boolean> {
    const count = Math.max(0, this.#messages.length - kept);
    return this.#drop("reasoning_dropped", { count, drop: withoutReasoning });
  }

  /** Sends no pictures any more of the first `count` messages; returns whether there were some. */
  dropImages(count: number): Promise<boolean> {
    return this.#drop("images_dropped", { count, drop: withoutImages });
  }

  async #drop(
    type: "reasoning_dropped" | "images_dropped",
    { count, drop }: { count: number; drop: (messages: readonly Message[]) => Message[] },
  ): Promise<boolean> {
    const dropped = this.#messages.slice(0, count);
    const left = drop(dropped);
    if (left.every((message, index) => message === dropped[index])) return false;
    this.#messages.splice(0, left.length, ...left);
    const covers = left.filter(({ role }) => role !== "tool").length;
    await this.#log.appendEntry({ type, covers });
    return true;
  }

  /** Takes back what was said of the fill of the window. */
  async clearStatus(): Promise<void> {
    this.#messages.splice(0, Infinity, ...withoutStatus(this.#messages));
    await this.#log.appendEntry({ type: "status_cleared" });
  }

  /** Puts one message in the place of the first `count`, which must not end within a reply's results. */
  async compact(count: number, message: UserMessage): Promise<void> {
    this.applyCleanUps();
    const masked = maskMessage(message, this.#secrets);
    this.#leaveRewound();
    const kept = withoutStatus(this.#messages.slice(count));
    const covered = this.#messages.splice(0, Infinity, masked, ...kept).slice(0, count);
    this.#covered.push(covered);
    const covers = covered.filter(({ role }) => role !== "tool").length;
    await this.#log.appendEntry({ type: "compaction", covers, message: masked });
  }

  /**
   * Keeps what an agent does that works for this conversation, message by message; its own conversation masks what it
   * says. Returns where that goes, and how to say why it ended.
   */
  async logSubAgent(
    { task, ...run }: Omit<Extract<Entry, { type: "agent" }>, "type">,
  ): Promise<{ log: SessionLog; end(reason: string): Promise<void> }> {
    const { id } = run;
    const note = (one: Entry) => this.#log.appendEntry(one);
    await note({ type: "agent", ...run, task: this.#secrets.remask(task) });
    return {
      log: {
        append: (message) => note({ type: "agent_message", id, message }),
        appendEntry: () => Promise.resolve(),
      },
      end: (reason) => note({ type: "agent_end", id, reason }),
    };
  }

  /** Takes the last compaction back; the number of messages that are there again, 0 if there is none. */
  async undoCompaction(): Promise<number> {
    const covered = this.#covered.pop();
    if (covered === undefined) return 0;
    this.#leaveRewound();
    this.#messages.splice(0, 1, ...covered);
    await this.#log.appendEntry({ type: "compaction_undone" });
    return covered.length;
  }

  /**
   * Goes back to when there were only the first `count` messages; the rest is kept until something is said.
   * @throws {Error} that would part a reply from its results
   */
  async rewind(count: number): Promise<void> {
    if (this.#messages[count]?.role === "tool") {
      throw new Error("Cannot go back to there: a reply would be parted from its results.");
    }
    this.applyCleanUps();
    this.#rewound.push(this.#messages.splice(count));
    const keeps = this.#messages.filter(({ role }) => role !== "tool").length;
    await this.#log.appendEntry({ type: "rewind", keeps });
  }

  /** Takes the last rewind back; the number of messages that are there again, 0 if there is none. */
  async undoRewind(): Promise<number> {
    const dropped = this.#rewound.pop();
    if (dropped === undefined) return 0;
    this.#messages.push(...dropped);
    await this.#log.appendEntry({ type: "rewind_undone" });
    return dropped.length;
  }

  /** The branches that were left by rewinds, in the order in which that happened. */
  get branches(): readonly Branch[] {
    return this.#branches;
  }

  /** Goes on with the branch at a place, and leaves this one; false if there is none. */
  async switchBranch(place: number): Promise<boolean> {
    this.applyCleanUps();
    const switched = switchBranch(this.#branches, { place, current: this.#current });
    if (switched === undefined) return false;
    this.#messages.splice(0, Infinity, ...switched.current.messages);
    this.#covered = [...switched.current.covered];
    this.#branches = switched.left;
    this.#rewound = [];
    await this.#log.appendEntry({ type: "branch", place });
    return true;
  }

  get #current(): RewoundBranch {
    return { messages: this.#messages, covered: this.#covered, rewound: this.#rewound };
  }

  #leaveRewound(): void {
    this.#branches = leaveRewound(this.#branches, this.#current);
    this.#rewound = [];
  }

  /** How calls looked, by their ids. */
  get calls(): ReadonlyMap<string, ShownCall> {
    return this.#calls;
  }

  /** The turns that have ended, on whatever branch, in order. */
  get turns(): readonly EndedTurn[] {
    return this.#turns;
  }

  /** Keeps how a call looked. */
  async logCall(call: ShownCall): Promise<void> {
    const masked = mapStrings(call, (text) => this.#secrets.remask(text));
    this.#calls.set(call.call_id, masked);
    await this.#log.appendEntry({ type: "call", ...masked });
  }

  /** Keeps how a turn ended. */
  async logTurn(turn: EndedTurn): Promise<void> {
    const masked = mapStrings(turn, (text) => this.#secrets.remask(text));
    this.#turns.push(masked);
    await this.#log.appendEntry({ type: "turn", ...masked });
  }

  /** The same reply with call ids that no earlier call of the conversation has. */
  withUniqueIds(reply: AssistantMessage): AssistantMessage {
    const taken = new Set(this.#ids);
    const calls = reply.calls.map((call) => {
      let id = call.id;
      for (let count = 2; taken.has(id); count++) id = `${call.id}_${count}`;
      taken.add(id);
      return id === call.id ? call : { ...call, id };
    });
    return { ...reply, calls };
  }

  async #cleanUp(callIds: readonly string[], content: string): Promise<CleanedResult[]> {
    const found = callIds.map((id) => this.#resultOf(id));
    const cleaned = found.map(({ call_id: callId, name: tool, content: old }) => {
      const tokensSaved = Math.max(0, countTokens(old) - countTokens(content));
      return { callId, tool, tokensSaved };
    });
    for (const one of cleaned) {
      this.#pending.set(one.callId, { content, tokens: one.tokensSaved });
    }
    await this.#log.appendEntry({ type: "cleanup", call_ids: callIds, content });
    return cleaned;
  }

  #resultOf(id: string): ToolMessage {
    const results = this.#messages.filter((message) => message.role === "tool");
    const result = results.find((message) => message.call_id === id);
    if (result === undefined) {
      throw new ToolError(`Cannot clean up: no earlier call has the id '${id}'.`, {
        kind: "user",
        suggestion: this.#candidates(results),
      });
    }
    if (!this.#isCleaned(result)) return result;
    throw new ToolError(`Cannot clean up: the result of '${id}' was cleaned up already.`, {
      kind: "user",
      suggestion: this.#candidates(results),
    });
  }

  #isCleaned(result: ToolMessage): boolean {
    return result.cleaned === true || this.#pending.has(result.call_id);
  }

  /** The results that are worth most to clean up, for a model that does not know their ids. */
  #candidates(results: readonly ToolMessage[]): string {
    const named = results.filter((result) => !this.#isCleaned(result))
      .map((result) => ({ ...result, tokens: countTokens(result.content) }))
      .sort((a, b) => b.tokens - a.tokens)
      .slice(0, MAX_NAMED)
      .map(({ call_id, name, tokens }) => `${call_id} (${name}, ${tokens} tokens)`);
    return named.length === 0
      ? "There is no result left to clean up."
      : `Results that can be cleaned up: ${named.join(", ")}.`;
  }
}

function callsOf(message: Message): readonly ToolCall[] {
  return message.role === "assistant" ? message.calls : [];
}
