/**
 * Excerpts of texts of others, cut so that what is left shows no part of a secret: nothing masks half a token, or a
 * value without the name that tells that it is one. A cut stands beside a run of characters without a blank, never
 * in it, and not between a name such as `password` and what follows it. The cost is linear.
 */
import { formatCount } from "./text.ts";

/** Characters by which an end may be moved to fall on a line border. */
const MAX_LINE_SHIFT = 400;
/** Characters by which a cut is moved, so that what must be seen stays in the text. */
const MAX_SHIFT = 2_000;
/** Equal characters in a row that no secret has. */
const UNIFORM = 8;
/** Characters of a value in quotes, and of its name with what joins them. */
const MAX_QUOTED = 512;
const MAX_NAME = 100;

/** ASCII characters of which tokens, paths and addresses with passwords are made. */
const IN_RUN = Uint8Array.from(
  { length: 128 },
  (_, code) =>
    code > 0x20 && code < 0x7f && !`"'(),;<>[]\`{|}`.includes(String.fromCharCode(code)) ? 1 : 0,
);

/** A name that tells a secret, and what joins it to a value that follows. */
const NAME = new RegExp(
  "(?:passw(?:or)?d|passphrase|pwd|pass|secret|token|credential|key|auth|bearer|basic|login)" +
    String
      .raw`[\w-]{0,32}(?:\\?["'\x60\]]{0,2}[ \t]{0,8}(?:=>|:=|\?=|[=:>]|is:?)[ \t]{0,8}|[ \t]{1,8})$`,
  "i",
);

/** The head and the tail of a text of any length, in bounded memory, with a line in between on what was left out. */
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
    const end = room > 0 ? startAtLine(tail, tail.length - room) : "";
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
  return head.slice(0, cutBefore(head, head.length));
}

function startAtLine(tail: string, from: number): string {
  const start = tail.indexOf("\n", from) + 1;
  if (start > 0 && start - from <= MAX_LINE_SHIFT) return tail.slice(start);
  return tail.slice(cutAfter(tail, from));
}

/** The last place from `at` backwards where a text may end. */
export function cutBefore(text: string, at: number): number {
  let end = startOfRun(text, Math.min(at, text.length));
  for (;;) {
    const named = namedValueAt(text, end);
    const before = named === undefined ? end : startOfRun(text, named.nameStart);
    if (before === end) return splitsCharacter(text, end) ? end - 1 : end;
    end = before;
  }
}

/** The first place from `at` on where what is left of a text may begin. */
export function cutAfter(text: string, at: number): number {
  let start = endOfRun(text, at);
  for (;;) {
    const named = namedValueAt(text, start);
    const after = named === undefined ? start : endOfValue(text, start, named);
    if (after === start) return splitsCharacter(text, start) ? start + 1 : start;
    start = after;
  }
}

/**
 * What may be shown of a text around a position, of about the range that is wanted: what stands there is shown with all
 * that it is a part of. Undefined if that is too long.
 */
export function rangeAround(
  text: string,
  { position, from, to }: { position: number; from: number; to: number },
): { readonly start: number; readonly end: number } | undefined {
  let start = from <= 0 ? 0 : cutAfter(text, from);
  if (start > position) start = cutBefore(text, from);
  let end = to >= text.length ? text.length : cutBefore(text, to);
  if (end <= position) end = to >= text.length ? text.length : cutAfter(text, to);
  return from - start > MAX_SHIFT || end - to > MAX_SHIFT ? undefined : { start, end };
}

