/**
 * Reads keys from terminal input. Pastes, the terminal's own answers (device reports, colours) and incomplete
 * sequences never count as keys.
 */

/** A named key, or the one character that was typed. */
export type Key = string;

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";

/** Milliseconds after which a lone Escape is the key. */
const ESCAPE_MS = 50;

const SEQUENCE =
  // deno-lint-ignore no-control-regex
  /^(?:(?:\x1b\[|\x9b)([0-?]*[ -/]*[@-~])|\x1bO([ -~]))/;
// deno-lint-ignore no-control-regex
const STRING_START = /^(?:\x1b[P\]X^_]|[\x90\x98\x9d-\x9f])/;
// deno-lint-ignore no-control-regex
const STRING_END = /\x07|\x1b\\|\x9c|(?=\x03)/;
// deno-lint-ignore no-control-regex
const INCOMPLETE_SEQUENCE = /^(?:\x1b(?:\[[0-?]*[ -/]*|O)?|\x9b[0-?]*[ -/]*)$/;

const BY_SEQUENCE: ReadonlyMap<string, Key> = new Map([
  ["A", "up"],
  ["B", "down"],
  ["C", "right"],
  ["D", "left"],
]);
const BY_CHARACTER: ReadonlyMap<string, Key> = new Map([
  ["\r", "enter"],
  ["\n", "enter"],
  ["\t", "down"],
  ["\x03", "interrupt"],
  ["\x04", "escape"],
]);

/** Turns terminal input into keys; those of one piece of input are delivered together. */
export class KeyReader {
  readonly #onKeys: (keys: readonly Key[]) => void;
  #state: "keys" | "string" | "paste" = "keys";
  #held = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onKeys: (keys: readonly Key[]) => void) {
    this.#onKeys = onKeys;
  }

  /** Takes the next piece of input. */
  push(text: string): void {
    clearTimeout(this.#timer);
    // Alone it is the key, whatever sequence is incomplete.
    if (text === "\x03") this.#state = "keys";
    const keys: Key[] = [];
    let rest = text === "\x03" ? text : this.#held + text;
    this.#held = "";
    while (rest !== "") rest = this.#take(rest, keys);
    if (this.#state === "keys" && this.#held !== "") {
      this.#timer = setTimeout(() => this.#giveUp(), ESCAPE_MS);
    }
    this.#onKeys(keys);
  }

  /** Stops waiting for the rest of a sequence. */
  close(): void {
    clearTimeout(this.#timer);
  }

  /** Takes the first key or sequence and returns what follows it. */
  #take(text: string, keys: Key[]): string {
    if (this.#state === "paste") return this.#skipPaste(text);
    if (this.#state === "string") return this.#skipString(text);
    if (text.startsWith(PASTE_START)) {
      this.#state = "paste";
      return text.slice(PASTE_START.length);
    }
    if (INCOMPLETE_SEQUENCE.test(text)) return this.#hold(text);
    const sequence = SEQUENCE.exec(text);
    if (sequence) {
      const key = BY_SEQUENCE.get((sequence[1] ?? sequence[2] ?? "").at(-1) ?? "");
      if (key) keys.push(key);
      return text.slice(sequence[0].length);
    }
    const start = STRING_START.exec(text);
    if (start) {
      this.#state = "string";
      return text.slice(start[0].length);
    }
    const [character = "", next = ""] = text;
    if (character === "\x1b") {
      if (next === "\x1b") keys.push("escape");
      return text.slice(next === "\x1b" || next === "\x03" ? 1 : 1 + next.length);
    }
    keys.push(BY_CHARACTER.get(character) ?? character);
    return text.slice(character.length);
  }

  #skipPaste(text: string): string {
    const end = text.indexOf(PASTE_END);
    if (end === -1) return this.#hold(text.slice(1 - PASTE_END.length));
    this.#state = "keys";
    return text.slice(end + PASTE_END.length);
  }

  #skipString(text: string): string {
    const end = STRING_END.exec(text);
    if (!end) return this.#hold(text.endsWith("\x1b") ? "\x1b" : "");
    this.#state = "keys";
    return text.slice(end.index + end[0].length);
  }

  #hold(text: string): "" {
    this.#held = text;
    return "";
  }

  #giveUp(): void {
    const isEscape = this.#held === "\x1b";
    this.#held = "";
    if (isEscape) this.#onKeys(["escape"]);
  }
}
