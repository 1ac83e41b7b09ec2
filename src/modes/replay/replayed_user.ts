/**
 * Plays the person of a recorded session: types the same lines, gives the same answers, and interrupts at the same places.
 */
import type { App } from "../../app/app.ts";
import { isRecorded } from "../../app/user_action_recorder.ts";
import type { EventSink } from "../../core/event.ts";
import type { Answer, AskPermission } from "../../core/permission.ts";
import { mapStrings } from "../../lib/json_strings.ts";
import type { Recording, RunLine } from "../../recording/traffic.ts";
import type { CommandContext } from "../../slash/command.ts";
import { COMMANDS, route } from "../../slash/table.ts";
import { Debugging } from "../debugging.ts";
import { createBaseContext } from "../interactive/command_context.ts";

/** Milliseconds after which a call is interrupted again at the latest. */
const MAX_WAIT_MS = 10_000;

/** The person of one session; each of their actions is repeated once. */
export class ReplayedUser {
  readonly #app: () => App;
  readonly #answers: RunLine[];
  readonly #choices: RunLine[];
  readonly #steering: RunLine[];
  readonly #interrupts: RunLine[];
  /** The tools of the running calls. */
  readonly #tools = new Map<string, string>();
  /** Calls that are to be interrupted. */
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor({ runLines }: Recording, { app }: { app: () => App }) {
    const of = (kind: RunLine["type"]) => runLines.filter(({ type }) => type === kind);
    this.#app = app;
    this.#answers = of("answer");
    this.#choices = of("choice");
    this.#steering = of("steer");
    this.#interrupts = of("interrupt");
  }

  /** What was typed while a turn ran and is due by now. */
  readonly steer = (): Promise<readonly string[]> => {
    const { requests, localize } = this.#app().traffic!.replay!;
    const next = this.#steering.findIndex(({ after }) => Number(after) > requests);
    const due = this.#steering.splice(0, next < 0 ? Infinity : next);
    return Promise.resolve(due.map(({ text }) => localize(String(text))));
  };

  /**
   * Answers every question as it was answered; what was not asked then is denied, and so is every way out of the
   * sandbox, whatever a recording says.
   */
  readonly ask: AskPermission = (requests) =>
    Promise.resolve(requests.map(({ callId, tool, outsideSandbox }): Answer => {
      const found = takeNote(this.#answers, { callId, tool })?.answer as Answer | undefined;
      if (outsideSandbox) return { kind: "deny" };
      // What a replay allows must not outlast it.
      if (found?.kind !== "always") return found ?? { kind: "deny" };
      return { ...found, scope: found.scope === "turn" ? "turn" : "session" };
    }));

  /** Hears every event, and interrupts a call after as long as it was interrupted. */
  readonly sink: EventSink = (event) => {
    if (event.type === "tool_start") this.#tools.set(event.call_id, event.name);
    if (event.type === "tool_end") clearTimeout(this.#timers.get(event.call_id));
    if (event.type !== "tool_state" || event.state !== "executing") return;
    const callId = event.call_id;
    const note = takeNote(this.#interrupts, { callId, tool: this.#tools.get(callId) ?? "" });
    if (note === undefined) return;
    const interrupt = () => this.#app().agent.interrupt();
    const ms = Math.min(Number(note.after_ms) || 0, MAX_WAIT_MS);
    this.#timers.set(callId, setTimeout(interrupt, ms));
  };

  /** Repeats one line that they typed; true if it was for the model. */
  async replayLine(note: RunLine): Promise<boolean> {
    const app = this.#app();
    const { agent, traffic, userScheduler } = app;
    const { text, shell, command } = mapStrings(note, traffic!.replay!.localize);
    if (typeof command === "string") await this.#command(command);
    else if (typeof shell === "string") {
      await agent.runCommand(shell, { ...userScheduler, sandboxed: true, ask: this.ask });
    } else if (typeof text === "string") await runPrompt(note, { app, text });
    return typeof text === "string";
  }

  async #command(line: string): Promise<void> {
    const chosen = route(line, COMMANDS);
    if (chosen.kind !== "command" || !isRecorded(chosen.command)) return;
    const command = this.#app().userActions.wrapCommand(chosen.command);
    // It failed when it was recorded, too.
    await command.run(chosen.argument, this.#context()).catch(() => {});
  }

  #context(): CommandContext {
    const choose = () => Promise.resolve(this.#choices.shift()?.value);
    const debugging = new Debugging({ verbose: false, logging: false, show: () => {} });
    return {
      ...createBaseContext(this.#app(), debugging),
      commands: COMMANDS,
      signal: new AbortController().signal,
      prefill: () => {},
      say: () => {},
      showLastTurns: () => {},
      show: () => {},
      showPage: () => Promise.resolve(),
      items: { highest: 0, get: () => undefined, latest: () => [] },
      showWhole: () => Promise.resolve(),
      copy: () => Promise.resolve({ terminal: false }),
      shell: { run: () => Promise.resolve(), has: () => Promise.resolve(false) },
      pick: async () => await choose() as number | undefined,
      pickName: async () => await choose() as string | undefined,
      confirm: async () => await choose() === true,
    };
  }
}

/** The note of a call, or of a call of that tool: an id that ally gave itself is another one now. */
function takeNote(
  open: RunLine[],
  { callId, tool }: { callId: string; tool: string },
): RunLine | undefined {
  const byId = open.findIndex(({ call_id }) => call_id === callId);
  const index = byId >= 0 ? byId : open.findIndex((one) => one.tool === tool);
  return index < 0 ? undefined : open.splice(index, 1)[0];
}

/** Runs a prompt by the agent and the model that it was for. */
async function runPrompt(
  { addressed }: RunLine,
  { app, text }: { app: App; text: string },
): Promise<void> {
  const { agent, delegation, models, traffic } = app;
  const next = traffic!.replay!.nextModel;
  const model = next && models.nameAtEndpoint(next);
  // A command of the user's own may have had a model of its own.
  if (model !== undefined && model !== agent.deps.settings.model) models.switchTo(model);
  const profile = typeof addressed === "string" ? delegation.profiles.find(addressed) : undefined;
  if (profile === undefined) await agent.run(text);
  else await agent.handOff({ profile, prompt: text });
}
