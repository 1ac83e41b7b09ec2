/**
 * The one place where the parts of a run are put together, top to bottom: each is made of those above it and gets
 * them as arguments. What was opened is closed in reverse order.
 */
import { MANIFEST } from "../../plugins/manifest.ts";
import type { Agent } from "../agent/agent.ts";
import { CurrentConversation } from "../agent/current_conversation.ts";
import { Focus } from "../agent/focus.ts";
import type { Spending } from "../agent/spending.ts";
import { UsageError } from "../core/errors.ts";
import type { ToolEntry } from "../core/tool.ts";
import { isMissing, reasonOf } from "../lib/fs.ts";
import type { Servers } from "../mcp/servers.ts";
import type { HookRunner } from "../hooks/hook_runner.ts";
import type { SingleHostFetch } from "../model/single_host_fetch.ts";
import type { Media } from "../core/image.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Skills } from "../skills/skills.ts";
import { repositoryRoot } from "../store/instructions.ts";
import { Registry } from "../tools/registry.ts";
import { readGitBranch, readGitState } from "../workspace/git_state.ts";
import { openDelegation } from "./agents.ts";
import type { App } from "./app.ts";
import { type Bootstrap, createBootstrap, isOwnRun, isRepeated } from "./bootstrap.ts";
import { Conversations } from "./conversations.ts";
import { costOf, hasPrices } from "./endpoints.ts";
import { type Enforcement, openEnforcement } from "./enforcement.ts";
import type { EventEmitter } from "./events.ts";
import type { Frontend } from "./frontend.ts";
import { schedulePrune, stopTasks } from "./housekeeping.ts";
import { Instructions } from "./instructions.ts";
import { type AgentParts, createAgent, createUserScheduler } from "./main_agent.ts";
import type { MediaOptions, WaitingMedia } from "./media.ts";
import { Models } from "./models.ts";
import type { Options } from "./options.ts";
import { openPlugins, type Plugins } from "./plugins.ts";
import { openRestrictedFetch, revokeKinds } from "./process_permissions.ts";
import { Prompts } from "./prompts.ts";
import type { RunReceipt } from "./receipt.ts";
import type { SlotKeeping } from "./server_slots.ts";
import { recordShown } from "./session_record.ts";
import { type ConversationStart, Sessions } from "./sessions.ts";
import type { Traffic } from "./traffic.ts";
import { clientLimitsOf, spendingLimitsOf } from "./tuning.ts";
import { UNRECORDED } from "./user_actions.ts";

/** Stands for a model as long as none is chosen. */
export const NO_MODEL = "";

/**
 * Puts a run together.
 * @throws {UsageError} flags or configuration cannot be used
 * @throws {EndpointError} no model is named and the server cannot be asked
 */
