/**
 * The hooks of a turn that a person began: they may keep words from being sent, add context before them, and have a
 * model go on that would stop, but not for ever.
 */
import type { Hooks } from "../core/hooks.ts";
import { plural } from "../lib/text.ts";
import type { TurnDeps } from "./turn_deps.ts";
import type { TurnRecord } from "./turn_record.ts";

/** How often hooks may have a model go on in one turn. */
const MAX_CONTINUED = 3;

/** What they are run with. */
interface TurnHooksOptions {
  readonly hooks: Hooks;
  readonly deps: TurnDeps;
  readonly signal: AbortSignal;
  readonly record: TurnRecord;
}

/** The hooks of one turn. */
export class TurnHooks {
  readonly #options: TurnHooksOptions;
  #continued = 0;

  constructor(options: TurnHooksOptions) {
    this.#options = options;
  }

  /** Runs those of a session that begins, and those before words; why these may not be sent, or what comes first. */
  async beforeWords(
    prompt: string,
  ): Promise<{ readonly denied: string } | { readonly notes: readonly string[] }> {
    const { hooks, deps: { conversation, addressed, settings }, signal } = this.#options;
    const notes: string[] = [];
    if (addressed === undefined && hooks.beginsSession(conversation)) {
      const facts = { model: settings.model, resumed: conversation.messages.length > 0 };
      const begun = await hooks.run("session_start", facts, this.#context);
      if (begun.decision === "deny") return { denied: begun.why ?? "" };
      notes.push(...begun.notes);
    }
    const { decision, why = "", notes: more } = await hooks.run(
      "prompt",
      { prompt },
      this.#context,
    );
    signal.throwIfAborted();
    return decision === "deny" ? { denied: why } : { notes: [...notes, ...more] };
  }

  /** Appends what hooks say, as ally's own words. */
  async append(notes: readonly string[]): Promise<void> {
    for (const content of notes) {
      await this.#options.record.append({ role: "user", content, told: [] });
    }
  }

  /** Runs those at the end of a turn; true if the model is to go on, and has been told why. */
  async goesOn(text: string): Promise<boolean> {
    const { hooks, signal, record } = this.#options;
    if (!hooks.has("stop")) return false;
    const facts = { text, continued: this.#continued };
    const { decision, why = "", notes } = await hooks.run("stop", facts, this.#context);
    signal.throwIfAborted();
    if (decision !== "continue") return false;
    if (this.#continued === MAX_CONTINUED) {
      const times = plural(MAX_CONTINUED, "time");
      record.notice("warning", `The turn ends although ${why}: hooks had it go on ${times}.`);
      return false;
    }
    this.#continued++;
    record.notice("info", `The model goes on: ${why}.`);
    await this.append([...notes, `[The turn is not over: ${why}]`]);
    return true;
  }

  /** Tells hooks that the turn has ended. */
  ended(reason: string): void {
    const { hooks, deps } = this.#options;
    hooks.notify({ kind: "turn_end", text: reason }, deps.scheduler.agent);
  }

  get #context() {
    const { deps, signal } = this.#options;
    return { agent: deps.scheduler.agent, signal };
  }
}
