/**
 * The lines at the bottom of the screen that still change, below those that stay. Standing lines are written once;
 * live ones are erased and redrawn, and limited to what fits. Where the cursor cannot be moved there are no live lines.
 */
import { onlyStyles } from "./safe_text.ts";
import type { Terminal } from "./terminal.ts";
import { cellWidth } from "./wrap.ts";

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";

/** Standing lines above, changing lines below. */
export class LiveRegion {
  readonly #terminal: Terminal;
  /** As drawn: the cursor is at the end of the last one. */
  #drawn: readonly string[] = [];
  #generation = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Rows for live lines; one is left for the line above. */
  get maxRows(): number {
    return Math.max(1, this.#terminal.rows - 1);
  }

  /** Writes lines that stay and `live` below them, in one write. */
  update(standing: readonly string[], live: readonly string[]): void {
    if (this.#generation !== this.#terminal.generation) {
      this.#generation = this.#terminal.generation;
      this.#drawn = [];
    }
    const shown = this.#terminal.canRedraw ? live.slice(-this.maxRows) : [];
    if (standing.length === 0 && sameLines(shown, this.#drawn)) return;
    const text = standing.map((line) => `${line}\n`).join("") + shown.join("\n");
    const erasure = this.#erasure();
    const before = shown.length > 0 && this.#drawn.length === 0 ? HIDE_CURSOR : "";
    const after = shown.length === 0 && this.#drawn.length > 0 ? SHOW_CURSOR : "";
    this.#drawn = shown;
    const drawing = before + erasure + onlyStyles(text) + after;
    if (drawing !== "") this.#terminal.control(drawing);
  }

  /** Erases the live lines; the cursor is at the start of an empty row. */
  clear(): void {
    this.update([], []);
  }

  /** Counts rows at the current width: a terminal made narrower has wrapped what was drawn. */
  #erasure(): string {
    if (this.#drawn.length === 0) return "";
    const columns = Math.max(1, this.#terminal.columns);
    const rows = this.#drawn.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(cellWidth(line) / columns)),
      0,
    );
    const up = Math.min(rows, this.#terminal.rows) - 1;
    return `\r${up > 0 ? `\x1b[${up}A` : ""}\x1b[J`;
  }
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}
