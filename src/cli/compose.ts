/**
 * The one place where the parts are put together: everything else gets what it needs as an argument.
 */
import { MANIFEST } from "../../plugins/manifest.ts";
import { Agent } from "../agent/agent.ts";
import { Bounds } from "../agent/bounds.ts";
import { Conversation } from "../agent/conversation.ts";
import type { Delegation } from "../agent/delegate.ts";
import { PlanMode } from "../agent/plan_mode.ts";
import { Statistics } from "../agent/statistics.ts";
import { Budget } from "../context/budget.ts";
import { TokenCounter } from "../context/counter.ts";
import { definitionsText, fixedPart, systemPrompt } from "../context/prompt.ts";
import type { Fact, Sink } from "../core/event.ts";
import type { Ask } from "../core/permission.ts";
import type { AgentIdentity } from "../core/tool.ts";
import { type Secrets, UNMASKED } from "../core/secrets.ts";
import type { AskConsent } from "../core/plugin_consent.ts";
import type { AskTrust } from "../core/project.ts";
import type { Approve, Servers } from "../mcp/servers.ts";
import { createModel } from "../model/client.ts";
import { listModels } from "../model/models.ts";
import { Policy } from "../permission/policy.ts";
import { maskedSink } from "../secrets/masked_sink.ts";
import { Vault } from "../secrets/vault.ts";
import { showsVariable } from "../permission/rules.ts";
import { readConfig } from "../store/config.ts";
import { decisionLog } from "../store/decisions.ts";
import type { Locations } from "../store/locations.ts";
import { readMaskKey } from "../store/mask_key.ts";
import { closeToOthers } from "../store/private_files.ts";
import { outputKeeper } from "../store/outputs.ts";
import { Registry } from "../tools/registry.ts";
import type { SchedulerDeps } from "../tools/scheduler.ts";
import type { Sandbox } from "../workspace/sandbox/sandbox.ts";
import { createShell } from "../workspace/shell.ts";
import { Workspace } from "../workspace/workspace.ts";
import { openAgents } from "./agents.ts";
import type { Options } from "./args.ts";
import { attachMentions } from "./attach.ts";
import { gatherPermissions, type PermissionSources } from "./permission_sources.ts";
import { confinedOnce, createSandbox, requireSandbox } from "./sandbox.ts";
import {
  bareEnvironment,
  type Environment,
  mayReadEnvironment,
  readEnvironment,
  standInForLibraries,
} from "./environment.ts";
import { openTraffic } from "./open_traffic.ts";
import { deniedKinds, describeMissing, shed } from "./outer_sandbox.ts";
import { describeRecovery, pruneLater, stopTasks } from "./housekeeping.ts";
import { openMcp } from "./mcp_run.ts";
import { openPlaces } from "./places.ts";
import { openPlugins, type Plugins } from "./plugins.ts";
import { openProject, projectConfig, type ProjectTrust } from "./project.ts";
import { Sessions, type Start } from "./sessions.ts";
import { type Settings, settle } from "./settings.ts";
import type { Traffic } from "./traffic.ts";
import { canonical, firstModel, narrowFetch, notesFor, readable } from "./starting_points.ts";

