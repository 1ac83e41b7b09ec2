/**
 * What a person does in a session that is recorded: words, answers, commands, interrupts. Each becomes a line
 * beside the traffic, so that `repeat.ts` can do it again. `traffic.ts` makes one for `--record`.
 */
import type { Event, EventSink } from "../core/event.ts";
import type { AskPermission } from "../core/permission.ts";
import type { RunLine } from "../recording/traffic.ts";
import type { CommandContext, SlashCommand } from "../slash/command.ts";

export interface UserActionRecorderOptions {
  /** Keeps a line. */
  readonly record: (line: RunLine) => void;
  /** How many requests the conversation has made. */
  readonly requests: () => number;
  /** Tells the person of something. */
  readonly warn: (text: string) => void;
}

/** The questions that a command asks. */
export type Questions = Pick<CommandContext, "pick" | "pickName" | "confirm">;

/** Ready to use after `new`. */
export class UserActionRecorder {
  readonly #options: UserActionRecorderOptions;
  /** Whether a command runs that is kept as a whole. */
  #isNested = false;
  /** The tools of the calls that are under way, and since when those at work are: `performance.now()`. */
  readonly #calls = new Map<string, { tool: string; since?: number }>();

  constructor(options: UserActionRecorderOptions) {
    this.#options = options;
  }

  /** Passes every event on, and keeps the user's words, what was decided, and what was interrupted. */
  wrapSink(sink: EventSink): EventSink {
    return (event) => {
      this.#recordEvent(event);
      sink(event);
    };
  }

  /** Passes every question on, and keeps the answers. */
  wrapAsk(ask: AskPermission): AskPermission {
    return async (requests, signal) => {
      const answers = await ask(requests, signal);
      for (const [index, { callId, tool }] of requests.entries()) {
        this.#options.record({ type: "answer", call_id: callId, tool, answer: answers[index] });
      }
      return answers;
    };
  }

  /** Passes the questions of commands on, and keeps what was chosen. */
  wrapQuestions({ pick, pickName, confirm }: Questions): Questions {
    const kept = async <T>(choice: Promise<T>): Promise<T> => {
      const value = await choice;
      this.#options.record({ type: "choice", value });
      return value;
    };
    return {
      pick: (question, choices) => kept(pick(question, choices)),
      ...pickName && {
        pickName: (question, names, current) => kept(pickName(question, names, current)),
      },
      confirm: (question) => kept(confirm(question)),
    };
  }

  /** Runs a command that was typed, and keeps it if a run again can do it too. */
  async runCommand<T>(
    { line, command, argument }: { line: string; command: SlashCommand; argument: string },
    run: () => Promise<T>,
  ): Promise<T> {
    if (command.replayable) return await this.runAsWhole(line, run);
    if (argument !== "" && command.replayable === false) {
      this.#options.warn(
        `The recording does not hold /${command.name}: run again, the session may differ from here.`,
      );
    }
    return await run();
  }

  /** Runs what was typed, and keeps the line instead of what comes of it. */
  async runAsWhole<T>(line: string, run: () => Promise<T>): Promise<T> {
    this.#options.record({ type: "prompt", command: line });
    this.#isNested = true;
    try {
      return await run();
    } finally {
      this.#isNested = false;
    }
  }

  /** Keeps a shell command that was typed. */
  recordShell(command: string): void {
    this.#options.record({ type: "prompt", shell: command });
  }

  #recordEvent(event: Event): void {
    const { record, requests } = this.#options;
    switch (event.type) {
      case "turn_start": {
        const { prompt: text, addressed, agent } = event;
        if (agent.depth > 0 || this.#isNested) return;
        return record({ type: "prompt", text, ...(addressed !== undefined && { addressed }) });
      }
      case "message": {
        const { message } = event;
        if (message.role !== "user" || !message.steering) return;
        return record({ type: "steer", after: requests(), text: message.content });
      }
      case "permission": {
        const { by, call_id, decision } = event;
        if (by === "rule") record({ type: "answer", call_id, answer: { kind: decision } });
        return;
      }
      case "tool_start":
        this.#calls.set(event.call_id, { tool: event.name });
        return;
      case "tool_state": {
        const call = this.#calls.get(event.call_id);
        if (call && event.state === "executing") call.since = performance.now();
        return;
      }
      case "tool_end":
        return this.#recordEnd(event);
    }
  }

  /** A call that was stopped at work has to be stopped again; one that had not begun has not. */
  #recordEnd({ call_id, result }: Extract<Event, { type: "tool_end" }>): void {
    const { tool, since } = this.#calls.get(call_id) ?? {};
    this.#calls.delete(call_id);
    if (since === undefined || result.error_type !== "interrupted") return;
    const after_ms = Math.round(performance.now() - since);
    this.#options.record({ type: "interrupt", call_id, tool, after_ms });
  }
}
