/**
 * What a search found, kept within bounds: the lines of the newest files up to a limit, and a count of
 * the rest. Filled by ripgrep's records or by the scan in TypeScript.
 */
import { rangeAround } from "../../src/api.ts";

/** Characters of a line that are kept. */
const MAX_LINE = 500;
/** Characters at the beginning of a line that decide what is shown of it where its beginning is. */
export const MAX_LOOKED_AT = 3_200;
/** What is shown where a match stands in a run that might hold a secret and is too long to be shown whole. */
const NOT_SHOWN = "[a long run of characters without a blank is not shown]";
/** Matching lines after which counting stops: a search for more costs the most, and would not be read. */
const MAX_COUNT = 2000;

/** A line with its matches replaced. */
export interface LineChange {
  /** Without its `\n`. */
  readonly before: string;
  readonly after: string;
  /** Matches in it. */
  readonly count: number;
}

/** One line of a file with a match, or around one. */
export interface HitLine {
  /** From 1; 0 if it is not known. */
  readonly line: number;
  readonly content: string;
  /** Position of the first match, from 1; undefined for a line of context, 0 if not known. */
  readonly column: number | undefined;
  /** Set if the search replaces. */
  readonly change?: LineChange;
  /** Where ripgrep found it, in bytes: as many as it takes to show it. */
  readonly source?: { readonly start: number; readonly length: number };
}

/** The lines of one file. */
export interface FileHits {
  /** Below the root of the search. */
  readonly path: string;
  readonly lines: readonly HitLine[];
}

/** Collects lines file by file. */
export class Hits {
  readonly files: FileHits[] = [];
  readonly #limit: number;
  #total = 0;
  #kept = 0;

  /** Keeps at most `limit` matching lines, and counts at least as many. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Matching lines found, kept or not. */
  get total(): number {
    return this.#total;
  }

  /** Matching lines kept. */
  get keptCount(): number {
    return this.#kept;
  }

  /** Puts what is left of the lines in their place; lines left out are not counted either. */
  replaceFiles(files: readonly FileHits[]): void {
    const kept = files.reduce((sum, { lines }) => sum + countMatching(lines), 0);
    this.#total -= this.#kept - kept;
    this.#kept = kept;
    this.files.splice(0, Infinity, ...files.filter(({ lines }) => countMatching(lines) > 0));
  }

  /** Whether there is no use in going on. */
  get isFull(): boolean {
    return this.#total >= Math.max(MAX_COUNT, this.#limit);
  }

  /** Matching lines that one more file may bring. */
  get room(): number {
    return this.#limit - this.#kept;
  }

  /** Adds a file with its lines in order; `total` counts its matching lines, kept or not. */
  add(file: FileHits, total: number): void {
    if (total === 0) return;
    this.#total += total;
    const matching = countMatching(file.lines);
    this.#kept += matching;
    if (matching > 0) this.files.push(file);
  }

  /** Adds files held whole, in their order, each as far as there is room for it. */
  addAll(files: readonly FileHits[]): void {
    for (const { path, lines } of files) {
      const room = this.room;
      let total = 0;
      const kept = lines.filter(({ column }) => {
        if (column !== undefined) total++;
        return total <= room;
      });
      this.add({ path, lines: kept }, total);
    }
  }
}

function countMatching(lines: readonly HitLine[]): number {
  return lines.filter(({ column }) => column !== undefined).length;
}

/** Cuts a long line to what stands around a position (from 0), and to no part of what may be a secret. */
export function cutAround(text: string, position: number): string {
  if (text.length <= MAX_LINE) return text;
  const from = Math.max(0, Math.min(position - MAX_LINE / 4, text.length - MAX_LINE));
  const shown = rangeAround(text, { position, from, to: from + MAX_LINE });
  const { start = from, end = from + MAX_LINE } = shown ?? {};
  const cut = shown === undefined ? NOT_SHOWN : text.slice(start, end).toWellFormed();
  return `${start > 0 ? "…" : ""}${cut}${end < text.length ? "…" : ""}`;
}