/** What differs between the ways to run ally. */
export interface Front {
  readonly sink: Sink;
  readonly ask: Ask;
  /** Whether a person can answer. */
  readonly interactive: boolean;
  /** Asks whether the project's files may act; absent where nobody can answer. */
  readonly askTrust?: AskTrust;
  /** Asks whether a plugin may run; absent where nobody can answer. */
  readonly askConsent?: AskConsent;
  /** Whether no setting of the user's has a part in the run, as in the demo. @default false */
  readonly isolated?: boolean;
  /** Whether the run works on a scratch copy: the process then gives up nothing. @default false */
  readonly scratch?: boolean;
  /** Asks about an MCP server that changed; absent where nobody can answer. */
  readonly approveServer?: Approve;
  /** What the person has typed since the turn began. */
  readonly steer?: () => Promise<readonly string[]>;
  /** @default the process's */
  readonly env?: Environment;
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
  readonly plan: PlanMode;
  readonly plugins: Plugins;
  /** Starts the agents that take tasks. */
  readonly delegation: Delegation;
  /** What of the disk the session works on. */
  readonly bounds: Bounds;
  /** What of the project's own files acts, and why. */
  readonly project: ProjectTrust;
  /** Present if the traffic with the model is recorded or replayed. */
  readonly traffic: Traffic | undefined;
  /** The MCP servers; undefined if none is named. */
  readonly mcp: Servers | undefined;
  /** For a command that the user typed: what no flag denies is allowed without a question. */
  readonly userScheduler: SchedulerDeps;
  /** A person's words with what they name by `@path` behind them, as far as the scheduler's policy allows. */
  readonly attach: (text: string, scheduler: SchedulerDeps) => Promise<string>;
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
  const denied: ReturnType<typeof deniedKinds> = front.scratch ? new Set() : deniedKinds(options);
  if (denied.has("env") || !mayReadEnvironment()) standInForLibraries();
  const statistics = new Statistics();
  let { sink } = front;
  const emitAs = (agent: AgentIdentity) => (fact: Fact) => {
    const event = { ...fact, time: new Date().toISOString(), agent };
    statistics.take(event);
    sink(event);
  };
  const warn = (text: string) => emit({ type: "notice", level: "warning", text });
  const emit = emitAs(MAIN);
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
  const secrets = config.mask_secrets === false
    ? UNMASKED
    : new Vault({ key: () => readMaskKey(places.maskKey), env: env.toObject() });
  // Only a person's screen shows secrets: whatever else takes events is a log.
  if (!front.interactive && secrets !== UNMASKED) sink = maskedSink(front.sink, secrets);
  warnings.forEach(warn);
  const project = await openProject({
    directory: cwd,
    home: places.home,
    trustPath: places.trust,
    trustAll: options.trustProject,
    ask: front.askTrust,
    emit,
  });
  const projectSettings = await projectConfig(project, emit);
  const settings = settle(options, { config, project: projectSettings, env });
  const workspace = new Workspace({
    cwd,
    addDirs: options.addDirs,
    kept: [places.outputs],
    patchDir: places.patches,
    fileChecks: settings.fileChecks,
    ...!denied.has("write") && !denied.has("run") && {
      snapshots: {
        directory: places.snapshots,
        path: env.get("PATH") ?? "",
        notice: warn,
      },
    },
  });
  describeMissing({ cwd, denied, endpoint: settings.endpoint }).forEach(warn);
  // What a killed ally left half done waits for a run that may write.
  for (const recovery of denied.has("write") ? [] : await workspace.recover()) {
    emit({ type: "notice", ...describeRecovery(recovery) });
  }
  const all = env.toObject();
  const variables = denied.has("env") ? bareEnvironment(all) : all;
  const sandbox = createSandbox({
    mode: settings.sandbox,
    roots: () => workspace.roots,
    places,
    env: variables,
  });
  if (settings.sandbox === "required") await requireSandbox(sandbox);
  const confined = confinedOnce(sandbox, emit);
  const plugins = await openPlugins({
    allyHome: kept.known ? places.home : undefined,
    directories: options.pluginDirs,
    taken: MANIFEST.map(({ definition }) => definition.name),
    roots: () => workspace.roots,
    home: env.get("HOME") ?? env.get("USERPROFILE") ?? "",
    env: all,
    hides: (name) => showsVariable([rules, ...configured], name) === false,
    sandbox,
    records: places.pluginRecords,
    allowed: options.allowedPlugins,
    ask: front.askConsent,
    warn,
  });
  const registry = new Registry([...MANIFEST, ...plugins.entries]);
  const delegation = await openAgents({
    ...{ places, project, registry, workspace, settings, emit, emitAs },
    parent: () => agent.deps,
  });
  const narrow = denied.has("net") ? await narrowFetch(settings.endpoint) : undefined;
  const parts = { options, cwd, env, places, settings, secrets, roots: workspace.roots, warn };
  const traffic = await openTraffic(parts, { front, project, fetch: narrow?.fetch });
  if (traffic) sink = traffic.sink(sink);
  const { endpoint, apiKey } = settings;
  const server = { endpoint, apiKey, fetch: traffic?.fetch ?? narrow?.fetch };
  const ask = () => listModels(server);
  const model = options.model ?? traffic?.model ?? settings.model ?? await firstModel(ask);
  const prompt = systemPrompt({
    cwd,
    platform: Deno.build.os,
    date: new Date().toISOString().slice(0, 10),
    plan: options.plan,
    notes: notesFor(project.files.notes, settings.contextSize),
    append: options.appendSystemPrompt,
  });
  const home = env.get("HOME") ?? env.get("USERPROFILE") ?? "";
  const permissions = gatherPermissions({
    rules: options.rules,
    files: [
      { source: "config", path: places.config, value: config.permissions },
      {
        source: "project",
        path: project.files.config?.path ?? "",
        value: projectSettings.permissions,
      },
    ],
    cwd,
    reach: workspace.reach,
    stored: kept.known ? places.permissions : undefined,
    home,
    isSecret: (text) => secrets.mask(text) !== text,
    onProblem: warn,
  });
  permissions.warnings.forEach(warn);
  if (kept.lasting && !denied.has("write")) closeToOthers(places, home);
  const { rules, configured, ground } = permissions;
  const shows = (name: string) => showsVariable([rules, ...configured], name);
  const shell = createShell({
    cwd,
    start: () => workspace.cwd,
    env: variables,
    shows,
    logDir: places.outputs,
    sandbox,
  });
  const noteDecision = decisionLog({
    path: places.decisions,
    cwd,
    session: () => sessions.id,
    mask: (text) => secrets.remask(text),
    hold: denied.has("write"),
    onProblem: warn,
  });
  const sessions = new Sessions({
    options: { ...options, session: options.session && kept.lasting },
    cwd,
    directory: places.sessions,
    emit,
  });
  const counter = new TokenCounter();
  const fixed = () => fixedPart(prompt, registry.definitions);
  const talk = (start: Start) => ({
    conversation: new Conversation({ ...start, secrets }),
    budget: new Budget({
      size: settings.contextSize,
      fixed: fixed(),
      messages: start.messages,
      counter,
      maxTokens: settings.maxTokens,
    }),
  });
  let onTools = () => {};
  const mcp = await openMcp({
    places,
    project: project.files.mcp,
    cwd,
    variables,
    shows,
    rules: [rules, ...configured],
    denied,
    sandbox,
    registry,
    contextSize: settings.contextSize,
    size: (definitions) => counter.count(definitionsText(definitions)),
    onTools: () => onTools(),
    emit,
    approve: front.approveServer,
  });
  const opened = await sessions.open();
  const start = traffic?.begin({ model, start: opened }) ?? opened;
  if (denied.has("write")) {
    await sessions.hold();
    // What it needs is made while that may be.
    if (!denied.has("run")) await sandbox.status();
  }
  shed(denied);
  const policy = new Policy({
    ...permissions,
    configured: [...configured, readable(permissions.ground.place(places.outputs).absolute)],
    interactive: front.interactive,
    banned: settings.bannedCommands,
    confined,
  });
  // What a person types is allowed unless the process itself has given it up.
  const userPolicy = new Policy({
    rules: { ...rules, allow: {}, allowAll: true },
    configured,
    interactive: true,
    banned: [],
    ground,
  });
  userPolicy.planning = options.plan;
  const plan = new PlanMode({ policy, registry, locked: options.plan });
  const agent: Agent = new Agent({
    ...talk(start),
    model: createModel({
      ...server,
      ...settings.limits,
      retries: settings.retries,
      clock: traffic?.clock,
      stream: settings.stream,
    }),
    settings: { model, maxTokens: settings.maxTokens, temperature: settings.temperature },
    systemPrompt: prompt,
    maxTurns: settings.maxTurns,
    onOverflow: (signal) => agent.compactNow(signal),
    keepOutput: outputKeeper(places.outputs),
    delegated: () => delegation.takeSpent(),
    ...mcp && { prepare: (prompt, signal) => mcp.prepare(prompt, signal) },
    steer: front.steer,
    scheduler: {
      registry,
      policy,
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
      ask: traffic?.ask(front.ask) ?? front.ask,
      maxParallel: settings.maxParallel,
      delegate: (tasks, by) => delegation.run(tasks, by),
      noteDecision,
    },
  });
  onTools = () => agent.deps.budget.refix(fixed());
  const bounds = new Bounds({ workspace, state: () => agent.deps.conversation.state, home });
  for (const text of await bounds.restore()) warn(text);
  const pruning = denied.has("write")
    ? undefined
    : pruneLater(places, { sessions: config.keep_sessions });
  return {
    agent,
    workspace,
    places,
    settings,
    permissions,
    statistics,
    secrets,
    sandbox,
    plan,
    plugins,
    delegation,
    bounds,
    project,
    traffic,
    mcp,
    userScheduler: {
      ...agent.deps.scheduler,
      // What a person types runs as in their own shell.
      confine: false,
      policy: userPolicy,
      noteDecision: (one) => {
        traffic?.typed({ shell: one.what });
        noteDecision(one.decision === "deny" ? one : { ...one, by: "user" });
      },
      ask: (requests) => Promise.resolve(requests.map(() => ({ kind: "allow" }))),
    },
    attach: (text, scheduler) =>
      attachMentions(text, {
        scheduler,
        files: workspace,
        home,
        signal: new AbortController().signal,
        fit: (part) => agent.deps.budget.fit(part),
        tell: (level, told) => emit({ type: "notice", level, text: told }),
      }),
    emit,
    sessionId: () => sessions.id,
    startSession() {
      traffic?.typed({ clear: true });
      agent.replace(talk(sessions.start()));
      agent.replace(talk(sessions.start()));
      void bounds.carryOver();
    },
    listModels: ask,
    stopTasks: async () => {
      await stopTasks(shell.tasks, emit);
      await mcp?.stop();
    },
    close() {
      clearTimeout(pruning);
      shell.killAll();
      plugins.close();
      mcp?.kill();
      sandbox.close();
      workspace.close();
      sessions.close();
      narrow?.close();
      traffic?.close();
    },
  };
}
