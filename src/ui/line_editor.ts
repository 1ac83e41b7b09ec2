/**
 * Reads the user's next message with `node:readline`: history, completion, several lines, and a paste of many
 * lines as one message. The repl calls it between turns, a question calls it for the words of an "instead".
 */
import { createInterface, type Interface } from "node:readline";
import { formatBytes, stripControls } from "../lib/text.ts";
import { pickFromList } from "./pick_list.ts";
import { readPlainLine } from "./plain_line.ts";
import { openStreams } from "./streams.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { MAX_PASTE, type Piece, TypedInput } from "./typed_input.ts";
import { wrapProse } from "./wrap.ts";

/** What the person did: sent a line, left (Ctrl+D, end of input), or pressed Ctrl+C on an empty line. */
export type LineResult =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "exit" }
  | { readonly kind: "interrupt" };

/** Candidates that may replace the end of what stands before the cursor, and that end. */
export type Complete = (before: string) => Promise<readonly [candidates: string[], end: string]>;

/** One prompt. */
export interface EditLineOptions {
  readonly theme: Theme;
  /** A word before the prompt, such as the mode that the session is in. */
  readonly mode?: string;
  /** Oldest first. */
  readonly history?: readonly string[];
  /** Gets each line sent, whole, to be remembered. */
  readonly onHistory?: (text: string) => void;
  readonly complete?: Complete;
  /** Text to start with, such as what was typed while a turn ran. */
  readonly initialText?: string;
  /** Told of each Ctrl+C; the line was cleared if it held text. */
  readonly onInterrupt?: (hadText: boolean) => void;
  /** Ends the prompt as an interrupt would. */
  readonly signal?: AbortSignal;
}

/** The part of readline's state that a paste or a line break changes. */
interface ReadlineBuffer {
  line: string;
  cursor: number;
}

/** A paste that is longer than this is shown as a mark that names its size. */
const MAX_SHOWN_PASTE = { lines: 8, characters: 1000 } as const;
/** The same for a text from before: it may be there to be changed. */
const MAX_SHOWN_TEXT = { lines: 25, characters: 4000 } as const;

const CTRL_R = "\x12";
/** Moves the cursor up a row. */
const UP = "\x1b[A";

/** Reads one message from the person. */
export async function editLine(terminal: Terminal, options: EditLineOptions): Promise<LineResult> {
  if (options.signal?.aborted) return { kind: "interrupt" };
  if (terminal.canRedraw) return await new LineEditor(terminal, options).result;
  const prompt = promptSign(options);
  const line = await readPlainLine(terminal, { prompt, signal: options.signal });
  if (line === undefined) return { kind: options.signal?.aborted ? "interrupt" : "exit" };
  if (line.trim() !== "") options.onHistory?.(line);
  return { kind: "line", text: line };
}

class LineEditor {
  /** What the person did, once it is done. */
  readonly result: Promise<LineResult>;

  readonly #terminal: Terminal;
  readonly #options: EditLineOptions;
  readonly #streams: ReturnType<typeof openStreams>;
  readonly #readline: Interface;
  readonly #input = new TypedInput();
  readonly #release: () => void;
  /** Lines before the one being edited. */
  #before: string[] = [];
  /** What stands for long texts, and the texts. */
  #marks = new Map<string, string>();
  #pastes = 0;
  #done = false;
  #resolve: (entered: LineResult) => void = () => {};

  constructor(terminal: Terminal, options: EditLineOptions) {
    this.#terminal = terminal;
    this.#options = options;
    this.result = new Promise((resolve) => this.#resolve = resolve);
    // Before the prompt shows: what is typed at it must not meet a terminal that still echoes.
    this.#release = terminal.listen({
      onText: (text) => this.#type(this.#input.push(text)),
      onEnd: () => this.#finish({ kind: "exit" }),
    });
    this.#streams = openStreams(terminal);
    this.#readline = this.#open();
    this.#showPrompt();
    if (options.initialText) {
      this.#insert(this.#displayText(stripControls(options.initialText), "typed"));
    }
    options.signal?.addEventListener("abort", this.#onAbort);
  }

