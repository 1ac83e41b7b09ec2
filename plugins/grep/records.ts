/**
 * Reads ripgrep's `--json` output as it arrives. Lines of any length cost bounded memory: of a record
 * that is too long to hold, its line number and the beginning of its text are kept.
 */
import { cutSafely } from "../../src/api.ts";
import { cutAround, type HitLine, type Hits, type LineChange, MAX_LOOKED_AT } from "./hits.ts";

/** Characters of a record that is held whole, and of the beginning of a longer one. */
const MAX_RECORD = 1_000_000;
const MAX_BEGINNING = 6 * MAX_LOOKED_AT + 1_000;
/** Bytes that hold at least as much as is looked at of a longer one. */
const SHOWN_BYTES = 4 * MAX_LOOKED_AT;
/** Characters that hold what stands behind the text of a record: the number of its line, and its place. */
const NUMBERS = 96;
/** Characters of what is not JSON: ripgrep's own error messages. */
const MAX_MESSAGE = 4_000;
/** How the records of lines begin. */
const MATCH = '{"type":"match"';
const CONTEXT = '{"type":"context"';
/** How the end of a file begins; parsing its many figures would cost more than all the rest. */
const END = '{"type":"end"';

type Text = { readonly text: string } | { readonly bytes: string };

/** Offsets are in bytes; the replacement is there if one was asked for. */
interface Submatch {
  readonly start: number;
  readonly end: number;
  readonly replacement?: Text;
}

type RipgrepRecord =
  | { readonly type: "begin"; readonly data: { readonly path: Text } }
  | {
    readonly type: "match" | "context";
    readonly data: {
      readonly lines: Text;
      readonly line_number: number;
      readonly absolute_offset: number;
      readonly submatches: readonly Submatch[];
    };
  }
  | { readonly type: "summary"; readonly data: { readonly stats: { readonly searches: number } } };

/** Turns chunks of output into hits. */
export class RecordReader {
  readonly #hits: Hits;
  readonly #accepts: (path: string) => boolean;
  #rest = "";
  #long: { beginning: string; line: number; start: number; tail: string } | undefined;
  #file: { path: string; lines: HitLine[]; total: number } | undefined;
  #message = "";
  #searched: number | undefined;

  constructor(hits: Hits, options: { accepts: (path: string) => boolean }) {
    this.#hits = hits;
    this.#accepts = options.accepts;
  }

  /** What ripgrep said in words. */
  get message(): string {
    return this.#message;
  }

  /** Files searched, once ripgrep has come to its end. */
  get filesSearched(): number | undefined {
    return this.#searched;
  }

