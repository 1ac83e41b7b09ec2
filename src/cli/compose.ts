/**
 * The one place where the parts are put together: everything else gets what it needs as an argument.
 */
import { MANIFEST } from "../../plugins/manifest.ts";
import { Agent } from "../agent/agent.ts";
import { Conversation } from "../agent/conversation.ts";
import { PlanMode } from "../agent/plan_mode.ts";
import { Statistics } from "../agent/statistics.ts";
import { Budget } from "../context/budget.ts";
import { fixedPart, systemPrompt } from "../context/prompt.ts";
import { countTokens, cutToTokens } from "../context/tokens.ts";
import { UsageError } from "../core/errors.ts";
import type { Fact, Sink } from "../core/event.ts";
import type { Ask } from "../core/permission.ts";
import type { AskTrust, ProjectFile } from "../core/project.ts";
import { messageOf, plural } from "../lib/text.ts";
import { createModel } from "../model/client.ts";
import { listModels } from "../model/models.ts";
import type { NarrowFetch } from "../model/narrow_fetch.ts";
import { Policy } from "../permission/policy.ts";
import type { Rules, Targets } from "../permission/rules.ts";
import { readConfig } from "../store/config.ts";
import type { Locations } from "../store/locations.ts";
import { Registry } from "../tools/registry.ts";
import type { SchedulerDeps } from "../tools/scheduler.ts";
import { createGround } from "../workspace/ground.ts";
import { createShell } from "../workspace/shell.ts";
import type { BackgroundTasks } from "../workspace/tasks.ts";
import type { Recovery } from "../workspace/undo.ts";
import { Workspace } from "../workspace/workspace.ts";
import type { Options } from "./args.ts";
import {
  bareEnvironment,
  type Environment,
  mayReadEnvironment,
  readEnvironment,
  standInForLibraries,
} from "./environment.ts";
import { deniedKinds, describeMissing, shed } from "./outer_sandbox.ts";
import { openPlaces } from "./places.ts";
import { openProject, projectConfig, type ProjectTrust } from "./project.ts";
import { Sessions, type Start } from "./sessions.ts";
import { type Settings, settle } from "./settings.ts";

/** What differs between the ways to run ally. */
export interface Front {
  readonly sink: Sink;
  readonly ask: Ask;
  /** Whether a person can answer. */
  readonly interactive: boolean;
  /** Asks whether the project's files may act; absent where nobody can answer. */
  readonly askTrust?: AskTrust;
  /** @default the process's */
  readonly env?: Environment;
}

