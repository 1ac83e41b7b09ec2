/**
 * What was said before, gone through by what it begins with. Pure.
 */

/** Earlier messages, while one line is edited. */
export class LineHistory {
  /** Oldest first, each once. */
  readonly #entries: readonly string[];
  /** While an earlier message is in the line: which one, how they must begin, and the line as it was before. */
  #at: { index: number; prefix: string; shown: string; draft: string } | undefined;

  /** Oldest first. */
  constructor(entries: readonly string[]) {
    this.#entries = [...new Set(entries.toReversed())].toReversed();
  }

  /** The message before the one in the line that begins with `prefix`; undefined if there is none. */
  older(line: string, prefix: string): string | undefined {
    const at = this.#at?.shown === line
      ? this.#at
      : { index: this.#entries.length, prefix, draft: line };
    const index = this.#entries.findLastIndex((entry, index) =>
      index < at.index && entry.startsWith(at.prefix) && entry !== line
    );
    return this.#show({ ...at, index });
  }

  /** The message after the one in the line, at last the line as it was; undefined if none is in it. */
  newer(line: string): string | undefined {
    const at = this.#at;
    if (at === undefined || at.shown !== line) return undefined;
    const index = this.#entries.findIndex((entry, index) =>
      index > at.index && entry.startsWith(at.prefix)
    );
    if (index !== -1) return this.#show({ ...at, index });
    this.#at = undefined;
    return at.draft;
  }

  #show(at: { index: number; prefix: string; draft: string }): string | undefined {
    const shown = this.#entries[at.index];
    if (shown !== undefined) this.#at = { ...at, shown };
    return shown;
  }
}
