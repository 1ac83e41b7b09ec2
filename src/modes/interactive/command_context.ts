/**
 * What slash commands work with in a session at the terminal: the parts of the run, and the questions that only a
 * terminal can ask. Made anew for each command.
 */
import type { App } from "../../app/app.ts";
import { savedByCache } from "../../app/endpoints.ts";
import { MAIN_AGENT } from "../../app/events.ts";
import type { Io } from "../../app/io.ts";
import { describeProject } from "../../app/project.ts";
import { describeSandbox } from "../../app/sandbox.ts";
import type { EventBody } from "../../core/event.ts";
import { THEME_NAMES } from "../../core/theme_names.ts";
import { plural } from "../../lib/text.ts";
import type { CommandContext, SlashCommand } from "../../slash/command.ts";
import { askLine } from "../../ui/ask_line.ts";
import { confirm } from "../../ui/confirm.ts";
import { createMessageEditor } from "../../ui/external_editor.ts";
import { pick } from "../../ui/pick.ts";
import { pickFromList, pickWithActions } from "../../ui/pick_list.ts";
import type { Renderer } from "../../ui/render.ts";
import { type Suspend, withScreen } from "../../ui/suspend.ts";
import type { Terminal } from "../../ui/terminal.ts";
import type { TerminalSignals } from "../../ui/terminal_signals.ts";
import type { Theme } from "../../ui/theme.ts";
import type { Debugging } from "../debugging.ts";
import type { Appearance } from "./appearance.ts";
import { pickTheme } from "./pick_theme.ts";
import { replayLastTurns } from "./last_turns.ts";
import { createItemPorts } from "./item_ports.ts";
import { createPluginControl } from "./plugin_control.ts";
import { createRunInfo } from "./run_info.ts";
import { createSessionConfig } from "./session_config.ts";

/** What a session at the terminal is made of. */
export interface InteractionParts {
  readonly io: Io;
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly renderer: Renderer;
  readonly signals: TerminalSignals;
  /** Takes the screen for a question, which the terminal is told of. */
  readonly suspend: Suspend;
  /** Takes the screen for something that the person asked for. */
  readonly holdScreen: Suspend;
  readonly app: App;
  readonly debugging: Debugging;
  readonly appearance: Appearance;
}

/** What a context is made with besides. */
interface ContextOptions {
  /** All that can be typed. */
  readonly commands: readonly SlashCommand[];
  /** Aborted when the session ends: no question is answered then. */
  readonly sessionSignal: AbortSignal;
  /** Aborted when the person interrupts what runs. */
  readonly commandSignal: AbortSignal;
  readonly prefill: (text: string) => void;
  /** A question is about to be asked: what was typed ahead may not be meant for what follows it. */
  readonly onQuestion: () => void;
}

/** The context of one command. */
export function createCommandContext(
  parts: InteractionParts,
  options: ContextOptions,
): CommandContext {
  const { app, renderer, debugging, appearance } = parts;
  const base = createBaseContext(app, debugging);
  return {
    ...base,
    config: withTheme(base.config, appearance),
    commands: options.commands,
    signal: options.commandSignal,
    prefill: options.prefill,
    say: (text) => renderer.say(text),
    show: (previews) => renderer.showPreviews(previews),
    showLastTurns: () => showLastTurns(parts),
    showPage: (markdown) => readPage(markdown, parts, options),
    ...createItemPorts(parts, options),
    ...createQuestions(parts, options),
  };
}

/** The part of a command's context that differs between modes. */
type TerminalContext = Pick<
  CommandContext,
  | "commands"
  | "signal"
  | "prefill"
  | "say"
  | "show"
  | "showLastTurns"
  | "showPage"
  | "items"
  | "showWhole"
  | "copy"
  | "shell"
  | "pick"
  | "pickName"
  | "confirm"
>;

