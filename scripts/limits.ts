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
    const shown = unit === "" ? figure.toFixed(2) : `${figure.toFixed(0)} ${unit}`;
    const limit = `at most ${most}${unit && ` ${unit}`}`;
    console.log(`${name.padEnd(64)}${shown.padStart(9)}  (${limit})${isKept ? "" : "  TOO MUCH"}`);
  }

  /** Ends the process with 1 if a limit was not kept. */
  exit(): void {
    if (!this.#kept) Deno.exit(1);
  }
}
