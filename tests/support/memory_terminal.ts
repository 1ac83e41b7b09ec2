/**
 * A terminal in memory: takes what is written as a real one would (cursor moves, erasures, wide characters,
 * wrapping, scrolling) and shows the resulting text. Tests of `ui/` type into it and read its screen.
 */
import stringWidth from "string-width";
import type { TypedInput } from "../../src/ui/key_decoder.ts";
import { type Draft, Keyboard, type Listener, type ReportListener } from "../../src/ui/keyboard.ts";
import { cleanOutput } from "../../src/ui/links.ts";
import type { Cursor } from "../../src/ui/row_writer.ts";
import { identifyTerminal, type TerminalKind } from "../../src/ui/sequences.ts";
import { settlesInMs, type Terminal } from "../../src/ui/terminal.ts";
import { TerminalQueries, type TerminalQuery } from "../../src/ui/terminal_query.ts";
import type { ColorDepth } from "../../src/ui/theme.ts";
import { DEADLINE_MS, meets, type ScreenTest } from "./terminal_session.ts";

// deno-lint-ignore no-control-regex
const ESCAPE = /^\x1b(?:\[([?<=>]?)([0-9;]*)([A-Za-z~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|(.))/;

const SEGMENTER = new Intl.Segmenter();

/** A row of the screen. A cell holds its style, a zero, and its character; the one after a wide character holds none. */
class Row {
  readonly cells: string[] = [];
  #text: string | undefined;

  /** Its characters without trailing blanks; remembered, because most rows stay as they are from look to look. */
  get text(): string {
    return this.#text ??= this.cells.map((cell) => cell.slice(cell.indexOf("\0") + 1)).join("")
      .trimEnd();
  }

  put(column: number, { style, segment, width }: CellContent): void {
    const { cells } = this;
    this.#text = undefined;
    while (cells.length < column) cells.push("\0 ");
    cells[column] = `${style}\0${segment}`;
    for (let cell = 1; cell < width; cell++) cells[column + cell] = "\0";
  }

  /** Empties the cells from a column on. */
  cut(column: number): void {
    this.#text = undefined;
    this.cells.length = Math.min(this.cells.length, column);
  }

  /** Empties the cells before a column. */
  blank(column: number): void {
    this.#text = undefined;
    this.cells.fill("\0 ", 0, column);
  }
}

/** What is put into a cell, and how many it takes. */
interface CellContent {
  readonly style: string;
  readonly segment: string;
  readonly width: number;
}

/** Text of one style within a line. */
export interface StyledRun {
  readonly column: number;
  /** SGR codes with blanks between; "" for none. */
  readonly style: string;
  readonly text: string;
}

/** By what ends them, the styles that are on. */
class Style {
  readonly #on = new Map<string, string>();
  /** SGR codes with blanks between. */
  text = "";

  take(codes: string): void {
    for (const code of codes === "39;49" ? ["39", "49"] : [codes]) {
      if (code === "" || code === "0") this.#on.clear();
      else if (/^(2[2349]|39|49)$/.test(code)) this.#on.delete(code);
      else this.#on.set(endOf(code), code);
    }
    this.text = [...this.#on.values()].toSorted().join(" ");
  }
}

function endOf(code: string): string {
  if (/^[12]$/.test(code)) return "22";
  if (/^[349]$/.test(code)) return `2${code}`;
  return /^(?:4|10)/.test(code) ? "49" : "39";
}

export class MemoryTerminal implements Terminal {
  readonly isInteractive = true;
  readonly canRedraw: boolean;
  readonly depth: ColorDepth;
  readonly unicode = true;
  readonly kind: TerminalKind;
  readonly linkKey?: string;
  columns: number;
  rows: number;
  /** Everything written, as it came. */
  output = "";
  /** Whether the keyboard is listened to. */
  raw = false;
  restored = 0;
  cursorShown = true;
  paused = false;
  isLent = false;
  generation = 0;
  #lines: Row[] = [new Row()];
  #row = 0;
  #column = 0;
  /** The first row of the screen. */
  #top = 0;
  #saved = { row: 0, column: 0 };
  #wraps = true;
  #resizers = new Set<() => void>();
  #waiting: { test: ScreenTest; seen: () => void }[] = [];
  #style = new Style();
  #resizedAt = -Infinity;
  #keyboard = new Keyboard({ setRaw: (raw) => this.raw = raw });
  #queries = new TerminalQueries((sequence) => this.control(sequence));

  constructor(
    options: {
      columns?: number;
      rows?: number;
      depth?: ColorDepth;
      canRedraw?: boolean;
      linkKey?: string;
      /** What it says of itself in the environment. */
      env?: Readonly<Record<string, string>>;
    } = {},
  ) {
    this.kind = identifyTerminal((name) => options.env?.[name]);
    if (options.linkKey !== undefined) this.linkKey = options.linkKey;
    this.columns = options.columns ?? 80;
    this.rows = options.rows ?? 24;
    this.depth = options.depth ?? "none";
    this.canRedraw = options.canRedraw ?? true;
    this.#keyboard.onReport((report) => {
      if (report.kind === "reply") this.#queries.take(report.text);
    });
  }

  write(text: string): void {
    this.control(cleanOutput(text, this.linkKey));
  }

  control(text: string): void {
    this.output += text;
    let rest = text;
    while (rest !== "") {
      const escape = ESCAPE.exec(rest);
      if (escape) {
        if (escape[4] !== undefined) this.#escape(escape[4]);
        else this.#control(escape[1] ?? "", escape[2] ?? "", escape[3] ?? "");
        rest = rest.slice(escape[0].length);
        continue;
      }
      const end = rest.indexOf("\x1b", 1);
      const plain = end === -1 ? rest : rest.slice(0, end);
      this.#putText(plain);
      rest = end === -1 ? "" : rest.slice(end);
    }
    this.#tell();
  }

  /** Resolves once the screen meets a test. @throws {Error} it has not for a minute */
  async shown(test: ScreenTest): Promise<void> {
    const { promise, resolve: seen, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#waiting = this.#waiting.filter((one) => one.seen !== seen);
      reject(new Error(`The screen never showed ${test}:\n${this.screen}`));
    }, DEADLINE_MS);
    this.#waiting.push({ test, seen });
    this.#tell();
    await promise.finally(() => clearTimeout(timer));
  }

  onResize(listener: () => void): () => void {
    this.#resizers.add(listener);
    return () => this.#resizers.delete(listener);
  }

  listen(listener: Listener): () => void {
    return this.#keyboard.listen(listener);
  }

  get draft(): Draft | undefined {
    return this.#keyboard.draft;
  }

  get lastInputAt(): number {
    return this.#keyboard.lastInputAt;
  }

  unread(inputs: readonly TypedInput[]): void {
    this.#keyboard.unread(inputs);
  }

  onReport(listener: ReportListener): () => void {
    return this.#keyboard.onReport(listener);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.#keyboard.deliver();
  }

  async handOver<T>(run: () => Promise<T>): Promise<T> {
    this.isLent = true;
    const result = await run();
    this.isLent = false;
    this.generation++;
    this.resume();
    return result;
  }

  restore(): void {
    this.restored++;
  }

  /** Where the cursor is on the screen, both counted from 0. */
  get cursor(): { readonly row: number; readonly column: number } {
    return { row: this.#row, column: this.#column };
  }

  /** Types as a person would; where lines come whole, a line end is Enter. */
  type(text: string): void {
    this.#keyboard.receive(this.canRedraw ? text : text.replaceAll("\n", "\r"));
  }

  /** Closes standard input. */
  end(): void {
    this.#keyboard.end();
  }

  ask<T>(query: TerminalQuery<T>): Promise<T | undefined> {
    return this.#queries.waitFor(query);
  }

  /** It takes nothing into a history, so that nobody needs its answer. */
  askCursor(): Promise<Cursor | undefined> {
    return Promise.resolve(undefined);
  }

  get settlesInMs(): number {
    return settlesInMs(this.#resizedAt);
  }

  resize(columns: number, rows: number): void {
    this.#resizedAt = performance.now();
    // As in a real one, rows below the cursor go before the cursor does.
    const over = this.#lines.length - this.#top - rows;
    const below = this.#lines.length - 1 - this.#row;
    if (over > 0) this.#lines.length -= Math.min(over, below);
    this.columns = columns;
    this.rows = rows;
    this.#top = Math.max(0, this.#lines.length - rows);
    for (const listener of this.#resizers) listener();
  }

  /** All lines from the first, without trailing blanks. */
  get lines(): string[] {
    const lines = this.#lines.map(({ text }) => text);
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  /** The cells of all lines with their styles, one text a line. */
  get styledLines(): string[] {
    const lines = this.#lines.map(({ cells }) => cells.join("|"));
    return lines.map((line) => line.replace(/(\|?\0 )+$/, ""));
  }

  /** All lines as runs of one style; blanks at an end without a style are left out. */
  get styledRuns(): readonly (readonly StyledRun[])[] {
    return this.#lines.map(({ cells }) => {
      const runs: { column: number; style: string; text: string }[] = [];
      for (const [column, cell] of cells.entries()) {
        const [style = "", text = ""] = cell.split("\0");
        const last = runs.at(-1);
        if (last?.style === style) last.text += text;
        else if (text !== "") runs.push({ column, style, text });
      }
      return runs.filter(({ style, text }) => style !== "" || text.trim() !== "");
    });
  }

  /** The lines as one text. */
  get screen(): string {
    return this.lines.join("\n");
  }

  #tell(): void {
    if (this.#waiting.length === 0) return;
    const { screen } = this;
    const shown = this.#waiting.filter(({ test }) => meets(screen, test));
    this.#waiting = this.#waiting.filter((one) => !shown.includes(one));
    for (const { seen } of shown) seen();
  }

  #putText(text: string): void {
    // A character of ASCII is one segment and takes one cell, and so nothing has to be looked up.
    if (/^[\n -~]*$/.test(text)) { for (const character of text) this.#put(character, 1); }
    else for (const { segment } of SEGMENTER.segment(text)) this.#put(segment);
  }

  #put(segment: string, width = stringWidth(segment)): void {
    if (segment === "\r\n" || segment === "\n") {
      if (this.canRedraw || segment === "\n") this.#column = 0;
      return this.#down();
    }
    if (segment === "\r") {
      this.#column = 0;
      return;
    }
    if (width === 0) return;
    if (this.#column + width > this.columns) {
      if (!this.#wraps) return;
      this.#column = 0;
      this.#down();
    }
    const row = this.#lines[this.#row] ??= new Row();
    row.put(this.#column, { style: this.#style.text, segment, width });
    this.#column += width;
  }

  #down(): void {
    this.#row++;
    if (this.#row >= this.#lines.length) this.#lines.push(new Row());
    this.#top = Math.max(this.#top, this.#row - this.rows + 1);
  }

  #escape(final: string): void {
    if (final === "7") this.#saved = { row: this.#row - this.#top, column: this.#column };
    else if (final === "8") {
      this.#row = this.#top + this.#saved.row;
      this.#column = this.#saved.column;
    } else if (final === "D") this.#down();
  }

  #control(mark: string, parameters: string, final: string): void {
    if (mark !== "") {
      if (mark === "?" && parameters === "25") this.cursorShown = final === "h";
      if (mark === "?" && parameters === "7") this.#wraps = final === "h";
      return;
    }
    const [first = 0, second = 0] = parameters.split(";").map(Number);
    const count = Math.max(1, first);
    if (final === "A") this.#row = Math.max(this.#top, this.#row - count);
    else if (final === "B") this.#row = Math.min(this.#lines.length - 1, this.#row + count);
    else if (final === "C") this.#column = Math.min(this.columns - 1, this.#column + count);
    else if (final === "D") this.#column = Math.max(0, this.#column - count);
    else if (final === "G") this.#column = count - 1;
    else if (final === "H") {
      this.#row = this.#top + count - 1;
      this.#column = Math.max(1, second) - 1;
    } else if (final === "J") this.#eraseDown(first);
    else if (final === "M") this.#shiftRows(count, 0);
    else if (final === "L") this.#shiftRows(0, count);
    else if (final === "K") this.#eraseLine(first);
    else if (final === "m") this.#style.take(parameters);
  }

  /** Takes rows out at the cursor or puts empty ones in; the screen stays as tall as it is. */
  #shiftRows(taken: number, put: number): void {
    const rows = (count: number): Row[] => Array.from({ length: count }, () => new Row());
    this.#lines.splice(this.#row, taken, ...rows(put));
    this.#lines.push(...rows(taken));
    this.#lines.length -= put;
  }

  #eraseDown(mode: number): void {
    if (mode !== 0) throw new Error(`The memory terminal knows no ED ${mode}`);
    this.#lines.length = this.#row + 1;
    this.#eraseLine(0);
  }

  #eraseLine(mode: number): void {
    const row = this.#lines[this.#row] ??= new Row();
    if (mode === 0) row.cut(this.#column);
    else if (mode === 1) row.blank(this.#column + 1);
    else row.cut(0);
  }
}
