/**
 * The person of a recorded session once more: gives the same lines, answers and choices, and interrupts where
 * they did. `replay.ts` runs a session with it.
 */
import type { Composition } from "../../app/app.ts";
import { useModel } from "../../app/model_choice.ts";
import type { Sink } from "../../core/event.ts";
import type { Answer, Ask } from "../../core/permission.ts";
import { mapStrings } from "../../lib/json_strings.ts";
import type { NoteLine, TrafficRecord } from "../../recording/traffic.ts";
import type { CommandContext } from "../../slash/command.ts";
import { addNote } from "../../slash/note.ts";
import { COMMANDS, route } from "../../slash/table.ts";
import { partsForCommands } from "../interactive/command_context.ts";
import { Debugging } from "../interactive/debugging.ts";

/** Milliseconds that a call works at most before it is interrupted again. */
const LONGEST_WAIT_MS = 10_000;

/** One session's person; each thing they did is done once. */
export class Repeat {
  readonly #composition: () => Composition;
  readonly #answers: NoteLine[];
  readonly #choices: NoteLine[];
  readonly #steering: NoteLine[];
  readonly #interrupts: NoteLine[];
  /** The tools of the calls that are under way. */
  readonly #tools = new Map<string, string>();
  /** Calls that are to be interrupted. */
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor({ notes }: TrafficRecord, { composition }: { composition: () => Composition }) {
    const of = (kind: NoteLine["type"]) => notes.filter(({ type }) => type === kind);
    this.#composition = composition;
    this.#answers = of("answer");
    this.#choices = of("choice");
    this.#steering = of("steer");
    this.#interrupts = of("interrupt");
  }

  /** What was typed while a turn ran and is due by now. */
  readonly steer = (): Promise<readonly string[]> => {
    const { requests, here } = this.#composition().traffic!.replay!;
    const due = this.#steering.findIndex(({ after }) => Number(after) > requests);
    const said = this.#steering.splice(0, due < 0 ? Infinity : due);
    return Promise.resolve(said.map(({ text }) => here(String(text))));
  };

  /**
   * Answers every question as it was answered; what was not asked then is denied, and so is every way out of the
   * sandbox, whatever a recording says.
   */
  readonly ask: Ask = (requests) =>
    Promise.resolve(requests.map(({ callId, tool, outside }): Answer => {
      const found = taken(this.#answers, { callId, tool })?.answer as Answer | undefined;
      if (outside) return { kind: "deny" };
      // Nothing of a run again is to outlast it.
      return found?.kind === "always"
        ? { kind: "always", scope: "session" }
        : found ?? { kind: "deny" };
    }));

  /** Hears every event, and interrupts a call after as long as it was interrupted. */
  readonly sink: Sink = (event) => {
    if (event.type === "tool_start") this.#tools.set(event.call_id, event.name);
    if (event.type === "tool_end") clearTimeout(this.#timers.get(event.call_id));
    if (event.type !== "tool_state" || event.state !== "executing") return;
    const callId = event.call_id;
    const note = taken(this.#interrupts, { callId, tool: this.#tools.get(callId) ?? "" });
    if (note === undefined) return;
    const interrupt = () => this.#composition().agent.interrupt();
    const ms = Math.min(Number(note.after_ms) || 0, LONGEST_WAIT_MS);
    this.#timers.set(callId, setTimeout(interrupt, ms));
  };

  /** Gives one line of theirs again; true if it was for the model. */
  async line(note: NoteLine): Promise<boolean> {
    const composition = this.#composition();
    const { agent, traffic, userScheduler } = composition;
    const { text, shell, command } = mapStrings(note, traffic!.replay!.here);
    if (typeof command === "string") await this.#command(command);
    else if (typeof shell === "string") {
      await agent.runCommand(shell, { ...userScheduler, confine: true, ask: this.ask });
    } else if (typeof text === "string") await prompt(note, { composition, text });
    return typeof text === "string";
  }

  async #command(line: string): Promise<void> {
    const chosen = route(line, COMMANDS);
    const context = this.#context();
    if (chosen.kind === "note") {
      await addNote(chosen.text, { ...context, files: this.#composition().workspace });
    } else if (chosen.kind === "command" && chosen.command.repeatable) {
      // What a command complains of it complained of then.
      await chosen.command.run(chosen.argument, context).catch(() => {});
    }
  }

  #context(): CommandContext {
    const choose = () => Promise.resolve(this.#choices.shift()?.value);
    const debugging = new Debugging({ verbose: false, logging: false, show: () => {} });
    return {
      ...partsForCommands(this.#composition(), debugging),
      commands: COMMANDS,
      stopped: new AbortController().signal,
      prefill: () => {},
      say: () => {},
      show: () => {},
      pick: async () => await choose() as number | undefined,
      pickName: async () => await choose() as string | undefined,
      confirm: async () => await choose() === true,
    };
  }
}

/** The note of a call, or of a call of that tool: an id that ally gave itself is another one now. */
function taken(
  open: NoteLine[],
  { callId, tool }: { callId: string; tool: string },
): NoteLine | undefined {
  const byId = open.findIndex(({ call_id }) => call_id === callId);
  const index = byId >= 0 ? byId : open.findIndex((one) => one.tool === tool);
  return index < 0 ? undefined : open.splice(index, 1)[0];
}

/** Runs a prompt by the agent and the model that it was for. */
async function prompt(
  { addressed }: NoteLine,
  { composition, text }: { composition: Composition; text: string },
): Promise<void> {
  const { agent, delegation, models, traffic } = composition;
  const next = traffic!.replay!.nextModel;
  const model = next && models.nameAt(next);
  // A command of the user's own may have had a model of its own.
  if (model !== undefined && model !== agent.deps.settings.model) useModel(model, composition);
  const profile = typeof addressed === "string" ? delegation.profiles.find(addressed) : undefined;
  if (profile === undefined) await agent.run(text);
  else await agent.handOver({ profile, prompt: text }, delegation);
}