export async function compose(options: Options, frontend: Frontend): Promise<App> {
  using opened = new DisposableStack();
  const bootstrap = await createBootstrap(options, frontend);
  const { denied, events, settings } = bootstrap;
  opened.defer(() => bootstrap.workspace.close());
  const sessions = createSessions(bootstrap);
  opened.defer(() => sessions.close());
  const enforcement = await openEnforcement(bootstrap, sessions);
  opened.defer(() => enforcement.close());
  const plugins = await openPlugins(bootstrap, enforcement);
  opened.defer(() => plugins.close());
  const registry = createRegistry(frontend.tools, plugins);
  registry.readOnly = options.plan;
  const delegation = await openDelegation(bootstrap, registry);
  const restricted = await openRestrictedFetch(bootstrap);
  opened.defer(() => restricted?.close());
  const traffic = await openTraffic(bootstrap, restricted?.fetch);
  opened.defer(() => traffic?.close());
  const userActions = traffic?.userActions ?? UNRECORDED;
  events.wrapSink((sink) => userActions.wrapSink(sink));
  const current = createCurrent(bootstrap);
  const models = await createModels(bootstrap, { current, traffic, restricted, sessions });
  const media = createMedia({ ...bootstrap, models, current, sessions });
  opened.defer(() => models.close());
  events.setListener((event) => models.onEvent(event));
  const named = options.settings.model ?? traffic?.model ?? settings.values.model;
  const model = named === undefined && frontend.servesTools
    ? NO_MODEL
    : await models.resolveInitial(named);
  const instructions = await openInstructions(bootstrap, models.windowSizeOf(model));
  const talk = { instructions, registry, models, current };
  const conversations = new Conversations({ ...bootstrap, ...talk });
  const connected = { ...talk, enforcement, conversations };
  await openFirstConversation(bootstrap, { ...connected, model, traffic, sessions });
  const receipt = opened.use(await openReceipt(bootstrap, { session: sessions.id, model }));
  const skills = await openSkills(bootstrap, connected);
  await addWebSearch(bootstrap, connected);
  const hooks = await openHooks(bootstrap, enforcement, sessions);
  opened.defer(() => hooks?.close());
  const mcp = opened.adopt(await openServers(bootstrap, connected), (servers) => servers?.kill());
  await revokeDenied(denied, { sessions, sandbox: enforcement.sandbox, io: frontend.io });
  const held = { mcp, media, skills, receipt, hooks };
  const parts = { ...talk, ...held, conversations, delegation, userActions };
  const agent = createAgent(bootstrap, { ...parts, enforcement });
  const focus = await restoreFocus(bootstrap, current);
  opened.defer(startPruning(bootstrap));
  return {
    ...describeRun(bootstrap, enforcement),
    ...createUserParts(bootstrap, { ...parts, agent, enforcement, focus }),
    ...createSessionSwitch(events, { ...parts, sessions, focus }),
    ...createEnd(bootstrap, { ...parts, sessions, enforcement, plugins, resources: opened.move() }),
    ...parts,
    agent,
    mode: enforcement.mode,
    plugins,
    focus,
    traffic,
    sessions,
  };
}

/** All tools; those of plugins have found names that are free. @throws {UsageError} an own tool has the name of a built-in one */
function createRegistry(own: readonly ToolEntry[] = [], { entries }: Plugins): Registry {
  const builtIn = new Set(MANIFEST.map(({ definition }) => definition.name));
  const taken = own.find(({ definition }) => builtIn.has(definition.name))?.definition.name;
  if (taken !== undefined) {
    throw new UsageError(`Cannot add a tool named '${taken}': ally has one of that name itself.`);
  }
  return new Registry([...MANIFEST, ...own, ...entries]);
}

/** The parts that most of the others are made of. */
type RunParts = Omit<AgentParts, "enforcement" | "registry" | "hooks"> & {
  readonly hooks: HookRunner | undefined;
};

/** The parts that are only shown or read. */
function describeRun(bootstrap: Bootstrap, { permissions, sandbox }: Enforcement) {
  const { env, storage, project } = bootstrap;
  const { events, secrets, settings, statistics, workspace } = bootstrap;
  return {
    env,
    workspace,
    paths: storage.paths,
    settings,
    configSources: bootstrap.configSources,
    permissions,
    sandbox,
    project,
    statistics,
    secrets,
    emit: events.emit,
    warn: events.warn,
    warm(): void {
      sandbox.warm(workspace.warm());
    },
  };
}

/** Makes what takes the lines that a person types. */
function createUserParts(
  { frontend, events, home, workspace }: Bootstrap,
  { agent, current, delegation, enforcement, focus, media, models, mcp, skills, userActions }:
    & RunParts
    & {
      agent: Agent;
      enforcement: Enforcement;
      focus: Focus;
      skills: Skills | undefined;
    },
): Pick<App, "userScheduler" | "prompts" | "runTurn"> {
  const { scheduler } = agent.deps;
  const userScheduler = createUserScheduler(scheduler, enforcement);
  const attaching = {
    files: workspace,
    home,
    servers: mcp,
    otherNames: () => [...delegation.profiles.all, ...skills?.all ?? []].map(({ name }) => name),
    emit: events.emit,
    fitToWindow: (text: string) =>
      current.budget.fit(text, { toolBudget: current.budget.readTokens }),
    scheduler: frontend.interactive ? { ...userScheduler, ask: scheduler.ask } : scheduler,
  };
  const prompts = new Prompts({ attaching, media, mode: enforcement.mode, focus, models });
  return {
    userScheduler: userActions.wrapUserScheduler(userScheduler),
    prompts,
    runTurn: async (prompt, overrides) => agent.run(await prompts.complete(prompt), overrides),
  };
}

