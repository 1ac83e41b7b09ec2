/**
 * One session at the terminal: routes each line, saves the history of what was typed, and ends in order however it is
 * interrupted.
 */
import type { Agent } from "../../agent/agent.ts";
import { type Activity, Interrupts } from "../../agent/interrupt.ts";
import { runLine } from "../../app/agents.ts";
import { CustomCommandLoader } from "../../app/custom_commands.ts";
import { EXIT } from "../../app/exit_codes.ts";
import type { Options } from "../../app/options.ts";
import { describeSandbox, unheldWarning } from "../../app/sandbox.ts";
import { SAVE_GRACE_MS, watchSignals } from "../../app/signals.ts";
import { interruptsOf } from "../../app/tuning.ts";
import { VERSION } from "../../app/version.ts";
import { Warming } from "../../app/warming.ts";
import type { Event } from "../../core/event.ts";
import { messageOf } from "../../lib/text.ts";
import type { Server } from "../../mcp/server.ts";
import { displayUrl } from "../../model/endpoint.ts";
import type { CommandContext, SlashCommand } from "../../slash/command.ts";
import { approveServer, createPromptCommands } from "../../slash/mcp.ts";
import { announceSession } from "../../slash/sessions.ts";
import { showNewest } from "../../slash/show.ts";
import { COMMANDS, describeUnknown, route } from "../../slash/table.ts";
import { shortenHome } from "../../store/paths.ts";
import { appendHistory, type HistoryEntry, readHistory } from "../../store/history.ts";
import { createMessageEditor } from "../../ui/external_editor.ts";
import type { BannerFacts } from "../../ui/banner.ts";
import type { LineAids } from "../../ui/edited_line.ts";
import { runRepl } from "../../ui/repl.ts";
import { skillCommandsOf } from "../skill_commands.ts";
import { answerNow, createCommandContext, type InteractionParts } from "./command_context.ts";
import { LineOffers } from "./line_offers.ts";
import { findTip } from "./daily_tip.ts";
import { BackgroundTrial, type Trial } from "./first_start.ts";
import { StatusSource } from "./status_source.ts";
import { TypeAhead } from "./type_ahead.ts";

