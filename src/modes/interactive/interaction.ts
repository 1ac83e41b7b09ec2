/**
 * One session at the terminal: takes each line to where it belongs, keeps what was typed, and ends in order whoever
 * interrupts. Made by `interactive.ts`.
 */
import type { Agent } from "../../agent/agent.ts";
import { type Doing, Interrupts } from "../../agent/interrupt.ts";
import { runLine } from "../../app/agents.ts";
import { WrittenCommands } from "../../app/custom_commands.ts";
import { EXIT } from "../../app/exit_codes.ts";
import type { Options } from "../../app/options.ts";
import { describeSandbox } from "../../app/sandbox.ts";
import { onSignals, SAVING_MS } from "../../app/signals.ts";
import { interruptsOf } from "../../app/tuning.ts";
import { VERSION } from "../../app/version.ts";
import { messageOf } from "../../lib/text.ts";
import type { Server } from "../../mcp/server.ts";
import { displayUrl } from "../../model/endpoint.ts";
import type { CommandContext, SlashCommand } from "../../slash/command.ts";
import { approve, promptCommands } from "../../slash/mcp.ts";
import { addNote } from "../../slash/note.ts";
import { sayWhereItStands } from "../../slash/saved.ts";
import { COMMANDS, route } from "../../slash/table.ts";
import { appendHistory, readHistory } from "../../store/history.ts";
import { runRepl } from "../../ui/repl.ts";
import { oneLine } from "../../ui/safe_text.ts";
import { commandContext, type InteractionParts } from "./command_context.ts";
import { completeLine } from "./complete.ts";
import { TypeAhead } from "./type_ahead.ts";
import { showUserCommand } from "./user_command.ts";