/** Replaces the current conversation with another one. */
function createSessionSwitch(
  { warn }: EventEmitter,
  { current, conversations, sessions, focus }: RunParts & { sessions: Sessions; focus: Focus },
): Pick<App, "sessionId" | "startSession" | "resumeSession" | "forkSession"> {
  const goOn = async (start: ConversationStart) => {
    conversations.open(start, current.settings.model);
    for (const text of await focus.restore()) warn(text);
    await focus.carryOver();
  };
  return {
    sessionId: () => sessions.id,
    startSession() {
      conversations.open(sessions.start(), current.settings.model);
      void focus.carryOver();
    },
    resumeSession: async (id) => await goOn(await sessions.resume(id)),
    async forkSession(id, keeps) {
      const { budget, conversation } = current;
      await goOn(await sessions.fork(id, keeps));
      current.budget.continueFrom(budget, conversation.messages);
    },
  };
}

/** Ends a run in order. */
function createEnd(
  bootstrap: Bootstrap,
  { current, enforcement, hooks, instructions, mcp, models, plugins, sessions, receipt, resources }:
    & RunParts
    & {
      enforcement: Enforcement;
      plugins: Plugins;
      sessions: Sessions;
      resources: DisposableStack;
    },
): Pick<App, "stopTasks" | "close"> {
  const { frontend, events, workspace } = bootstrap;
  return {
    async stopTasks() {
      await stopTasks(enforcement.shell.tasks, events.emit);
      await workspace.tasksRecorded();
      await hooks?.flush();
      await plugins.stop();
      await mcp?.stop();
      if (frontend.interactive) await instructions.rememberTrust();
      await models.flush();
      await models.saveSlot(slotKeepingOf(bootstrap, { sessions, current }));
      await sessions.flush();
      receipt?.finish();
    },
    close: () => resources.dispose(),
  };
}

/** Whose slot a server may keep until the session goes on; undefined without a session. */
function slotKeepingOf(
  { storage }: Bootstrap,
  { sessions, current }: { sessions: Sessions; current: CurrentConversation },
): SlotKeeping | undefined {
  const { id: session } = sessions;
  const { model } = current.settings;
  return session === undefined ? undefined : { model, session, directory: storage.paths.project };
}

function createSessions({ options, events, settings, cwd, storage }: Bootstrap): Sessions {
  return new Sessions({
    options: { ...options, session: options.session && storage.isPersistent },
    cwd,
    directory: storage.paths.sessions,
    masks: settings.values.mask_secrets,
    warn: events.warn,
  });
}

/**
 * Opens what `--record` and `--replay` ask for; undefined without them. The code that does it is loaded only then.
 * @throws {UsageError} a file cannot be read or written
 */
async function openTraffic(
  bootstrap: Bootstrap,
  fetch: typeof globalThis.fetch | undefined,
): Promise<Traffic | undefined> {
  const { options, frontend, denied, events, storage, project, workspace } = bootstrap;
  if (options.record === undefined && options.replay === undefined) return undefined;
  const { interactive, isolated = false } = frontend;
  if (options.record !== undefined && isOwnRun(frontend)) warnOfUnrepeated(bootstrap);
  const { Traffic } = await import("./traffic.ts");
  return await Traffic.open({
    ...bootstrap,
    paths: storage.paths,
    roots: workspace.roots,
    run: { interactive, isolated, trusted: project.states.some(({ isActive }) => isActive) },
    fetch,
    mayMove: !denied.has("write"),
    warn: events.warn,
  });
}

