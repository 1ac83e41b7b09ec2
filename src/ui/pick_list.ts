/**
 * A choice from a list that may be long: typing narrows it, arrows and Enter choose; a terminal that cannot redraw gets
 * numbers. Escape, Ctrl+C and a closed terminal choose nothing.
 */
import { oneLine } from "../lib/text.ts";
import { EditedLine } from "./edited_line.ts";
import { keyLabel, KeyMap, PICKER_KEYS } from "./key_bindings.ts";
import type { TypedInput } from "./key_decoder.ts";
import { LineInput } from "./line_input.ts";
import { isLow, listRoom } from "./list_room.ts";
import { LiveRegion } from "./live_region.ts";
import { readPlainLine } from "./plain_line.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { cellWidth, fit, wrapProse } from "./wrap.ts";

/** One entry. */
interface PickEntry<T> {
  readonly value: T;
  readonly label: string;
  /** What else there is to know of it: stands at the right, where there is room. */
  readonly detail?: string | undefined;
}

/** What can be done with an entry besides taking it. */
interface PickAction {
  /** The key, as people write it: "F2". */
  readonly key: string;
  readonly name: string;
  /** "renames" */
  readonly does: string;
}

/** What was done. */
interface Picked<T> {
  readonly value: T;
  /** Name of the action; absent if the entry was taken. */
  readonly action?: string;
  /** What the list was narrowed by. */
  readonly typed: string;
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
  /** The entries that what was typed means, in order. @default those whose label contains it */
  readonly search?: ((typed: string) => readonly PickEntry<T>[]) | undefined;
  /** What was typed as an entry of its own below those that it means. @default none */
  readonly offer?: (typed: string) => PickEntry<T> | undefined;
  /** @default there is nothing but taking one */
  readonly actions?: readonly PickAction[] | undefined;
  /** Rows under the list that show what the chosen entry means. @default none */
  readonly preview?: (value: T, columns: number) => readonly string[];
}

/** Entries shown at once. */
const MAX_SHOWN = 12;
/** Rows of what narrows them. */
const MAX_LINE_ROWS = 3;
/** The part of the rows of a low screen that a question may take. */
const HEAD_SHARE = 5;
const KEYS = new KeyMap(PICKER_KEYS);

/** Asks; undefined if nothing was chosen. */
export async function pickFromList<T>(
  question: string,
  options: PickOptions<T>,
): Promise<T | undefined> {
  return (await pickWithActions(question, options))?.value;
}

/** The same of a list whose entries can be acted on; an action ends it. */
export async function pickWithActions<T>(
  question: string,
  options: PickOptions<T>,
): Promise<Picked<T> | undefined> {
  if (options.signal.aborted || options.entries.length === 0) return undefined;
  return options.terminal.canRedraw
    ? await new Picker(question, options).chosen
    : await pickByNumber(question, options);
}

/** One list on the screen. */
class Picker<T> {
  readonly chosen: Promise<Picked<T> | undefined>;
  readonly #question: string;
  readonly #options: PickOptions<T>;
  readonly #region: LiveRegion;
  readonly #releases: (() => void)[];
  #resolve: (value: Picked<T> | undefined) => void = () => {};
  readonly #line: EditedLine;
  #index: number;
  /** What was found for the last text. */
  #found: { readonly text: string; readonly entries: readonly PickEntry<T>[] } | undefined;
  #done = false;

