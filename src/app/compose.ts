/**
 * The one place where the parts are put together: everything else gets what it needs as an argument.
 */
import { MANIFEST } from "../../plugins/manifest.ts";
import type { Agent } from "../agent/agent.ts";
import type { Delegation } from "../agent/delegate.ts";
import { Focus } from "../agent/focus.ts";
import { PlanMode } from "../agent/plan_mode.ts";
import type { TurnDeps } from "../agent/turn_deps.ts";
import type { PermissionDecision } from "../core/decision.ts";
import type { Servers } from "../mcp/servers.ts";
import type { SingleHostFetch } from "../model/single_host_fetch.ts";
import { targetsDeniedByName } from "../permission/sandbox_policy.ts";
import { repositoryRoot } from "../store/instructions.ts";
import { ModelProfiles } from "../store/model_profiles.ts";
import { Registry } from "../tools/registry.ts";
import { readGitState } from "../workspace/git_state.ts";
import type { Sandbox } from "../workspace/sandbox/sandbox.ts";
import { openDelegation } from "./agents.ts";
import type { App, Frontend } from "./app.ts";
import { createAttacher } from "./attach.ts";
import { type Bootstrap, createBootstrap } from "./bootstrap.ts";
import { Conversations } from "./conversations.ts";
import { type Enforcement, openEnforcement } from "./enforcement.ts";
import { schedulePrune, stopTasks } from "./housekeeping.ts";
import { Instructions } from "./instructions.ts";
import { createAgent } from "./main_agent.ts";
import { openMcp } from "./mcp_run.ts";
import { Models } from "./models.ts";
import { openTraffic } from "./open_traffic.ts";
import type { Options } from "./options.ts";
import { openPlugins, type Plugins } from "./plugins.ts";
import { openRestrictedFetch, revokeKinds } from "./process_permissions.ts";
import { type ConversationStart, Sessions } from "./sessions.ts";
import { DEFAULTS, fromEnvironment, fromFlags } from "./settings.ts";
import type { Traffic } from "./traffic.ts";

/**
 * Puts a run together.
 * @throws {UsageError} flags or configuration cannot be used
 * @throws {EndpointError} no model is named and the server cannot be asked
 */
export async function compose(options: Options, frontend: Frontend): Promise<App> {
  const bootstrap = await createBootstrap(options, frontend);
  const { events: { emit, warn }, denied, settings, workspace } = bootstrap;
  const parent = () => agent.deps;
  const sessionId = () => sessions.id;
  const { interactive } = frontend;
  const enforcement = await openEnforcement(bootstrap, { options, interactive, sessionId });
  const { sandbox, policy } = enforcement;
  const plugins = await composePlugins(bootstrap, {
    confines: enforcement,
    options,
    front: frontend,
  });
  const registry = new Registry([...MANIFEST, ...plugins.entries]);
  const delegation = await composeDelegation(bootstrap, { registry, parent });
  const { restricted, traffic, models } = await openModelConnection(bootstrap, {
    options,
    front: frontend,
    parent,
  });
  const model = await models.resolveInitial(options.model ?? traffic?.model ?? settings.model);
  const contextSize = models.windowSizeOf(model);
  const instructions = await composeInstructions(bootstrap, { options, contextSize });
  const windowSizeOf = (name: string) => models.windowSizeOf(name);
  const conversations = new Conversations({ ...bootstrap, instructions, registry, windowSizeOf });
  const sessions = composeSessions(bootstrap, options);
  const mcp = await composeMcp(bootstrap, {
    confines: enforcement,
    registry,
    conversations,
    contextSize,
    front: frontend,
  });
  const opened = await sessions.open();
  const facts = models.factsOf(model);
  const start = traffic?.begin({ model, facts, start: opened }) ?? opened;
  await revokeDenied(denied, { sessions, sandbox, io: frontend.io });
  const plan = new PlanMode({ policy, registry, locked: options.plan });
  const talking = { conversations, instructions: instructions, models, mcp, traffic, start, model };
  const agent = createAgent(bootstrap, { frontend, enforcement, registry, delegation, ...talking });
  const focus = await restoreFocus(bootstrap, parent);
  const pruning = denied.has("write")
    ? undefined
    : schedulePrune(bootstrap.storage.paths, { sessions: bootstrap.config.keep_sessions });
  return {
    ...composeUserParts(bootstrap, { options, confines: enforcement, traffic, agent, mcp }),
    ...composeSessionSwitching({ agent, bounds: focus, conversations, sessions, warn }),
    agent,
    plan,
    delegation,
    plugins,
    focus,
    traffic,
    mcp,
    sessions,
    models,
    sessionId,
    stopTasks: async () => {
      await stopTasks(enforcement.shell.tasks, emit);
      await mcp?.stop();
      if (interactive) await instructions.rememberTrust();
      await models.flush();
      await sessions.flush();
    },
    close() {
      clearTimeout(pruning);
      enforcement.shell.killAll();
      plugins.close();
      mcp?.kill();
      sandbox.close();
      workspace.close();
      sessions.close();
      models.close();
      restricted?.close();
      traffic?.close();
    },
  };
}

