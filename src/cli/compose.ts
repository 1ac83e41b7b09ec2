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
import { definitionsText, fixedPart } from "../context/prompt.ts";
import type { Fact, Sink } from "../core/event.ts";
import type { Ask } from "../core/permission.ts";
import type { AgentIdentity } from "../core/tool.ts";
import { type Secrets, UNMASKED } from "../core/secrets.ts";
import type { AskConsent } from "../core/plugin_consent.ts";
import type { AskTrust } from "../core/project.ts";
import type { Approve, Servers } from "../mcp/servers.ts";
import { Policy } from "../permission/policy.ts";
import { maskedSink } from "../secrets/masked_sink.ts";
import { Vault } from "../secrets/vault.ts";
import { showsVariable } from "../permission/rules.ts";
import { readConfig } from "../store/config.ts";
import type { ConfigSources } from "../store/config_sources.ts";
import { decisionLog } from "../store/decisions.ts";
import type { Locations } from "../store/locations.ts";
import { readMaskKey } from "../store/mask_key.ts";
import { ModelProfiles } from "../store/model_profiles.ts";
import { closeToOthers } from "../store/private_files.ts";
import { repositoryRoot } from "../store/project_notes.ts";
import { outputKeeper } from "../store/outputs.ts";
import { Registry } from "../tools/registry.ts";
import type { SchedulerDeps } from "../tools/scheduler.ts";
import { gitState } from "../workspace/git_state.ts";
import type { Sandbox } from "../workspace/sandbox/sandbox.ts";
import { createShell } from "../workspace/shell.ts";
import { Workspace } from "../workspace/workspace.ts";
import { openAgents } from "./agents.ts";
import type { Options } from "./args.ts";
import { attacher } from "./attach.ts";
import { gatherPermissions, type PermissionSources, readable } from "./permission_sources.ts";
import { confinedOnce, createSandbox, requireSandbox } from "./sandbox.ts";
import { canonicalDirectory } from "./directory.ts";
import {
  bareEnvironment,
  type Environment,
  mayReadEnvironment,
  readEnvironment,
  standInForLibraries,
} from "./environment.ts";
import { openTraffic } from "./open_traffic.ts";
import { deniedKinds, describeMissing, narrowedFetch, shed } from "./outer_sandbox.ts";
import { describeRecovery, pruneLater, stopTasks } from "./housekeeping.ts";
import { Notes } from "./notes.ts";
import { openMcp } from "./mcp_run.ts";
import { openPlaces } from "./places.ts";
import { openPlugins, type Plugins } from "./plugins.ts";
import { openProject, projectConfig, type ProjectTrust } from "./project.ts";
import { keysOf, keyVariables } from "./endpoints.ts";
import { Models } from "./models.ts";
import { Sessions, type Start } from "./sessions.ts";
import { budgetTuning, diffContextOf, thresholdsOf } from "./tuning.ts";
import { DEFAULTS, fromEnvironment, fromFlags, type Settings, settle } from "./settings.ts";
import type { Traffic } from "./traffic.ts";

