/**
 * One of a list that may be long, on `@clack/core`: arrows and Enter; a terminal that cannot redraw gets numbers.
 * `/model` and `ally init` ask with it. Escape, Ctrl+C and a closed terminal choose nothing.
 */
import { readCookedLine } from "./cooked_line.ts";
import { oneLine } from "./safe_text.ts";
import { openStreams } from "./streams.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { fit, wrapProse } from "./wrap.ts";

/** One entry. */
export interface Entry<T> {
  readonly value: T;
  readonly label: string;
}

export interface PickOptions<T> {
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly signal: AbortSignal;
  /** Where the pointer stands at first. @default the first entry */
  readonly current?: T | undefined;
}

/** Entries shown at once. */
const MOST_SHOWN = 12;

/** Asks; undefined if nothing was chosen. */
export async function pick<T>(
  question: string,
  { entries, ...options }: PickOptions<T> & { entries: readonly Entry<T>[] },
): Promise<T | undefined> {
  if (options.signal.aborted || entries.length === 0) return undefined;
  return options.terminal.canRedraw
    ? await pickByKey(question, { ...options, entries })
    : await pickByNumber(question, { ...options, entries });
}

async function pickByKey<T>(
  question: string,
  { terminal, theme, signal, current, entries }: PickOptions<T> & { entries: readonly Entry<T>[] },
): Promise<T | undefined> {
  const { isCancel, SelectPrompt } = await import("@clack/core");
  const streams = openStreams(terminal);
  const start = Math.max(0, entries.findIndex(({ value }) => value === current));
  const indexes = entries.map((_, value) => ({ value }));
  const columns = () => Math.max(1, terminal.columns - 1);
  const answered = (text: string) => theme.paint("dim", fit(`${question} ${text}`, columns()));
  const prompt = new SelectPrompt<{ value: number }>({
    input: streams.input,
    output: streams.output,
    accessible: false,
    options: indexes,
    initialValue: start,
    render() {
      if (this.state === "cancel") return answered("-");
      if (this.state === "submit") return answered(oneLine(entries[this.cursor]?.label ?? "-"));
      const rows = Math.min(MOST_SHOWN, Math.max(1, terminal.rows - 6));
      const lines = shownEntries(entries, { chosen: this.cursor, rows, theme, columns: columns() });
      const head = wrapProse(theme.paint("bold", question), columns());
      return ["", ...head, "", ...lines].join("\n");
    },
  });
  const cancel = () => streams.type("\x03");
  const release = terminal.listen({ onText: (text) => streams.type(text), onEnd: cancel });
  signal.addEventListener("abort", cancel);
  const value = await prompt.prompt();
  signal.removeEventListener("abort", cancel);
  release();
  streams.close();
  return typeof value !== "number" || isCancel(value) ? undefined : entries[value]?.value;
}

/** The entries around the chosen one, with how many stand above and below. */
function shownEntries(
  entries: readonly Entry<unknown>[],
  { chosen, rows, theme, columns }: {
    chosen: number;
    rows: number;
    theme: Theme;
    columns: number;
  },
): string[] {
  const first = Math.max(0, Math.min(chosen - Math.floor(rows / 2), entries.length - rows));
  const shown = entries.slice(first, first + rows);
  const lines = shown.map(({ label }, index) => {
    const text = fit(oneLine(label), columns - 2);
    return first + index === chosen
      ? theme.paint("accent", `${theme.glyphs.pointer} ${text}`)
      : `  ${text}`;
  });
  const below = entries.length - first - shown.length;
  if (first === 0 && below === 0) return lines;
  const parts = [
    ...(first > 0 ? [`${first} above`] : []),
    ...(below > 0 ? [`${below} below`] : []),
  ];
  return [...lines, theme.paint("dim", fit(`  ${parts.join(", ")}`, columns))];
}

async function pickByNumber<T>(
  question: string,
  { terminal, signal, entries }: PickOptions<T> & { entries: readonly Entry<T>[] },
): Promise<T | undefined> {
  const lines = entries.map(({ label }, index) => `  ${index + 1}  ${oneLine(label)}`);
  terminal.write([question, ...lines].map((line) => `${line}\n`).join(""));
  const line = await readCookedLine(terminal, { prompt: `[1-${entries.length}] `, signal });
  return entries[Number(line?.trim() || Number.NaN) - 1]?.value;
}
