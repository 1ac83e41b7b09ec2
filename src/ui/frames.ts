/**
 * What is drawn while ally works, frame by frame: so many a second at most, each with the lines that were finished
 * meanwhile.
 */
import { FlowRegion, type FlowView } from "./flow_region.ts";
import type { Terminal } from "./terminal.ts";

/** The shortest time between two frames, in milliseconds. */
const FRAME_MS = 34;
/** The same where little is to move. */
const STILL_FRAME_MS = 1000;

interface FramesOptions {
  readonly terminal: Terminal;
  /** Milliseconds. */
  readonly now: () => number;
  /** Whether nothing is to turn or change often. */
  readonly isStill: () => boolean;
}

/** The frames on one terminal. */
export class Frames {
  readonly #options: FramesOptions;
  readonly #region: FlowRegion;
  readonly #held: string[] = [];
  #drawnAt = -Infinity;

  constructor(options: FramesOptions) {
    this.#options = options;
    this.#region = new FlowRegion(options.terminal);
  }

  /** Whether finished lines wait for the next frame. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Keeps finished lines for the next frame; whether it is time for it. */
  hold(lines: readonly string[]): boolean {
    this.#held.push(...lines);
    const { terminal, now, isStill } = this.#options;
    const pause = !this.isHolding && isStill() ? STILL_FRAME_MS : terminal.canRedraw ? FRAME_MS : 0;
    return now() - this.#drawnAt >= pause;
  }

  /** Writes lines that stay, those held before them, and what is live below; a frame for a key alone is none. */
  draw(
    standing: readonly string[],
    { isForKey, ...view }: FlowView & { readonly isForKey: boolean },
  ): void {
    if (!isForKey) this.#drawnAt = this.#options.now();
    this.#region.update([...this.#held.splice(0), ...standing], view);
  }

  /** Writes lines that stay, and erases what is live. */
  clear(standing: readonly string[] = []): void {
    this.#region.update([...this.#held.splice(0), ...standing], { lines: [] });
  }
}
