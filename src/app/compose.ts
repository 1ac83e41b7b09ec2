/**
 * The one place where the parts are put together: everything else gets what it needs as an argument.
 */
import { MANIFEST } from "../../plugins/manifest.ts";
import type { Agent } from "../agent/agent.ts";
import type { Delegation } from "../agent/delegate.ts";
import { Bounds } from "../agent/focus.ts";
import { PlanMode } from "../agent/plan_mode.ts";
import type { TurnDeps } from "../agent/turn.ts";
import type { Decision } from "../core/decision.ts";
import type { Servers } from "../mcp/servers.ts";
import type { NarrowFetch } from "../model/narrow_fetch.ts";
import { deniedByName } from "../permission/confinement.ts";
import { repositoryRoot } from "../store/instructions.ts";
import { ModelProfiles } from "../store/model_profiles.ts";
import { Registry } from "../tools/registry.ts";
import { gitState } from "../workspace/git_state.ts";
import type { Sandbox } from "../workspace/sandbox/sandbox.ts";
import { openAgents } from "./agents.ts";
import type { Composition, Front } from "./app.ts";
import { attacher } from "./attach.ts";
import { type Groundwork, layGroundwork } from "./bootstrap.ts";
import { Conversations } from "./conversations.ts";
import { type Confines, openConfines } from "./enforcement.ts";
import { pruneLater, stopTasks } from "./housekeeping.ts";
import { Notes } from "./instructions.ts";
import { createAgent } from "./main_agent.ts";
import { openMcp } from "./mcp_run.ts";
import { Models } from "./models.ts";
import { openTraffic } from "./open_traffic.ts";
import type { Options } from "./options.ts";
import { openPlugins, type Plugins } from "./plugins.ts";
import { narrowedFetch, shed } from "./process_permissions.ts";
import { Sessions, type Start } from "./sessions.ts";
import { DEFAULTS, fromEnvironment, fromFlags } from "./settings.ts";
import type { Traffic } from "./traffic.ts";

/**
 * Puts a run together.
 * @throws {UsageError} flags or configuration cannot be used
 * @throws {EndpointError} no model is named and the server cannot be asked
 */
export async function compose(options: Options, front: Front): Promise<Composition> {
  const work = await layGroundwork(options, front);
  const { broadcast: { emit, warn }, denied, settings, workspace } = work;
  const parent = () => agent.deps;
  const sessionId = () => sessions.id;
  const { interactive } = front;
  const confines = await openConfines(work, { options, interactive, sessionId });
  const { sandbox, policy } = confines;
  const plugins = await pluginsOf(work, { confines, options, front });
  const registry = new Registry([...MANIFEST, ...plugins.entries]);
  const delegation = await delegationOf(work, { registry, parent });
  const { narrow, traffic, models } = await openWire(work, { options, front, parent });
  const model = await models.toBeginWith(options.model ?? traffic?.model ?? settings.model);
  const contextSize = models.sizeOf(model);
  const notes = await notesOf(work, { options, contextSize });
  const sizeOf = (name: string) => models.sizeOf(name);
  const conversations = new Conversations({ ...work, notes, registry, sizeOf });
  const sessions = sessionsOf(work, options);
  const mcp = await mcpOf(work, { confines, registry, conversations, contextSize, front });
  const opened = await sessions.open();
  const facts = models.factsOf(model);
  const start = traffic?.begin({ model, facts, start: opened }) ?? opened;
  await giveUp(denied, { sessions, sandbox });
  const plan = new PlanMode({ policy, registry, locked: options.plan });
  const talking = { conversations, notes, models, mcp, traffic, start, model };
  const agent = createAgent(work, { front, confines, registry, delegation, ...talking });
  const bounds = await boundsOf(work, parent);
  const pruning = denied.has("write")
    ? undefined
    : pruneLater(work.kept.locations, { sessions: work.config.keep_sessions });
  return {
    ...partsOf(work, { options, confines, traffic, agent, mcp }),
    ...switching({ agent, bounds, conversations, sessions, warn }),
    agent,
    plan,
    delegation,
    plugins,
    bounds,
    traffic,
    mcp,
    sessions,
    models,
    sessionId,
    stopTasks: async () => {
      await stopTasks(confines.shell.tasks, emit);
      await mcp?.stop();
      if (interactive) await notes.remember();
      await models.settled();
      await sessions.settle();
    },
    close() {
      clearTimeout(pruning);
      confines.shell.killAll();
      plugins.close();
      mcp?.kill();
      sandbox.close();
      workspace.close();
      sessions.close();
      models.close();
      narrow?.close();
      traffic?.close();
    },
  };
}