/** The part of a command's context that is the same in every mode. */
export function createBaseContext(
  app: App,
  debugging: Debugging,
): Omit<CommandContext, keyof TerminalContext> {
  return {
    agent: app.agent,
    workspace: app.workspace,
    statistics: app.statistics,
    permissions: {
      ...app.permissions,
      banned: app.settings.values.banned_commands,
      decisionLog: app.paths.decisions,
      state: async () => [
        `Commands: ${describeSandbox(await app.sandbox.status())}`,
        ...describeProject(app.project),
      ],
    },
    mode: app.mode,
    runTurn: app.runTurn,
    tellModel: (text) => app.prompts.tellModel(text),
    plugins: createPluginControl(app),
    agents: {
      profiles: app.delegation.profiles,
      directory: app.paths.agents,
    },
    mcp: app.mcp,
    skills: app.skills,
    hooks: app.hooks?.describe(),
    runInfo: createRunInfo(app, debugging),
    focus: app.focus,
    models: {
      list: () => app.models.list(),
      use: (name) => app.models.switchTo(name),
      effort: () => app.models.describeEffort(app.current.settings.model),
      useEffort: (effort) => app.current.configure({ effort }),
    },
    savedByCache: (spent) => savedByCache(spent, app.settings.endpoints),
    answerNow: () => answerNow(app),
    startSession: app.startSession,
    sessions: {
      id: app.sessionId,
      recent: (most) => app.sessions.recent(most),
      imageUrlOf: (image) => app.sessions.imageUrlOf(image),
      resume: app.resumeSession,
      fork: app.forkSession,
      rename: (id, title) => app.sessions.rename(id, title),
      remove: (id) => app.sessions.remove(id),
    },
    config: createSessionConfig(app),
    mask: (text) => app.secrets.remask(text),
  };
}

/** Has the models that think now answer. @throws {Error} none thinks, or the session is recorded */
export function answerNow({ agent, models }: App): void {
  if (models.isRecorded) {
    throw new Error("The session is recorded: a recording cannot hold that thinking was ended.");
  }
  if (!agent.answerNow()) throw new Error("Nothing is being thought: there is nothing to end.");
}

/** A change of the theme holds at once. */
function withTheme(config: CommandContext["config"], appearance: Appearance) {
  return {
    ...config,
    async set(key: string, value: string) {
      const outcome = await config.set(key, value);
      const chosen = THEME_NAMES.find((one) => one === value);
      if (key === "theme" && chosen) appearance.use(chosen);
      return outcome;
    },
  };
}

/** Draws the end of the conversation again, by what drew it first. */
function showLastTurns({ app, renderer }: InteractionParts): void {
  const { events, earlier } = replayLastTurns(app.current.conversation);
  const text = `${plural(earlier, "earlier turn")}; /export writes all to a file.`;
  const notice: EventBody = { type: "notice", level: "info", text };
  for (const event of earlier === 0 ? events : [notice, ...events]) {
    renderer.sink({ ...event, time: new Date().toISOString(), agent: MAIN_AGENT });
  }
}

/** Shows a page in the pager; while a turn runs, among what it shows. */
async function readPage(
  markdown: string,
  { app, renderer, terminal, suspend }: InteractionParts,
  { onQuestion }: ContextOptions,
): Promise<void> {
  if (app.agent.busy) return renderer.say(markdown);
  const { showPage } = await import("../../ui/pager.ts");
  onQuestion();
  await withScreen(
    suspend,
    () => showPage(markdown, { terminal, env: app.env, roots: () => app.workspace.roots }),
  );
}

function createQuestions(
  { terminal, theme, ...parts }: InteractionParts,
  { sessionSignal, onQuestion }: ContextOptions,
): Pick<
  CommandContext,
  "pick" | "pickName" | "pickEntry" | "pickTheme" | "askLine" | "edit" | "confirm"
> {
  const leave = () => {
    onQuestion();
    return parts.suspend();
  };
  const suspend = async () => {
    const resume = await leave();
    return () => {
      parts.renderer.follow({ isApart: false, section: "notice" });
      resume();
    };
  };
  const options = { terminal, theme, signal: sessionSignal, suspend };
  return {
    pick: (question, choices) => pick(question, { choices, ...options }),
    pickName(question, names, current) {
      const entries = names.map((value) => ({ value, label: value }));
      return withScreen(suspend, () => pickFromList(question, { ...options, current, entries }));
    },
    pickTheme: () => withScreen(suspend, () => pickTheme({ ...options, ...parts })),
    edit: (text) =>
      withScreen(
        leave,
        () =>
          createMessageEditor({
            terminal,
            env: parts.app.env,
            roots: () => parts.app.workspace.roots,
          })(text, sessionSignal),
      ),
    pickEntry: (question, list) =>
      withScreen(suspend, () => pickWithActions(question, { ...options, ...list })),
    askLine: (question, initial) =>
      withScreen(suspend, () => askLine(question, { ...options, initial })),
    confirm: (question) => confirm(question, options),
  };
}
