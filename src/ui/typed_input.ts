/**
 * What comes from the keyboard, taken apart: keys, pasted text, and a line break that does not submit. The
 * terminal marks a paste with bracketed paste mode; without the marks a pasted line end would be an Enter.
 */

/** One piece of input; `raw` is what the terminal sent. */
export interface Piece {
  /** `enter` is one key; `newline` is Alt+Enter or Ctrl+J. */
  readonly kind: "keys" | "enter" | "newline" | "paste";
  readonly text: string;
  readonly raw: string;
}

/** Asks the terminal to mark pastes, and to stop that. */
export const PASTE_MODE = { on: "\x1b[?2004h", off: "\x1b[?2004l" } as const;

const START = "\x1b[200~";
const END = "\x1b[201~";
// deno-lint-ignore no-control-regex
const BREAKS = /(\x1b[\r\n]|\r|\n)/;

/** Splits input into pieces; marks may come in parts. */
export class TypedInput {
  #held = "";

  /** Takes what the terminal sent and returns the pieces that are complete. */
  push(text: string): Piece[] {
    const pieces: Piece[] = [];
    let rest = this.#held + text;
    this.#held = "";
    while (rest !== "") {
      const start = rest.indexOf(START);
      if (start === -1) {
        const held = endsWithPrefix(rest);
        this.#held = rest.slice(rest.length - held);
        pieces.push(...splitKeys(rest.slice(0, rest.length - held)));
        break;
      }
      pieces.push(...splitKeys(rest.slice(0, start)));
      const end = rest.indexOf(END, start);
      if (end === -1) {
        this.#held = rest.slice(start);
        break;
      }
      const raw = rest.slice(start, end + END.length);
      pieces.push({ kind: "paste", text: rest.slice(start + START.length, end), raw });
      rest = rest.slice(end + END.length);
    }
    return pieces;
  }
}

/** Length of the beginning of a mark at the end of the text; a lone Escape is a key and not held. */
function endsWithPrefix(text: string): number {
  for (let length = START.length - 1; length >= 3; length--) {
    if (text.endsWith(START.slice(0, length))) return length;
  }
  return 0;
}

function splitKeys(text: string): Piece[] {
  return text.split(BREAKS).filter((part) => part !== "").map((part) => {
    const kind = part === "\r" ? "enter" : BREAKS.test(part) ? "newline" : "keys";
    return { kind, text: part, raw: part };
  });
}
