/**
 * Reads a message from the person: a line with the keys of a shell, several rows, earlier messages, suggestions, and
 * pastes as one thing each.
 */
import { EditedLine, type LineAids } from "./edited_line.ts";
import type { TypedInput } from "./key_decoder.ts";
import { LineInput, type Outcome } from "./line_input.ts";
import { promptSign } from "./line_view.ts";
import { LiveRegion } from "./live_region.ts";
import type { Style } from "./palettes.ts";
import { readPlainLine } from "./plain_line.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { wrapProse } from "./wrap.ts";

/**
 * What the person did: sent a line, left (Ctrl+D, end of input), pressed Ctrl+C on an empty line, or went back to what
 * was before.
 */
type LineResult =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "exit" }
  | { readonly kind: "interrupt" }
  | { readonly kind: "back" };

/** One prompt. */
export interface EditLineOptions extends LineAids {
  readonly theme: Theme;
  /** Words before the prompt, such as the mode of the session; asked for whenever the prompt is drawn. */
  readonly mode?: (() => string) | undefined;
  /** Called for Shift+Tab, which takes the next mode. What it returns is said, and the prompt goes on. */
  readonly onCycleMode?: () => string | undefined;
  /** Called with each message that is sent. */
  readonly onHistory?: (text: string) => void;
  /** Ctrl+O where the line has no paste to show; reading of keys is paused. */
  readonly onOpen?: () => Promise<void>;
  /**
   * Lines that are to stand over all that is drawn here, from now on: asked for before each drawing, and with `isDue`
   * before something is written below them for good.
   */
  readonly standing?: (columns: number, when: { readonly isDue: boolean }) => readonly string[];
  /** Rows over the line, fitted to a width. */
  readonly above?: (columns: number) => readonly string[];
  /** Rows under it. */
  readonly below?: (columns: number) => readonly string[];
  /** Takes what draws the rows over and under the line again, and returns how to stop that. */
  readonly refresh?: (draw: () => void) => () => void;
  /** The line to edit, with what was typed before; empty once it is sent. @default an empty one */
  readonly line?: LineInput;
  /** Text to put before it. */
  readonly initialText?: string;
  /** Called for each Ctrl+C; the line was cleared if it had text. What it returns is said, and the prompt goes on. */
  readonly onInterrupt?: (hadText: boolean) => string | undefined;
  /** Whether Esc goes back to what was before, and leaves the text in the line. @default false */
  readonly canGoBack?: boolean;
  /** Ends the prompt as an interrupt would. */
  readonly signal?: AbortSignal;
}

/** Reads one message from the person. */
export async function editLine(terminal: Terminal, options: EditLineOptions): Promise<LineResult> {
  if (options.signal?.aborted) return { kind: "interrupt" };
  if (terminal.canRedraw) return await new LineEditor(terminal, options).result;
  const { theme, mode } = options;
  const prompt = promptSign({ theme, mode: mode?.() });
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
  readonly #region: LiveRegion;
  readonly #line: EditedLine;
  readonly #releases: (() => void)[];
  #isDone = false;
  #resolve: (entered: LineResult) => void = () => {};

  constructor(terminal: Terminal, options: EditLineOptions) {
    this.#terminal = terminal;
    this.#options = options;
    this.result = new Promise((resolve) => this.#resolve = resolve);
    this.#region = new LiveRegion(terminal, { isText: true, staysLow: true });
    const { line: input = new LineInput(), initialText, signal } = options;
    this.#line = new EditedLine({
      ...options,
      terminal,
      input,
      onChange: () => this.#draw(),
      clearScreen: () => {
        this.#region.clear();
        return Promise.resolve(() => {});
      },
      say: (style, text) => this.#say(style, text),
    });
    const onAbort = () => this.#finish({ kind: "interrupt" });
    signal?.addEventListener("abort", onAbort);
    // Before the prompt is shown, so that the terminal no longer echoes when somebody types at it.
    this.#releases = [
      terminal.listen({
        onInput: (inputs) => this.#takeAll(inputs),
        onEnd: () => this.#finish({ kind: "exit" }),
      }),
      terminal.onResize(() => this.#draw()),
      options.refresh?.(() => this.#draw()) ?? (() => {}),
      () => signal?.removeEventListener("abort", onAbort),
    ];
    if (initialText) input.buffer.prepend(initialText);
    this.#line.suggest();
    this.#draw();
  }

  #takeAll(inputs: readonly TypedInput[]): void {
    if (this.#line.isCovered) return this.#terminal.unread(inputs);
    for (const [index, input] of inputs.entries()) {
      this.#act(this.#line.take(input));
      if (!this.#isDone && !this.#line.isCovered) continue;
      this.#terminal.unread(inputs.slice(index + 1));
      return;
    }
    this.#line.suggest();
    this.#draw();
  }

  #act(outcome: Outcome): void {
    switch (outcome) {
      case "enter":
        return this.#send();
      case "escape":
        if (this.#options.canGoBack) this.#finish({ kind: "back" });
        return;
      case "interrupt":
        return this.#interrupt();
      case "end of input":
        return this.#finish({ kind: "exit" });
      case "cycle mode":
        return this.#cycleMode();
      case "open":
        return void this.#open();
      case "redraw":
        return this.#region.clearScreen();
    }
  }

  async #open(): Promise<void> {
    const { onOpen } = this.#options;
    if (onOpen === undefined) return;
    this.#terminal.pause();
    await this.#line.cover(onOpen);
  }

  #cycleMode(): void {
    const said = this.#options.onCycleMode?.();
    if (said !== undefined) this.#say("warning", said);
  }

  /** Says something below the line, which then begins anew. */
  #say(style: Style, text: string): void {
    if (this.#isDone) return;
    const { theme, standing } = this.#options;
    const written = standing?.(this.#columns, { isDue: true }) ?? [];
    const said = wrapProse(text, this.#columns).map((line) => theme.paint(style, line));
    this.#region.update([...written, ...this.#line.render().lines, ...said], []);
    this.#draw();
  }

  #send(): void {
    const text = this.#line.input.buffer.whole;
    if (text.trim() !== "") this.#options.onHistory?.(text);
    this.#finish({ kind: "line", text });
  }

  #interrupt(): void {
    const hadText = this.#line.input.buffer.text !== "";
    const said = this.#options.onInterrupt?.(hadText);
    if (this.#isDone) return;
    if (said !== undefined) return this.#say("dim", said);
    if (!hadText) return this.#finish({ kind: "interrupt" });
    this.#line.clear();
  }

  get #columns(): number {
    return Math.max(1, this.#terminal.columns - 1);
  }

  #draw(): void {
    if (this.#isDone || this.#line.isCovered) return;
    const columns = this.#columns;
    const { standing, above, below } = this.#options;
    const written = standing?.(columns, { isDue: false }) ?? [];
    const { lines, cursor } = this.#line.draw(this.#region.safeRows, {
      above: above?.(columns) ?? [],
      below: below?.(columns) ?? [],
      helpRows: this.#region.maxRows,
    });
    this.#region.update(written, lines, cursor);
  }

  #finish(entered: LineResult): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#line.stop();
    for (const release of this.#releases) release();
    const written = this.#options.standing?.(this.#columns, { isDue: true }) ?? [];
    const sent = entered.kind === "back" ? [] : this.#line.render({ isOver: true }).lines;
    if (!this.#line.isCovered) this.#region.update([...written, ...sent], []);
    if (entered.kind === "line") this.#line.input.clear();
    this.#resolve(entered);
  }
}
