/**
 * Makes the agent that the user talks to, of the parts of a run.
 */
import { Agent } from "../agent/agent.ts";
import type { CurrentConversation } from "../agent/current_conversation.ts";
import type { Delegation } from "../agent/delegate.ts";
import type { Hooks } from "../core/hooks.ts";
import type { WebReader } from "../core/web.ts";
import type { Servers } from "../mcp/servers.ts";
import { keepsReasoning } from "../model/server_features.ts";
import { createOutputSaver } from "../store/outputs.ts";
import type { Registry } from "../tools/registry.ts";
import type { SchedulerDeps } from "../tools/scheduler.ts";
import type { Bootstrap } from "./bootstrap.ts";
import type { Conversations } from "./conversations.ts";
import type { Environment } from "./environment.ts";
import type { Enforcement } from "./enforcement.ts";
import { MAIN_AGENT } from "./events.ts";
import type { Instructions } from "./instructions.ts";
import type { WaitingMedia } from "./media.ts";
import type { Models } from "./models.ts";
import type { RunReceipt } from "./receipt.ts";
import { diffContextOf, loopLimitsOf, thresholdsOf } from "./tuning.ts";
import type { UserActions } from "./user_actions.ts";
import { VERSION } from "./version.ts";

/** What the agent is made of. */
export interface AgentParts {
  readonly enforcement: Enforcement;
  readonly registry: Registry;
  readonly delegation: Delegation;
  readonly current: CurrentConversation;
  readonly conversations: Conversations;
  readonly instructions: Instructions;
  readonly models: Models;
  readonly mcp: Servers | undefined;
  readonly userActions: UserActions;
  readonly media: WaitingMedia;
  /** Present if a receipt is written. */
  readonly receipt: RunReceipt | undefined;
  /** Undefined if there are none. */
  readonly hooks: Hooks | undefined;
}

/** Makes the agent; it has the current conversation. */
export function createAgent(bootstrap: Bootstrap, parts: AgentParts): Agent {
  const { frontend, denied, storage, settings, workspace } = bootstrap;
  const { current, delegation, instructions, media, models, mcp } = parts;
  const { fallback_model: fallback } = settings.values;
  return new Agent({
    current,
    delegation,
    model: models.router,
    ...fallback !== undefined && { fallbackModel: models.qualifiedName(fallback) },
    costOf: (usage, name) => models.costOf(usage, name),
    windowOf: (name) => models.resolveWindowSize(name),
    keepsReasoning: (name) => keepsReasoning(models.factsOf(name).features),
    inSlot: (user, run) => models.inSlot(user, run),
    // Without a person there is one turn.
    currentPrompt: () =>
      frontend.interactive ? instructions.refresh() : Promise.resolve(instructions.prompt),
    spending: models.spending,
    maxTurns: settings.values.max_turns,
    thresholds: thresholdsOf(settings.values),
    repetition: loopLimitsOf(settings.values),
    // Without it nobody knows which changes came after a message, and /rewind takes back the conversation only.
    ...!denied.has("write") &&
      { newestChange: () => workspace.newestChangeNumber().catch(() => undefined) },
    saveOutput: createOutputSaver(storage.paths.outputs),
    ...mcp && { prepare: (signal) => mcp.prepare(signal) },
    steer: frontend.steer,
    takeImages: () => media.waiting.splice(0),
    createAnswerCheck: frontend.createAnswerCheck,
    // What a person does to a reply while it comes cannot be recorded.
    ...frontend.interactive && !models.isRecorded && { answerable: new Set() },
    scheduler: createSchedulerDeps(bootstrap, parts),
  });
}

function createSchedulerDeps(
  { frontend, events, secrets, settings, storage, workspace, cwd }: Bootstrap,
  { enforcement, registry, current, conversations, media, userActions, receipt, hooks }: AgentParts,
): SchedulerDeps {
  const { policy, shell, logDecision } = enforcement;
  return {
    registry,
    policy,
    agent: MAIN_AGENT,
    shell,
    secrets,
    view: (pending, resolved) => workspace.view(pending, resolved),
    watchCommands: workspace.watchCommands,
    limits: () => ({
      readTokens: current.budget.readTokens,
      bashTimeout: settings.values.bash_timeout,
      countTokens: (text) => conversations.countTokens(text),
    }),
    memory: () => current.conversation,
    media,
    emit: events.emit,
    web: frontend.foreign ? undefined : createWebReader(frontend.io.env),
    ask: userActions.wrapAsk(frontend.ask),
    hooks,
    maxParallel: settings.values.max_parallel,
    diffs: diffContextOf(settings.values),
    showsWholeFiles: frontend.showsWholeFiles,
    logDecision: receipt === undefined ? logDecision : receipt.wrapLog(logDecision),
    ...receipt && { logCommand: receipt.logCommand },
    ...frontend.interactive && {
      async pastQuestions() {
        const { readPastQuestions } = await import("../store/past_questions.ts");
        return await readPastQuestions({ path: storage.paths.decisions, cwd });
      },
    },
  };
}

/** Reads the web; what that takes is loaded with the first page. */
function createWebReader(env: Environment): WebReader {
  let reader: Promise<WebReader> | undefined;
  return {
    async read(url, reach) {
      reader ??= import("../web/reader.ts").then((web) =>
        web.createWebReader({ userAgent: `ally/${VERSION}`, env })
      );
      return await (await reader).read(url, reach);
    },
  };
}

/** Runs what the user types, as in their own shell: without a question, unless the process itself gave it up. */
export function createUserScheduler(
  scheduler: SchedulerDeps,
  { userPolicy }: Pick<Enforcement, "userPolicy">,
): SchedulerDeps {
  return {
    ...scheduler,
    sandboxed: false,
    // Hooks are about what the model does.
    hooks: undefined,
    policy: userPolicy,
    // Nobody was asked.
    logDecision: ({ asked: _, ...one }) =>
      scheduler.logDecision?.(one.decision === "deny" ? one : { ...one, by: "user" }),
    ask: (requests) => Promise.resolve(requests.map(() => ({ kind: "allow" }))),
  };
}
