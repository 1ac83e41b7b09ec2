/**
 * The keys of vi in a line: a mode in which letters are typed, and one in which they are commands. A command is read as
 * a whole, `2d3w`, by its grammar; what motions and commands do is a table each.
 */
import { lineAt, nextBoundary } from "./graphemes.ts";
import type { LineAction } from "./key_bindings.ts";
import type { TextBuffer } from "./text_buffer.ts";
import { firstOfLine, MOTIONS, REPEATS, type Target } from "./vim_motions.ts";
import { findObject, OBJECTS } from "./vim_objects.ts";

/** Whether letters are typed or commands. */
export type VimMode = "insert" | "normal";

const COUNT = "(?<count>[1-9]\\d*)?";
const OPERATOR = "(?:(?<operator>[dcy])(?<times>[1-9]\\d*)?)?";
/** A motion, or an operator and where it applies; an operator typed twice means lines. */
const MOVE = new RegExp(
  `^${COUNT}${OPERATOR}(?<motion>gg|[fFtT][^]|[hjklwWbBeE0^$G;,]|(?<=d)d|(?<=c)c|(?<=y)y)$`,
  "u",
);
/** An operator and a text object. */
const OBJECT = new RegExp(
  `^${COUNT}(?<operator>[dcy])(?<times>[1-9]\\d*)?(?<object>[ia]${OBJECTS})$`,
  "u",
);
const COMMAND = new RegExp(`^${COUNT}(?<command>[xXsSDCYpPiaIAoOu~]|r[^])$`, "u");
/** What may yet become one of these. */
const BEGINNING = new RegExp(`^${COUNT}(?:${OPERATOR}[gfFtTia]?|r)$`, "u");

/** Larger counts are typed by mistake. */
const MAX_COUNT = 10_000;
/** The same for what is done, not gone. */
const MAX_REPEATED = 100;

/** What was deleted or copied, as whole lines or as part of one. */
interface Register {
  readonly text: string;
  readonly isLines: boolean;
}

/** The state of vi for one line. */
export class VimKeys {
  mode: VimMode = "insert";
  readonly #buffer: TextBuffer;
  /** The beginning of a command. */
  #typed = "";
  #register: Register = { text: "", isLines: false };
  /** The last search in a line, such as `fx`. */
  #search = "";

  constructor(buffer: TextBuffer) {
    this.#buffer = buffer;
  }

  /** Ends typing. False if it had ended already and no command was begun: the key is somebody else's. */
  escape(): boolean {
    const isFree = this.mode === "normal" && this.#typed === "";
    this.#typed = "";
    if (this.mode === "insert") {
      this.mode = "normal";
      const { before, line } = this.#buffer;
      this.#buffer.moveTo(Math.max(line.from, before));
    }
    return !isFree;
  }

  /** Takes a character in normal mode; what it returns is left to whoever holds the line. */
  press(character: string): Extract<LineAction, "up" | "down"> | "done" {
    const typed = this.#typed + character;
    this.#typed = "";
    const move = MOVE.exec(typed)?.groups;
    const object = OBJECT.exec(typed)?.groups;
    const command = COMMAND.exec(typed)?.groups;
    if (move) return this.#move(move);
    if (object) this.#take(object);
    else if (command) this.#run(command.command ?? "", countOf(command.count));
    else if (BEGINNING.test(typed)) this.#typed = typed;
    this.#stay();
    return "done";
  }

