/**
 * Splits keyboard input into keys, pasted text, and line breaks that do not submit. The terminal marks a paste with
 * bracketed paste mode; without the marks a pasted line end would be an Enter.
 */

/** One piece of input; `raw` is what the terminal sent. */
export interface Piece {
  /** `enter` is one key; `newline` is Alt+Enter or Ctrl+J. */
  readonly kind: "keys" | "enter" | "newline" | "paste";
  readonly text: string;
  readonly raw: string;
  /** The whole length of a paste, even if it was too long to keep. */
  readonly length?: number;
}

const START = "\x1b[200~";
const END = "\x1b[201~";
// deno-lint-ignore no-control-regex
const BREAKS = /(\x1b[\r\n]|\r|\n)/;

/** Characters kept of one paste; larger text belongs in a file. */
export const MAX_PASTE = 10_000_000;

/** Splits input into pieces; marks may come in parts, and a paste in thousands. */
export class TypedInput {
  /** The beginning of a mark at the end of the input. */
  #partialMark = "";
  /** Set within a paste: its parts so far, and their total length. */
  #paste: { parts: string[]; length: number } | undefined;

  /** Takes what the terminal sent and returns the pieces that are complete. */
  push(text: string): Piece[] {
    const pieces: Piece[] = [];
    let rest = this.#partialMark + text;
    this.#partialMark = "";
    while (rest !== "") {
      const mark = this.#paste === undefined ? START : END;
      const at = rest.indexOf(mark);
      const least = mark === END ? 1 : 2;
      const pending = at === -1 ? endsWithPrefix(rest, { mark, least }) : 0;
      const before = rest.slice(0, at === -1 ? rest.length - pending : at);
      if (this.#paste !== undefined) this.#appendToPaste(before);
      else pieces.push(...splitKeys(before));
      this.#partialMark = rest.slice(rest.length - pending);
      if (at === -1) break;
      if (this.#paste !== undefined) pieces.push(this.#endPaste());
      else this.#paste = { parts: [], length: 0 };
      rest = rest.slice(at + mark.length);
    }
    return pieces;
  }

  #appendToPaste(text: string): void {
    const paste = this.#paste;
    if (paste === undefined) return;
    if (paste.length <= MAX_PASTE) paste.parts.push(text);
    paste.length += text.length;
  }

  #endPaste(): Piece {
    const { parts = [], length = 0 } = this.#paste ?? {};
    this.#paste = undefined;
    const text = parts.join("");
    return { kind: "paste", text, raw: START + text + END, length };
  }
}

/** Length of the beginning of a mark at the end of the text; a lone Escape counts as a key. */
function endsWithPrefix(
  text: string,
  { mark, least }: { mark: string; least: number },
): number {
  for (let length = mark.length - 1; length >= least; length--) {
    if (text.endsWith(mark.slice(0, length))) return length;
  }
  return 0;
}

function splitKeys(text: string): Piece[] {
  return text.split(BREAKS).filter((part) => part !== "").map((part) => {
    const kind = part === "\r" ? "enter" : BREAKS.test(part) ? "newline" : "keys";
    return { kind, text: part, raw: part };
  });
}
