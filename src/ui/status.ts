/**
 * What goes on at the moment and since when, and the clock that turns the spinner while something does. The renderer
 * owns one.
 */
import { type Clock, REAL_CLOCK } from "./clock.ts";

/** Milliseconds between two pictures of the spinner. */
const TICK_MS = 100;

/** Off until it is begun. */
export class Status {
  readonly now: Clock["now"];
  readonly #every: Clock["every"];
  #stop: (() => void) | undefined;
  #label = "";
  #since = 0;
  #frame = 0;
  /** Milliseconds for which nothing is shown. */
  #delayMs = 0;

  constructor({ now, every }: Partial<Clock>) {
    this.now = now ?? REAL_CLOCK.now;
    this.#every = every ?? REAL_CLOCK.every;
  }

  get isOn(): boolean {
    return this.#stop !== undefined;
  }

  /** False if it is off, or has only just begun what is shown once it takes long. */
  get isShown(): boolean {
    return this.isOn && this.view.elapsedMs >= this.#delayMs;
  }

  /** As it is shown. */
  get view(): { label: string; elapsedMs: number; frame: number } {
    return { label: this.#label, elapsedMs: this.now() - this.#since, frame: this.#frame };
  }

  /** Says what goes on; its time begins, unless it goes on already. */
  setLabel(label: string): void {
    if (this.#label !== label || !this.isOn) this.set(label, 0);
  }

  /** Says what has been going on for so many milliseconds. */
  set(label: string, ms: number): void {
    this.#label = label;
    this.#since = this.now() - ms;
  }

  /** Turns the spinner, and calls back each time, until `end`; shown once it takes so many milliseconds. */
  begin(onTick: () => void, { quiet = 0 }: { quiet?: number } = {}): void {
    this.#delayMs = quiet;
    this.#stop ??= this.#every(TICK_MS, () => {
      this.#frame++;
      onTick();
    });
  }

  end(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
