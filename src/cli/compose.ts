/**
 * The one place where the parts are put together: everything else gets what it needs as an argument.
 */
import { MANIFEST } from "../../plugins/manifest.ts";
import { Agent } from "../agent/agent.ts";
import { Bounds } from "../agent/bounds.ts";
import { Conversation } from "../agent/conversation.ts";
import { PlanMode } from "../agent/plan_mode.ts";
import type { TurnDeps } from "../agent/turn.ts";
import { Budget } from "../context/budget.ts";
import { TokenCounter } from "../context/counter.ts";
import { definitionsText, fixedPart } from "../context/prompt.ts";
import type { AgentIdentity } from "../core/tool.ts";
import { ModelProfiles } from "../store/model_profiles.ts";
import { repositoryRoot } from "../store/project_notes.ts";
import { outputKeeper } from "../store/outputs.ts";
import { Registry } from "../tools/registry.ts";
import { gitState } from "../workspace/git_state.ts";
import { openAgents } from "./agents.ts";
import type { Options } from "./args.ts";
import { attacher } from "./attach.ts";
import { MAIN } from "./broadcast.ts";
import type { Composition, Front } from "./composition.ts";
import { type Confines, openConfines } from "./confines.ts";
import { type Groundwork, layGroundwork } from "./groundwork.ts";
import { openTraffic } from "./open_traffic.ts";
import { narrowedFetch, shed } from "./outer_sandbox.ts";
import { pruneLater, stopTasks } from "./housekeeping.ts";
import { Notes } from "./notes.ts";
import { openMcp } from "./mcp_run.ts";
import { openPlugins, type Plugins } from "./plugins.ts";
import { Models } from "./models.ts";
import { Sessions, type Start } from "./sessions.ts";
import { budgetTuning, diffContextOf, thresholdsOf } from "./tuning.ts";
import { DEFAULTS, fromEnvironment, fromFlags } from "./settings.ts";
import type { Traffic } from "./traffic.ts";

/**
 * Puts a run together.
 * @throws {UsageError} flags or configuration cannot be used
 * @throws {EndpointError} no model is named and the server cannot be asked
 */
export async function compose(options: Options, front: Front): Promise<Composition> {
  const work = await layGroundwork(options, front);
  const { env, cwd, denied, home, statistics, broadcast, kept, config, secrets } = work;
  const { project, projectSettings, settings, workspace, variables } = work;
  const places = kept.locations;
  const { emit, warn } = broadcast;
  const confines = await openConfines(work, {
    options,
    interactive: front.interactive,
    sessionId: () => sessions.id,
  });
  const { sandbox, permissions, policy, userPolicy, shell, shows, noteDecision } = confines;
  const plugins = await pluginsOf(work, { confines, options, front });
  const registry = new Registry([...MANIFEST, ...plugins.entries]);
  const delegation = await openAgents({
    ...{
      places,
      project,
      registry,
      workspace,
      settings,
      emit,
      emitAs: (agent: AgentIdentity) => broadcast.as(agent),
    },
    parent: () => agent.deps,
  });
  const narrow = await narrowedFetch(denied, settings.endpoints.home.endpoint);
  const parts = { options, cwd, env, places, settings, secrets, roots: workspace.roots, warn };
  const traffic = await openTraffic(parts, { front, project, fetch: narrow?.fetch });
  const { session } = traffic ?? {};
  if (session) broadcast.wrap((sink) => session.sink(sink));
  const offered = modelsOf(work, {
    traffic,
    fetch: traffic?.fetch ?? narrow?.fetch,
    narrowed: narrow !== undefined,
    agent: () => agent.deps,
  });
  broadcast.listen((fact) => offered.heard(fact));
  const named = options.model ?? traffic?.model ?? settings.model;
  const model = named === undefined ? await offered.first() : offered.nameOf(named);
  const notes = await notesOf(work, { options, contextSize: offered.sizeOf(model) });
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
    project: front.foreign ? undefined : project.files.mcp,
    cwd,
    variables,
    shows,
    rules: [permissions.rules, ...permissions.configured],
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
  const start = traffic?.begin({ model, facts: offered.factsOf(model), start: opened }) ?? opened;
  if (denied.has("write")) {
    await sessions.hold();
    // What it needs is made while that may be.
    if (!denied.has("run")) await sandbox.status();
  }
  shed(denied);
  const plan = new PlanMode({ policy, registry, locked: options.plan });
  const agent: Agent = new Agent({
    ...talk(start, model),
    model: offered.port,
    costOf: (usage, name) => offered.costOf(usage, name),
    windowOf: (name) => offered.windowOf(name),
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
      ask: session?.ask(front.ask) ?? front.ask,
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
    env,
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
        session?.shell(one.what);
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
      agent.replace(talk(sessions.start(), agent.deps.settings.model));
      void bounds.carryOver();
    },
    models: offered,
    stopTasks: async () => {
      await stopTasks(shell.tasks, emit);
      await mcp?.stop();
      await offered.settled();
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

/** The tools of others that are installed or being written. */
function pluginsOf(
  { broadcast, env, home, kept, workspace }: Groundwork,
  { confines: { sandbox, shows }, options, front }: {
    confines: Confines;
    options: Options;
    front: Front;
  },
): Promise<Plugins> {
  const { locations: places, known } = kept;
  return openPlugins({
    allyHome: known ? places.home : undefined,
    directories: options.pluginDirs,
    taken: MANIFEST.map(({ definition }) => definition.name),
    roots: () => workspace.roots,
    home,
    env: env.toObject(),
    hides: (name) => shows(name) === false,
    sandbox,
    records: places.pluginRecords,
    allowed: options.allowedPlugins,
    ask: front.askConsent,
    warn: broadcast.warn,
  });
}

/** The models of all endpoints, asked by the agent that is there when they are. */
function modelsOf(
  { broadcast, kept, settings }: Groundwork,
  { traffic, fetch, narrowed, agent }: {
    traffic: Traffic | undefined;
    fetch: typeof globalThis.fetch | undefined;
    narrowed: boolean;
    agent: () => TurnDeps;
  },
): Models {
  return new Models({
    ...settings,
    endpoints: traffic?.endpoints ?? settings.endpoints,
    client: {
      ...settings.limits,
      retries: settings.retries,
      stream: settings.stream,
      fetch,
      clock: traffic?.clock,
    },
    profiles: new ModelProfiles(kept.locations.models),
    traffic,
    narrowed,
    budget: () => agent().budget,
    current: () => agent().settings.model,
    emit: broadcast.emit,
  });
}

/** What the model is told of its task, place and project. */
function notesOf(
  { cwd, project, projectOptions, workspace }: Groundwork,
  { options, contextSize }: { options: Options; contextSize: number },
): Promise<Notes> {
  const repository = repositoryRoot(cwd);
  return Notes.open({
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
    contextSize,
    patches: () => workspace.patches(),
  });
}
