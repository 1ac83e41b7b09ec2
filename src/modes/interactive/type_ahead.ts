/**
 * What a person types while ally works. A line sent then waits in a queue: words steer the running turn before its
 * next request; what is left runs when the turn has ended well, and goes back into the editor when it has not. Escape
 * gives the last line back, and stops the turn if nothing waits.
 */
import { route } from "../../slash/table.ts";
import { EditedLine, type LineAids } from "../../ui/edited_line.ts";
import { watchKeys } from "../../ui/keys.ts";
import { type EditingMode, LineInput } from "../../ui/line_input.ts";
import type { Style } from "../../ui/palettes.ts";
import type { Suspend } from "../../ui/suspend.ts";
import type { Terminal } from "../../ui/terminal.ts";
import type { Theme } from "../../ui/theme.ts";
import type { QueuedInput } from "../../ui/typing_view.ts";

/** Where typing is read and shown. */
interface TypeAheadOptions {
  readonly terminal: Terminal;
  readonly theme: Theme;
  /** What helps to write a line. */
  readonly aids: LineAids;
  /** Holds back what would be drawn, while an editor or a search has the screen. */
  readonly suspend: Suspend;
  /** Ends an editor and a search. */
  readonly signal: AbortSignal;
  /** Whose keys the line has. @default Emacs's */
  readonly editing?: () => EditingMode;
  /** Draws what is typed. */
  readonly show: (typing: QueuedInput) => void;
  /** Says something about a line, such as that it waits, where nothing can be drawn live. */
  readonly say: (style: Style, text: string) => void;
  /** Each Ctrl+C. */
  readonly onInterrupt: () => void;
  /** Escape with nothing that waits. */
  readonly onEscape: () => void;
  /** Ctrl+N: the model is to answer. */
  readonly onAnswer: () => void;
  /** Shift+Tab: the session takes the next mode. */
  readonly onCycleMode: () => void;
  /** Ctrl+O: all of what was shortened last is wanted. */
  readonly onOpen: () => void;
  /** The end of input. */
  readonly onEnd: () => void;
  /** Whether a line waits in the queue, or was dealt with. */
  readonly onLine: (line: string) => "queue" | "done";
}

/** The unfinished line and the queue. */
export class TypeAhead {
  /** The line that is typed, at the prompt and while ally works. */
  readonly line: LineInput;
  readonly #options: TypeAheadOptions;
  #queue: string[] = [];
  /** The line with its aids, while it is typed. */
  #edited: EditedLine | undefined;

  constructor(options: TypeAheadOptions) {
    this.line = new LineInput(options.editing && { editing: options.editing });
    this.#options = options;
  }

  /** Lines that wait. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Lets a line wait as if it had been typed ahead. */
  enqueue(line: string): void {
    this.#queue.push(line);
    this.#show();
  }

  /** Lets a line that was taken wait again, before all others. */
  putBack(line: string): void {
    this.#queue.unshift(line);
    this.#show();
  }

  /** Watches the keyboard until the returned function is called. */
  listen(): () => void {
    const { onInterrupt, onAnswer, onCycleMode, onOpen, onEnd, ...options } = this.#options;
    const { terminal, aids, suspend } = options;
    const edited = new EditedLine({
      ...options,
      ...terminal.canRedraw && aids,
      input: this.line,
      onChange: () => this.#show(),
      clearScreen: suspend,
    });
    this.#edited = edited;
    const watch = watchKeys(terminal, {
      line: edited,
      onInterrupt,
      onAnswer,
      onCycleMode,
      onOpen,
      onEnd,
      onEscape: () => this.#escape(),
      onLine: (line) => this.#enter(line),
      onChange: () => this.#show(),
    });
    return () => {
      watch.release();
      edited.stop();
    };
  }

  /** Resolves once no editor and no search has the screen. */
  async uncovered(): Promise<void> {
    await this.#edited?.uncovered();
  }

  /** The next line that waits. */
  next(): string | undefined {
    const line = this.#queue.shift();
    if (line !== undefined) this.#show();
    return line;
  }

  /** The lines for the model at the head of the queue. */
  takePrompts(): string[] {
    const other = this.#queue.findIndex((line) => route(line).kind !== "prompt");
    const words = this.#queue.splice(0, other === -1 ? this.#queue.length : other);
    if (words.length > 0) this.#show();
    return words;
  }

  /** Puts the queue back before the unfinished line. */
  returnLines(): void {
    this.#giveBack(this.#queue.splice(0).join("\n"));
  }

  /** Leaves the unfinished line to the next prompt; where that cannot begin with one, a notice shows it. */
  release(): void {
    const { buffer } = this.line;
    if (buffer.text !== "" && !this.#options.terminal.canRedraw) {
      this.#options.say("dim", `not sent: ${buffer.whole}`);
      buffer.reset("");
    }
    this.#edited = undefined;
    this.#show();
  }

  #enter(line: string): boolean {
    if (line.trim() === "") return true;
    if (this.#options.onLine(line) === "queue") {
      this.#queue.push(line);
      if (!this.#options.terminal.canRedraw) this.#options.say("dim", `queued: ${line}`);
    }
    return true;
  }

  #escape(): void {
    const last = this.#queue.pop();
    if (last !== undefined) this.#giveBack(last);
    else this.#options.onEscape();
  }

  #giveBack(text: string): void {
    const { buffer } = this.line;
    if (text !== "") buffer.prepend(buffer.text === "" ? text : `${text}\n`);
    this.#show();
  }

  #show(): void {
    const edited = this.#edited;
    const isTyped = edited !== undefined && this.line.buffer.text !== "";
    this.#options.show({
      queued: [...this.#queue],
      ...isTyped && { draw: (rows: number) => edited.draw(rows) },
    });
  }
}
