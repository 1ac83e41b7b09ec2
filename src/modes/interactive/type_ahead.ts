/**
 * What a person types while ally works. A line sent then waits in a queue: words steer the running turn before its
 * next request; what is left runs when the turn has ended well, and goes back into the editor when it has not. Escape
 * gives the last line back, and stops the turn if nothing waits.
 */
import { route } from "../../slash/table.ts";
import { watchKeys } from "../../ui/keys.ts";
import { type EditingMode, LineInput } from "../../ui/line_input.ts";
import type { Terminal } from "../../ui/terminal.ts";
import type { QueuedInput } from "../../ui/typing_view.ts";

/** Where typing is read and shown. */
interface TypeAheadOptions {
  readonly terminal: Terminal;
  /** Whose keys the line has. @default Emacs's */
  readonly editing?: () => EditingMode;
  /** Draws what is typed. */
  readonly show: (typing: QueuedInput) => void;
  /** Says that a line waits, where nothing can be drawn live. */
  readonly notify: (text: string) => void;
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

  /** Watches the keyboard until the returned function is called. */
  listen(): () => void {
    const { terminal, onInterrupt, onAnswer, onCycleMode, onOpen, onEnd } = this.#options;
    const watch = watchKeys(terminal, {
      line: this.line,
      onInterrupt,
      onAnswer,
      onCycleMode,
      onOpen,
      onEnd,
      onEscape: () => this.#escape(),
      onLine: (line) => this.#enter(line),
      onChange: () => this.#show(),
    });
    return watch.release;
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
      this.#options.notify(`not sent: ${buffer.whole}`);
      buffer.reset("");
    }
    this.#options.show({ queued: [...this.#queue], text: "" });
  }

  #enter(line: string): boolean {
    if (line.trim() === "") return true;
    if (this.#options.onLine(line) === "queue") {
      this.#queue.push(line);
      if (!this.#options.terminal.canRedraw) this.#options.notify(`queued: ${line}`);
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
    const { text, cursor } = this.line.buffer.shown;
    this.#options.show({
      queued: [...this.#queue],
      text,
      ...(cursor < text.length && { cursor }),
    });
  }
}
