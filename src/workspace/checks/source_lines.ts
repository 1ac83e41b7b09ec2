/**
 * The lines of a text by offset: which line an offset is in, and what that line holds.
 */

/** A text with the starts of its lines. */
export class SourceLines {
  readonly text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.text = text;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) {
      this.#starts.push(end + 1);
    }
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Number of the line an offset is in, from 0. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.startOf(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Offset at which a line begins. */
  startOf(line: number): number {
    return this.#starts[line] ?? this.text.length;
  }

  /** A line without its end. */
  line(line: number): string {
    const end = line + 1 < this.count ? this.startOf(line + 1) - 1 : this.text.length;
    return this.text.slice(this.startOf(line), end).replace(/\r$/, "");
  }

  /** Columns of white space at the start of a line; a tab counts as one. */
  indentOf(line: number): number {
    return this.line(line).search(/\S|$/);
  }
}
