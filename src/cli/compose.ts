/**
 * The one place where the parts are put together: everything else gets what it needs as an argument.
 */
import { MANIFEST } from "../../plugins/manifest.ts";
import { Agent } from "../agent/agent.ts";
import { Conversation } from "../agent/conversation.ts";
import { Statistics } from "../agent/statistics.ts";
import { Budget } from "../context/budget.ts";
import { TokenCounter } from "../context/counter.ts";
import { fixedPart, systemPrompt } from "../context/prompt.ts";
import { UsageError } from "../core/errors.ts";
import type { Fact, Sink } from "../core/event.ts";
import type { Ask } from "../core/permission.ts";
import { type Secrets, UNMASKED } from "../core/secrets.ts";
import { messageOf, plural } from "../lib/text.ts";
import { createModel } from "../model/client.ts";
import { listModels } from "../model/models.ts";
import { Policy } from "../permission/policy.ts";
import { maskedSink } from "../secrets/masked_sink.ts";
import { Vault } from "../secrets/vault.ts";
import { type Rules, showsVariable } from "../permission/rules.ts";
import { readConfig } from "../store/config.ts";
import { decisionLog } from "../store/decisions.ts";
import { type Locations, locations } from "../store/locations.ts";
import { readMaskKey } from "../store/mask_key.ts";
import { closeToOthers } from "../store/private_files.ts";
import { outputKeeper } from "../store/outputs.ts";
import { Registry } from "../tools/registry.ts";
import type { SchedulerDeps } from "../tools/scheduler.ts";
import type { Sandbox } from "../workspace/sandbox/sandbox.ts";
import { createShell } from "../workspace/shell.ts";
import type { BackgroundTasks } from "../workspace/tasks.ts";
import type { Recovery } from "../workspace/undo.ts";
import { Workspace } from "../workspace/workspace.ts";
import type { Options } from "./args.ts";
import { gatherPermissions, type PermissionSources } from "./permission_sources.ts";
import { createSandbox, requireSandbox, sandboxNotice } from "./sandbox.ts";
import { Sessions, type Start } from "./sessions.ts";
import { type Settings, settle } from "./settings.ts";

/** What differs between the ways to run ally. */
export interface Front {
  readonly sink: Sink;
  readonly ask: Ask;
  /** Whether a person can answer. */
  readonly interactive: boolean;
  /** @default the process's */
  readonly env?: { get(name: string): string | undefined; toObject(): Record<string, string> };
}

/** Everything a run has. */
export interface Composition {
  readonly agent: Agent;
  readonly workspace: Workspace;
  readonly places: Locations;
  readonly settings: Settings;
  readonly permissions: PermissionSources;
  readonly statistics: Statistics;
  readonly secrets: Secrets;
  /** Where the model's commands run; its status says whether it holds. */
  readonly sandbox: Sandbox;
  /** For a command that the user typed: what no flag denies is allowed without a question. */
  readonly userScheduler: SchedulerDeps;
  /** Sends a fact to the sink as the main agent's. */
  readonly emit: (fact: Fact) => void;
  /** Id of the current session; undefined with `--no-session`. */
  sessionId(): string | undefined;
  /** Begins a new session with an empty conversation. */
  startSession(): void;
  listModels(): Promise<string[]>;
  /** Stops the commands in the background, in order, and says which; what a run does before its end. */
  stopTasks(): Promise<void>;
  /** Ends all children at once and closes files; the last thing a run does. */
  close(): void;
}

/** Milliseconds after the start. */
const PRUNE_AFTER = 1_000;

const MAIN = { id: "main", name: "ally", depth: 0 };

/**
 * Puts a run together.
 * @throws {UsageError} flags or configuration cannot be used
 * @throws {EndpointError} no model is named and the server cannot be asked
 */
