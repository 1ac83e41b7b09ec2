/**
 * What was cut from a line, to be put back: the newest first, as in a shell.
 */

/** Texts that are kept. */
const MAX_KILLS = 60;

/** The texts cut in a session. */
export class KillRing {
  #texts: string[] = [];

  /** Keeps a text; one cut right after another is joined to it, before or behind. */
  add(text: string, { join }: { join: "before" | "behind" | undefined }): void {
    if (text === "") return;
    const last = join === undefined ? undefined : this.#texts.shift();
    const whole = join === "before" ? text + (last ?? "") : (last ?? "") + text;
    this.#texts = [whole, ...this.#texts].slice(0, MAX_KILLS);
  }

  /** The newest text; "" if nothing was cut. */
  get newest(): string {
    return this.#texts[0] ?? "";
  }

  /** Makes the next older text the newest. */
  rotate(): void {
    const [first, ...others] = this.#texts;
    if (first !== undefined) this.#texts = [...others, first];
  }
}