/** What a composition says of the run as a whole, and what a person at it works with. */
function composeUserParts(
  bootstrap: Bootstrap,
  { options, confines: enforcement, traffic, agent, mcp }: {
    options: Options;
    confines: Enforcement;
    traffic: Traffic | undefined;
    agent: Agent;
    mcp: Servers | undefined;
  },
) {
  const { events, config, env, home, storage, project, projectSettings, workspace } = bootstrap;
  const { secrets, settings, statistics } = bootstrap;
  const { logDecision, permissions, sandbox, userPolicy } = enforcement;
  const { emit } = events;
  const fitToWindow = (part: string) => agent.deps.budget.fit(part);
  const paths = storage.paths;
  return {
    env,
    workspace,
    paths: paths,
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
      sandboxed: false,
      policy: userPolicy,
      logDecision: (one: PermissionDecision) => {
        traffic?.userActions?.recordShell(one.what);
        logDecision(one.decision === "deny" ? one : { ...one, by: "user" });
      },
      ask: (requests: readonly unknown[]) =>
        Promise.resolve(requests.map(() => ({ kind: "allow" as const }))),
    },
    attach: createAttacher({ files: workspace, home, servers: mcp, emit, fitToWindow }),
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
function composeSessionSwitching(
  { agent, bounds: focus, conversations, sessions, warn }: {
    agent: Agent;
    bounds: Focus;
    conversations: Conversations;
    sessions: Sessions;
    warn: (text: string) => void;
  },
): Pick<App, "startSession" | "resumeSession"> {
  const goOn = (start: ConversationStart) =>
    agent.replaceConversation(conversations.open(start, agent.deps.settings.model));
  return {
    startSession() {
      goOn(sessions.start());
      void focus.carryOver();
    },
    async resumeSession(id) {
      goOn(await sessions.resume(id));
      for (const text of await focus.restore()) warn(text);
      await focus.carryOver();
    },
  };
}

/** The tools of others that are installed or being written. */
function composePlugins(
  { events, env, home, storage, workspace }: Bootstrap,
  { confines: { sandbox, isVariableVisible, permissions }, options, front: frontend }: {
    confines: Enforcement;
    options: Options;
    front: Frontend;
  },
): Promise<Plugins> {
  const { paths: paths, hasHome } = storage;
  const layers = [permissions.rules, ...permissions.configured];
  return openPlugins({
    allyHome: hasHome ? paths.home : undefined,
    developmentDirs: options.pluginDirs,
    builtInNames: MANIFEST.map(({ definition }) => definition.name),
    roots: () => workspace.roots,
    home,
    env: env.toObject(),
    isHidden: (name) => isVariableVisible(name) === false,
    denied: {
      read: targetsDeniedByName("read", layers),
      write: targetsDeniedByName("write", layers),
      net: targetsDeniedByName("net", layers).filter((host) => !host.startsWith("mcp:")),
    },
    sandbox,
    recordsPath: paths.pluginRecords,
    knownManifestsPath: paths.knownManifests,
    allowed: options.allowedPlugins,
    ask: frontend.askConsent,
    warn: events.warn,
  });
}

/** The agents that take tasks of the one there is. */
function composeDelegation(
  { events, storage, project, settings, workspace }: Bootstrap,
  { registry, parent }: { registry: Registry; parent: () => TurnDeps },
): Promise<Delegation> {
  return openDelegation({
    paths: storage.paths,
    project,
    registry,
    workspace,
    settings,
    emit: events.emit,
    emitAs: (agent) => events.emitterFor(agent),
    parent,
  });
}

/** What leads to the models of all endpoints, or to a recording instead. */
async function openModelConnection(
  bootstrap: Bootstrap,
  { options, front: frontend, parent }: {
    options: Options;
    front: Frontend;
    parent: () => TurnDeps;
  },
): Promise<ModelConnection> {
  const { events, denied, storage, project, settings, workspace } = bootstrap;
  const { emit, warn } = events;
  const restricted = await openRestrictedFetch(denied, settings.endpoints.default.url);
  const paths = storage.paths;
  const parts = { ...bootstrap, options, paths: paths, roots: workspace.roots, warn };
  const traffic = await openTraffic(parts, { front: frontend, project, fetch: restricted?.fetch });
  const { userActions } = traffic ?? {};
  if (userActions) events.wrapSink((sink) => userActions.wrapSink(sink));
  const models = new Models({
    ...settings,
    endpoints: traffic?.endpoints ?? settings.endpoints,
    client: {
      ...settings.timeouts,
      retries: settings.retries,
      stream: settings.stream,
      fetch: traffic?.fetch ?? restricted?.fetch,
      clock: traffic?.clock,
    },
    profiles: new ModelProfiles(paths.models),
    traffic,
    onlyDefaultEndpoint: restricted !== undefined,
    budget: () => parent().budget,
    current: () => parent().settings.model,
    emit,
  });
  events.setListener((fact) => models.onEvent(fact));
  return { restricted, traffic, models };
}

interface ModelConnection {
  /** The way to the model server alone, where the network is given up. */
  readonly restricted: SingleHostFetch | undefined;
  readonly traffic: Traffic | undefined;
  readonly models: Models;
}

/** What the model is told of its task, place and project. */
function composeInstructions(
  { cwd, project, projectOptions, workspace }: Bootstrap,
  { options, contextSize }: { options: Options; contextSize: number },
): Promise<Instructions> {
  const repository = repositoryRoot(cwd);
  return Instructions.open({
    facts: {
      cwd,
      platform: Deno.build.os,
      date: new Date().toISOString().slice(0, 10),
      git: repository === undefined ? undefined : readGitState(repository),
      plan: options.plan,
      append: options.appendSystemPrompt,
    },
    trusted: project.files.instructions,
    project: projectOptions,
    contextSize,
    patches: () => workspace.listPatches(),
  });
}

function composeSessions({ events, config, cwd, storage }: Bootstrap, options: Options): Sessions {
  return new Sessions({
    options: { ...options, session: options.session && storage.isPersistent },
    cwd,
    directory: storage.paths.sessions,
    masks: config.mask_secrets !== false,
    emit: events.emit,
  });
}

/** The MCP servers of the user and of the trusted project. */
function composeMcp(
  bootstrap: Bootstrap,
  {
    confines: { permissions, sandbox, isVariableVisible },
    registry,
    conversations,
    contextSize,
    front: frontend,
  }: {
    confines: Enforcement;
    registry: Registry;
    conversations: Conversations;
    contextSize: number;
    front: Frontend;
  },
): Promise<Servers | undefined> {
  return openMcp({
    ...bootstrap,
    paths: bootstrap.storage.paths,
    project: frontend.skipProjectServers ? undefined : bootstrap.project.files.mcp,
    isVariableVisible,
    rules: [permissions.rules, ...permissions.configured],
    sandbox,
    registry,
    contextSize,
    countTokens: (definitions) => conversations.countToolTokens(definitions),
    onToolsChanged: () => conversations.onToolsChanged(),
    emit: bootstrap.events.emit,
    approve: frontend.approveServer,
  });
}

/** Takes from the process what flags deny; what it still needs is opened before. */
async function revokeDenied(
  denied: Bootstrap["denied"],
  { sessions, sandbox, io }: { sessions: Sessions; sandbox: Sandbox; io: Frontend["io"] },
): Promise<void> {
  if (denied.has("write")) {
    await sessions.openFile();
    if (!denied.has("run")) await sandbox.status();
  }
  revokeKinds(denied, io);
}

/** What of the disk the conversation works on, as it was bound before. */
async function restoreFocus(
  { events, home, workspace }: Bootstrap,
  parent: () => TurnDeps,
): Promise<Focus> {
  const state = () => parent().conversation.state;
  const focus = new Focus({ workspace: workspace.workspaceRoots, state, home });
  for (const text of await focus.restore()) events.warn(text);
  return focus;
}