/** What a composition says of the run as a whole, and what a person at it works with. */
function partsOf(
  work: Groundwork,
  { options, confines, traffic, agent, mcp }: {
    options: Options;
    confines: Confines;
    traffic: Traffic | undefined;
    agent: Agent;
    mcp: Servers | undefined;
  },
) {
  const { broadcast, config, env, home, kept, project, projectSettings, workspace } = work;
  const { secrets, settings, statistics } = work;
  const { noteDecision, permissions, sandbox, userPolicy } = confines;
  const { emit } = broadcast;
  const fit = (part: string) => agent.deps.budget.fit(part);
  const places = kept.locations;
  return {
    env,
    workspace,
    places,
    settings,
    permissions,
    statistics,
    secrets,
    sandbox,
    project,
    emit,
    userScheduler: {
      ...agent.deps.scheduler,
      // What a person types runs as in their own shell.
      confine: false,
      policy: userPolicy,
      noteDecision: (one: Decision) => {
        traffic?.session?.shell(one.what);
        noteDecision(one.decision === "deny" ? one : { ...one, by: "user" });
      },
      ask: (requests: readonly unknown[]) =>
        Promise.resolve(requests.map(() => ({ kind: "allow" as const }))),
    },
    attach: attacher({ files: workspace, home, servers: mcp, emit, fit }),
    configSources: {
      flags: fromFlags(options),
      environment: fromEnvironment(env),
      project: projectSettings,
      user: config,
      defaults: DEFAULTS,
    },
  };
}

/** Puts other conversations in the place of the one that goes on. */
function switching(
  { agent, bounds, conversations, sessions, warn }: {
    agent: Agent;
    bounds: Bounds;
    conversations: Conversations;
    sessions: Sessions;
    warn: (text: string) => void;
  },
): Pick<Composition, "startSession" | "resumeSession"> {
  const goOn = (start: Start) =>
    agent.replace(conversations.open(start, agent.deps.settings.model));
  return {
    startSession() {
      goOn(sessions.start());
      void bounds.carryOver();
    },
    async resumeSession(id) {
      goOn(await sessions.resume(id));
      for (const text of await bounds.restore()) warn(text);
      await bounds.carryOver();
    },
  };
}

/** The tools of others that are installed or being written. */
function pluginsOf(
  { broadcast, env, home, kept, workspace }: Groundwork,
  { confines: { sandbox, shows, permissions }, options, front }: {
    confines: Confines;
    options: Options;
    front: Front;
  },
): Promise<Plugins> {
  const { locations: places, known } = kept;
  const layers = [permissions.rules, ...permissions.configured];
  return openPlugins({
    allyHome: known ? places.home : undefined,
    directories: options.pluginDirs,
    taken: MANIFEST.map(({ definition }) => definition.name),
    roots: () => workspace.roots,
    home,
    env: env.toObject(),
    hides: (name) => shows(name) === false,
    denied: {
      read: deniedByName("read", layers),
      write: deniedByName("write", layers),
      net: deniedByName("net", layers).filter((host) => !host.startsWith("mcp:")),
    },
    sandbox,
    records: places.pluginRecords,
    allowed: options.allowedPlugins,
    ask: front.askConsent,
    warn: broadcast.warn,
  });
}

