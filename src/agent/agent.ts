/**
 * The agent the user talks to: one conversation, one turn at a time, one way to interrupt it.
 */
import { fixedPart } from "../context/prompt.ts";
import type { LoadedSkill } from "../core/message.ts";
import type { BatchOutcome, SchedulerDeps } from "../tools/scheduler.ts";
import { compact, type CompactionResult, contextEvent } from "./compact.ts";
import type { CurrentConversation, OpenConversation } from "./current_conversation.ts";
import type { Delegation } from "./delegate.ts";
import type { Profile } from "./profile_file.ts";
import { runTurn } from "./turn.ts";
import type { TurnDeps, TurnSummary } from "./turn_deps.ts";
import { tidyAhead } from "./upkeep.ts";

/** What a turn may have of its own. */
export interface TurnOverrides {
  /** The user's words alone, where the prompt says more. */
  readonly typed?: string | undefined;
  readonly model?: string | undefined;
  readonly policy?: SchedulerDeps["policy"] | undefined;
  /** Skills that the user named: their instructions come before the words, unless they are there already. */
  readonly skills?: readonly LoadedSkill[] | undefined;
  /** What these may do without a question. */
  readonly approvals?: readonly Parameters<SchedulerDeps["policy"]["approveForTurn"]>[0][];
}

/** What an agent is made of. */
interface AgentDeps extends Omit<TurnDeps, keyof OpenConversation> {
  readonly current: CurrentConversation;
  /** The agents that take tasks. @default there are none */
  readonly delegation?: Delegation;
}

/** Ready to use after `new`. */
export class Agent {
  readonly #deps: AgentDeps;
  #running: AbortController | undefined;
  #commands = 0;