  #open(): Interface {
    const { history = [], complete } = this.#options;
    const readline = createInterface({
      input: this.#streams.input,
      output: this.#streams.output,
      terminal: true,
      history: history.filter(isSafe).toReversed()
        .map((text, index) => this.#displayText(text, `said ${index + 1} lines ago`)),
      historySize: 1000,
      removeHistoryDuplicates: true,
      escapeCodeTimeout: 50,
      ...(complete ? { completer: adaptCompletion(complete) } : {}),
    });
    readline.on("line", (line) => this.#onLine(line));
    readline.on("SIGINT", () => this.#onInterrupt());
    readline.on("close", () => this.#finish({ kind: "exit" }));
    return readline;
  }

  readonly #onAbort = () => this.#finish({ kind: "interrupt" });

  #type(pieces: readonly Piece[]): void {
    for (const [index, piece] of pieces.entries()) {
      if (piece.kind === "paste") this.#paste(piece);
      else if (piece.kind === "newline") this.#insert("\n");
      else if (piece.text === CTRL_R) void this.#search();
      else this.#streams.type(piece.text);
      if (!this.#done) continue;
      this.#terminal.unread(pieces.slice(index + 1).map((rest) => rest.raw).join(""));
      return;
    }
  }

  /** Lets the person choose what they said before, narrowed to what stands in the line. */
  async #search(): Promise<void> {
    const { theme, history = [], signal = new AbortController().signal } = this.#options;
    const buffer = this.#readline as unknown as ReadlineBuffer;
    const said = [...new Set(history.toReversed())].filter(isSafe);
    if (said.length === 0) return;
    buffer.cursor = buffer.line.length;
    this.#readline.prompt(true);
    this.#terminal.control("\r\n");
    const chosen = await pickFromList("Said before:", {
      terminal: this.#terminal,
      theme,
      signal,
      entries: said.map((value) => ({ value, label: value })),
      filter: buffer.line,
      stays: false,
    });
    if (this.#done) return;
    this.#terminal.control(UP);
    if (chosen === undefined) return this.#readline.prompt(true);
    buffer.line = "";
    buffer.cursor = 0;
    this.#insert(this.#displayText(chosen, "said before"));
  }

  #paste({ text: pasted, length = 0 }: Piece): void {
    if (length > MAX_PASTE) return this.#refuse(length);
    const text = stripControls(pasted);
    this.#insert(
      isLong(text, MAX_SHOWN_PASTE)
        ? this.#mark(text, `paste ${++this.#pastes}`)
        : trimLineEnd(text),
    );
  }

  /** A text from before as it is shown while it is edited. */
  #displayText(text: string, what: string): string {
    return isLong(text, MAX_SHOWN_TEXT) ? this.#mark(text, what) : text;
  }

  /** What stands for a text, and is replaced by it in the end. */
  #mark(text: string, what: string): string {
    const lines = trimLineEnd(text).split("\n").length;
    const mark = `[${what}: ${lines > 1 ? `${lines} lines` : `${text.length} characters`}]`;
    this.#marks.set(mark, text);
    return mark;
  }

  #refuse(length: number): void {
    const size = formatBytes(length);
    const text = `A paste of ${size} is too much. Save it to a file and name that.`;
    const lines = wrapProse(text, this.#terminal.columns - 1)
      .map((line) => `${this.#options.theme.paint("warning", line)}\n`);
    this.#terminal.control("\r\n");
    this.#terminal.write(lines.join(""));
    this.#showPrompt();
  }

  #insert(text: string): void {
    const buffer = this.#readline as unknown as ReadlineBuffer;
    buffer.line = buffer.line.slice(0, buffer.cursor) + text + buffer.line.slice(buffer.cursor);
    buffer.cursor += text.length;
    this.#readline.prompt(true);
  }

  #onLine(line: string): void {
    if (line.endsWith("\\")) {
      this.#before.push(line.slice(0, -1));
      return this.#showPrompt();
    }
    let text = [...this.#before, line].join("\n");
    // A function: "$&" in pasted text is text.
    for (const [mark, whole] of this.#marks) text = text.replace(mark, () => whole);
    if (text.trim() !== "") this.#options.onHistory?.(text);
    this.#finish({ kind: "line", text });
  }

  #onInterrupt(): void {
    const buffer = this.#readline as unknown as ReadlineBuffer;
    const hadText = buffer.line !== "" || this.#before.length > 0;
    this.#options.onInterrupt?.(hadText);
    if (this.#done) return;
    if (!hadText) return this.#finish({ kind: "interrupt" });
    this.#before = [];
    this.#pastes = 0;
    buffer.line = "";
    buffer.cursor = 0;
    this.#showPrompt();
  }

  #showPrompt(): void {
    const { theme } = this.#options;
    const more = this.#before.length > 0;
    this.#readline.setPrompt(
      more ? `${theme.paint("dim", theme.glyphs.bar)} ` : promptSign(this.#options),
    );
    this.#readline.prompt();
  }

  #finish(entered: LineResult): void {
    if (this.#done) return;
    this.#done = true;
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#readline.close();
    this.#streams.close();
    this.#release();
    if (entered.kind !== "line") this.#terminal.control("\r\n");
    this.#resolve(entered);
  }
}

function promptSign({ theme, mode }: EditLineOptions): string {
  const sign = theme.paint("accent", theme.glyphs.prompt);
  return mode === undefined ? `${sign} ` : `${theme.paint("warning", mode)} ${sign} `;
}

function isLong(text: string, most: { lines: number; characters: number }): boolean {
  return text.length > most.characters || text.split("\n").length > most.lines;
}

function trimLineEnd(text: string): string {
  return text.replace(/\n$/, "");
}

/** readline would write a candidate's escape sequences to the terminal. */
function isSafe(text: string): boolean {
  return stripControls(text) === text;
}

function adaptCompletion(complete: Complete) {
  return (
    before: string,
    callback: (error: Error | null, result: [string[], string]) => void,
  ): void => {
    complete(before).then(
      ([candidates, end]) => callback(null, [candidates.filter(isSafe), end]),
      () => callback(null, [[], before]),
    );
  };
}
