/**
 * ally with a person at the terminal: wires the REPL to the agent, the commands and the interrupts.
 */
import { basename } from "node:path";
import type { App } from "../../app/app.ts";
import { compose } from "../../app/compose.ts";
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { diffLookOf } from "../../app/tuning.ts";
import { readTodos } from "../../context/todo_list.ts";
import type { Event } from "../../core/event.ts";
import type { Server } from "../../mcp/server.ts";
import { DEFAULTS, type SettingValues } from "../../store/settings_table.ts";
import { type AskOptions, createAsk } from "../../ui/ask.ts";
import { createConsentAsk } from "../../ui/consent_question.ts";
import { createEditor } from "../../ui/external_editor.ts";
import type { LinkOptions } from "../../ui/links.ts";
import { Renderer } from "../../ui/render.ts";
import { serializeSuspend, type Suspend } from "../../ui/suspend.ts";
import { openTerminal, type Terminal } from "../../ui/terminal.ts";
import { TerminalSignals } from "../../ui/terminal_signals.ts";
import { createTheme, type Theme } from "../../ui/theme.ts";
import { createTrustAsk } from "../../ui/trust_question.ts";
import { createNotice, Debugging } from "../debugging.ts";
import { Appearance } from "./appearance.ts";
import { watchWarnings } from "./daily_tip.ts";
import { type EarlySettings, readEarlySettings } from "./early_settings.ts";
import { isFirstStart, type SetUp } from "./first_start.ts";
import { InteractiveSession } from "./interactive_session.ts";

/** Runs a session until the person leaves; returns the exit code. `setUp` is what a first start offers. */
export async function runInteractive(
  options: Options,
  { io, setUp }: { io: Io; setUp: SetUp },
): Promise<number> {
  const early = await readEarlySettings(io.env, options);
  const terminal = openTerminal(io, { color: options.color, isPlain: early.isSpoken });
  let app: App | undefined;
  const settings = () => app?.settings.values ?? DEFAULTS;
  const { cwd } = options;
  const { theme, appearance } = createSessionTheme(terminal, { io, cwd, settings, early });
  const renderer = new Renderer({ terminal, theme, cwd, isStill: () => settings().reduced_motion });
  const signals = createSignals(terminal, { io, cwd, app: () => app });
  const { holdScreen, suspend } = createSuspends(renderer, signals);
  let repl: InteractiveSession | undefined;
  const ask = createAsk({
    terminal,
    theme,
    cwd,
    suspend,
    ...createPrograms({ terminal, theme }, { io, cwd, app: () => app }),
    items: renderer.items,
    onInterrupt: () => repl?.handleInterrupt("asking"),
  });
  const debugging = new Debugging({
    verbose: options.verbose,
    logging: options.debug,
    show: (text) => renderer.sink(createNotice(text)),
  });
  const warnings = watchWarnings(debugging.wrapSink(renderer.sink));
  const frontend = {
    sink(event: Event) {
      warnings.sink(event);
      repl?.take(event);
    },
    ask,
    askTrust: createTrustAsk({ terminal, theme, suspend }),
    askConsent: createConsentAsk({ terminal, theme, suspend }),
    approveServer: async (server: Server) => await repl?.approveServer(server),
    steer: () => repl?.steer() ?? Promise.resolve([]),
    interactive: true,
    io,
  };
  try {
    const isFirst = await isFirstStart(options, io.env);
    const trial = isFirst ? await setUp(terminal) : undefined;
    if (isFirst && trial === undefined) return EXIT.interrupted;
    app = await compose(omitResumeChoice(options), frontend);
    connectRenderer(renderer, app);
    debugging.openLog({ home: app.paths.home, secrets: app.secrets });
    const look = { terminal, theme, appearance, renderer, signals };
    repl = new InteractiveSession({ ...look, io, suspend, holdScreen, app, debugging });
    return await repl.run(options, { trial, mayTip: () => !isFirst && !warnings.seen });
  } finally {
    app?.close();
    debugging.close();
    renderer.close();
    signals.end();
    terminal.restore();
  }
}

/** What the terminal shows around the text; nothing in a pipeline of builds. */
function createSignals(
  terminal: Terminal,
  { io, cwd, app }: { io: Io; cwd: string; app: () => App | undefined },
): TerminalSignals {
  return new TerminalSignals({
    terminal,
    project: basename(cwd),
    isOn: () => app()?.settings.values.terminal_integration === true && !io.env.get("CI"),
    mask: (text) => app()?.secrets.remask(text) ?? text,
  });
}

/** Ways to take the screen from the renderer: for what a person asked for, and for a question, which the terminal is told of. */
function createSuspends(
  renderer: Renderer,
  signals: TerminalSignals,
): { readonly holdScreen: Suspend; readonly suspend: Suspend } {
  const holdScreen = serializeSuspend(() => renderer.suspend());
  const suspend = async () => {
    const resume = await holdScreen();
    const answered = signals.ask();
    return () => {
      answered();
      resume();
    };
  };
  return { holdScreen, suspend };
}

/** The programs that have the terminal during a question: the editor of a call, and the pager. */
function createPrograms(
  place: { terminal: Terminal; theme: Theme },
  { io, cwd, app }: { io: Io; cwd: string; app: () => App | undefined },
): Pick<AskOptions, "edit" | "page"> {
  const roots = () => app()?.workspace.roots ?? [cwd];
  const options = { ...place, env: io.env, roots };
  return {
    edit: createEditor(options),
    async page(lines) {
      const { showLines } = await import("../../ui/pager.ts");
      await showLines(lines, options);
    },
  };
}

/** Gives the screen what it shows of the session beside the events. */
function connectRenderer(renderer: Renderer, { agent, models, current, settings }: App): void {
  renderer.canAnswer = () => !models.isRecorded && models.canEndThinking(current.settings.model);
  renderer.thinking = settings.values.show_thinking;
  renderer.todos = () => readTodos(agent.deps.conversation.state);
}

/** The theme of a session, whose settings are known later. */
function createSessionTheme(
  terminal: Terminal,
  { io, cwd, settings, early: { isSpoken, isIntegrated } }: {
    io: Io;
    cwd: string;
    settings: () => SettingValues;
    early: EarlySettings;
  },
): { readonly theme: Theme; readonly appearance: Appearance } {
  const appearance = new Appearance({ env: io.env, configured: () => settings().theme });
  if (isIntegrated) void appearance.askBackground(terminal);
  const theme = createTheme({
    depth: terminal.depth,
    unicode: terminal.unicode,
    isSpoken,
    isLight: appearance.isLight,
    name: appearance.name,
    look: () => diffLookOf(settings()),
    links: () => settings().terminal_integration ? linkOptions(terminal, { io, cwd }) : undefined,
  });
  return { theme, appearance };
}

/** What links are made with; files of another machine than the terminal's are none. */
function linkOptions(
  { linkKey, kind }: Terminal,
  { io, cwd }: { io: Io; cwd: string },
): LinkOptions | undefined {
  if (linkKey === undefined) return undefined;
  const isRemote = ["SSH_CONNECTION", "SSH_TTY"].some((name) => io.env.get(name));
  return {
    key: linkKey,
    ...!isRemote && { cwd },
    ...kind.fileLines && { fileLines: kind.fileLines },
  };
}

/** `--resume` without an id: a session is chosen once there is one to choose in. */
function omitResumeChoice({ resume, ...options }: Options): Options {
  return resume === undefined || resume === true ? options : { ...options, resume };
}