  #move(
    { count, times, operator, motion = "" }: Readonly<Record<string, string | undefined>>,
  ): Extract<LineAction, "up" | "down"> | "done" {
    const given = count !== undefined || times !== undefined;
    const amount = Math.min(MAX_COUNT, countOf(count) * countOf(times));
    if (operator === undefined && (motion === "j" || motion === "k")) {
      return this.#moveLine(motion, amount);
    }
    const target = this.#find(motion, { count: amount, given, operator });
    if (target === undefined) return "done";
    if (operator === undefined) this.#buffer.moveTo(target.to);
    else this.#apply(operator, target);
    this.#stay();
    return "done";
  }

  /** Applies an operator to a text object; where there is none, nothing happens. */
  #take(
    { count, times, operator = "", object = "" }: Readonly<Record<string, string | undefined>>,
  ): void {
    const { text, cursor: at } = this.#buffer;
    const amount = Math.min(MAX_COUNT, countOf(count) * countOf(times));
    const found = findObject(object, { text, at, count: amount });
    if (found === undefined) return;
    this.#buffer.moveTo(found.from);
    this.#apply(operator, { to: found.to, kind: "before" });
  }

  /** To the same column of another line; beyond the first and the last, earlier messages are meant. */
  #moveLine(motion: "j" | "k", count: number): Extract<LineAction, "up" | "down"> | "done" {
    let moved = 0;
    while (moved < count && this.#buffer.moveLine(motion === "j" ? 1 : -1)) moved++;
    if (moved === 0) return motion === "j" ? "down" : "up";
    this.#stay();
    return "done";
  }

  /** Where a motion leads; undefined if it leads nowhere. */
  #find(
    motion: string,
    { count, given, operator }: { count: number; given: boolean; operator: string | undefined },
  ): Target | undefined {
    const { text, cursor: at } = this.#buffer;
    if (motion === operator) return MOTIONS.lines?.({ text, at, count });
    const whole = REPEATS[motion]?.(this.#search) ?? motion;
    if (SEARCH.test(motion)) this.#search = motion;
    const name = SEARCH.test(whole) ? whole.charAt(0) : whole;
    // Changing a word leaves the blank behind it.
    const isOnWord = operator === "c" && /\S/.test(text[at] ?? "");
    const used = isOnWord ? CHANGED[name] ?? name : name;
    const target = MOTIONS[used]?.({ text, at, count, given, character: whole.slice(1) });
    if (target === undefined || operator === undefined || !/^w$/i.test(used)) return target;
    // Deleting the last word of a line leaves the line end.
    const rest = /\n\s*$/.exec(text.slice(at, target.to));
    return rest === null ? target : { ...target, to: at + rest.index };
  }

  #apply(operator: string, { to, kind }: Target): void {
    const { text, cursor } = this.#buffer;
    const isLines = kind === "lines";
    const first = Math.min(cursor, to);
    const last = kind === "through"
      ? nextBoundary(text, Math.max(cursor, to))
      : Math.max(cursor, to);
    const from = isLines ? lineAt(text, first).from : first;
    const end = isLines ? lineAt(text, last).to : last;
    this.#register = { text: this.#buffer.wholeOf(from, end), isLines };
    if (operator === "y") return this.#buffer.moveTo(isLines ? Math.min(cursor, to) : from);
    if (operator === "c") {
      this.#buffer.replace({ from, to: end, text: "" });
      this.mode = "insert";
      return;
    }
    // Lines go with a line end, the last ones with the one before them.
    const isAtEnd = isLines && end === text.length;
    this.#buffer.replace({
      from: isAtEnd ? Math.max(0, from - 1) : from,
      to: isLines && !isAtEnd ? end + 1 : end,
      text: "",
    });
    if (isLines) this.#buffer.moveTo(firstOfLine(this.#buffer.text, this.#buffer.cursor));
  }

  #run(command: string, count: number): void {
    const alias = ALIASES[command];
    if (alias !== undefined) {
      for (const character of `${count > 1 ? count : ""}${alias}`) this.press(character);
    } else if (command === "u") {
      for (let n = 0; n < Math.min(count, MAX_REPEATED); n++) this.#buffer.undo();
    } else if (command === "p" || command === "P") {
      this.#put({ isAfter: command === "p", count });
    } else if (command === "~" || command.startsWith("r")) {
      this.#change(command.slice(1), count);
    } else {
      this.mode = "insert";
      INSERTS[command]?.(this.#buffer);
    }
  }

  /** Replaces characters by another, or turns their case. */
  #change(character: string, count: number): void {
    const { cursor: from, text } = this.#buffer;
    const to = MOTIONS.l?.({ text, at: from, count })?.to ?? from;
    const old = [...text.slice(from, to)];
    const changed = old.map((one) => character === "" ? turnCase(one) : character).join("");
    this.#buffer.replace({ from, to, text: changed });
    if (character !== "") this.#buffer.moveTo(this.#buffer.before);
  }

  #put({ isAfter, count }: { isAfter: boolean; count: number }): void {
    const { text, isLines } = this.#register;
    const { line, cursor, after } = this.#buffer;
    if (text === "" && !isLines) return;
    const repeated = Array.from({ length: Math.min(count, MAX_REPEATED) }, () => text);
    if (isLines) {
      const lines = repeated.join("\n");
      const at = isAfter ? line.to : line.from;
      this.#buffer.replace({
        from: at,
        to: at,
        text: isAfter ? `\n${lines}` : `${lines}\n`,
        cursor: isAfter ? at + 1 : at,
      });
      return;
    }
    const at = isAfter && cursor < line.to ? after : cursor;
    this.#buffer.replace({ from: at, to: at, text: repeated.join("") });
    this.#buffer.moveTo(this.#buffer.before);
  }

  /** In normal mode the cursor is on a character, not behind the last one of a line. */
  #stay(): void {
    const { cursor, line, before } = this.#buffer;
    if (this.mode === "normal" && cursor === line.to && cursor > line.from) {
      this.#buffer.moveTo(before);
    }
  }
}

/** Commands that are short for an operator and a motion. */
const ALIASES: Readonly<Record<string, string>> = {
  x: "dl",
  X: "dh",
  s: "cl",
  S: "cc",
  D: "d$",
  C: "c$",
  Y: "yy",
};

/** Commands after which letters are typed. */
const INSERTS: Readonly<Record<string, (buffer: TextBuffer) => void>> = {
  i() {},
  I: (buffer) => buffer.moveTo(firstOfLine(buffer.text, buffer.cursor)),
  a: (buffer) => buffer.moveTo(Math.min(buffer.after, buffer.line.to)),
  A: (buffer) => buffer.moveTo(buffer.line.to),
  o(buffer) {
    const { to } = buffer.line;
    buffer.replace({ from: to, to, text: "\n" });
  },
  O(buffer) {
    const { from } = buffer.line;
    buffer.replace({ from, to: from, text: "\n", cursor: from });
  },
};

/** Motions that mean another one after `c`. */
const CHANGED: Readonly<Record<string, string>> = { w: "e", W: "E" };
const SEARCH = /^[fFtT]./su;

function turnCase(character: string): string {
  const lower = character.toLowerCase();
  return character === lower ? character.toUpperCase() : lower;
}

function countOf(digits: string | undefined): number {
  return Math.min(MAX_COUNT, Number(digits ?? 1));
}
