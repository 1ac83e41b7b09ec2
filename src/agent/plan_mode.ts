/**
 * Plan mode: the model looks and proposes, and changes nothing. The policy refuses, and the model is told in the user's
 * words, because what was sent before must not change: neither the prompt nor the list of tools. Only a run that began
 * in plan mode, and cannot leave it, shows nothing but what reads.
 */

/** What plan mode switches. */
interface PlanSwitches {
  readonly policy: { planMode: boolean };
  readonly registry: { readOnly: boolean };
}

/** Whether a session is planning. */
export class PlanMode {
  readonly #policy: PlanSwitches["policy"];
  /** True if the process has given up what leaving would need. */
  readonly locked: boolean;
  /** What the model was told last. */
  #announced: boolean;

  constructor(options: PlanSwitches & { locked: boolean }) {
    this.#policy = options.policy;
    this.locked = options.locked;
    // The system prompt of a locked run says it.
    this.#announced = options.locked;
    options.policy.planMode = options.locked;
    options.registry.readOnly = options.locked;
  }

  get on(): boolean {
    return this.#policy.planMode;
  }

  /** Turns it on or off from the next request on. @throws {Error} it cannot be left in this run */
  set(on: boolean): void {
    if (this.locked && !on) {
      throw new Error(
        "Cannot leave plan mode: ally was started with --plan and has given up writing and running " +
          "for good. Start it again without --plan; --continue goes on with this conversation.",
      );
    }
    this.#policy.planMode = on;
  }

  /** A prompt with what the model must know of a change of mode since the last one. */
  annotate(prompt: string): string {
    if (this.#announced === this.on) return prompt;
    this.#announced = this.on;
    return `${prompt}\n\n[${this.on ? BEGUN : PLAN_MODE_OFF}]`;
  }
}

const BEGUN =
  "Plan mode is on: only look, change and run nothing. Answer with a plan; the user ends plan mode to have it done.";
const PLAN_MODE_OFF = "Plan mode is over: files can be changed and commands run again.";