  constructor(deps: AgentDeps) {
    const { delegation, scheduler } = deps;
    this.#deps = {
      ...deps,
      ...delegation && {
        takeDelegatedUsage: () => delegation.takeUsage(),
        scheduler: {
          ...scheduler,
          delegate: (tasks, call) => delegation.run(tasks, { ...call, parent: this.deps }),
        },
      },
    };
  }

  get deps(): TurnDeps {
    return { ...this.#deps, ...this.#deps.current.parts };
  }

  /** True while a turn or a command of the user's runs. */
  get busy(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Runs one turn on the user's words; what is overridden holds for this turn. @throws {Error} if one is running
   */
  run(prompt: string, overrides: TurnOverrides = {}): Promise<TurnSummary> {
    const { typed, model, policy, skills, approvals = [] } = overrides;
    return this.#takeTurn(async (signal) => {
      await this.#begin();
      const { settings, scheduler } = this.deps;
      for (const rules of approvals) scheduler.policy.approveForTurn(rules);
      const deps = {
        ...this.deps,
        settings: { ...settings, ...(model !== undefined && { model }) },
        scheduler: { ...scheduler, ...(policy && { policy }) },
      };
      return await runTurn(prompt, { deps, signal, typed, skills });
    });
  }

  /** Runs a turn, whoever answers: what the person allowed for it ends with it. */
  async #takeTurn<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await this.#exclusively(async (signal) => {
        const abort = (reason: Error) => this.#running?.abort(reason);
        using _clock = this.#deps.spending?.startClock(abort);
        return await run(signal);
      });
    } finally {
      this.deps.scheduler.policy.endTurn();
    }
  }

  /** Does ahead what the next turn would begin with, so that a server can read the conversation as it will be sent. */
  async prepareNextTurn(): Promise<void> {
    const { scheduler: { emit } } = this.deps;
    await this.#exclusively((signal) => tidyAhead(this.deps, { signal, emit }));
  }

  /** The first turn takes the system prompt as it is now; it stays the same to the byte. */
  async #begin(): Promise<void> {
    const { conversation, currentPrompt, budget, scheduler } = this.deps;
    if (conversation.hasBegun) return;
    await conversation.begin(await currentPrompt?.() ?? conversation.prompt);
    budget.setFixed(fixedPart(conversation.prompt, scheduler.registry.definitions));
  }

  /**
   * Has another agent take the user's words as its task, and adds what came of it to the conversation as the
   * user's words, so that this agent knows. @throws {Error} a turn is running
   */
  async handOff(
    task: { readonly profile: Profile; readonly prompt: string },
  ): Promise<TurnSummary> {
    const { delegation } = this.#deps;
    if (delegation === undefined) throw new Error("Cannot hand a task off: there are no agents");
    const summary = await this.#takeTurn(async (signal) => {
      await this.#begin();
      return await delegation.runAddressed(task, { signal, parent: this.deps });
    });
    const { conversation, budget } = this.deps;
    const { profile: { name }, prompt } = task;
    const ended = summary.reason === "done" ? "answered" : `ended (${summary.reason}) and said`;
    const text = budget.fit(summary.text.trim()) || "(nothing)";
    const message = await conversation.append({
      role: "user" as const,
      content: `I gave the agent "${name}" this task:\n\n${prompt}\n\nIt ${ended}:\n\n${text}`,
    });
    budget.add(message);
    return summary;
  }

  /**
   * Runs a command that the user typed, through the pipeline but without a question, and adds what came
   * of it to the conversation as the user's words.
   */
  async runCommand(command: string, deps: SchedulerDeps): Promise<BatchOutcome> {
    const call = {
      id: `user_command_${++this.#commands}`,
      name: "bash",
      arguments: JSON.stringify({ command }),
    };
    const change = await this.#deps.newestChange?.();
    const outcome = await this.#exclusively(async (signal) => {
      const { runCalls } = await import("../tools/scheduler.ts");
      return await runCalls([call], { deps, signal });
    });
    const { conversation, budget } = this.deps;
    const text = budget.fit(outcome.results[0]?.text ?? "");
    const message = await conversation.append({
      role: "user" as const,
      content: `I ran this command:\n\n$ ${command}\n${text}`,
      ...change !== undefined && { change },
      typed: `!${command}`,
    });
    budget.add(message);
    return outcome;
  }

  /**
   * Has the older part of the conversation summarized, above all what `focus` names; undefined if there is
   * nothing to gain. An interrupt leaves the conversation as it was.
   * @throws {DOMException} AbortError: it was interrupted
   */
  async compact(focus = ""): Promise<CompactionResult | undefined> {
    const { conversation, scheduler: { emit } } = this.deps;
    const done = await this.#exclusively((signal) => compact(this.deps, { signal, emit, focus }));
    if (done) conversation.compactedAt = performance.now();
    return done;
  }

  /** Takes the last compaction back; the number of messages that are there again, 0 if there was none. */
  async undoCompaction(): Promise<number> {
    const { conversation } = this.deps;
    return await this.#exclusively(async () => {
      const count = await conversation.undoCompaction();
      if (count === 0) return 0;
      this.#recount();
      // Not to be compacted again at once.
      conversation.compactedAt = performance.now();
      return count;
    });
  }

  /** Goes back to when the conversation had only its first `count` messages. @throws as `Conversation.rewind` */
  async rewind(count: number): Promise<void> {
    await this.#exclusively(async () => {
      await this.deps.conversation.rewind(count);
      this.#recount();
    });
  }

  /** Takes the last rewind back; the number of messages that are there again, 0 if something was said since. */
  async undoRewind(): Promise<number> {
    return await this.#exclusively(async () => {
      const count = await this.deps.conversation.undoRewind();
      if (count > 0) this.#recount();
      return count;
    });
  }

  /** Goes on with another branch of the conversation; false if there is none at that place. */
  async switchBranch(place: number): Promise<boolean> {
    return await this.#exclusively(async () => {
      const isThere = await this.deps.conversation.switchBranch(place);
      if (isThere) this.#recount();
      return isThere;
    });
  }

  /** Has the models that think now answer; false if nothing was asked of any, or none can be told. */
  answerNow(): boolean {
    const { answerable } = this.#deps;
    for (const controller of answerable ?? []) controller.abort();
    return answerable !== undefined && answerable.size > 0;
  }

  /** Ends what is running; every call still gets its result. */
  interrupt(): void {
    this.#running?.abort(new DOMException("Interrupted by the user", "AbortError"));
  }

  #recount(): void {
    const { conversation, budget, scheduler: { emit } } = this.deps;
    budget.recount(conversation.messages);
    emit(contextEvent(budget));
  }

  async #exclusively<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#running) throw new Error("Cannot start a turn: another one is running");
    const controller = new AbortController();
    this.#running = controller;
    try {
      return await run(controller.signal);
    } finally {
      this.#running = undefined;
    }
  }
}
