/**
 * Records what a person does in a session: words, answers, commands, interrupts. Each becomes a line among the
 * traffic with the model, so that a replay can repeat it. It wraps the sink, the questions and the commands of a run,
 * which know nothing of it.
 */
import type { Event, EventSink } from "../core/event.ts";
import type { AskPermission } from "../core/permission.ts";
import type { RunLine } from "../recording/traffic.ts";
import type { CommandContext, SlashCommand } from "../slash/command.ts";
import { lineOf } from "../slash/table.ts";
import type { SchedulerDeps } from "../tools/scheduler.ts";
import type { UserActions } from "./user_actions.ts";

/** What a recorder of a person's actions needs. */
interface UserActionRecorderOptions {
  /** Writes a line. */
  readonly record: (line: RunLine) => void;
  /** How many requests the conversation has made. */
  readonly requests: () => number;
  /** Warns the person. */
  readonly warn: (text: string) => void;
}

/** Whether a command is recorded and replayed: the scratch copy of a replay must have everything that it changes. */
export function isRecorded({ changes }: SlashCommand): boolean {
  return changes === "session";
}

/** Ready to use after `new`. */
export class UserActionRecorder implements UserActions {
  readonly #options: UserActionRecorderOptions;
  /** Whether a command is running that is recorded as a whole. */
  #isNested = false;
  /** The tools of the open calls, and when those that run began: `performance.now()`. */
  readonly #calls = new Map<string, { tool: string; since?: number }>();

  constructor(options: UserActionRecorderOptions) {
    this.#options = options;
  }

  /** Passes every event on, and records the user's words, what was decided, and what was interrupted. */
  wrapSink(sink: EventSink): EventSink {
    return (event) => {
      this.#recordEvent(event);
      sink(event);
    };
  }

  /** Passes every question on, and records the answers. */
  wrapAsk(ask: AskPermission): AskPermission {
    return async (requests, signal) => {
      const answers = await ask(requests, signal);
      for (const [index, { callId, tool }] of requests.entries()) {
        this.#options.record({ type: "answer", call_id: callId, tool, answer: answers[index] });
      }
      return answers;
    };
  }

  /** Records the shell commands that the user types. */
  wrapUserScheduler(scheduler: SchedulerDeps): SchedulerDeps {
    return {
      ...scheduler,
      logDecision: (decision) => {
        this.#options.record({ type: "prompt", shell: decision.what });
        scheduler.logDecision?.(decision);
      },
    };
  }

  /** Records a command with what was chosen in it, or warns that a replay cannot run it. */
  wrapCommand(command: SlashCommand): SlashCommand {
    if (command.changes === undefined) return command;
    return {
      ...command,
      run: (argument, context) => {
        if (isRecorded(command)) return this.#runAsWhole(command, { argument, context });
        if (argument !== "") {
          this.#options.warn(
            `/${command.name} is not recorded, so a replay may differ from here.`,
          );
        }
        return command.run(argument, context);
      },
    };
  }

  /** Runs a command, and records the line that was typed instead of the turns that it runs. */
  async #runAsWhole(
    command: SlashCommand,
    { argument, context }: { argument: string; context: CommandContext },
  ): Promise<"continue" | "exit"> {
    const recorded = command.recorded?.(argument, context) ?? argument;
    this.#options.record({ type: "prompt", command: lineOf(command, recorded) });
    this.#isNested = true;
    try {
      return await command.run(argument, { ...context, ...this.#wrapQuestions(context) });
    } finally {
      this.#isNested = false;
    }
  }

  #wrapQuestions(
    { pick, pickName, confirm }: CommandContext,
  ): Pick<CommandContext, "pick" | "pickName" | "confirm"> {
    const recordChoice = async <T>(choice: Promise<T>): Promise<T> => {
      const value = await choice;
      this.#options.record({ type: "choice", value });
      return value;
    };
    return {
      pick: (question, choices) => recordChoice(pick(question, choices)),
      ...pickName && {
        pickName: (question, names, current) => recordChoice(pickName(question, names, current)),
      },
      confirm: (question) => recordChoice(confirm(question)),
    };
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
