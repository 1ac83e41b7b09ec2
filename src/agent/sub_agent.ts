/**
 * One agent that works on one task: it has a conversation, a window and tools of its own, and everything else from
 * the agent above.
 */
import { fixedPart, subAgentPrompt } from "../context/prompt.ts";
import type { EventBody } from "../core/event.ts";
import type { ViewFiles } from "../core/files.ts";
import type { Message } from "../core/message.ts";
import type { SessionLog } from "../core/session_log.ts";
import type { AgentIdentity } from "../core/tool.ts";
import { plural } from "../lib/text.ts";
import { Conversation } from "./conversation.ts";
import type { Profile } from "./profile_file.ts";
import { isForSubAgents } from "./profiles.ts";
import { runTurn } from "./turn.ts";
import type { TurnDeps, TurnSummary } from "./turn_deps.ts";

type Policy = TurnDeps["scheduler"]["policy"];

/** What an agent gets for a task. */
interface SubAgentOptions {
  readonly profile: Profile;
  readonly agent: AgentIdentity;
  /** The agent above, as it is now. */
  readonly parent: TurnDeps;
  /** Where what it says is saved. */
  readonly log: SessionLog;
  /** The user's files, of which this agent has read none yet. */
  readonly view: ViewFiles;
  readonly emit: (event: EventBody) => void;
  readonly maxTurns: number;
}

/** How an agent's work on a task ended. */
export interface SubAgentOutcome {
  readonly summary: TurnSummary;
  /** All that was said. */
  readonly messages: readonly Message[];
  /** Its last words; of one that was cut off, the last it said before. */
  readonly text: string;
  /** Why it did not get to its end; undefined if it did. */
  readonly error: string | undefined;
}

/** Runs an agent on one task to its end. Throws nothing. */
export async function runSubAgent(
  task: string,
  { signal, ...options }: SubAgentOptions & { signal: AbortSignal },
): Promise<SubAgentOutcome> {
  const shared = depsOf(options);
  await sizeWindow(shared, options.parent);
  const spending = await openSpending(options);
  const timeUp = new AbortController();
  using _clock = spending?.startClock((reason) => timeUp.abort(reason));
  const summary = await runTurn(task, {
    deps: spending ? { ...shared, spending, model: spending.wrap(shared.model) } : shared,
    signal: AbortSignal.any([signal, timeUp.signal]),
  });
  const { conversation } = shared;
  const { messages } = conversation;
  const lastReply = messages.findLast(({ role, content }) =>
    role === "assistant" && content !== ""
  );
  const text = summary.text || (lastReply?.content ?? "");
  return { summary, messages, text, error: whyUnfinished(summary, messages) };
}

/** What the task may spend, besides what the run may. */
async function openSpending({ profile: { name, limits }, parent }: SubAgentOptions) {
  if (limits === undefined) return undefined;
  const { Spending } = await import("./spending.ts");
  return new Spending({ limits, costOf: parent.costOf, of: `this task of ${name}` });
}

/** Another model than the one above has a window of its own. */
async function sizeWindow({ budget, settings: { model } }: TurnDeps, parent: TurnDeps) {
  if (model === parent.settings.model) return;
  budget.changeWindow(await parent.windowOf?.(model) ?? budget.size);
}

/** Named one by one: what else the agent above gets is not for this one, unless the user speaks to it. */
function depsOf(
  { profile, agent, parent, log, view, emit, maxTurns }: SubAgentOptions,
): TurnDeps {
  const { scheduler, settings } = parent;
  const registry = scheduler.registry.select((definition) =>
    isForSubAgents(definition) && (profile.tools?.includes(definition.name) ?? true)
  );
  registry.readOnly = scheduler.policy.isPlan;
  const role = roleOf(profile, { agent, readOnly: registry.readOnly });
  const prompt = subAgentPrompt(parent.conversation, role);
  const conversation = new Conversation({ log, prompt, secrets: scheduler.secrets });
  const budget = parent.budget.forSubAgent(fixedPart(conversation.prompt, registry.definitions));
  const { delegate: _delegate, hints: _hints, ...shared } = scheduler;
  return {
    conversation,
    model: parent.model,
    settings: {
      model: profile.model ?? settings.model,
      maxTokens: settings.maxTokens,
      temperature: profile.temperature ?? settings.temperature,
      effort: profile.effort ?? settings.effort,
    },
    fallbackModel: profile.fallbackModel ?? parent.fallbackModel,
    budget,
    maxTurns: Math.min(profile.maxTurns ?? maxTurns, parent.maxTurns),
    thresholds: parent.thresholds,
    repetition: parent.repetition,
    ...(parent.saveOutput && { saveOutput: parent.saveOutput }),
    ...(parent.costOf && { costOf: parent.costOf }),
    spending: parent.spending,
    answerable: parent.answerable,
    ...(agent.depth === 0 && {
      addressed: profile.name,
      steer: parent.steer,
      takeImages: parent.takeImages,
    }),
    scheduler: {
      ...shared,
      policy: policyOf(profile, scheduler.policy),
      registry,
      agent,
      view,
      emit,
      memory: () => conversation,
      limits: () => ({ ...scheduler.limits(), readTokens: budget.readTokens }),
    },
  };
}

/** The policy of the agent above, with what the profile approves beforehand. */
function policyOf({ name, approved, source }: Profile, policy: Policy): Policy {
  return approved === undefined ? policy : policy.withApproved({
    allow: approved.allow,
    deny: {},
    allowAll: false,
    source: "agent",
    file: name,
    ofProject: source === "project",
  });
}

/** What the agent is told of itself. */
function roleOf(
  { name, instructions }: Profile,
  { agent, readOnly }: { agent: AgentIdentity; readOnly: boolean },
): string {
  const reader = agent.depth === 0
    ? "the user"
    : "the agent that gave you the task, and only your last";
  const role = `You work as the agent "${name}" on one task. Nobody answers questions: decide ` +
    `yourself. Your last message goes to ${reader}: put in it what was found or done, and what not.`;
  const look = readOnly ? ["Only look: nothing can be changed or run now."] : [];
  return [role, ...look, instructions].filter((part) => part !== "").join("\n\n");
}

/** An agent that was cut off says so; one that was denied something may still have come to an end. */
function whyUnfinished(summary: TurnSummary, messages: readonly Message[]): string | undefined {
  switch (summary.reason) {
    case "done":
      return undefined;
    case "denied": {
      const last = messages.at(-1);
      return last?.role === "assistant" ? undefined : `It stopped: ${deniedCall(messages)}`;
    }
    case "turn_limit":
      return `It stopped at its limit of ${plural(summary.turns, "request")}, before it was done.`;
    case "context":
      return summary.error ?? "Its context was full before it was done.";
    case "budget":
      return summary.error ?? "Its budget was spent before it was done.";
    case "interrupted":
      return "[Request interrupted by user]";
    case "error":
      return summary.error ?? "It failed.";
  }
}

/** The call that the user denied, as its result names it. */
function deniedCall(messages: readonly Message[]): string {
  const results = messages.filter((message) => message.role === "tool" && !message.success);
  const errors = results.flatMap(({ content }) => ERROR.exec(content)?.[1] ?? []);
  const denied = errors.find((error) => error.includes("The user denied"));
  return denied === undefined
    ? "the user denied one of its calls."
    : String(JSON.parse(`"${denied}"`));
}

/** The error in a result's record, escaped as in JSON. */
const ERROR = /"error":"((?:[^"\\]|\\.)*)"/;
