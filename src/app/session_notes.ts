/**
 * What a person does in a session that is recorded: words, answers, commands, interrupts. Each becomes a line
 * beside the traffic, so that `repeat.ts` can do it again. `traffic.ts` makes one for `--record`.
 */
import type { Event, Sink } from "../core/event.ts";
import type { Ask } from "../core/permission.ts";
import type { NoteLine } from "../recording/traffic.ts";
import type { CommandContext, SlashCommand } from "../slash/command.ts";

export interface SessionNotesOptions {
  /** Keeps a line. */
  readonly keep: (line: NoteLine) => void;
  /** How many requests the conversation has made. */
  readonly requests: () => number;
  /** Tells the person of something. */
  readonly warn: (text: string) => void;
}

/** The questions that a command asks. */
export type Questions = Pick<CommandContext, "pick" | "pickName" | "confirm">;

/** Ready to use after `new`. */
export class SessionNotes {
  readonly #options: SessionNotesOptions;
  /** Whether a command runs that is kept as a whole. */
  #within = false;
  /** The tools of the calls that are under way, and since when those at work are: `performance.now()`. */
  readonly #calls = new Map<string, { tool: string; since?: number }>();

  constructor(options: SessionNotesOptions) {
    this.#options = options;
  }

  /** Passes every event on, and keeps the user's words, what was decided, and what was interrupted. */
  sink(sink: Sink): Sink {
    return (event) => {
      this.#take(event);
      sink(event);
    };
  }

  /** Passes every question on, and keeps the answers. */
  ask(ask: Ask): Ask {
    return async (requests, signal) => {
      const answers = await ask(requests, signal);
      for (const [index, { callId, tool }] of requests.entries()) {
        this.#options.keep({ type: "answer", call_id: callId, tool, answer: answers[index] });
      }
      return answers;
    };
  }

  /** Passes the questions of commands on, and keeps what was chosen. */
  questions({ pick, pickName, confirm }: Questions): Questions {
    const kept = async <T>(choice: Promise<T>): Promise<T> => {
      const value = await choice;
      this.#options.keep({ type: "choice", value });
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
  async command<T>(
    { line, command, argument }: { line: string; command: SlashCommand; argument: string },
    run: () => Promise<T>,
  ): Promise<T> {
    if (command.repeatable) return await this.whole(line, run);
    if (argument !== "" && command.repeatable === false) {
      this.#options.warn(
        `The recording does not hold /${command.name}: run again, the session may differ from here.`,
      );
    }
    return await run();
  }

  /** Runs what was typed, and keeps the line instead of what comes of it. */
  async whole<T>(line: string, run: () => Promise<T>): Promise<T> {
    this.#options.keep({ type: "prompt", command: line });
    this.#within = true;
    try {
      return await run();
    } finally {
      this.#within = false;
    }
  }

  /** Keeps a shell command that was typed. */
  shell(command: string): void {
    this.#options.keep({ type: "prompt", shell: command });
  }

  #take(event: Event): void {
    const { keep, requests } = this.#options;
    switch (event.type) {
      case "turn_start": {
        const { prompt: text, addressed, agent } = event;
        if (agent.depth > 0 || this.#within) return;
        return keep({ type: "prompt", text, ...(addressed !== undefined && { addressed }) });
      }
      case "message": {
        const { message } = event;
        if (message.role !== "user" || !message.steering) return;
        return keep({ type: "steer", after: requests(), text: message.content });
      }
      case "permission": {
        const { by, call_id, decision } = event;
        if (by === "rule") keep({ type: "answer", call_id, answer: { kind: decision } });
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
        return this.#ended(event);
    }
  }

  /** A call that was stopped at work has to be stopped again; one that had not begun has not. */
  #ended({ call_id, result }: Extract<Event, { type: "tool_end" }>): void {
    const { tool, since } = this.#calls.get(call_id) ?? {};
    this.#calls.delete(call_id);
    if (since === undefined || result.error_type !== "interrupted") return;
    const after_ms = Math.round(performance.now() - since);
    this.#options.keep({ type: "interrupt", call_id, tool, after_ms });
  }
}
