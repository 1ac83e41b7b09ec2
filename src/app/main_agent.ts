/**
 * Makes the agent that the user talks to of the parts of a run. Called by the composition root.
 */
import { Agent } from "../agent/agent.ts";
import type { Delegation } from "../agent/delegate.ts";
import type { Servers } from "../mcp/servers.ts";
import { outputKeeper } from "../store/outputs.ts";
import type { Registry } from "../tools/registry.ts";
import type { SchedulerDeps } from "../tools/scheduler.ts";
import type { Front } from "./app.ts";
import type { Groundwork } from "./bootstrap.ts";
import type { Conversations } from "./conversations.ts";
import type { Confines } from "./enforcement.ts";
import { MAIN } from "./events.ts";
import type { Notes } from "./instructions.ts";
import type { Models } from "./models.ts";
import type { Start } from "./sessions.ts";
import type { Traffic } from "./traffic.ts";
import { circlesOf, diffContextOf, thresholdsOf } from "./tuning.ts";

/** What the agent is made of, beside the groundwork. */
export interface AgentParts {
  readonly front: Front;
  readonly confines: Confines;
  readonly registry: Registry;
  readonly delegation: Delegation;
  readonly conversations: Conversations;
  readonly notes: Notes;
  readonly models: Models;
  readonly mcp: Servers | undefined;
  readonly traffic: Traffic | undefined;
  readonly start: Start;
  /** The model it begins with. */
  readonly model: string;
}

/** An agent with the conversation that goes on from the start. */
export function createAgent(work: Groundwork, parts: AgentParts): Agent {
  const { denied, kept, settings, workspace } = work;
  const { front, delegation, conversations, notes, models, mcp, start, model } = parts;
  const agent: Agent = new Agent({
    ...conversations.open(start, model),
    model: models.port,
    costOf: (usage, name) => models.costOf(usage, name),
    windowOf: (name) => models.windowOf(name),
    settings: { model, maxTokens: settings.maxTokens, temperature: settings.temperature },
    systemPrompt: notes.prompt,
    // Without a person there is one turn.
    ...front.interactive && { currentPrompt: () => notes.renew() },
    maxTurns: settings.maxTurns,
    thresholds: thresholdsOf(settings.tuning),
    circles: circlesOf(settings.tuning),
    // Without it a message does not tell what came after it, and only the conversation can go back.
    ...!denied.has("write") &&
      { newestChange: () => workspace.newestChange().catch(() => undefined) },
    onOverflow: (signal) => agent.compactNow(signal),
    keepOutput: outputKeeper(kept.locations.outputs),
    delegated: () => delegation.takeSpent(),
    ...mcp && { prepare: (signal) => mcp.prepare(signal) },
    steer: front.steer,
    scheduler: schedulerOf(work, { ...parts, agent: () => agent }),
  });
  return agent;
}

function schedulerOf(
  { broadcast, secrets, settings, workspace }: Groundwork,
  { front, confines, registry, delegation, conversations, traffic, agent }: AgentParts & {
    agent: () => Agent;
  },
): SchedulerDeps {
  const { policy, shell, noteDecision } = confines;
  return {
    registry,
    policy,
    agent: MAIN,
    shell,
    secrets,
    view: (pending) => workspace.view(pending),
    watchCommands: workspace.watchCommands,
    limits: () => ({
      readTokens: agent().deps.budget.readTokens,
      bashTimeout: settings.bashTimeout,
      countTokens: (text) => conversations.count(text),
    }),
    memory: () => agent().deps.conversation,
    emit: broadcast.emit,
    ask: traffic?.session?.ask(front.ask) ?? front.ask,
    maxParallel: settings.maxParallel,
    delegate: (tasks, by) => delegation.run(tasks, by),
    diffs: diffContextOf(settings.tuning),
    noteDecision,
  };
}
