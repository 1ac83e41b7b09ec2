/**
 * Makes the agent that the user talks to of the parts of a run. Called by the composition root.
 */
import { Agent } from "../agent/agent.ts";
import type { Delegation } from "../agent/delegate.ts";
import type { Servers } from "../mcp/servers.ts";
import { createOutputSaver } from "../store/outputs.ts";
import type { Registry } from "../tools/registry.ts";
import type { SchedulerDeps } from "../tools/scheduler.ts";
import type { Frontend } from "./app.ts";
import type { Bootstrap } from "./bootstrap.ts";
import type { Conversations } from "./conversations.ts";
import type { Enforcement } from "./enforcement.ts";
import { MAIN_AGENT } from "./events.ts";
import type { Instructions } from "./instructions.ts";
import type { Models } from "./models.ts";
import type { ConversationStart } from "./sessions.ts";
import type { Traffic } from "./traffic.ts";
import { diffContextOf, loopLimitsOf, thresholdsOf } from "./tuning.ts";

/** What the agent is made of, beside the groundwork. */
export interface AgentParts {
  readonly frontend: Frontend;
  readonly enforcement: Enforcement;
  readonly registry: Registry;
  readonly delegation: Delegation;
  readonly conversations: Conversations;
  readonly instructions: Instructions;
  readonly models: Models;
  readonly mcp: Servers | undefined;
  readonly traffic: Traffic | undefined;
  readonly start: ConversationStart;
  /** The model it begins with. */
  readonly model: string;
}

/** An agent with the conversation that goes on from the start. */
export function createAgent(bootstrap: Bootstrap, parts: AgentParts): Agent {
  const { denied, storage, settings, workspace } = bootstrap;
  const { frontend, delegation, conversations, instructions, models, mcp, start, model } = parts;
  const agent: Agent = new Agent({
    ...conversations.open(start, model),
    model: models.router,
    costOf: (usage, name) => models.costOf(usage, name),
    windowOf: (name) => models.resolveWindowSize(name),
    settings: { model, maxTokens: settings.maxTokens, temperature: settings.temperature },
    systemPrompt: instructions.prompt,
    // Without a person there is one turn.
    ...frontend.interactive && { currentPrompt: () => instructions.refresh() },
    maxTurns: settings.maxTurns,
    thresholds: thresholdsOf(settings.tuning),
    repetition: loopLimitsOf(settings.tuning),
    // Without it a message does not tell what came after it, and only the conversation can go back.
    ...!denied.has("write") &&
      { newestChange: () => workspace.newestChangeNumber().catch(() => undefined) },
    onOverflow: (signal) => agent.compactOnOverflow(signal),
    saveOutput: createOutputSaver(storage.paths.outputs),
    takeDelegatedUsage: () => delegation.takeUsage(),
    ...mcp && { prepare: (signal) => mcp.prepare(signal) },
    steer: frontend.steer,
    scheduler: createSchedulerDeps(bootstrap, { ...parts, agent: () => agent }),
  });
  return agent;
}

function createSchedulerDeps(
  { events, secrets, settings, workspace }: Bootstrap,
  { frontend, enforcement, registry, delegation, conversations, traffic, agent }: AgentParts & {
    agent: () => Agent;
  },
): SchedulerDeps {
  const { policy, shell, logDecision } = enforcement;
  return {
    registry,
    policy,
    agent: MAIN_AGENT,
    shell,
    secrets,
    view: (pending) => workspace.view(pending),
    watchCommands: workspace.watchCommands,
    limits: () => ({
      readTokens: agent().deps.budget.readTokens,
      bashTimeout: settings.bashTimeout,
      countTokens: (text) => conversations.countTokens(text),
    }),
    memory: () => agent().deps.conversation,
    emit: events.emit,
    ask: traffic?.userActions?.wrapAsk(frontend.ask) ?? frontend.ask,
    maxParallel: settings.maxParallel,
    delegate: (tasks, by) => delegation.run(tasks, by),
    diffs: diffContextOf(settings.tuning),
    logDecision,
  };
}
