/**
 * Has agents work for the one the user talks to, several at a time, and runs an agent that the user speaks to
 * directly. What an agent says is saved with the conversation as it is said.
 */
import { cutToTokens } from "../context/tokens.ts";
import type { AgentTask, AgentTaskResult } from "../core/delegate.ts";
import { BudgetSpentError, ToolError } from "../core/errors.ts";
import type { DelegatedUsage, EventBody } from "../core/event.ts";
import type { ViewFiles } from "../core/files.ts";
import type { AgentIdentity } from "../core/tool.ts";
import { Semaphore } from "../lib/pool.ts";
import type { Profile } from "./profile_file.ts";
import type { Profiles } from "./profiles.ts";
import { runSubAgent, type SubAgentOutcome } from "./sub_agent.ts";
import type { TurnDeps, TurnSummary } from "./turn_deps.ts";
import { type SlotUser, sumUsage } from "./usage.ts";

/** Tokens of an agent's words that are passed on however little room there is. */
const MIN_TOKENS = 100;

/** What all agents work with. */
interface DelegationOptions {
  readonly profiles: Profiles;
  /** Sends facts as an agent's own. */
  readonly emitAs: (agent: AgentIdentity) => (event: EventBody) => void;
  /** The user's files for an agent that has read none of them yet. */
  readonly openFiles: () => ViewFiles;
  /** Agents that may work at once. */
  readonly maxParallel: number;
  /** Requests an agent may make for a task, if its profile says nothing. */
  readonly maxTurns: number;
}

/** Starts agents and counts what they cost. */
export class Delegation {
  readonly #options: DelegationOptions;
  readonly #permits: Semaphore;
  /** Names of the agents that work now. */
  readonly #names = new Set<string>();
  #started = 0;
  #usage: DelegatedUsage | undefined;

  constructor(options: DelegationOptions) {
    this.#options = options;
    this.#permits = new Semaphore({ limit: options.maxParallel });
  }

  get profiles(): Profiles {
    return this.#options.profiles;
  }

  /** Runs the tasks of one call. @throws {ToolError} validation: there is no such agent */
  async run(
    tasks: readonly AgentTask[],
    { callId, signal, parent }: { callId: string; signal: AbortSignal; parent: TurnDeps },
  ): Promise<AgentTaskResult[]> {
    const profiles = tasks.map(({ agent }) => this.#profile(agent));
    const starts = tasks.map(({ prompt }, index) => {
      const profile = profiles[index]!;
      return { prompt, profile, agent: this.#identity(profile, { depth: 1, call_id: callId }) };
    });
    try {
      return await Promise.all(
        starts.map((start) =>
          this.#delegateInSlot(start, { signal, parent, sharers: tasks.length })
        ),
      );
    } finally {
      for (const { agent } of starts) this.#names.delete(agent.name);
    }
  }

  /** Runs an agent that the user speaks to: its words are the turn's. @throws what the signal was aborted with */
  async runAddressed(
    { profile, prompt }: { profile: Profile; prompt: string },
    { signal, parent }: { signal: AbortSignal; parent: TurnDeps },
  ): Promise<TurnSummary> {
    const agent = this.#identity(profile, { depth: 0 });
    try {
      // Servers that are still on their way bring tools, which the agent is to have.
      await parent.prepare?.(signal);
      const user = { id: agent.id, model: modelOf(profile, parent), onWait: () => {} };
      return (await inSlot(
        parent,
        user,
        () => this.#start({ prompt, profile, agent }, { signal, parent }),
      )).summary;
    } finally {
      this.#names.delete(agent.name);
    }
  }

  /** What agents have cost that worked for another one since this was asked last. */
  takeUsage(): DelegatedUsage | undefined {
    const spent = this.#usage;
    this.#usage = undefined;
    return spent;
  }

  #profile(name: string): Profile {
    const profile = this.profiles.find(name);
    if (profile !== undefined) return profile;
    throw new ToolError(`There is no agent named '${name}'.`, {
      kind: "validation",
      suggestion: `There are: ${this.profiles.all.map((one) => one.name).join(", ")}.`,
    });
  }

  /** A name that no other agent at work has: "general", "general 2". */
  #identity(profile: Profile, position: Pick<AgentIdentity, "depth" | "call_id">): AgentIdentity {
    let { name } = profile;
    for (let count = 2; this.#names.has(name); count++) name = `${profile.name} ${count}`;
    this.#names.add(name);
    return { id: `agent_${++this.#started}`, name, ...position };
  }

  /** Runs a task once the model's server and the limit of agents at work let it. */
  async #delegateInSlot(start: AgentStart, options: TaskOptions): Promise<AgentTaskResult> {
    const { parent } = options;
    let waited: string | undefined;
    const user = {
      id: start.agent.id,
      model: modelOf(start.profile, parent),
      onWait: (why: string) => waited = why,
    };
    const result = await inSlot(
      parent,
      user,
      () => this.#permits.run(() => this.#delegate(start, options)),
    );
    return { ...result, ...waited !== undefined && { waited } };
  }