/** The beginning of a text of others, of at most `max` characters; the last is an ellipsis if anything was cut. */
export function cutSafely(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, cutBefore(text, Math.max(0, max - 1)))}…`;
}

/** The same without an ellipsis. */
export function safeStart(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, cutBefore(text, max));
}

/** The end of a text of others, of at most `max` characters. */
export function safeEnd(text: string, max: number): string {
  return text.length <= max ? text : text.slice(cutAfter(text, text.length - max));
}

/** Characters of a word of a message, and of a whole one. */
const MAX_WORD = 256;
const MAX_MESSAGE = 4_000;
const LONG_WORD = new RegExp(`\\S{${MAX_WORD + 1},}`, "g");
/** A word that holds no value, such as a path: it may be cut between the names in it. */
const PLAIN_PATH = /^[\w.~+@/-]*$/;

/**
 * A text of others with its long words cut in the middle: it may repeat names that a model, a server or a file made up,
 * which can be of any length.
 */
export function boundWords(text: string): string {
  return text.replace(LONG_WORD, (word) => {
    const [first, last] = [MAX_WORD / 2, MAX_WORD / 4];
    if (!PLAIN_PATH.test(word)) return `${safeStart(word, first)}…${safeEnd(word, last)}`;
    const start = Math.max(cutBefore(word, first), word.lastIndexOf("/", first - 1) + 1);
    const end = word.indexOf("/", word.length - last);
    const rest = cutAfter(word, word.length - last);
    return `${word.slice(0, start)}…${word.slice(end < 0 ? rest : Math.min(end, rest))}`;
  });
}

/** The message of an error with its words bounded, and its length. */
export function boundMessage(text: string): string {
  return cutSafely(boundWords(text), MAX_MESSAGE);
}

function startOfRun(text: string, at: number): number {
  let start = at;
  while (start > 0 && isWithinRun(text, start)) start--;
  return start;
}

function endOfRun(text: string, at: number): number {
  let end = at;
  while (end < text.length && isWithinRun(text, end)) end++;
  return end;
}

/** Whether a place parts a run. What stands beyond either end of a text is not known: a run may go on there. */
function isWithinRun(text: string, at: number): boolean {
  if (at > 0 && !isInRun(text, at - 1)) return false;
  if (at < text.length && !isInRun(text, at)) return false;
  return !isUniform(text, at);
}

function isInRun(text: string, at: number): boolean {
  return IN_RUN[text.charCodeAt(at)] === 1;
}

/** Whether one character stands around a place again and again, as in lines of dashes. */
function isUniform(text: string, at: number): boolean {
  const start = Math.max(0, Math.min(at - UNIFORM / 2, text.length - UNIFORM));
  const first = text.charCodeAt(start);
  for (let index = start + 1; index < start + UNIFORM; index++) {
    if (text.charCodeAt(index) !== first) return false;
  }
  return true;
}

/** The named value that a place stands in, or right in front of: where its name begins, and its quote if it has one. */
function namedValueAt(
  text: string,
  at: number,
): { readonly nameStart: number; readonly quote?: string } | undefined {
  if (/^[\r\n]/.test(text.slice(at, at + 1))) return undefined;
  const nameStart = nameBefore(text, at);
  if (nameStart !== undefined) return { nameStart };
  const line = text.slice(Math.max(0, at - MAX_QUOTED), at).replace(/^[^]*[\r\n]/, "");
  for (const quote of [`"`, "'", "`"]) {
    const index = line.lastIndexOf(quote);
    if (index < 0) continue;
    const start = at - line.length + index;
    const nameStart = nameBefore(text, text[start - 1] === "\\" ? start - 1 : start);
    if (nameStart !== undefined) return { nameStart, quote };
  }
  return undefined;
}

function nameBefore(text: string, at: number): number | undefined {
  const from = Math.max(0, at - MAX_NAME);
  const match = NAME.exec(text.slice(from, at));
  return match === null ? undefined : from + match.index;
}

/** Where a value ends, of which `quote` began before, if it has one. */
function endOfValue(text: string, at: number, { quote }: { quote?: string }): number {
  const rest = text.slice(at, at + MAX_QUOTED);
  const [lead = "", opening] = quote === undefined ? /^[ \t]*\\?(["'`])?/.exec(rest) ?? [] : [];
  const mark = quote ?? opening;
  const end = mark === undefined ? -1 : rest.indexOf(mark, lead.length);
  if (end >= 0 && !/[\r\n]/.test(rest.slice(0, end))) return at + end + 1;
  const start = at + lead.length;
  return isInRun(text, start) ? endOfRun(text, start + 1) : start;
}

/** Whether a place parts a character outside the BMP, as far as its halves are known. */
function splitsCharacter(text: string, at: number): boolean {
  const isHigh = /^[\ud800-\udbff]/.test(text.slice(at - 1, at));
  const isLow = /^[\udc00-\udfff]/.test(text.slice(at, at + 1));
  return isHigh && isLow || isHigh && at === text.length || isLow && at === 0;
}
