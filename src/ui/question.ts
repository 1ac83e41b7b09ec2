/**
 * A choice from a few, on `@clack/core`: arrows and Enter, or one letter. What is asked stays on the screen
 * until it is answered, then one line takes its place. `ask.ts` says what is asked.
 */
import { readCookedLine } from "./cooked_line.ts";
import { openStreams } from "./streams.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { wrapProse } from "./wrap.ts";

/** One of the answers on offer. */
export interface Option<T extends string> {
  readonly value: T;
  /** The letter that chooses it at once. */
  readonly key: string;
  readonly label: string;
}

/** A question and what stands in its place once answered. */
export interface Question<T extends string> {
  /** Lines as they are to be shown, already fitted. */
  readonly lines: readonly string[];
  readonly options: readonly Option<T>[];
  /** What Enter alone, Escape, Ctrl+C, an abort and the end of input mean. */
  readonly fallback: T;
  readonly answered: (value: T) => string;
}

/** Asks, and resolves with the chosen value; never rejects because the terminal is gone. */
export async function choose<T extends string>(
  question: Question<T>,
  options: { terminal: Terminal; theme: Theme; signal: AbortSignal },
): Promise<T> {
  if (options.signal.aborted) return question.fallback;
  return options.terminal.canRedraw
    ? await chooseByKey(question, options)
    : await chooseByLine(question, options);
}

async function chooseByKey<T extends string>(
  question: Question<T>,
  { terminal, theme, signal }: { terminal: Terminal; theme: Theme; signal: AbortSignal },
): Promise<T> {
  const { isCancel, SelectPrompt } = await import("@clack/core");
  const { fallback } = question;
  const streams = openStreams(terminal);
  // A question taller than the screen cannot be redrawn: it stands, and only the options move.
  const tall = question.lines.length + question.options.length + 3 > terminal.rows;
  if (tall) terminal.write(question.lines.map((line) => `${line}\n`).join(""));
  const prompt = new SelectPrompt<Option<T>>({
    input: streams.input,
    output: streams.output,
    accessible: false,
    options: [...question.options],
    initialValue: fallback,
    render() {
      if (this.state === "cancel") return question.answered(fallback);
      if (this.state === "submit") return question.answered(this.value ?? fallback);
      const lines = optionLines(question.options, { theme, chosen: this.value, terminal });
      return [...(tall ? [] : question.lines), ...lines].join("\n");
    },
  });
  prompt.on("key", (character) => {
    const option = question.options.find(({ key }) => key === character?.toLowerCase());
    if (option === undefined) return;
    prompt.value = option.value;
    prompt.state = "submit";
  });
  const cancel = () => streams.type("\x03");
  const release = terminal.listen({ onText: (text) => streams.type(text), onEnd: cancel });
  signal.addEventListener("abort", cancel);
  const value = await prompt.prompt();
  signal.removeEventListener("abort", cancel);
  release();
  streams.close();
  return value === undefined || isCancel(value) ? fallback : value;
}

function optionLines<T extends string>(
  options: readonly Option<T>[],
  { theme, chosen, terminal }: { theme: Theme; chosen: T | undefined; terminal: Terminal },
): string[] {
  const columns = terminal.columns - 1;
  const lines = options.flatMap(({ value, key, label }) =>
    wrapProse(`${label} (${key})`, columns - 2).map((text, row) =>
      value === chosen
        ? theme.paint("accent", `${row === 0 ? theme.glyphs.pointer : " "} ${text}`)
        : `  ${text}`
    )
  );
  return ["", ...lines];
}

async function chooseByLine<T extends string>(
  question: Question<T>,
  { terminal, theme, signal }: { terminal: Terminal; theme: Theme; signal: AbortSignal },
): Promise<T> {
  const { options, fallback } = question;
  const shown = optionLines(options, { theme, chosen: fallback, terminal });
  const keys = options.map(({ key }) => key).join("/");
  terminal.write([...question.lines, ...shown].map((line) => `${line}\n`).join(""));
  const line = await readCookedLine(terminal, { prompt: `[${keys}] `, signal });
  const chosen = options.find(({ key }) => key === line?.trim().toLowerCase())?.value ?? fallback;
  terminal.write(`${question.answered(chosen)}\n`);
  return chosen;
}