/** What differs between the ways to run ally. */
export interface Front {
  readonly sink: Sink;
  readonly ask: Ask;
  /** Whether a person can answer. */
  readonly interactive: boolean;
  /** Asks whether the project's files may act; absent where nobody can answer. */
  readonly askTrust?: AskTrust;
  /** Whether no setting of the user's has a part in the run, as in the demo. @default false */
  readonly isolated?: boolean;
  /** Whether the run works on a scratch copy: the process then gives up nothing. @default false */
  readonly scratch?: boolean;
  /** Asks whether a plugin may run; absent where nobody can answer. */
  readonly askConsent?: AskConsent;
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
  /** Starts the agents that take tasks. */
  readonly delegation: Delegation;
  readonly plugins: Plugins;
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
  readonly attach: ReturnType<typeof attacher>;
  /** Sends a fact to the sink as the main agent's. */
  readonly emit: (fact: Fact) => void;
  /** Id of the current session; undefined with `--no-session`. */
  sessionId(): string | undefined;
  readonly sessions: Sessions;
  /** Begins a new session with an empty conversation. */
  startSession(): void;
  /** Goes on with another session. @throws {UsageError} it is not there, or in use */
  resumeSession(id: string): Promise<void>;
  /** What each source says of the settings. */
  readonly configSources: ConfigSources;
  /** The models of all endpoints. */
  readonly models: Models;
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
  let models: Models | undefined;
  const emitAs = (agent: AgentIdentity) => (fact: Fact) => {
    const event = { ...fact, time: new Date().toISOString(), agent };
    statistics.take(event);
    models?.heard(fact);
    sink(event);
  };
  const emit = emitAs(MAIN);
  const warn = (text: string) => emit({ type: "notice", level: "warning", text });
  const cwd = canonicalDirectory(options.cwd);
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
  const keys = kept.known ? places.keys : undefined;
  const secrets = config.mask_secrets === false ? UNMASKED : new Vault({
    key: () => readMaskKey(places.maskKey),
    env: { ...env.toObject(), ...keysOf({ config, env, keys }) },
  });
  // Only a person's screen shows secrets: whatever else takes events is a log.
  if (!front.interactive && secrets !== UNMASKED) sink = maskedSink(front.sink, secrets);
  warnings.forEach(warn);
  const projectOptions = {
    directory: cwd,
    home: places.home,
    trustPath: places.trust,
    trustAll: options.trustProject,
    ask: front.askTrust,
    emit,
  };
  const project = await openProject(projectOptions);
  const projectSettings = await projectConfig(project, emit);
  const settings = settle(options, { config, project: projectSettings, env, keys });
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
  describeMissing({ cwd, denied, endpoint: settings.endpoints.home.endpoint }).forEach(warn);
  // What a killed ally left half done waits for a run that may write.
  for (const recovery of denied.has("write") ? [] : await workspace.recover()) {
    emit({ type: "notice", ...describeRecovery(recovery) });
  }
  const variables = denied.has("env") ? bareEnvironment(env.toObject()) : env.toObject();
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
    env: env.toObject(),
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
  const narrow = await narrowedFetch(denied, settings.endpoints.home.endpoint);
  const parts = { options, cwd, env, places, settings, secrets, roots: workspace.roots, warn };
  const traffic = await openTraffic(parts, { front, project, fetch: narrow?.fetch });
  if (traffic) sink = traffic.sink(sink);
  const offered = models = new Models({
    ...settings,
    client: {
      ...settings.limits,
      retries: settings.retries,
      stream: settings.stream,
      fetch: traffic?.fetch ?? narrow?.fetch,
      clock: traffic?.clock,
    },
    profiles: new ModelProfiles(places.models),
    budget: () => agent.deps.budget,
    current: () => agent.deps.settings.model,
    emit,
  });
  const named = options.model ?? traffic?.model ?? settings.model;
  const model = named === undefined ? await offered.first() : offered.nameOf(named);
  const repository = repositoryRoot(cwd);
  const notes = await Notes.open({
    facts: {
      cwd,
      platform: Deno.build.os,
      date: new Date().toISOString().slice(0, 10),
      git: repository === undefined ? undefined : gitState(repository),
      plan: options.plan,
      append: options.appendSystemPrompt,
    },
    trusted: project.files.notes,
    project: projectOptions,
    contextSize: offered.sizeOf(model),
    patches: () => workspace.patches(),
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
  const keyNames = keyVariables(config);
  // A key's variable is hidden from commands whatever it is called.
  const shows = (name: string) =>
    showsVariable([rules, ...configured], name) ?? (keyNames.has(name) ? false : undefined);
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
  const fixed = () => fixedPart(notes.prompt, registry.definitions);
  const talk = (start: Start, name: string) => ({
    conversation: new Conversation({ ...start, secrets }),
    budget: new Budget({
      size: offered.sizeOf(name),
      fixed: fixed(),
      messages: start.messages,
      counter,
      maxTokens: settings.maxTokens,
      ...budgetTuning(settings.tuning),
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
    contextSize: offered.sizeOf(model),
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
    ...talk(start, model),
    model: offered.port,
    costOf: (usage, name) => offered.costOf(usage, name),
    settings: { model, maxTokens: settings.maxTokens, temperature: settings.temperature },
    systemPrompt: notes.prompt,
    // Without a person there is one turn.
    ...front.interactive && { currentPrompt: () => notes.renew() },
    maxTurns: settings.maxTurns,
    thresholds: thresholdsOf(settings.tuning),
    // Without it a message does not tell what came after it, and only the conversation can go back.
    ...!denied.has("write") &&
      { newestChange: () => workspace.newestChange().catch(() => undefined) },
    onOverflow: (signal) => agent.compactNow(signal),
    keepOutput: outputKeeper(places.outputs),
    delegated: () => delegation.takeSpent(),
    ...mcp && { prepare: (signal) => mcp.prepare(signal) },
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
      diffs: diffContextOf(settings.tuning),
      noteDecision,
    },
  });
  onTools = () => agent.deps.budget.refix(fixed());
  const bounds = new Bounds({
    workspace: workspace.reach,
    state: () => agent.deps.conversation.state,
    home,
  });
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
    delegation,
    plugins,
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
    attach: attacher({
      files: workspace,
      home,
      servers: mcp,
      emit,
      fit: (part) => agent.deps.budget.fit(part),
    }),
    emit,
    sessionId: () => sessions.id,
    sessions,
    async resumeSession(id) {
      agent.replace(talk(await sessions.resume(id), agent.deps.settings.model));
      for (const text of await bounds.restore()) warn(text);
      await bounds.carryOver();
    },
    configSources: {
      flags: fromFlags(options),
      environment: fromEnvironment(env),
      project: projectSettings,
      user: config,
      defaults: DEFAULTS,
    },
    startSession() {
      traffic?.typed({ clear: true });
      agent.replace(talk(sessions.start(), agent.deps.settings.model));
      void bounds.carryOver();
    },
    models: offered,
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
      offered.close();
      narrow?.close();
      traffic?.close();
    },
  };
}