/** Warns of what takes part in a run that is recorded, and not in its replays, which may be somebody else's. */
function warnOfUnrepeated(
  { settings: { values: { hooks, search_url } }, events }: Bootstrap,
): void {
  if (hooks !== undefined) {
    events.warn("A replay runs none of your hooks: where this run uses them, it will differ.");
  }
  if (search_url !== undefined) {
    events.warn("web_search is left out: a recorded run has none, and neither has its replay.");
  }
}

/** Begins the receipt that `--receipt` asks for; undefined without. @throws {UsageError} it cannot be written */
async function openReceipt(
  bootstrap: Bootstrap,
  facts: { session: string | undefined; model: string },
): Promise<RunReceipt | undefined> {
  const { options: { receipt: path }, events } = bootstrap;
  if (path === undefined) return undefined;
  const { RunReceipt } = await import("./receipt.ts");
  const receipt = new RunReceipt(path, bootstrap, facts);
  events.wrapSink((sink) => receipt.wrapSink(sink));
  return receipt;
}

/** Makes the place of the current conversation, which is told how its calls look and how its turns end. */
function createCurrent(
  { asked, cwd, events, statistics }: Bootstrap,
): CurrentConversation {
  const current = new CurrentConversation();
  const repository = repositoryRoot(cwd);
  const branch = () => repository === undefined ? undefined : readGitBranch(repository);
  events.wrapSink((sink) => recordShown(sink, { current, statistics, asked, branch }));
  return current;
}

/** Connects to the models of all endpoints, or to a recording instead. */
async function createModels(
  { events, profiles, settings }: Bootstrap,
  { current, traffic, restricted, sessions }: {
    current: CurrentConversation;
    traffic: Traffic | undefined;
    sessions: Sessions;
    /** Reaches the model server alone, where the network is given up. */
    restricted: SingleHostFetch | undefined;
  },
): Promise<Models> {
  return new Models({
    ...settings,
    endpoints: traffic?.endpoints ?? settings.endpoints,
    client: {
      ...clientLimitsOf(settings.values),
      fetch: traffic?.fetch ?? restricted?.fetch,
      clock: traffic?.clock,
    },
    profiles,
    traffic,
    onlyDefaultEndpoint: restricted !== undefined,
    current,
    imageUrlOf: (image) => sessions.imageUrlOf(image),
    spending: await openSpending(settings, events.warn),
    emit: events.emit,
  });
}

/** Makes something of images and PDFs; the code that does is loaded with the first of them. */
function createMedia(options: MediaOptions): WaitingMedia {
  let loading: Promise<Media> | undefined;
  const load = () => loading ??= import("./media.ts").then(({ RunMedia }) => new RunMedia(options));
  return {
    waiting: [],
    takeImage: async (...given) => await (await load()).takeImage(...given),
    readPdf: async (bytes, pages) => await (await load()).readPdf(bytes, pages),
  };
}

/** What the run may spend, where the settings limit it. */
async function openSpending(
  { values, endpoints }: Bootstrap["settings"],
  warn: (text: string) => void,
): Promise<Spending | undefined> {
  const limits = spendingLimitsOf(values);
  if (limits === undefined) return undefined;
  if (limits.cost !== undefined && !hasPrices(endpoints)) {
    warn("max_cost limits nothing: no prices are configured (ally help models).");
  }
  const { Spending } = await import("../agent/spending.ts");
  return new Spending({
    limits,
    costOf: (usage, name) => costOf(usage, name, endpoints),
    of: "this run",
  });
}

/** Reads the system prompt: the model's task, its surroundings, and the project's instructions. */
function openInstructions(
  { options, cwd, project, projectOptions, secrets, workspace }: Bootstrap,
  contextSize: number,
): Promise<Instructions> {
  const repository = repositoryRoot(cwd);
  return Instructions.open({
    facts: {
      cwd,
      platform: Deno.build.os,
      git: repository === undefined ? undefined : readGitState(repository),
      plan: options.plan,
      append: options.appendSystemPrompt,
    },
    secrets,
    trusted: project.files.instructions,
    project: projectOptions,
    contextSize,
    patches: () => workspace.listPatches(),
  });
}

