/**
 * Reads a message from the user with `node:readline`: history, completion, several lines, and a paste of many lines
 * as one message.
 */
import { createInterface, type Interface } from "node:readline";
import { formatBytes, plural, stripControls } from "../lib/text.ts";
import { pickFromList } from "./pick_list.ts";
import { readPlainLine } from "./plain_line.ts";
import { moveCursor } from "./sequences.ts";
import { openStreams } from "./streams.ts";
import type { Terminal } from "./terminal.ts";
import type { Style, Theme } from "./theme.ts";
import { MAX_PASTE, type Piece, TypedInput } from "./typed_input.ts";
import { wrapProse } from "./wrap.ts";

/** What the person did: sent a line, left (Ctrl+D, end of input), or pressed Ctrl+C on an empty line. */
type LineResult =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "exit" }
  | { readonly kind: "interrupt" };

/** Candidates to replace the end of the text before the cursor, and that end. */
type Complete = (before: string) => Promise<readonly [candidates: string[], end: string]>;

/** One prompt. */
export interface EditLineOptions {
  readonly theme: Theme;
  /** Words before the prompt, such as the mode of the session; asked for whenever the prompt is drawn. */
  readonly mode?: (() => string) | undefined;
  /** Called for Shift+Tab, which takes the next mode. What it returns is said, and the prompt goes on. */
  readonly onCycleMode?: () => string | undefined;
  /** Oldest first. */
  readonly history?: readonly string[];
  /** Called with each message that is sent. */
  readonly onHistory?: (text: string) => void;
  readonly complete?: Complete;
  /** Text to start with, such as what was typed while a turn ran. */
  readonly initialText?: string;
  /** Called for each Ctrl+C; the line was cleared if it had text. What it returns is said, and the prompt goes on. */
  readonly onInterrupt?: (hadText: boolean) => string | undefined;
  /** Ends the prompt as an interrupt would. */
  readonly signal?: AbortSignal;
}

/** The part of readline's state that a paste or a line break changes. */
interface ReadlineBuffer {
  line: string;
  cursor: number;
}

/** A longer paste is shown as a mark that names its size. */
const MAX_SHOWN_PASTE = { lines: 8, characters: 1000 } as const;
/** The same for earlier text, which is more likely to be edited. */
const MAX_SHOWN_TEXT = { lines: 25, characters: 4000 } as const;

const CTRL_R = "\x12";
const SHIFT_TAB = "\x1b[Z";

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
  /** Resolves with what the person did. */
  readonly result: Promise<LineResult>;

  readonly #terminal: Terminal;
  readonly #options: EditLineOptions;
  readonly #streams: ReturnType<typeof openStreams>;
  readonly #readline: Interface;
  readonly #input = new TypedInput();
  readonly #release: () => void;
  /** Lines before the one being edited. */
  #before: string[] = [];
  /** By mark, the long text that it stands for. */
  #marks = new Map<string, string>();
  #pastes = 0;
  #done = false;
  #resolve: (entered: LineResult) => void = () => {};

  constructor(terminal: Terminal, options: EditLineOptions) {
    this.#terminal = terminal;
    this.#options = options;
    this.result = new Promise((resolve) => this.#resolve = resolve);
    // Before the prompt is shown, so that the terminal no longer echoes when somebody types at it.
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
        .map((text, index) => this.#displayText(text, `${plural(index + 1, "message")} ago`)),
      historySize: 1000,
      removeHistoryDuplicates: true,
      escapeCodeTimeout: 50,
      ...(complete ? { completer: adaptCompletion(complete, () => this.#done) } : {}),
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
      else if (piece.text === SHIFT_TAB) this.#cycleMode();
      else this.#streams.type(piece.text);
      if (!this.#done) continue;
      this.#terminal.unread(pieces.slice(index + 1).map((rest) => rest.raw).join(""));
      return;
    }
  }

  #cycleMode(): void {
    const said = this.#options.onCycleMode?.();
    if (said !== undefined) return this.#say("warning", said);
    this.#setSign();
    this.#readline.prompt(true);
  }

  /** Lets the person choose an earlier message, filtered by what is in the line. */
  async #search(): Promise<void> {
    const { theme, history = [], signal = new AbortController().signal } = this.#options;
    const buffer = this.#readline as unknown as ReadlineBuffer;
    const earlier = [...new Set(history.toReversed())].filter(isSafe);
    if (earlier.length === 0) return;
    buffer.cursor = buffer.line.length;
    this.#readline.prompt(true);
    this.#terminal.control("\r\n");
    const chosen = await pickFromList("Earlier messages:", {
      terminal: this.#terminal,
      theme,
      signal,
      entries: earlier.map((value) => ({ value, label: value })),
      filter: buffer.line,
      stays: false,
    });
    if (this.#done) return;
    this.#terminal.control(moveCursor("up", 1));
    if (chosen === undefined) return this.#readline.prompt(true);
    buffer.line = "";
    buffer.cursor = 0;
    this.#insert(this.#displayText(chosen, "earlier message"));
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

  /** Earlier text as it is shown in the line. */
  #displayText(text: string, what: string): string {
    return isLong(text, MAX_SHOWN_TEXT) ? this.#mark(text, what) : text;
  }

  /** A mark that stands for a text and is replaced by it when the line is sent. */
  #mark(text: string, what: string): string {
    const lines = trimLineEnd(text).split("\n").length;
    const mark = `[${what}: ${lines > 1 ? `${lines} lines` : `${text.length} characters`}]`;
    this.#marks.set(mark, text);
    return mark;
  }

  #refuse(length: number): void {
    const size = formatBytes(length);
    this.#say(
      "warning",
      `A paste of ${size} is too large. Save it to a file and give its name instead.`,
    );
  }

  /** Says something below the line, which then begins anew. */
  #say(style: Style, text: string): void {
    const lines = wrapProse(text, this.#terminal.columns - 1)
      .map((line) => `${this.#options.theme.paint(style, line)}\n`);
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
    const said = this.#options.onInterrupt?.(hadText);
    if (this.#done) return;
    if (said !== undefined) return this.#say("dim", said);
    if (!hadText) return this.#finish({ kind: "interrupt" });
    this.#before = [];
    this.#pastes = 0;
    buffer.line = "";
    buffer.cursor = 0;
    this.#showPrompt();
  }

  #showPrompt(): void {
    this.#setSign();
    this.#readline.prompt();
  }

  #setSign(): void {
    const { theme } = this.#options;
    const more = this.#before.length > 0;
    this.#readline.setPrompt(
      more ? `${theme.paint("dim", theme.glyphs.bar)} ` : promptSign(this.#options),
    );
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
  const words = mode?.() ?? "";
  return words === "" ? `${sign} ` : `${theme.paint("warning", words)} ${sign} `;
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

/** As readline asks for it. A line that is over by the time takes no candidates: readline would throw. */
function adaptCompletion(complete: Complete, isOver: () => boolean) {
  return (
    before: string,
    callback: (error: Error | null, result: [string[], string]) => void,
  ): void => {
    complete(before).catch((): [string[], string] => [[], before]).then(([candidates, end]) => {
      if (!isOver()) callback(null, [candidates.filter(isSafe), end]);
    });
  };
}