export async function compose(options: Options, front: Front): Promise<Composition> {
  const env = front.env ?? Deno.env;
  const statistics = new Statistics();
  let { sink } = front;
  const emit = (fact: Fact) => {
    const event = { ...fact, time: new Date().toISOString(), agent: MAIN };
    statistics.take(event);
    sink(event);
  };
  const cwd = canonical(options.cwd);
  const places = locations(cwd, env);
  const { config, warnings } = await readConfig(places.config);
  const secrets = config.mask_secrets === false
    ? UNMASKED
    : new Vault({ key: () => readMaskKey(places.maskKey), env: env.toObject() });
  // Only a person's screen shows secrets: whatever else takes events is a log.
  if (!front.interactive && secrets !== UNMASKED) sink = maskedSink(front.sink, secrets);
  for (const text of warnings) emit({ type: "notice", level: "warning", text });
  const settings = settle(options, { config, env });
  const workspace = new Workspace({
    cwd,
    addDirs: options.addDirs,
    patchDir: places.patches,
    fileChecks: config.file_checks,
    snapshots: {
      directory: places.snapshots,
      path: env.get("PATH") ?? "",
      notice: (text) => emit({ type: "notice", level: "warning", text }),
    },
  });
  for (const recovery of await workspace.recover()) {
    emit({ type: "notice", ...describeRecovery(recovery) });
  }
  const sandbox = createSandbox({
    mode: settings.sandbox,
    roots: () => workspace.roots,
    places,
    env: env.toObject(),
  });
  if (settings.sandbox === "required") await requireSandbox(sandbox);
  const confined = confinedOnce(sandbox, emit);
  const registry = new Registry(MANIFEST);
  const server = { endpoint: settings.endpoint, apiKey: settings.apiKey };
  const ask = () => listModels(server);
  const model = settings.model ?? await firstModel(ask);
  const prompt = systemPrompt({
    cwd,
    platform: Deno.build.os,
    date: new Date().toISOString().slice(0, 10),
    append: options.appendSystemPrompt,
  });
  const home = env.get("HOME") ?? env.get("USERPROFILE") ?? "";
  const warn = (text: string) => emit({ type: "notice", level: "warning", text });
  const permissions = gatherPermissions({
    rules: readable(options.rules, places.outputs),
    files: [{ source: "config", path: places.config, value: config.permissions }],
    cwd,
    roots: workspace.roots,
    stored: places.permissions,
    home,
    isSecret: (text) => secrets.mask(text) !== text,
    onProblem: warn,
  });
  permissions.warnings.forEach(warn);
  closeToOthers(places, home);
  const { rules, configured, ground } = permissions;
  const shell = createShell({
    cwd,
    env: env.toObject(),
    shows: (name) => showsVariable([rules, ...configured], name),
    logDir: places.outputs,
    sandbox,
  });
  const noteDecision = decisionLog({
    path: places.decisions,
    cwd,
    session: () => sessions.id,
    mask: (text) => secrets.remask(text),
    onProblem: warn,
  });
  const sessions = new Sessions({ options, cwd, directory: places.sessions, emit });
  const fixed = fixedPart(prompt, registry.definitions);
  const counter = new TokenCounter();
  const talk = (start: Start) => ({
    conversation: new Conversation({ ...start, secrets }),
    budget: new Budget({
      size: settings.contextSize,
      fixed,
      messages: start.messages,
      counter,
      maxTokens: settings.maxTokens,
    }),
  });
  const agent: Agent = new Agent({
    ...talk(await sessions.open()),
    model: createModel({
      ...server,
      retries: settings.retries,
      requestTimeoutMs: milliseconds(config.request_timeout),
      idleTimeoutMs: milliseconds(config.idle_timeout),
      replyTimeoutMs: milliseconds(config.reply_timeout),
    }),
    settings: { model, maxTokens: settings.maxTokens, temperature: settings.temperature },
    systemPrompt: prompt,
    maxTurns: settings.maxTurns,
    onOverflow: (signal) => agent.compactNow(signal),
    keepOutput: outputKeeper(places.outputs),
    scheduler: {
      registry,
      policy: new Policy({
        ...permissions,
        interactive: front.interactive,
        banned: settings.bannedCommands,
        confined,
      }),
      agent: MAIN,
      shell,
      secrets,
      view: (pending) => workspace.view(pending),
      watchCommands: workspace.watchCommands,
      limits: () => ({
        readTokens: agent.deps.budget.readTokens,
        bashTimeout: settings.bashTimeout,
        countTokens: (text) => counter.count(text),
      }),
      memory: () => agent.deps.conversation,
      emit,
      ask: front.ask,
      maxParallel: settings.maxParallel,
      noteDecision,
    },
  });
  const pruning = pruneLater(places, { sessions: config.keep_sessions });
  return {
    agent,
    workspace,
    places,
    settings,
    permissions,
    statistics,
    secrets,
    sandbox,
    userScheduler: {
      ...agent.deps.scheduler,
      // What a person types runs as in their own shell.
      confine: false,
      policy: new Policy({
        rules: { ...rules, allow: {}, allowAll: true },
        configured,
        interactive: true,
        banned: [],
        ground,
      }),
      noteDecision: (one) => noteDecision(one.decision === "deny" ? one : { ...one, by: "user" }),
      ask: (requests) => Promise.resolve(requests.map(() => ({ kind: "allow" }))),
    },
    emit,
    sessionId: () => sessions.id,
    startSession: () => agent.replace(talk(sessions.start())),
    listModels: ask,
    stopTasks: () => stopTasks(shell.tasks, emit),
    close() {
      clearTimeout(pruning);
      shell.killAll();
      sandbox.close();
      workspace.close();
      sessions.close();
    },
  };
}