  async #delegate(
    start: AgentStart,
    { signal, parent, sharers }: TaskOptions,
  ): Promise<AgentTaskResult> {
    const since = performance.now();
    const agent = start.profile.name;
    if (signal.aborted) {
      const error = signal.reason instanceof BudgetSpentError
        ? signal.reason.message
        : "[Request interrupted by user before it began]";
      return { agent, success: false, text: "", error, turns: 0, toolCalls: 0, durationMs: 0 };
    }
    const { summary, text, error } = await this.#start(start, { signal, parent });
    const { turns: requests, tool_calls, denied, usage } = summary;
    this.#usage = sumUsage(this.#usage, { requests, tool_calls, denied, usage });
    return {
      agent,
      success: error === undefined,
      text: await fitWords(text, { parent, sharers }),
      ...(error !== undefined && { error }),
      turns: summary.turns,
      toolCalls: summary.tool_calls,
      durationMs: performance.now() - since,
    };
  }

  async #start(
    { prompt, profile, agent }: AgentStart,
    { signal, parent }: { signal: AbortSignal; parent: TurnDeps },
  ): Promise<SubAgentOutcome> {
    const { emitAs, openFiles, maxTurns } = this.#options;
    const { id, name, call_id } = agent;
    const call = call_id === undefined ? {} : { call_id };
    const run = await parent.conversation.logSubAgent({ id, name, ...call, task: prompt });
    const outcome = await runSubAgent(prompt, {
      profile,
      agent,
      parent,
      log: run.log,
      view: openFiles(),
      emit: emitAs(agent),
      maxTurns,
      signal,
    });
    await run.end(outcome.summary.reason);
    return outcome;
  }
}

/** An agent's words as far as the agent above has room for them; the whole is saved for it to read. */
async function fitWords(
  text: string,
  { parent: { budget, saveOutput }, sharers }: { parent: TurnDeps; sharers: number },
): Promise<string> {
  const count = (part: string) => budget.counter.count(part);
  const share = Math.max(MIN_TOKENS, Math.floor(budget.readTokens / sharers));
  if (count(text) <= share) return text;
  const file = await saveOutput?.(text);
  const where = file === undefined ? "" : `; all of it is in ${file}`;
  const notice = `\n[The agent's words are cut here${where}]`;
  return cutToTokens(text, Math.max(1, share - count(notice)), { count }) + notice;
}

function modelOf({ model }: Profile, { settings }: TurnDeps): string {
  return model ?? settings.model;
}

function inSlot<T>({ inSlot }: TurnDeps, user: SlotUser, run: () => Promise<T>): Promise<T> {
  return inSlot === undefined ? run() : inSlot(user, run);
}

/** How a task is run. */
interface TaskOptions {
  readonly signal: AbortSignal;
  readonly parent: TurnDeps;
  /** How many results of the call share the room for them. */
  readonly sharers: number;
}

/** An agent about to work. */
interface AgentStart {
  readonly prompt: string;
  readonly profile: Profile;
  readonly agent: AgentIdentity;
}
