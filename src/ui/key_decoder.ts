/**
 * Decodes what a terminal sends into keys, text, pastes and its own reports: legacy sequences, CSI u (the kitty
 * protocol), modifyOtherKeys, bracketed paste. Input may be cut anywhere. Pure: whoever reads keeps the time.
 *
 * Ours, because what there is (`@mariozechner/pi-tui`) keeps the protocol in module state, keeps pastes of any length,
 * and hands on strings that each user must match again.
 */
import { KITTY_KEYS, LETTER_KEYS, NUMBERED_KEYS, SS3_KEYS } from "./key_codes.ts";

/** A key that is no text of its own, or text with Ctrl or Alt. A letter is in lower case. */
export interface KeyPress {
  readonly kind: "key";
  /** "enter", "up", "f1", or the character. */
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

/** What a person typed or pasted. */
export type TypedInput =
  | KeyPress
  | { readonly kind: "text"; readonly text: string }
  | {
    readonly kind: "paste";
    /** At most `MAX_PASTE` characters of it. */
    readonly text: string;
    /** Its whole length. */
    readonly length: number;
  };

/** What the terminal says by itself: that it is looked at, or the answer to a question. */
export type TerminalReport =
  | { readonly kind: "focus"; readonly focused: boolean }
  | { readonly kind: "reply"; readonly text: string };

/** One thing that came from a terminal. */
export type KeyInput = TypedInput | TerminalReport;

/** Characters kept of one paste; larger text belongs in a file. */
export const MAX_PASTE = 10_000_000;

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
/** Ctrl+C in either form: alone it is the key, whatever is incomplete. */
const INTERRUPTS: readonly string[] = ["\x03", "\x1b[99;5u"];

/** Milliseconds after which the beginning of a sequence is taken for a key. */
const SEQUENCE_MS = 50;
/** Milliseconds after which a reply without an end is given up. */
const STRING_MS = 1_000;
/** Longer sequences are none. */
const MAX_SEQUENCE = 256;
/** Characters kept of a reply. */
const MAX_REPLY = 4_096;

// deno-lint-ignore no-control-regex
const CSI = /(\x1b?)(?:\x1b\[(?!200~)|\x9b)(\[[A-E]|[0-?]*[ -/]*[@-Z\\\]-~])/y;
// deno-lint-ignore no-control-regex
const PARTIAL_CSI = /\x1b?(?:\x1b\[|\x9b)(?:\[|[0-?]*[ -/]*)$/y;
// deno-lint-ignore no-control-regex
const SS3 = /(\x1b?)\x1bO([ -~])/y;
// deno-lint-ignore no-control-regex
const PARTIAL_ESCAPE = /\x1b(?:\x1bO?|[OPX^_\]])?$/y;
// deno-lint-ignore no-control-regex
const STRING_START = /\x1b[P\]X^_]|[\x90\x98\x9d-\x9f]/y;
/** BEL and ST end a string; Ctrl+C and any other sequence cut it off. */
// deno-lint-ignore no-control-regex
const STRING_END = /\x07|\x1b\\|\x9c|(?=\x03)|(?=\x1b[^\\])/g;
// deno-lint-ignore no-control-regex
const TEXT = /[^\x00-\x1f\x7f-\x9f]+/y;

/** Turns pieces of input into what they mean. */
export class KeyDecoder {
  #state: "keys" | "paste" | "string" = "keys";
  /** The beginning of something whose rest has not come. */
  #held = "";
  #paste: string[] = [];
  #pasteLength = 0;
  #reply = "";
  #inputs: KeyInput[] = [];

  /** Takes the next piece and returns what is complete. */
  push(text: string): KeyInput[] {
    if (INTERRUPTS.includes(text)) this.#reset();
    const all = this.#held + text;
    this.#held = "";
    let at = 0;
    while (at < all.length) at = this.#take(all, at);
    return this.#drain();
  }

  /** Milliseconds to wait for the rest before `flush`; undefined if nothing is missing. */
  get patience(): number | undefined {
    if (this.#state === "string") return STRING_MS;
    return this.#state === "keys" && this.#held !== "" ? SEQUENCE_MS : undefined;
  }

  /** No more comes: returns the keys that the beginning of a sequence is. */
  flush(): KeyInput[] {
    const held = this.#held;
    if (this.#state !== "paste") this.#reset();
    // Two Escapes are the key twice.
    if (held === "\x1b" || held === "\x1b\x1b") [...held].forEach(() => this.#press("escape"));
    else if (held.length === 2 && held.startsWith("\x1b")) {
      this.#pressCharacter(held.slice(1), { alt: true });
    }
    return this.#drain();
  }

  #drain(): KeyInput[] {
    const inputs = this.#inputs;
    this.#inputs = [];
    return inputs;
  }

  #reset(): void {
    this.#state = "keys";
    this.#held = "";
    this.#paste = [];
    this.#pasteLength = 0;
    this.#reply = "";
  }

  /** Takes what stands at an index and returns the index behind it. */
  #take(all: string, at: number): number {
    if (this.#state === "paste") return this.#takePaste(all, at);
    if (this.#state === "string") return this.#takeString(all, at);
    const text = match(TEXT, all, at)?.[0];
    if (text !== undefined) {
      this.#addText(text);
      return at + text.length;
    }
    if (all.startsWith(PASTE_START, at)) {
      this.#state = "paste";
      return at + PASTE_START.length;
    }
    const csi = match(CSI, all, at);
    if (csi) {
      this.#takeCsi(csi);
      return at + csi[0].length;
    }
    const ss3 = match(SS3, all, at);
    if (ss3) {
      const name = SS3_KEYS.get(ss3[2] ?? "");
      if (name !== undefined) this.#press(name, { alt: ss3[1] !== "" });
      return at + ss3[0].length;
    }
    if (match(PARTIAL_ESCAPE, all, at) || match(PARTIAL_CSI, all, at)) {
      this.#held = all.length - at > MAX_SEQUENCE ? "" : all.slice(at);
      return all.length;
    }
    const start = match(STRING_START, all, at);
    if (start) {
      this.#state = "string";
      this.#reply = start[0];
      return at + start[0].length;
    }
    return this.#takeControl(all, at);
  }

  /** A control character, alone or after the Escape that means Alt. */
  #takeControl(all: string, at: number): number {
    const first = all[at] ?? "";
    if (first !== "\x1b") {
      this.#pressCharacter(first);
      return at + 1;
    }
    const next = String.fromCodePoint(all.codePointAt(at + 1) ?? 0);
    // Ctrl+C is never Alt with something.
    if (next === "\x03" || next === "\x1b") {
      this.#press("escape");
      return at + 1;
    }
    this.#pressCharacter(next, { alt: true });
    return at + 1 + next.length;
  }

  #takePaste(all: string, at: number): number {
    const end = all.indexOf(PASTE_END, at);
    if (end !== -1) {
      this.#appendToPaste(all.slice(at, end));
      this.#inputs.push({
        kind: "paste",
        text: this.#paste.join("").slice(0, MAX_PASTE),
        length: this.#pasteLength,
      });
      this.#reset();
      return end + PASTE_END.length;
    }
    // The end of the paste may be cut in two.
    const escape = all.lastIndexOf("\x1b");
    const isCut = escape >= at && PASTE_END.startsWith(all.slice(escape));
    const known = isCut ? escape : all.length;
    this.#appendToPaste(all.slice(at, known));
    this.#held = all.slice(known);
    return all.length;
  }