/** Opens the conversation that the run begins with: a new one, or one that goes on. */
async function openFirstConversation(
  bootstrap: Bootstrap,
  { model, traffic, sessions, models, conversations, current }:
    & Pick<AgentParts, "models" | "conversations" | "current">
    & { model: string; traffic: Traffic | undefined; sessions: Sessions },
): Promise<void> {
  const start = await sessions.open();
  const facts = models.factsOf(model);
  conversations.open(traffic?.begin({ model, facts, start }) ?? start, model);
  if (start.prompt) models.restoreSlot(slotKeepingOf(bootstrap, { sessions, current }));
}

/** Opens the skills; without any, nothing is loaded. */
async function openSkills(
  bootstrap: Bootstrap,
  parts: Pick<AgentParts, "enforcement" | "registry" | "conversations" | "current">,
): Promise<Skills | undefined> {
  if (bootstrap.skillFiles.length === 0) return undefined;
  const { openSkills } = await import("./skills.ts");
  return await openSkills(bootstrap, parts);
}

/** Gives the model a search of the web where the user has configured one; without it, nothing is loaded. */
async function addWebSearch(
  { options, frontend, settings: { values: { search_url: base } } }: Bootstrap,
  { registry, conversations }: Pick<AgentParts, "registry" | "conversations">,
): Promise<void> {
  // A run that repeats what may be somebody else's reaches no page of the web, and must have the tools of that one.
  if (base === undefined || frontend.foreign || isRepeated(options)) return;
  const { createSearchTool } = await import("../web/search_tool.ts");
  const listed = [createSearchTool(base)];
  if (registry.replace("web_search", { listed, unlisted: [] })) conversations.onToolsChanged();
}

/** Opens the MCP servers; where no file names one, nothing is loaded. */
async function openServers(
  bootstrap: Bootstrap,
  parts: Pick<AgentParts, "enforcement" | "registry" | "conversations" | "current">,
): Promise<Servers | undefined> {
  const { options, frontend, events: { warn }, storage: { paths }, project } = bootstrap;
  if (frontend.foreign?.allowServers === false || frontend.servesTools) return undefined;
  const { mcpServers: frontends } = frontend;
  const files = { own: readServerFile(paths.mcp, warn), project: project.files.mcp, frontends };
  if (Object.values(files).every((file) => file === undefined)) return undefined;
  const { openMcp } = await import("./mcp_run.ts");
  const servers = await openMcp(bootstrap, { ...parts, files });
  if (servers !== undefined && options.record !== undefined && isOwnRun(frontend)) {
    warn("A replay starts the MCP servers only with --trust-project: without it, it will differ.");
  }
  return servers;
}

/** The text of the user's file of servers; undefined if there is none, or it cannot be read, which is told. */
function readServerFile(path: string, warn: EventEmitter["warn"]): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (!isMissing(error)) warn(`The MCP servers of ${path} are left out: ${reasonOf(error)}.`);
    return undefined;
  }
}

/** Makes what runs hooks; its code is loaded only where there are some, and another's run has none. */
async function openHooks(
  bootstrap: Bootstrap,
  enforcement: Enforcement,
  sessions: Sessions,
): Promise<HookRunner | undefined> {
  const { env, frontend, settings } = bootstrap;
  const { hooks } = settings.values;
  if (hooks === undefined || !isOwnRun(frontend) || env.get("ALLY_HOOK")) return undefined;
  const { createHooks } = await import("./hook_run.ts");
  return createHooks({ bootstrap, enforcement, sessionId: () => sessions.id });
}

/** Revokes the permissions that flags deny, after opening what still needs them. */
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

/** Restores the focus of a resumed conversation. */
async function restoreFocus(
  { events, home, workspace }: Bootstrap,
  current: CurrentConversation,
): Promise<Focus> {
  const state = () => current.conversation.state;
  const focus = new Focus({ workspace: workspace.workspaceRoots, state, home });
  for (const text of await focus.restore()) events.warn(text);
  return focus;
}

function startPruning({ settings, denied, storage }: Bootstrap): () => void {
  if (denied.has("write")) return () => {};
  return schedulePrune(storage.paths, { sessions: settings.values.keep_sessions });
}
