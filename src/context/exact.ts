/**
 * Counts tokens exactly, as `cl100k_base` makes them: the table of which the vocabularies that people run
 * themselves (Llama 3, Qwen) are extensions, and half the size of its successor. The table and the pattern
 * are js-tiktoken's; its merging is not used, because it takes minutes for a long run of one character and
 * half a second to be made. Loading it takes time: it is for where precision matters.
 */
import { TimeSlice } from "../lib/time_slice.ts";

/** Characters of one word that are merged together: without a bound the time would be its square. */
const MAX_PIECE = 64;
/** Characters that are cut into words together: the pattern needs room for each character of a run. */
const MAX_BLOCK = 32_768;
/** Words remembered with their counts: most of a text is words that came before. */
const MAX_KNOWN = 50_000;

/** Holds the table. */
export class ExactCounter {
  /** By the bytes of a token, each as one character. */
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #words: RegExp;
  readonly #known = new Map<string, number>();
  readonly #encoder = new TextEncoder();

  private constructor(ranks: ReadonlyMap<string, number>, pattern: string) {
    this.#ranks = ranks;
    this.#words = new RegExp(pattern, "gu");
  }

  /** Loads the table, in slices between which the program goes on. */
  static async load(): Promise<ExactCounter> {
    const { default: table } = await import("js-tiktoken/ranks/cl100k_base");
    const ranks = new Map<string, number>();
    const slice = new TimeSlice();
    for (const line of table.bpe_ranks.split("\n")) {
      const [, first, ...tokens] = line.split(" ");
      let rank = Number(first);
      for (const token of tokens) {
        ranks.set(atob(token), rank++);
        if (slice.step()) await slice.pause();
      }
    }
    return new ExactCounter(ranks, table.pat_str);
  }

  /** Tokens of a text, in a time that grows with its length alone. */
  count(text: string): number {
    let tokens = 0;
    for (const block of splitPieces(text, MAX_BLOCK)) {
      for (const [word] of block.matchAll(this.#words)) {
        const pieces = word.length <= MAX_PIECE ? [word] : splitPieces(word, MAX_PIECE);
        for (const piece of pieces) tokens += this.#countPiece(piece);
      }
    }
    return tokens;
  }

  #countPiece(piece: string): number {
    const known = this.#known.get(piece);
    if (known !== undefined) return known;
    const bytes = this.#bytesOf(piece);
    const tokens = this.#ranks.has(bytes) ? 1 : countMerged(bytes, this.#ranks);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(piece, tokens);
    return tokens;
  }

  #bytesOf(piece: string): string {
    // deno-lint-ignore no-control-regex
    return /^[\x00-\x7f]*$/.test(piece)
      ? piece
      : String.fromCharCode(...this.#encoder.encode(piece));
  }
}

/** Merges the pair of neighbours with the lowest rank until no pair is a token; how many are left. */
function countMerged(bytes: string, ranks: ReadonlyMap<string, number>): number {
  // Where each part begins, and the rank of what it makes with the part behind it.
  const starts = Array.from({ length: bytes.length + 1 }, (_, index) => index);
  const rankAt = (index: number) =>
    index + 2 < starts.length
      ? ranks.get(bytes.slice(starts[index], starts[index + 2])) ?? Infinity
      : Infinity;
  const pairs = starts.map((_, index) => rankAt(index));
  for (;;) {
    let best = 0;
    for (let index = 1; index < pairs.length; index++) {
      if (pairs[index]! < pairs[best]!) best = index;
    }
    if (pairs[best] === Infinity) return starts.length - 1;
    starts.splice(best + 1, 1);
    pairs.splice(best + 1, 1);
    pairs[best] = rankAt(best);
    if (best > 0) pairs[best - 1] = rankAt(best - 1);
  }
}

/** A text in pieces of at most so many characters, none of which is cut in two. */
function* splitPieces(text: string, longest: number): Generator<string> {
  let start = 0;
  while (text.length - start > longest) {
    let end = start + longest;
    const last = text.charCodeAt(end - 1);
    if (last >= 0xd800 && last <= 0xdbff) end--;
    yield text.slice(start, end);
    start = end;
  }
  if (start < text.length) yield text.slice(start);
}