  #appendToPaste(text: string): void {
    if (this.#pasteLength <= MAX_PASTE) this.#paste.push(text);
    this.#pasteLength += text.length;
  }

  #takeString(all: string, at: number): number {
    STRING_END.lastIndex = at;
    const end = STRING_END.exec(all);
    const isCut = end === null && all.endsWith("\x1b");
    const until = end ? end.index + end[0].length : all.length - (isCut ? 1 : 0);
    if (this.#reply.length < MAX_REPLY) this.#reply += all.slice(at, until);
    if (end) {
      this.#inputs.push({ kind: "reply", text: this.#reply.slice(0, MAX_REPLY) });
      this.#reset();
      return until;
    }
    this.#held = all.slice(until);
    return all.length;
  }

  #takeCsi([whole, escape, body = ""]: RegExpExecArray): void {
    const final = body.at(-1) ?? "";
    const parameters = body.slice(0, -1);
    const isFocus = body === "I" || body === "O";
    if (!isFocus && this.#takeKey(parameters, { final, alt: escape !== "" })) return;
    if (escape !== "") this.#press("escape");
    this.#inputs.push(
      isFocus
        ? { kind: "focus", focused: body === "I" }
        : { kind: "reply", text: whole.slice(escape?.length ?? 0) },
    );
  }

  /** Whether a sequence is a key. */
  #takeKey(parameters: string, { final, alt }: { final: string; alt: boolean }): boolean {
    if (!/^(?:\[|[\d;:]*)$/.test(parameters)) return false;
    // With parameters it is the position of the cursor, or the size of the screen.
    if (/[Rt]/.test(final) && parameters !== "") return false;
    const [code = "", modifier = "", other = ""] = parameters.split(";");
    const held = modifiers(modifier);
    if (held === undefined) return true;
    const how = { ...held, alt: held.alt || alt };
    if (final === "u") return this.#takeCode(code, { ...how, text: other });
    if (final === "~" && code === "27") return this.#takeCode(other, { ...how, text: "" });
    if (parameters === "[") return this.#pressNamed(`f${"ABCDE".indexOf(final) + 1}`, how);
    if (final === "~" || final === "^") {
      const ctrl = how.ctrl || final === "^";
      return code === "200" || code === "201" ||
        this.#pressNamed(NUMBERED_KEYS.get(code), { ...how, ctrl });
    }
    if (final === "Z") return this.#pressNamed("tab", { ...how, shift: true });
    const name = LETTER_KEYS.get(final);
    if (name !== undefined) return this.#pressNamed(name, how);
    const shifted = parameters === "" ? LETTER_KEYS.get(final.toUpperCase()) : undefined;
    return this.#pressNamed(shifted, { ...how, shift: true });
  }

  /** A key by the number of its character: `97`, or `97:65:113` with its shifted form and its place on the keyboard. */
  #takeCode(numbers: string, how: Modifiers & { text: string }): boolean {
    const [code = "", shifted = "", base = ""] = numbers.split(":");
    const named = KITTY_KEYS.get(code);
    if (named !== undefined && named.length > 1) return this.#pressNamed(named, how);
    const character = named ?? characterOf(code);
    // A key that ally does not know, such as Caps Lock.
    if (character === "" || isPrivate(character)) return code !== "";
    const upper = shifted === "" ? character.toUpperCase() : characterOf(shifted);
    if (!how.ctrl && !how.alt) {
      const typed = how.text.split(":").map(characterOf).join("");
      this.#addText(typed || (how.shift ? upper : character));
      return true;
    }
    // Letters of another alphabet stand for the key's Latin one.
    const latin = character > "\x7f" && base !== "" ? characterOf(base) : undefined;
    this.#pressCharacter(latin ?? (how.shift ? upper : character), how);
    return true;
  }

  #addText(text: string): void {
    const last = this.#inputs.at(-1);
    if (text === "") return;
    if (last?.kind === "text") {
      this.#inputs[this.#inputs.length - 1] = { kind: "text", text: last.text + text };
    } else this.#inputs.push({ kind: "text", text });
  }

  #pressNamed(name: string | undefined, how: Partial<Modifiers>): boolean {
    if (name !== undefined) this.#press(name, how);
    return name !== undefined;
  }

  /** A character as a key: a control character is its letter with Ctrl, an upper-case letter one with Shift. */
  #pressCharacter(character: string, how: Partial<Modifiers> = {}): void {
    const code = character.codePointAt(0) ?? 0;
    if (code > 0x7f && code < 0xa0) return;
    if (character === "\r") this.#press("enter", how);
    else if (character === "\t") this.#press("tab", how);
    else if (character === "\x7f") this.#press("backspace", how);
    else if (character === " ") this.#press("space", how);
    else if (code === 0) this.#press("space", { ...how, ctrl: true });
    else if (code < 0x20) {
      const name = String.fromCharCode(code + 0x40).toLowerCase();
      this.#press(name, { ...how, ctrl: true });
    } else {
      const lower = character.toLowerCase();
      const isLetter = lower !== character.toUpperCase();
      const shift = isLetter && (how.shift === true || lower !== character);
      this.#press(lower, { ...how, shift });
    }
  }

  #press(
    name: string,
    { ctrl = false, alt = false, shift = false }: Partial<Modifiers> = {},
  ): void {
    this.#inputs.push({ kind: "key", name, ctrl, alt, shift });
  }
}

interface Modifiers {
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

/** What is held down with a key; undefined for a key that is let go, or is one of the window system's. */
function modifiers(parameter: string): Modifiers | undefined {
  const [number = "", event = ""] = parameter.split(":");
  const bits = Math.max(0, Number(number || 1) - 1);
  const isRelease = event === "3";
  // Super and Hyper.
  if (isRelease || (bits & 0b1_1000) !== 0) return undefined;
  // Meta counts as Alt.
  return { shift: (bits & 1) !== 0, alt: (bits & 0b10_0010) !== 0, ctrl: (bits & 4) !== 0 };
}

function characterOf(code: string): string {
  const number = Number(code);
  const isCharacter = code !== "" && number > 0 && number <= 0x10ffff &&
    !(number >= 0xd800 && number <= 0xdfff);
  return isCharacter ? String.fromCodePoint(number) : "";
}

/** The protocol numbers keys without a character here. */
function isPrivate(character: string): boolean {
  return character >= "\ue000" && character <= "\uf8ff";
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
