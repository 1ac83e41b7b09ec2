/**
 * What ally is doing and since when, and the clock that turns the spinner meanwhile.
 */
import { type Clock, REAL_CLOCK } from "./clock.ts";

/** Milliseconds between two frames of the spinner; of one that does not turn, between two looks at the clock. */
const TICK_MS = 100;
const STILL_TICK_MS = 1000;

/** As it is shown; times are in milliseconds. */
export interface StatusView {
  readonly label: string;
  /** What follows the label where there is room; undefined if the label is no count. */
  readonly detail?: string;
  readonly elapsedMs: number;
  /** Of the spinner. */
  readonly frame: number;
  /** What is left of it, if that is known. */
  readonly leftMs?: number;
  /** Whether a key has the model answer. */
  readonly answers?: boolean;
}

/** Off until it is begun. */
export class Status {
  readonly now: Clock["now"];
  readonly #every: Clock["every"];
  readonly #isStill: () => boolean;
  #stop: (() => void) | undefined;
  #label = "";
  #detail: string | undefined;
  #since = 0;
  #frame = 0;
  /** Milliseconds before anything is shown. */
  #delayMs = 0;
  /** When it will be over, on the clock. */
  #endsAt: number | undefined;

  constructor({ now, every, isStill = () => false }: Partial<Clock> & { isStill?: () => boolean }) {
    this.#isStill = isStill;
    this.now = now ?? REAL_CLOCK.now;
    this.#every = every ?? REAL_CLOCK.every;
  }

  get isOn(): boolean {
    return this.#stop !== undefined;
  }

  /** False if it is off, or its delay has not passed yet. */
  get isShown(): boolean {
    return this.isOn && this.view.elapsedMs >= this.#delayMs;
  }

  /** As it is shown. */
  get view(): StatusView {
    const now = this.now();
    return {
      label: this.#label,
      ...this.#detail !== undefined && { detail: this.#detail },
      elapsedMs: now - this.#since,
      frame: this.#frame,
      ...this.#endsAt !== undefined && { leftMs: Math.max(0, this.#endsAt - now) },
    };
  }

  /** Sets what is going on; its time starts unless it is going on already. */
  setLabel(label: string): void {
    if (this.#label !== label || !this.isOn) this.set(label, 0);
  }

  /** Sets what has been going on for so many milliseconds, its detail, and how many it will still take, if known. */
  set(
    label: string,
    ms: number,
    { detail, leftMs }: { detail?: string; leftMs?: number } = {},
  ): void {
    this.#label = label;
    this.#detail = detail;
    this.#since = this.now() - ms;
    this.#endsAt = leftMs === undefined ? undefined : this.now() + leftMs;
  }

  /** Takes back so many milliseconds, in which something else went on. */
  exclude(ms: number): void {
    this.#since += ms;
  }

  /** Turns the spinner, with a callback for each frame, until `end`; shown after `delayMs` milliseconds. */
  begin(onTick: () => void, { delayMs = 0 }: { delayMs?: number } = {}): void {
    this.#delayMs = delayMs;
    const isStill = this.#isStill();
    this.#stop ??= this.#every(isStill ? STILL_TICK_MS : TICK_MS, () => {
      if (!isStill) this.#frame++;
      onTick();
    });
  }

  end(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