  constructor(question: string, options: PickOptions<T>) {
    const { terminal, signal, current, filter = "" } = options;
    this.#question = oneLine(question);
    this.#options = options;
    const input = new LineInput({ isMultiline: false });
    input.buffer.type(oneLine(filter));
    this.#line = new EditedLine({ terminal, theme: options.theme, input });
    this.#index = Math.max(0, this.#matching.findIndex(({ value }) => value === current));
    this.chosen = new Promise((resolve) => this.#resolve = resolve);
    this.#region = new LiveRegion(terminal, { staysLow: true });
    const leave = () => this.#finish(undefined);
    signal.addEventListener("abort", leave);
    this.#releases = [
      terminal.listen({ onInput: (inputs) => this.#takeAll(inputs), onEnd: leave }),
      terminal.onResize(() => this.#draw()),
      () => signal.removeEventListener("abort", leave),
    ];
    this.#draw();
  }

  get #typed(): string {
    return this.#line.input.buffer.text;
  }

  get #matching(): readonly PickEntry<T>[] {
    const text = this.#typed;
    if (this.#found?.text !== text) {
      this.#found = { text, entries: findEntries(text, this.#options) };
    }
    return this.#found.entries;
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
    const label = input.kind === "key" ? keyLabel(input) : "";
    const special = this.#options.actions?.find(({ key }) => key === label);
    const chosen = entries[this.#index];
    if (special !== undefined) {
      if (chosen) this.#finish(chosen, special.name);
    } else if (action === "up" || action === "down") {
      this.#index = (this.#index + (action === "up" ? -1 : 1) + count) % count;
    } else if (action === "enter") {
      if (chosen) this.#finish(chosen);
    } else if (action !== undefined) {
      this.#finish(undefined);
    } else {
      const before = this.#typed;
      this.#line.take(input);
      if (this.#typed !== before) this.#index = 0;
    }
  }

  #finish(entry: PickEntry<T> | undefined, action?: string): void {
    if (this.#done) return;
    this.#done = true;
    for (const release of this.#releases) release();
    const { terminal, theme } = this.#options;
    const answer = `${this.#question} ${oneLine(entry?.label ?? "-")}`;
    const line = theme.paint("dim", fit(answer, Math.max(1, terminal.columns - 1)));
    this.#region.update(action === undefined ? [line] : [], []);
    const typed = this.#typed;
    this.#resolve(entry && { value: entry.value, typed, ...action !== undefined && { action } });
  }

  #draw(): void {
    if (this.#done) return;
    const { terminal, theme } = this.#options;
    const columns = Math.max(1, terminal.columns - 1);
    const isTight = isLow(terminal);
    const question = wrapProse(theme.paint("bold", this.#question), columns);
    const head = isTight
      ? question.slice(0, Math.max(1, Math.floor(terminal.rows / HEAD_SHARE)))
      : ["", ...question];
    const line = this.#line.draw(isTight ? 1 : MAX_LINE_ROWS);
    const { preview } = this.#options;
    const chosen = this.#matching[this.#index];
    const below = !isTight && chosen && preview?.(chosen.value, columns) || [];
    const around = [...head, ...line.lines, ...below];
    const free = listRoom(terminal, around);
    const most = Math.min(free.rows, this.#region.safeRows - around.length);
    // A row tells how many there are.
    const rows = Math.max(1, Math.min(MAX_SHOWN, most - 1));
    const list = this.#entryLines({ rows, columns: free.columns });
    const lines = [...head, ...line.lines, ...list.slice(0, Math.max(1, most)), ...below];
    const cursor = { ...line.cursor, row: head.length + line.cursor.row };
    this.#region.update([], lines, cursor);
  }

  /** The entries around the chosen one, and how many are above and below. */
  #entryLines({ rows, columns }: { rows: number; columns: number }): string[] {
    const { theme } = this.#options;
    const entries = this.#matching;
    if (entries.length === 0) return [theme.paint("dim", fit("  nothing matches", columns))];
    const middle = this.#index - Math.floor(rows / 2);
    const first = Math.max(0, Math.min(middle, entries.length - rows));
    const shown = entries.slice(first, first + rows);
    const lines = shown.map((entry, index) => {
      const isChosen = first + index === this.#index;
      const text = entryText(entry, { theme, columns: columns - 2, isChosen });
      return isChosen ? theme.paint("accent", `${theme.glyphs.pointer} ${text}`) : `  ${text}`;
    });
    const below = entries.length - first - shown.length;
    const more = [
      ...(first > 0 ? [`${first} above`] : []),
      ...(below > 0 ? [`${below} below`] : []),
    ];
    const { actions = [], search } = this.#options;
    const hint = [
      ...more,
      ...search || this.#options.entries.length > rows ? ["type to narrow"] : [],
      ...actions.map(({ key, does }) => `${key} ${does}`),
    ];
    return hint.length === 0
      ? lines
      : [...lines, theme.paint("dim", fit(`  ${hint.join(", ")}`, columns))];
  }
}

/** What parts the facts of a detail, the most telling one last. */
const FACTS = " · ";

/** The label, and as many facts at the right as leave half of the row for it. */
function entryText(
  { label, detail }: PickEntry<unknown>,
  { theme, columns, isChosen }: { theme: Theme; columns: number; isChosen: boolean },
): string {
  const facts = detail === undefined ? [] : oneLine(detail).split(FACTS);
  const shown = facts.map((_, first) => facts.slice(first).join(FACTS))
    .find((text) => columns - cellWidth(text) - 2 >= columns / 2);
  if (!shown) return fit(oneLine(label), columns);
  const text = fit(oneLine(label), columns - cellWidth(shown) - 2);
  const gap = " ".repeat(columns - cellWidth(text) - cellWidth(shown));
  return `${text}${gap}${isChosen ? shown : theme.paint("dim", shown)}`;
}

/** The entries that what was typed means. */
function findEntries<T>(
  typed: string,
  { entries, search, offer }: Pick<PickOptions<T>, "entries" | "search" | "offer">,
): readonly PickEntry<T>[] {
  if (search) return search(typed);
  const wanted = typed.toLowerCase();
  const offered = offer?.(typed);
  return [
    ...entries.filter(({ label }) => label.toLowerCase().includes(wanted)),
    ...offered ? [offered] : [],
  ];
}

async function pickByNumber<T>(
  question: string,
  { terminal, signal, current, filter = "", ...list }: PickOptions<T>,
): Promise<Picked<T> | undefined> {
  const entries = filter === "" ? list.entries : findEntries(filter, list);
  const columns = Math.max(1, terminal.columns - 1);
  const indent = " ".repeat(String(entries.length).length + 4);
  const lines = entries.flatMap(({ value, label, detail }, index) => {
    const facts = [label, ...detail ? [detail] : [], ...value === current ? ["chosen now"] : []];
    const rows = wrapProse(oneLine(facts.join("; ")), columns - indent.length);
    return rows.map((row, at) => (at === 0 ? `  ${index + 1}` : "").padEnd(indent.length) + row);
  });
  const none = entries.length === 0 ? ["  nothing matches"] : [];
  const shown = [...wrapProse(question, columns), ...lines, ...none];
  terminal.write(shown.map((line) => `${line}\n`).join(""));
  if (entries.length === 0) return undefined;
  const numbers = entries.length === 1 ? "1" : `1-${entries.length}`;
  const line = await readPlainLine(terminal, { prompt: `[${numbers}] `, signal }) ?? "";
  const entry = entries[Number(line.trim() || Number.NaN) - 1] ?? list.offer?.(line);
  return entry && { value: entry.value, typed: "" };
}
