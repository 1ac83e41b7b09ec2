/**
 * Lines that come up while a prompt has the screen: they are written over it by the prompt itself, which alone knows
 * where its rows are.
 */

/** The lines, and the prompt of the moment. */
export class PromptLines {
  #draw: (() => void) | undefined;
  #held: string[] = [];

  /** Leaves lines to a prompt, which draws itself with them, until the returned function is called. */
  lend(draw: () => void): () => void {
    this.#draw = draw;
    return () => this.#draw = undefined;
  }

  /** Holds lines for the prompt; false if there is none. */
  hold(lines: readonly string[]): boolean {
    if (this.#draw === undefined) return false;
    this.#held.push(...lines);
    if (lines.length > 0) this.#draw();
    return true;
  }

  /** The lines to be written over it now. */
  take(): readonly string[] {
    return this.#held.splice(0);
  }
}