  /** Whether a match was read that is not among the hits yet. */
  get pending(): boolean {
    return (this.#file?.total ?? 0) > 0;
  }

  /** Adds what was read of a file whose end did not come. */
  end(): void {
    if (this.#file) this.#hits.add(this.#file, this.#file.total);
    this.#file = undefined;
  }

  /** Takes the next piece of output. */
  add(chunk: string): void {
    const lines = chunk.split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      this.#grow(line);
      this.#finish();
    }
    this.#grow(rest);
  }

  #grow(piece: string): void {
    if (this.#long) {
      const { line, start, tail } = this.#long;
      const window = tail + piece;
      // A quote inside the text is escaped, so this can only stand behind it.
      const numbers = /"\},"line_number":(\d+),"absolute_offset":(\d+),/.exec(window);
      const found = line === 0 && numbers !== null
        ? { line: Number(numbers[1]), start: Number(numbers[2]) }
        : { line, start };
      this.#long = { ...this.#long, ...found, tail: window.slice(-NUMBERS) };
      return;
    }
    this.#rest += piece;
    if (this.#rest.length <= MAX_RECORD) return;
    const whole = this.#rest;
    this.#rest = "";
    this.#long = { beginning: whole.slice(0, MAX_BEGINNING), line: 0, start: 0, tail: "" };
    this.#grow(whole.slice(MAX_BEGINNING));
  }

  #finish(): void {
    if (this.#long) {
      const { beginning, line, start } = this.#long;
      this.#long = undefined;
      const text = /"lines":\{"text":"((?:[^"\\]|\\.)*)/.exec(beginning)?.[1] ?? "";
      const content = cutAround(unescapeJson(text), 0);
      const matching = beginning.startsWith(MATCH);
      const source = { start, length: SHOWN_BYTES };
      this.#line({ line, content, column: matching ? 0 : undefined, source });
      return;
    }
    const line = this.#rest;
    this.#rest = "";
    if (this.#file && this.#file.total >= this.#hits.room && isLine(line)) {
      // There is no room for it: it is only counted, which needs no parsing.
      if (line.startsWith(MATCH)) this.#file.total++;
      return;
    }
    if (line.startsWith(END)) {
      this.#close(line.includes('"binary_offset":null'));
      return;
    }
    const record = parse(line);
    if (record) this.#record(record);
    else this.#message = cutSafely(`${this.#message}${line}\n`, MAX_MESSAGE);
  }

  #record(record: RipgrepRecord): void {
    if (record.type === "begin") {
      const path = decode(record.data.path).replace(/^\.\//, "");
      this.#file = this.#accepts(path) ? { path, lines: [], total: 0 } : undefined;
    } else if (record.type === "summary") {
      this.#searched = record.data.stats.searches;
    } else if (this.#file) {
      this.#line(hitLine(record));
    }
  }

  #close(isText: boolean): void {
    if (this.#file && isText) this.#hits.add(this.#file, this.#file.total);
    this.#file = undefined;
  }

  #line(hit: HitLine): void {
    if (!this.#file) return;
    if (hit.column !== undefined) this.#file.total++;
    if (this.#file.total > this.#hits.room) return;
    this.#file.lines.push(hit);
  }
}

function hitLine(record: Extract<RipgrepRecord, { type: "match" | "context" }>): HitLine {
  const { lines, line_number: line, absolute_offset: start, submatches } = record.data;
  const text = decode(lines).replace(/\r?\n$/, "");
  const source = { start, length: encode(lines).length };
  if (record.type === "context") {
    return { line, content: cutAround(text, 0), column: undefined, source };
  }
  const position = characters(lines, submatches[0]?.start ?? 0);
  const change = changeOf(lines, submatches);
  return {
    line,
    content: cutAround(text, position),
    column: position + 1,
    source,
    ...(change && { change }),
  };
}

/** The line as it is and as it becomes, if the search replaces. */
function changeOf(lines: Text, submatches: readonly Submatch[]): LineChange | undefined {
  if (submatches[0]?.replacement === undefined) return undefined;
  const bytes = encode(lines);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const piece = (from: number, to?: number) => decoder.decode(bytes.subarray(from, to));
  let after = "";
  let at = 0;
  for (const { start, end, replacement } of submatches) {
    after += piece(at, start) + (replacement === undefined ? "" : decode(replacement));
    at = end;
  }
  const trim = (text: string) => text.replace(/\n$/, "");
  return { before: trim(piece(0)), after: trim(after + piece(at)), count: submatches.length };
}

/** The number of characters in the first bytes of a text. */
function characters(text: Text, bytes: number): number {
  return new TextDecoder().decode(encode(text).subarray(0, bytes)).length;
}

function decode(text: Text): string {
  return "text" in text ? text.text : new TextDecoder().decode(encode(text));
}

function encode(text: Text): Uint8Array {
  return "text" in text ? new TextEncoder().encode(text.text) : Uint8Array.fromBase64(text.bytes);
}

function isLine(record: string): boolean {
  return record.startsWith(MATCH) || record.startsWith(CONTEXT);
}

function parse(line: string): RipgrepRecord | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function unescapeJson(text: string): string {
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text;
  }
}
