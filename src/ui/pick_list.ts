/**
 * A choice from a list that may be long: typing narrows it, arrows and Enter choose; a terminal that cannot redraw gets
 * numbers. Escape, Ctrl+C and a closed terminal choose nothing.
 */
import { oneLine } from "../lib/text.ts";
import { KeyMap, PICKER_KEYS } from "./key_bindings.ts";
import type { TypedInput } from "./key_decoder.ts";
import { LineInput } from "./line_input.ts";
import { LiveRegion } from "./live_region.ts";
import { readPlainLine } from "./plain_line.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { fit, wrapProse } from "./wrap.ts";

/** One entry. */
interface PickEntry<T> {
  readonly value: T;
  readonly label: string;
}

/** What is chosen from, and where. */
interface PickOptions<T> {
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly signal: AbortSignal;
  readonly entries: readonly PickEntry<T>[];
  /** The entry chosen at first. @default the first one */
  readonly current?: T | undefined;
  /** The initial filter. @default none */
  readonly filter?: string;
  /** Whether question and answer stay on the screen. @default true */
  readonly stays?: boolean;
}

/** Entries shown at once. */
const MAX_SHOWN = 12;
const KEYS = new KeyMap(PICKER_KEYS);

/** Asks; undefined if nothing was chosen. */
export async function pickFromList<T>(
  question: string,
  options: PickOptions<T>,
): Promise<T | undefined> {
  if (options.signal.aborted || options.entries.length === 0) return undefined;
  return options.terminal.canRedraw
    ? await new Picker(question, options).chosen
    : await pickByNumber(question, options);
}

/** One list on the screen. */
class Picker<T> {
  readonly chosen: Promise<T | undefined>;
  readonly #question: string;
  readonly #options: PickOptions<T>;
  readonly #region: LiveRegion;
  readonly #releases: (() => void)[];
  #resolve: (value: T | undefined) => void = () => {};
  readonly #line = new LineInput({ isMultiline: false });
  #index: number;
  #done = false;

  constructor(question: string, options: PickOptions<T>) {
    const { terminal, signal, entries, current, filter = "" } = options;
    this.#question = oneLine(question);
    this.#options = options;
    this.#line.buffer.type(oneLine(filter));
    this.#index = Math.max(0, entries.findIndex(({ value }) => value === current));
    this.chosen = new Promise((resolve) => this.#resolve = resolve);
    this.#region = new LiveRegion(terminal);
    const leave = () => this.#finish(undefined);
    signal.addEventListener("abort", leave);
    this.#releases = [
      terminal.listen({ onInput: (inputs) => this.#takeAll(inputs), onEnd: leave }),
      terminal.onResize(() => this.#draw()),
      () => signal.removeEventListener("abort", leave),
    ];
    this.#draw();
  }

  get #matching(): readonly PickEntry<T>[] {
    const wanted = this.#line.buffer.text.toLowerCase();
    return this.#options.entries.filter(({ label }) => label.toLowerCase().includes(wanted));
  }

  #takeAll(inputs: readonly TypedInput[]): void {
    for (const [index, input] of inputs.entries()) {
      this.#take(input);
      if (this.#done) return this.#options.terminal.unread(inputs.slice(index + 1));
    }
    this.#draw();
  }

  #take(input: TypedInput): void {
    const action = input.kind === "key" ? KEYS.find(input) : undefined;
    const entries = this.#matching;
    const count = Math.max(1, entries.length);
    if (action === "up" || action === "down") {
      this.#index = (this.#index + (action === "up" ? -1 : 1) + count) % count;
    } else if (action === "enter") {
      const entry = entries[this.#index];
      if (entry) this.#finish(entry);
    } else if (action !== undefined) {
      this.#finish(undefined);
    } else {
      const before = this.#line.buffer.text;
      this.#line.take(input);
      if (this.#line.buffer.text !== before) this.#index = 0;
    }
  }

  #finish(entry: PickEntry<T> | undefined): void {
    if (this.#done) return;
    this.#done = true;
    for (const release of this.#releases) release();
    const { terminal, theme, stays = true } = this.#options;
    const answer = `${this.#question} ${oneLine(entry?.label ?? "-")}`;
    const line = theme.paint("dim", fit(answer, Math.max(1, terminal.columns - 1)));
    this.#region.update(stays ? [line] : [], []);
    this.#resolve(entry?.value);
  }

  #draw(): void {
    if (this.#done) return;
    const { terminal, theme } = this.#options;
    const columns = Math.max(1, terminal.columns - 1);
    const { text } = this.#line.buffer;
    const head = wrapProse(`${theme.paint("bold", this.#question)}${text && ` ${text}`}`, columns);
    const rows = Math.max(1, Math.min(MAX_SHOWN, this.#region.maxRows - head.length - 4));
    this.#region.update([], ["", ...head, "", ...this.#entryLines({ rows, columns })]);
  }

  /** The entries around the chosen one, and how many are above and below. */
  #entryLines({ rows, columns }: { rows: number; columns: number }): string[] {
    const { theme } = this.#options;
    const entries = this.#matching;
    if (entries.length === 0) return [theme.paint("dim", fit("  nothing matches", columns))];
    const middle = this.#index - Math.floor(rows / 2);
    const first = Math.max(0, Math.min(middle, entries.length - rows));
    const shown = entries.slice(first, first + rows);
    const lines = shown.map(({ label }, index) => {
      const text = fit(oneLine(label), columns - 2);
      return first + index === this.#index
        ? theme.paint("accent", `${theme.glyphs.pointer} ${text}`)
        : `  ${text}`;
    });
    const below = entries.length - first - shown.length;
    const more = [
      ...(first > 0 ? [`${first} above`] : []),
      ...(below > 0 ? [`${below} below`] : []),
    ];
    const hint = [...more, ...(this.#options.entries.length > rows ? ["type to narrow"] : [])];
    return hint.length === 0
      ? lines
      : [...lines, theme.paint("dim", fit(`  ${hint.join(", ")}`, columns))];
  }
}

async function pickByNumber<T>(
  question: string,
  { terminal, signal, entries }: PickOptions<T>,
): Promise<T | undefined> {
  const lines = entries.map(({ label }, index) => `  ${index + 1}  ${oneLine(label)}`);
  terminal.write([question, ...lines].map((line) => `${line}\n`).join(""));
  const line = await readPlainLine(terminal, { prompt: `[1-${entries.length}] `, signal });
  return entries[Number(line?.trim() || Number.NaN) - 1]?.value;
}