/** Everything a run has. */
export interface Composition {
  readonly agent: Agent;
  readonly workspace: Workspace;
  readonly places: Locations;
  readonly settings: Settings;
  readonly statistics: Statistics;
  readonly plan: PlanMode;
  /** What of the project's own files acts, and why. */
  readonly project: ProjectTrust;
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

const MAIN = { id: "main", name: "ally", depth: 0 };

/**
 * Puts a run together.
 * @throws {UsageError} flags or configuration cannot be used
 * @throws {EndpointError} no model is named and the server cannot be asked
 */
export async function compose(options: Options, front: Front): Promise<Composition> {
  const env = front.env ?? readEnvironment();
  const denied = deniedKinds(options);
  if (denied.has("env") || !mayReadEnvironment()) standInForLibraries();
  const statistics = new Statistics();
  const emit = (fact: Fact) => {
    const event = { ...fact, time: new Date().toISOString(), agent: MAIN };
    statistics.take(event);
    front.sink(event);
  };
  const cwd = canonical(options.cwd);
  const kept = openPlaces(cwd, {
    env,
    mayWrite: !denied.has("write"),
    session: options.session,
    emit,
  });
  const places = kept.locations;
  const { config, warnings } = kept.known
    ? await readConfig(places.config)
    : { config: {}, warnings: [] };
  for (const text of warnings) emit({ type: "notice", level: "warning", text });
  const project = await openProject({
    directory: cwd,
    home: places.home,
    trustPath: places.trust,
    trustAll: options.trustProject,
    ask: front.askTrust,
    emit,
  });
  const settings = settle(options, { config, project: await projectConfig(project, emit), env });
  const workspace = new Workspace({
    cwd,
    addDirs: options.addDirs,
    patchDir: places.patches,
    fileChecks: settings.fileChecks,
    ...!denied.has("write") && !denied.has("run") && {
      snapshots: {
        directory: places.snapshots,
        path: env.get("PATH") ?? "",
        notice: (text) => emit({ type: "notice", level: "warning", text }),
      },
    },
  });
  for (const text of describeMissing({ cwd, denied, endpoint: settings.endpoint })) {
    emit({ type: "notice", level: "warning", text });
  }
  // What a killed ally left half done waits for a run that may write.
  for (const recovery of denied.has("write") ? [] : await workspace.recover()) {
    emit({ type: "notice", ...describeRecovery(recovery) });
  }
  const variables = env.toObject();
  const shell = createShell({
    cwd,
    env: denied.has("env") ? bareEnvironment(variables) : variables,
    logDir: places.outputs,
  });
  const registry = new Registry(MANIFEST);
  const narrow = denied.has("net") ? await narrowFetch(settings.endpoint) : undefined;
  const server = { endpoint: settings.endpoint, apiKey: settings.apiKey, fetch: narrow?.fetch };
  const ask = () => listModels(server);
  const model = settings.model ?? await firstModel(ask);
  const prompt = systemPrompt({
    cwd,
    platform: Deno.build.os,
    date: new Date().toISOString().slice(0, 10),
    plan: options.plan,
    notes: notesFor(project.files.notes, settings.contextSize),
    append: options.appendSystemPrompt,
  });
  const rules = await canonicalRules(options.rules, workspace);
  const ground = createGround({
    cwd,
    all: workspace.roots,
    home: env.get("HOME") ?? env.get("USERPROFILE") ?? "",
  });
  const sessions = new Sessions({
    options: { ...options, session: options.session && kept.lasting },
    cwd,
    directory: places.sessions,
    emit,
  });
  const fixed = fixedPart(prompt, registry.definitions);
  const talk = (start: Start) => ({
    conversation: new Conversation(start),
    budget: new Budget({ size: settings.contextSize, fixed, messages: start.messages }),
  });
  const start = await sessions.open();
  if (denied.has("write")) await sessions.hold();
  shed(denied);
  const policy = new Policy({
    rules,
    interactive: front.interactive,
    ground,
    banned: settings.bannedCommands,
  });
  // What a person types is allowed unless the process itself has given it up.
  const userPolicy = new Policy({
    rules: { ...rules, allow: {}, allowAll: true },
    interactive: true,
    banned: [],
    ground,
  });
  userPolicy.planning = options.plan;
  const plan = new PlanMode({ policy, registry, locked: options.plan });
  const agent: Agent = new Agent({
    ...talk(start),
    model: createModel({ ...server, retries: settings.retries }),
    settings: { model, maxTokens: settings.maxTokens, temperature: settings.temperature },
    systemPrompt: prompt,
    maxTurns: settings.maxTurns,
    scheduler: {
      registry,
      policy,
      agent: MAIN,
      shell,
      view: (pending) => workspace.view(pending),
      watchCommands: workspace.watchCommands,
      limits: () => ({
        readTokens: agent.deps.budget.readTokens,
        bashTimeout: settings.bashTimeout,
        countTokens,
      }),
      memory: () => agent.deps.conversation,
      emit,
      ask: front.ask,
      maxParallel: settings.maxParallel,
    },
  });
  return {
    agent,
    workspace,
    places,
    settings,
    statistics,
    plan,
    project,
    userScheduler: {
      ...agent.deps.scheduler,
      policy: userPolicy,
      ask: (requests) => Promise.resolve(requests.map(() => ({ kind: "allow" }))),
    },
    emit,
    sessionId: () => sessions.id,
    startSession: () => agent.replace(talk(sessions.start())),
    listModels: ask,
    stopTasks: () => stopTasks(shell.tasks, emit),
    close() {
      shell.killAll();
      workspace.close();
      sessions.close();
      narrow?.close();
    },
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

/** Paths in rules are compared with canonical ones, so they are made canonical too. */
async function canonicalRules(rules: Rules, workspace: Workspace): Promise<Rules> {
  const resolved = async (targets: Targets | undefined): Promise<Targets | undefined> =>
    Array.isArray(targets)
      ? await Promise.all(targets.map(async (path) => (await workspace.resolve(path)).absolute))
      : targets;
  const each = async (lists: Rules["allow"]): Promise<Rules["allow"]> => {
    const read = await resolved(lists.read);
    const write = await resolved(lists.write);
    return { ...lists, ...(read && { read }), ...(write && { write }) };
  };
  return { ...rules, allow: await each(rules.allow), deny: await each(rules.deny) };
}

/** Loaded only where the network is given up. */
async function narrowFetch(endpoint: string): Promise<NarrowFetch> {
  const { openNarrowFetch } = await import("../model/narrow_fetch.ts");
  return openNarrowFetch(endpoint);
}

/** The project's notes as the model gets them: at most a quarter of its window. */
function notesFor(notes: ProjectFile | undefined, contextSize: number) {
  return notes && { path: notes.path, text: cutToTokens(notes.text, Math.floor(contextSize / 4)) };
}

/** The server's first model, for those who name none. */
async function firstModel(ask: () => Promise<string[]>): Promise<string> {
  const [first] = await ask();
  if (first !== undefined) return first;
  throw new UsageError(
    "No model is named, and the server lists none. Name one with --model NAME or ALLY_MODEL.",
  );
}
