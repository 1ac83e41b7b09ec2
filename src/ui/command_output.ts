/**
 * The output of a person's own command, as it comes: whole lines stand at once, the unfinished one stays live, since
 * progress may overwrite it.
 */
import { overwriteLines } from "../lib/text.ts";
import { safeLines } from "./safe_text.ts";

/** Draws lines that stand, and one that may change. */
interface OutputScreen {
  writeLines(lines: readonly string[], unfinished?: string): void;
}

/** Characters kept of an unfinished line. */
const MAX_UNFINISHED = 8000;

/** The output of one command. */
export class CommandOutput {
  readonly #screen: OutputScreen;
  #unfinished = "";

  constructor(screen: OutputScreen) {
    this.#screen = screen;
  }

  /** Adds a piece of it. */
  add(chunk: string): void {
    const text = this.#unfinished + chunk;
    const end = text.lastIndexOf("\n") + 1;
    this.#unfinished = text.slice(end).slice(-MAX_UNFINISHED);
    const [live = ""] = safeLines(overwriteLines(this.#unfinished));
    this.#screen.writeLines(safeLines(overwriteLines(text.slice(0, end))), live);
  }

  /** Lets the last line stand, if it has no end. */
  end(): void {
    if (this.#unfinished !== "") this.add("\n");
  }
}
