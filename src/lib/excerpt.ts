/**
 * The head and the tail of a text of any length, in bounded memory, with a line in between that says how much
 * was left out.
 */
import { formatCount } from "./text.ts";

/** Characters by which an end may be moved to fall on a line border. */
const MAX_LINE_SHIFT = 400;

/** Keeps the first and the last characters of what is added. */
export class Excerpt {
  readonly #max: number;
  readonly #half: number;
  #head = "";
  #tail: string[] = [];
  #tailLength = 0;
  #total = 0;

  /** Keeps at most `max` characters, the line about the cut included where there is room for it. */
  constructor(max: number) {
    this.#max = max;
    this.#half = Math.ceil(max / 2);
  }

  /** Characters added so far. */
  get total(): number {
    return this.#total;
  }

  /** Whether anything had to be left out. */
  get isCut(): boolean {
    return this.#total > this.#max;
  }

  add(text: string): void {
    this.#total += text.length;
    const room = this.#half - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    const rest = room > 0 ? text.slice(room) : text;
    if (rest === "") return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    // Whole chunks are dropped and nothing is joined, so that a flood of output makes little garbage.
    for (let first = this.#tail[0]; first !== undefined; first = this.#tail[0]) {
      if (this.#tailLength - first.length < this.#half) break;
      this.#tail.shift();
      this.#tailLength -= first.length;
    }
  }

  /**
   * What was kept; `note` is put into the line about the cut, such as where the whole is to be found.
   */
  text(note = ""): string {
    const tail = this.#tail.join("");
    if (!this.isCut) return this.#head + tail;
    const room = this.#max - this.#half - cutLine(this.#total, note).length;
    const head = endAtLine(this.#head);
    const end = room > 0 ? startAtLine(tail.slice(-room)) : "";
    const line = cutLine(this.#total - head.length - end.length, note);
    return head + line + end;
  }
}

function cutLine(characters: number, note: string): string {
  const more = note === "" ? "" : `; ${note}`;
  return `\n[... ${formatCount(characters)} characters cut here${more} ...]\n`;
}

function endAtLine(head: string): string {
  const end = head.lastIndexOf("\n");
  if (end >= 0 && head.length - end <= MAX_LINE_SHIFT) return head.slice(0, end);
  return /[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head;
}

function startAtLine(tail: string): string {
  const start = tail.indexOf("\n") + 1;
  if (start > 0 && start <= MAX_LINE_SHIFT) return tail.slice(start);
  return /^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail;
}
