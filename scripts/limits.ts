// deno-lint-ignore-file no-console
/**
 * Figures of a benchmark beside their limits.
 */

/** How something is measured. */
export interface MeasureOptions {
  /** How often, after one round that warms the caches. */
  readonly rounds: number;
  /** A directory that is removed afterwards. */
  readonly scratch: string;
}

/** Prints figures, and says whether all keep to their limits. */
export class Limits {
  #kept = true;

  /** Notes a figure that must not be above its limit. */
  check(name: string, figure: number, { most, unit = "" }: { most: number; unit?: string }): void {
    const isKept = figure <= most;
    this.#kept &&= isKept;
    const limit = `at most ${most}${unit && ` ${unit}`}`;
    console.log(`${formatFigure(name, figure, unit)}  (${limit})${isKept ? "" : "  TOO MUCH"}`);
  }

  /** Prints a figure that has no limit. */
  show(name: string, figure: number, { unit = "" }: { unit?: string } = {}): void {
    console.log(`${formatFigure(name, figure, unit)}  (no limit)`);
  }

  /** Ends the process with 1 if a limit was not kept. */
  exit(): void {
    if (!this.#kept) Deno.exit(1);
  }
}

function formatFigure(name: string, figure: number, unit: string): string {
  const shown = unit === "" ? figure.toFixed(2) : `${figure.toFixed(0)} ${unit}`;
  return `${name.padEnd(64)}${shown.padStart(9)}`;
}