/** One session at the terminal. */
export class Interaction {
  readonly #parts: InteractionParts;
  readonly #interrupts: Interrupts;
  readonly #leaving = new AbortController();
  /** Of the command that runs. */
  #stop = new AbortController();
  #history: string[] = [];
  /** Notes of which the model does not know yet. */
  readonly #notes: string[] = [];
  /** Settles when every line typed so far is kept. */
  #remembered: Promise<void> = Promise.resolve();
  /** What a command puts into the next line. */
  #prefill = "";
  readonly #written: WrittenCommands;
  readonly #typing: TypeAhead;
  #code: number = EXIT.done;
  #forced: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: InteractionParts) {
    this.#parts = parts;
    const { tuning } = parts.composition.settings;
    this.#interrupts = new Interrupts({ now: () => performance.now(), ...interruptsOf(tuning) });
    this.#written = new WrittenCommands(parts.composition);
    const { terminal, renderer } = parts;
    this.#typing = new TypeAhead({
      terminal,
      show: (typing) => renderer.showTyping(typing),
      tell: (text) => parts.composition.emit({ type: "notice", level: "info", text }),
      onInterrupt: () => this.press("running"),
      onEscape: () => this.#interrupt(),
      onEnd: () => this.#leave(),
      take: (line) => this.#takeAhead(line),
    });
  }

  async run(options: Options): Promise<number> {
    const { terminal, theme, composition } = this.#parts;
    const { agent, models, places, settings, workspace } = composition;
    this.#history = await readHistory(places.history);
    using signals = onSignals({
      onSignal: (code) => code === EXIT.interrupted ? this.press("empty") : this.#leave(),
      onForced: () => this.#dropEverything(),
      isLent: () => terminal.isLent,
    });
    workspace.warm();
    await this.#written.refresh();
    models.watch(agent.deps.settings.model);
    if (options.resume === true) this.#typing.add("/resume");
    if (options.prompt !== "") this.#typing.add(options.prompt);
    await runRepl({
      terminal,
      theme,
      banner: {
        version: VERSION,
        model: agent.deps.settings.model,
        endpoint: displayUrl(settings.endpoints.home.endpoint),
        cwd: workspace.cwd,
        notes: [describeSandbox(await composition.sandbox.status())],
      },
      onBegin: async () => {
        if (agent.deps.conversation.messages.length === 0) return;
        sayWhereItStands(this.#context);
        await this.#parts.renderer.settled();
      },
      onLine: (text) => this.#take(text),
      prompt: () => this.#nextPrompt(),
      queued: () => this.#leaving.signal.aborted ? undefined : this.#typing.next(),
    });
    await this.#remembered;
    await composition.stopTasks();
    await this.#parts.renderer.settled();
    const { exitCode } = signals;
    if (exitCode !== undefined && exitCode !== EXIT.interrupted) return exitCode;
    const id = composition.sessionId();
    if (id !== undefined && agent.deps.conversation.messages.length > 0) {
      terminal.write(`${theme.paint("dim", `To go on: ally --resume ${id}`)}\n`);
    }
    return this.#code;
  }

  #nextPrompt() {
    const initialText = this.#prefill + this.#typing.release();
    this.#prefill = "";
    const { workspace, plan, bounds } = this.#parts.composition;
    const mode = [...plan.on ? ["plan"] : [], ...bounds.label ? [oneLine(bounds.label)] : []];
    return {
      ...mode.length > 0 && { mode: mode.join(" ") },
      history: this.#history,
      initialText,
      signal: this.#leaving.signal,
      complete: (before: string) =>
        completeLine(before, {
          commands: this.#commands,
          context: this.#context,
          files: workspace,
        }),
      onHistory: (text: string) => this.#remember(text),
      onInterrupt: (hadText: boolean) => this.press(hadText ? "typed" : "empty"),
    };
  }

  #remember(text: string): void {
    const { places, secrets } = this.#parts.composition;
    this.#history.push(text);
    const kept = secrets.remask(text);
    this.#remembered = this.#remembered.then(() => appendHistory(places.history, kept));
  }

  /** What was typed since the turn began and is meant for the model. */
  steer(): Promise<readonly string[]> {
    return Promise.all(this.#typing.takeWords().map((line) => this.#prompt(line)));
  }

  /** A line sent while something runs: what only shows is done at once, the rest waits for a turn. */
  #takeAhead(line: string): "queue" | "done" {
    const chosen = route(line, this.#commands);
    if (chosen.kind === "command" && chosen.command.anytime) {
      this.#remember(line);
      chosen.command.run(chosen.argument, this.#context).catch((error) =>
        this.#complain(messageOf(error))
      );
      return "done";
    }
    this.#remember(line);
    return "queue";
  }

  async #take(text: string): Promise<"continue" | "exit"> {
    let chosen = route(text, this.#commands);
    if (chosen.kind === "unknown") {
      await this.#written.refresh();
      chosen = route(text, this.#commands);
    }
    switch (chosen.kind) {
      case "nothing":
        return "continue";
      case "prompt":
        return await this.#busily(() => this.#ask(chosen.text));
      case "shell":
        return await this.#busily(() => showUserCommand(chosen.command, this.#parts));
      case "note":
        return await this.#busily(() => this.#note(chosen.text, text));
      case "command":
        return await this.#busily(() => this.#command(chosen, text));
      case "unknown": {
        const near = chosen.near.map((name) => `/${name}`).join(" or ");
        const hint = near === "" ? "Type /help to see them all." : `Did you mean ${near}?`;
        this.#complain(`There is no command /${chosen.name}. ${hint}`);
        return "continue";
      }
    }
  }

  /** Runs a command; one that takes long shows that it does, and a recording holds it. */
  async #command(
    { command, argument }: { command: SlashCommand; argument: string },
    line: string,
  ): Promise<"continue" | "exit"> {
    const { renderer, composition } = this.#parts;
    const { session } = composition.traffic ?? {};
    const run = () => command.run(argument, this.#context);
    const end = renderer.working(`/${command.name}`);
    this.#stop = new AbortController();
    try {
      return await (session?.command({ line, command, argument }, run) ?? run());
    } finally {
      await renderer.settled();
      end();
    }
  }

  /** Runs a line as a turn. */
  #ask(text: string): Promise<unknown> {
    const { agent, delegation, attach, userScheduler } = this.#parts.composition;
    return runLine(text, {
      agent,
      delegation,
      prompt: async (words) => {
        const prompt = await this.#prompt(words);
        await this.#parts.composition.models.prepareFor(prompt);
        return prompt;
      },
      task: (words) => attach(words, userScheduler),
    });
  }

  /** The words as the model gets them. */
  async #prompt(text: string): Promise<string> {
    const { plan, bounds, attach, userScheduler } = this.#parts.composition;
    const whole = await attach(text, userScheduler);
    const notes = this.#notes.splice(0).map((note) => `[The user has noted: ${note}]`);
    return bounds.annotate(plan.annotate([whole, ...notes].join("\n\n")));
  }

  async #note(note: string, line: string): Promise<void> {
    const { workspace: files, traffic } = this.#parts.composition;
    const add = () => addNote(note, { ...this.#context, files });
    if (await (traffic?.session?.whole(line, add) ?? add())) this.#notes.push(note);
  }

  /** Runs something that Ctrl+C stops; what is typed meanwhile waits, or is given back if it does not end well. */
  async #busily(run: (agent: Agent) => Promise<unknown>): Promise<"continue" | "exit"> {
    const { renderer, composition } = this.#parts;
    const release = this.#typing.listen();
    let next: unknown;
    try {
      next = await run(composition.agent);
      if (endedEarly(next)) this.#typing.giveBack();
      await renderer.settled();
    } catch (error) {
      this.#complain(messageOf(error));
      this.#typing.giveBack();
      await renderer.settled();
    } finally {
      release();
    }
    return next === "exit" || this.#leaving.signal.aborted ? "exit" : "continue";
  }

  /** ally's own, those that people wrote, and the prompts of servers. */
  get #commands(): readonly SlashCommand[] {
    return [...COMMANDS, ...this.#written.commands, ...promptCommands(this.#parts.composition.mcp)];
  }

  get #context(): CommandContext {
    return commandContext(this.#parts, {
      commands: this.#commands,
      signal: this.#leaving.signal,
      stopped: this.#stop.signal,
      prefill: (text) => this.#prefill = text,
      onQuestion: () => {
        if (!this.#parts.composition.agent.busy) this.#typing.giveBack();
      },
    });
  }

  /** Asks about an MCP server that changed. */
  async approveServer(server: Server): Promise<void> {
    const context = this.#context;
    context.say(await approve(server, context));
  }

  #complain(text: string): void {
    this.#parts.composition.emit({ type: "notice", level: "error", text });
  }

  /** A Ctrl+C in a prompt, a question or while something runs. */
  press(doing: Exclude<Doing, "leaving">): void {
    const { agent } = this.#parts.composition;
    const state = this.#leaving.signal.aborted
      ? "leaving"
      : doing === "empty" && agent.busy
      ? "running"
      : doing;
    switch (this.#interrupts.press(state)) {
      case "cancel":
        return this.#interrupt();
      case "force_exit":
        return this.#leaveAtOnce();
      case "quit":
        this.#code = EXIT.interrupted;
        return this.#leave();
      case "leave":
        return this.#leave();
      case "clear":
      case "nothing":
        return;
    }
  }

  #interrupt(): void {
    this.#stop.abort(new Error("Interrupted."));
    this.#parts.composition.agent.interrupt();
  }

  /** Ends the session in order: what runs is stopped and saved, the prompt is closed. */
  #leave(): void {
    this.#leaving.abort();
    this.#interrupt();
  }

  /** What is being saved is still waited for, a moment. */
  #leaveAtOnce(): void {
    this.#code = EXIT.interrupted;
    this.#forced ??= setTimeout(() => {
      this.#dropEverything();
      Deno.exit(EXIT.interrupted);
    }, SAVING_MS);
  }

  #dropEverything(): void {
    this.#parts.composition.close();
    this.#parts.renderer.close();
    this.#parts.terminal.restore();
  }
}

/** Whether a turn was stopped, denied or failed: what was typed for its end may not be meant any more. */
function endedEarly(outcome: unknown): boolean {
  return typeof outcome === "object" && outcome !== null && "reason" in outcome &&
    outcome.reason !== "done";
}