/** One session at the terminal. */
export class InteractiveSession {
  readonly #parts: InteractionParts;
  readonly #interrupts: Interrupts;
  readonly #leaving = new AbortController();
  /** Of the command that runs. */
  #commandAbort = new AbortController();
  /** As it was when the session began. */
  #history: readonly HistoryEntry[] = [];
  /** What was typed since. */
  readonly #added: HistoryEntry[] = [];
  /** Settles when every line typed so far is saved. */
  #historySaved: Promise<void> = Promise.resolve();
  /** The line that was typed at the prompt just now: no key is read since. */
  #typed: string | undefined;
  /** What a command puts into the next line. */
  #prefill = "";
  readonly #customCommands: CustomCommandLoader;
  readonly #typeAhead: TypeAhead;
  /** What helps to write a line, at the prompt and while something runs. */
  readonly #aids: LineAids;
  readonly #offers: LineOffers;
  readonly #status: StatusSource;
  readonly #warming: Warming;
  #trial: BackgroundTrial | undefined;
  #code: number = EXIT.done;
  #forceTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: InteractionParts) {
    this.#parts = parts;
    const { values } = parts.app.settings;
    this.#interrupts = new Interrupts({ now: () => performance.now(), ...interruptsOf(values) });
    this.#customCommands = new CustomCommandLoader(parts.app);
    this.#warming = new Warming({ ...parts.app, isOn: values.warm });
    this.#offers = new LineOffers({
      commands: () => this.#commands,
      context: () => this.#context,
      history: parts.app.paths.history,
      typed: () => this.#added,
      project: this.#project,
    });
    const { terminal, theme, renderer, holdScreen } = parts;
    this.#aids = {
      history: () => [...this.#history, ...this.#added].map(({ text }) => text),
      suggest: (line, signal) => this.#offers.suggest(line, signal),
      search: () => this.#offers.search(),
      convertPaste: (paste) => this.#offers.convertPaste(paste),
      pasteImage: async () => (await import("./paste_image.ts")).pasteImage(parts.app),
      edit: createMessageEditor({
        terminal,
        env: parts.io.env,
        roots: () => parts.app.workspace.roots,
      }),
    };
    this.#status = new StatusSource({ app: parts.app, queued: () => this.#typeAhead.waiting });
    renderer.stateRows = (layout) => this.#status.rows(layout);
    this.#typeAhead = new TypeAhead({
      terminal,
      theme,
      aids: this.#aids,
      suspend: holdScreen,
      signal: this.#leaving.signal,
      editing: () => parts.app.settings.values.editing_mode,
      show: (typing) => renderer.showTyping(typing),
      say: (style, text) => this.#say(style === "warning" ? "warning" : "info", text),
      onInterrupt: () => this.handleInterrupt("running"),
      onEscape: () => this.#interrupt(),
      onAnswer: () => this.#answerNow(),
      onCycleMode: () => this.#cycleModeAtWork(),
      onOpen: () => {
        terminal.pause();
        void this.#showLast().finally(() => terminal.resume());
      },
      onEnd: () => this.#leave(),
      onLine: (line) => this.#handleTypedAhead(line),
    });
  }

  /** `trial` tries the model of a first start meanwhile; `mayTip` says whether there is nothing more important. */
  async run(
    options: Options,
    { trial, mayTip }: { trial: Trial | undefined; mayTip: () => boolean },
  ): Promise<number> {
    const { io, terminal, theme, app } = this.#parts;
    const { agent, settings, workspace } = app;
    using signals = watchSignals(io, {
      onSignal: (code) => this.#handleSignal(code),
      onForced: () => this.#closeAll(),
      isLent: () => terminal.isLent,
    });
    this.#parts.signals.begin();
    await this.#takeFirstWords(options);
    // A command that cannot be read is a warning, which stands above the prompt.
    const [history] = await Promise.all([
      readHistory(app.paths.history),
      this.#customCommands.refresh(),
    ]);
    this.#history = history;
    const isFresh = terminal.canRedraw && this.#typeAhead.waiting === 0 &&
      agent.deps.conversation.messages.length === 0;
    const facts = this.#prepare(options, { mayTip, isFresh });
    await runRepl({
      terminal,
      theme,
      banner: {
        version: VERSION,
        model: agent.deps.settings.model,
        endpoint: displayUrl(settings.endpoints.default.url),
        cwd: shortenHome(workspace.cwd, io.env),
        facts: isFresh ? facts : await facts,
      },
      onBegin: async () => {
        this.#parts.renderer.follow({ isApart: true });
        if (trial !== undefined) this.#beginTrial(trial);
        if (agent.deps.conversation.messages.length === 0) return;
        announceSession(this.#context);
        await this.#parts.renderer.flush();
      },
      onLine: async (text) => {
        const next = await this.#handleLine(text);
        if (next === "continue") await this.#warming.prepare();
        return next;
      },
      prompt: () => this.#nextPrompt(),
      queued: () => this.#leaving.signal.aborted ? undefined : this.#typeAhead.next(),
    });
    for (const one of [this.#warming, this.#trial, this.#status, this.#offers]) one?.stop();
    await this.#historySaved;
    await app.stopTasks();
    await this.#parts.renderer.flush();
    const { exitCode } = signals;
    if (exitCode !== undefined && exitCode !== EXIT.interrupted) return exitCode;
    const id = app.sessionId();
    if (id !== undefined && agent.deps.conversation.messages.length > 0) {
      terminal.write(`${theme.paint("dim", `To go on: ally --resume ${id}`)}\n`);
    }
    return this.#code;
  }

  /** Begins what the prompt does not need to be typed at, once it is there if nothing comes before it. */
  async #prepare(
    options: Options,
    { mayTip, isFresh }: { mayTip: () => boolean; isFresh: boolean },
  ): Promise<BannerFacts> {
    const { app: { agent, models, warm } } = this.#parts;
    if (isFresh) await new Promise<void>((resolve) => setTimeout(resolve));
    warm();
    this.#status.refresh();
    models.refreshWindow(agent.deps.settings.model);
    return await this.#findFacts(options, mayTip)
      .catch((error) => ({ notes: [messageOf(error)] }));
  }

  /** What the banner says in the end. The proof of the sandbox takes longest. */
  async #findFacts(options: Options, mayTip: () => boolean): Promise<BannerFacts> {
    const { app } = this.#parts;
    const [status, tip] = await Promise.all([
      app.sandbox.status(),
      mayTip() ? findTip(options, app) : undefined,
    ]);
    const unheld = options.rules.allowAll ? unheldWarning(status) : undefined;
    return {
      notes: [describeSandbox(status), ...unheld === undefined ? [] : [unheld]],
      tip,
    };
  }

  /** What the command line says first; images of it wait for words. */
  async #takeFirstWords({ images, resume, prompt }: Options): Promise<void> {
    const { app } = this.#parts;
    if (images) {
      const { attachImageFiles } = await import("../../app/image_files.ts");
      await attachImageFiles(images, app).catch((error) => app.warn(messageOf(error)));
    }
    if (resume === true) this.#typeAhead.enqueue("/resume");
    if (prompt !== "") this.#typeAhead.enqueue(prompt);
  }

  /** What comes of it stands over the prompt. */
  #beginTrial(trial: Trial): void {
    this.#trial = new BackgroundTrial(trial, ({ isGood, text }) => {
      this.#parts.app.emit({ type: "notice", level: isGood ? "info" : "warning", text });
    });
  }

  #nextPrompt() {
    const initialText = this.#prefill;
    this.#typeAhead.release();
    this.#prefill = "";
    this.#warming.begin();
    const { theme, signals, renderer } = this.#parts;
    signals.markPrompt();
    return {
      standing: () => renderer.prompt.take(),
      above: () => renderer.pinnedLines(),
      mode: () => this.#status.mode,
      onCycleMode: () => this.#cycleMode(),
      line: this.#typeAhead.line,
      initialText,
      signal: this.#leaving.signal,
      below: (columns: number) => this.#status.rows({ theme, columns }),
      refresh: (draw: () => void) => {
        const ends = [this.#status.onChange(draw), renderer.prompt.lend(draw)];
        return () => ends.forEach((end) => end());
      },
      ...this.#aids,
      onOpen: () => this.#showLast(),
      onHistory: (text: string) => {
        this.#addToHistory(text);
        this.#typed = text;
        this.#pauseForProgram(text);
      },
      onInterrupt: (hadText: boolean) => this.handleInterrupt(hadText ? "typed" : "empty"),
    };
  }

  /** Shows all of what was shortened last. */
  async #showLast(): Promise<void> {
    await showNewest(this.#context).catch((error) => this.#reportError(messageOf(error)));
    await this.#parts.renderer.flush();
  }

  /** Takes the next mode; returns why there is none. */
  #cycleMode(): string | undefined {
    try {
      this.#parts.app.mode.cycle();
    } catch (error) {
      return messageOf(error);
    }
  }

  /** The working directory, whatever the focus. */
  get #project(): string {
    return this.#parts.app.workspace.workspaceRoots.unfocused.cwd;
  }

  /** What is asked about from now on, in the running turn too. */
  #cycleModeAtWork(): void {
    const { app } = this.#parts;
    const problem = this.#cycleMode();
    const text = problem ?? `Mode: ${app.mode.label ?? "ask"}`;
    app.emit({ type: "notice", level: problem ? "warning" : "info", text });
  }

  #addToHistory(text: string): void {
    const { paths, secrets } = this.#parts.app;
    const project = this.#project;
    this.#added.push({ text, project });
    const masked = { text: secrets.remask(text), project };
    this.#historySaved = this.#historySaved.then(() => appendHistory(paths.history, masked));
  }

  /** Takes an event of the session. */
  take(event: Event): void {
    this.#status.take(event);
    this.#parts.signals.sink(event);
  }

  /** What was typed for the model since the turn began. */
  steer(): Promise<readonly string[]> {
    const { prompts } = this.#parts.app;
    return Promise.all(this.#typeAhead.takePrompts().map((line) => prompts.steering(line)));
  }

  /** A line sent while something runs: a command that only shows something runs at once, the rest waits. */
  #handleTypedAhead(line: string): "queue" | "done" {
    const chosen = route(line, this.#commands);
    if (chosen.kind === "command" && chosen.command.duringTurn) {
      this.#addToHistory(line);
      this.#pauseForProgram(line);
      chosen.command.run(chosen.argument, this.#context)
        .catch((error) => this.#reportError(messageOf(error)))
        .finally(() => this.#parts.terminal.resume());
      return "done";
    }
    this.#addToHistory(line);
    return "queue";
  }

  /** Leaves the keys to the program that a line may be about to start. */
  #pauseForProgram(line: string): void {
    const chosen = route(line, this.#commands);
    const opensPage = chosen.kind === "command" && chosen.command.opensPage?.(chosen.argument);
    if (opensPage || chosen.kind === "shell") this.#parts.terminal.pause();
  }

  async #handleLine(text: string): Promise<"continue" | "exit"> {
    this.#pauseForProgram(text);
    const isPaused = this.#typed === text;
    this.#typed = undefined;
    this.#parts.signals.markOutput();
    this.#parts.renderer.follow({ isApart: false });
    let chosen = route(text, this.#commands);
    if (chosen.kind === "unknown") {
      await this.#customCommands.refresh();
      chosen = route(text, this.#commands);
    }
    switch (chosen.kind) {
      case "nothing":
        return "continue";
      case "prompt":
        this.#trial?.stop();
        return await this.#runInterruptible(() => this.#sendWords(chosen.text));
      case "shell":
        return await this.#runInterruptible(async () => {
          // What reads a command line is loaded with the first one.
          const { runUserCommand } = await import("./user_command.ts");
          const next = await runUserCommand(chosen, { ...this.#parts, isPaused });
          this.#status.refresh();
          return next;
        });
      case "command":
        return await this.#runInterruptible(() => this.#runCommand(chosen));
      case "unknown":
        this.#reportError(describeUnknown(chosen, "/help lists them all."));
        return "continue";
    }
  }

  /** Runs a turn on words; those that are stopped while what they name is being read are not sent. */
  async #sendWords(text: string): Promise<unknown> {
    const { renderer, app } = this.#parts;
    const end = renderer.showWork("Reading");
    const { signal } = this.#commandAbort = new AbortController();
    try {
      return await runLine(text, { ...app, signal });
    } catch (error) {
      if (error !== signal.reason) throw error;
      this.#typeAhead.putBack(text);
      this.#say("info", "Stopped before anything was sent.");
      return { reason: "interrupted" };
    } finally {
      end();
    }
  }

  /** Runs a command; one that takes long shows that it does. */
  async #runCommand(
    { command, argument }: { command: SlashCommand; argument: string },
  ): Promise<"continue" | "exit"> {
    const { renderer, terminal, app: { userActions } } = this.#parts;
    const end = renderer.showWork(`/${command.name}`);
    this.#commandAbort = new AbortController();
    try {
      return await userActions.wrapCommand(command).run(argument, this.#context);
    } finally {
      await renderer.flush();
      end();
      terminal.resume();
      this.#status.refresh();
    }
  }

  /** Runs something that Ctrl+C stops; what is typed meanwhile waits, or is given back if it does not end well. */
  async #runInterruptible(run: (agent: Agent) => Promise<unknown>): Promise<"continue" | "exit"> {
    const { renderer, app } = this.#parts;
    const release = this.#typeAhead.listen();
    let next: unknown;
    let isBroken = false;
    try {
      next = await run(app.agent);
    } catch (error) {
      this.#reportError(messageOf(error));
      isBroken = true;
    }
    await this.#typeAhead.uncovered();
    if (isBroken || hasEndedEarly(next)) this.#typeAhead.returnLines();
    await renderer.flush();
    release();
    return next === "exit" || this.#leaving.signal.aborted ? "exit" : "continue";
  }

  /** ally's own, those that people wrote, and the prompts of servers. */
  get #commands(): readonly SlashCommand[] {
    const { app } = this.#parts;
    const written = [...COMMANDS, ...this.#customCommands.commands];
    return [
      ...written,
      ...skillCommandsOf(app, written),
      ...createPromptCommands(app.mcp),
    ];
  }

  get #context(): CommandContext {
    return createCommandContext(this.#parts, {
      commands: this.#commands,
      sessionSignal: this.#leaving.signal,
      commandSignal: this.#commandAbort.signal,
      prefill: (text) => this.#prefill = text,
      onQuestion: () => {
        if (!this.#parts.app.agent.busy) this.#typeAhead.returnLines();
      },
    });
  }

  /** Asks about an MCP server that changed. */
  async approveServer(server: Server): Promise<void> {
    const context = this.#context;
    context.say(await approveServer(server, context));
  }

  #reportError(text: string): void {
    this.#say("error", text);
  }

  #say(level: "info" | "warning" | "error", text: string): void {
    this.#parts.app.emit({ type: "notice", level, text });
  }

  /** A signal to a session that waits for words ends it. */
  #handleSignal(code: number): void {
    const waits = !this.#parts.app.agent.busy && !this.#leaving.signal.aborted;
    if (code === EXIT.interrupted && !waits) this.handleInterrupt("running");
    else this.#leave();
  }

  /** A Ctrl+C in a prompt, a question or while something runs; returns what to say about it. */
  handleInterrupt(doing: Exclude<Activity, "leaving">): string | undefined {
    const { agent } = this.#parts.app;
    const state = this.#leaving.signal.aborted
      ? "leaving"
      : doing === "empty" && agent.busy
      ? "running"
      : doing;
    switch (this.#interrupts.press(state)) {
      case "warn":
        return "Press Ctrl+C again to leave.";
      case "cancel":
        this.#interrupt();
        return;
      case "force_exit":
        this.#forceExit();
        return;
      case "quit":
        this.#code = EXIT.interrupted;
        this.#leave();
        return;
      case "leave":
        this.#leave();
        return;
      case "clear":
      case "nothing":
        return;
    }
  }

  #answerNow(): void {
    try {
      answerNow(this.#parts.app);
    } catch (error) {
      this.#reportError(messageOf(error));
    }
  }

  #interrupt(): void {
    this.#commandAbort.abort(new Error("Interrupted."));
    this.#parts.app.agent.interrupt();
  }

  /** Ends the session in order: what runs is stopped and saved, the prompt is closed. */
  #leave(): void {
    this.#leaving.abort();
    this.#interrupt();
  }

  /** Leaves a moment to finish saving. */
  #forceExit(): void {
    this.#code = EXIT.interrupted;
    this.#forceTimer ??= setTimeout(() => {
      this.#closeAll();
      this.#parts.io.exit(EXIT.interrupted);
    }, SAVE_GRACE_MS);
  }

  #closeAll(): void {
    this.#parts.app.close();
    this.#parts.signals.end();
    this.#parts.renderer.close();
    this.#parts.terminal.restore();
  }
}

/** Whether a turn was stopped, denied or failed: what was typed for its end may not be meant any more. */
function hasEndedEarly(outcome: unknown): boolean {
  return typeof outcome === "object" && outcome !== null && "reason" in outcome &&
    outcome.reason !== "done";
}