/** The agents that take tasks of the one there is. */
function delegationOf(
  { broadcast, kept, project, settings, workspace }: Groundwork,
  { registry, parent }: { registry: Registry; parent: () => TurnDeps },
): Promise<Delegation> {
  return openAgents({
    places: kept.locations,
    project,
    registry,
    workspace,
    settings,
    emit: broadcast.emit,
    emitAs: (agent) => broadcast.as(agent),
    parent,
  });
}

/** What leads to the models of all endpoints, or to a recording instead. */
async function openWire(
  work: Groundwork,
  { options, front, parent }: { options: Options; front: Front; parent: () => TurnDeps },
): Promise<Wire> {
  const { broadcast, denied, kept, project, settings, workspace } = work;
  const { emit, warn } = broadcast;
  const narrow = await narrowedFetch(denied, settings.endpoints.home.endpoint);
  const places = kept.locations;
  const parts = { ...work, options, places, roots: workspace.roots, warn };
  const traffic = await openTraffic(parts, { front, project, fetch: narrow?.fetch });
  const { session } = traffic ?? {};
  if (session) broadcast.wrap((sink) => session.sink(sink));
  const models = new Models({
    ...settings,
    endpoints: traffic?.endpoints ?? settings.endpoints,
    client: {
      ...settings.limits,
      retries: settings.retries,
      stream: settings.stream,
      fetch: traffic?.fetch ?? narrow?.fetch,
      clock: traffic?.clock,
    },
    profiles: new ModelProfiles(places.models),
    traffic,
    narrowed: narrow !== undefined,
    budget: () => parent().budget,
    current: () => parent().settings.model,
    emit,
  });
  broadcast.listen((fact) => models.heard(fact));
  return { narrow, traffic, models };
}

interface Wire {
  /** The way to the model server alone, where the network is given up. */
  readonly narrow: NarrowFetch | undefined;
  readonly traffic: Traffic | undefined;
  readonly models: Models;
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

function sessionsOf({ broadcast, config, cwd, kept }: Groundwork, options: Options): Sessions {
  return new Sessions({
    options: { ...options, session: options.session && kept.lasting },
    cwd,
    directory: kept.locations.sessions,
    masks: config.mask_secrets !== false,
    emit: broadcast.emit,
  });
}

/** The MCP servers of the user and of the trusted project. */
function mcpOf(
  work: Groundwork,
  { confines: { permissions, sandbox, shows }, registry, conversations, contextSize, front }: {
    confines: Confines;
    registry: Registry;
    conversations: Conversations;
    contextSize: number;
    front: Front;
  },
): Promise<Servers | undefined> {
  return openMcp({
    ...work,
    places: work.kept.locations,
    project: front.foreign ? undefined : work.project.files.mcp,
    shows,
    rules: [permissions.rules, ...permissions.configured],
    sandbox,
    registry,
    contextSize,
    size: (definitions) => conversations.sizeOfTools(definitions),
    onTools: () => conversations.toolsChanged(),
    emit: work.broadcast.emit,
    approve: front.approveServer,
  });
}

/** Takes from the process what flags deny; what it still needs is opened before. */
async function giveUp(
  denied: Groundwork["denied"],
  { sessions, sandbox }: { sessions: Sessions; sandbox: Sandbox },
): Promise<void> {
  if (denied.has("write")) {
    await sessions.hold();
    if (!denied.has("run")) await sandbox.status();
  }
  shed(denied);
}

/** What of the disk the conversation works on, as it was bound before. */
async function boundsOf(
  { broadcast, home, workspace }: Groundwork,
  parent: () => TurnDeps,
): Promise<Bounds> {
  const state = () => parent().conversation.state;
  const bounds = new Bounds({ workspace: workspace.reach, state, home });
  for (const text of await bounds.restore()) broadcast.warn(text);
  return bounds;
}