/** Removes the oldest of what earlier runs left, once this one has had time to answer. */
function pruneLater(places: Locations, options: { sessions: number | undefined }) {
  const timer = setTimeout(async () => {
    const { prune } = await import("../store/prune.ts");
    await prune(places, options).catch(() => {});
  }, PRUNE_AFTER);
  Deno.unrefTimer(timer);
  return timer;
}

/** Asks whether commands are confined, and says once if they are not although they may be. */
function confinedOnce(sandbox: Sandbox, emit: (fact: Fact) => void): () => Promise<boolean> {
  let told = false;
  return async () => {
    const status = await sandbox.status();
    const notice = told ? undefined : sandboxNotice(status);
    if (notice) emit(notice);
    told ||= notice !== undefined;
    return status.state === "active";
  };
}

async function stopTasks(tasks: BackgroundTasks, emit: (fact: Fact) => void): Promise<void> {
  const running = tasks.running();
  if (running.length === 0) return;
  const names = running.map(({ id, command }) => `${id} (${command})`).join(", ");
  const what = plural(running.length, "background task");
  emit({ type: "notice", level: "info", text: `Stopping ${what}: ${names}` });
  await tasks.stopAll();
}

/** What a person is told about work that a killed ally had left half done. */
function describeRecovery(
  { number, work, problem }: Recovery,
): { level: "info" | "warning"; text: string } {
  const what = work === "pending"
    ? "half-made"
    : work === "undoing"
    ? "half-undone"
    : "half-redone";
  if (problem !== undefined) {
    return {
      level: "warning",
      text:
        `An earlier ally was killed and left change ${number} ${what}; it cannot be mended: ${problem}`,
    };
  }
  const how = work === "pending" ? "It was taken back." : "It was brought to its end.";
  return {
    level: "info",
    text: `An earlier ally was killed and left change ${number} ${what}. ${how}`,
  };
}

function canonical(directory: string): string {
  try {
    return Deno.realPathSync(directory);
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound
      ? "there is no such directory"
      : messageOf(error);
    throw new UsageError(`Cannot work in ${directory}: ${why}.`, { cause: error });
  }
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

/** The rules by which what ally keeps for the model to read may be read. */
function readable(rules: Rules, directory: string): Rules {
  // The workspace, which a rule without paths stands for, may be read as it is.
  const { read } = rules.allow;
  const named = Array.isArray(read) ? read : [];
  return { ...rules, allow: { ...rules.allow, read: [...named, directory] } };
}

/** The server's first model, for those who name none. */
async function firstModel(ask: () => Promise<string[]>): Promise<string> {
  const [first] = await ask();
  if (first !== undefined) return first;
  throw new UsageError(
    "No model is named, and the server lists none. Name one with --model NAME or ALLY_MODEL.",
  );
}
