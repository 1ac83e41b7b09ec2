/**
 * Finds texts by some of their letters, in order. Ranking and the letters to mark are fuzzysort's, but what that
 * keeps of a text takes some 1,500 bytes. So a long list is narrowed first, by looks at the plain texts: what has all
 * letters, and of that what has them together, most of all in its last part. Only the most likely are then ranked.
 */
import type { Prepared } from "fuzzysort";
import { TimeSlice } from "./time_slice.ts";

/** A text that was found. */
export interface FuzzyMatch {
  readonly text: string;
  /** Offsets of the matched letters, ascending. */
  readonly marks: readonly number[];
  /** How well it matches: 1 is best, 0.5 is good; its bonus is in it. 0 where nothing was looked for. */
  readonly score: number;
}

/** What was found. */
interface FuzzyMatches {
  /** The best first. */
  readonly best: readonly FuzzyMatch[];
  /** How many texts have all letters. */
  readonly total: number;
}

/** How a search is done. */
interface FindOptions {
  /** Matches that are returned. */
  readonly limit: number;
  /** By text of the list, what is added to its rank, of which 1 is the best. */
  readonly bonus?: ReadonlyMap<string, number>;
  /** Ends the search. */
  readonly signal?: AbortSignal;
}

/** Texts that are ranked; of a list that has no more nothing is left out first. */
const MAX_RANKED = 1000;
/** Prepared texts that are kept for the next letter. */
const MAX_PREPARED = 4 * MAX_RANKED;

/** Where the letters are, the likeliest first; what has them in no such place is at the end. */
const TIERS = 4;
const SCATTERED = TIERS - 1;

/** A text as it is looked at. */
interface Entry {
  readonly text: string;
  readonly lower: string;
  /** Where its last part begins: a name after a slash, with the slash that may end it. */
  readonly last: number;
}

/** A list in which is searched again and again, mostly with one letter more. */
export class FuzzyList {
  /** All texts, in their order. */
  readonly texts: readonly string[];
  #entries: Promise<readonly Entry[]> | undefined;
  /** What has all letters of the last search: with more letters nothing else has them. */
  #last: { readonly letters: string; readonly found: readonly Entry[] } | undefined;
  readonly #prepared = new Map<string, Prepared>();

  constructor(texts: readonly string[]) {
    this.texts = texts;
  }

  /** Does in the background what the first letter would otherwise wait for. */
  async prepare(): Promise<void> {
    await Promise.all([import("fuzzysort"), this.#open()]);
  }

  /** The best matches; of a search for nothing the first texts. @throws {DOMException} aborted */
  async find(query: string, { limit, bonus, signal }: FindOptions): Promise<FuzzyMatches> {
    const letters = query.toLowerCase().replace(/\s/g, "");
    if (letters === "") {
      const first = this.texts.slice(0, limit).map((text) => ({ text, marks: [], score: 0 }));
      return { best: first, total: this.texts.length };
    }
    const { go, prepare } = await import("fuzzysort");
    const narrowed = this.texts.length > MAX_RANKED
      ? await this.#narrow(letters, { bonus, slice: new TimeSlice(signal) })
      : undefined;
    const likely = narrowed?.likely ?? this.texts;
    const ranked = go(query.trim(), this.#prepare(likely, prepare), {
      limit,
      threshold: 0,
      ...bonus && { scoreFn: ({ score, target }) => score + (bonus.get(target) ?? 0) },
    });
    // Of what ranks alike, the order is the list's.
    const order = new Map(likely.map((text, index) => [text, index]));
    const orderOf = (text: string) => order.get(text) ?? 0;
    const best = ranked
      .toSorted((a, b) => b.score - a.score || orderOf(a.target) - orderOf(b.target))
      .map(({ target, indexes, score }) => ({
        text: target,
        score,
        marks: [...indexes].sort((a, b) => a - b),
      }));
    return { best, total: narrowed?.total ?? ranked.total };
  }

  #open(): Promise<readonly Entry[]> {
    return this.#entries ??= toEntries(this.texts);
  }

  #prepare(texts: readonly string[], prepare: (text: string) => Prepared): Prepared[] {
    if (this.#prepared.size > MAX_PREPARED) this.#prepared.clear();
    return texts.map((text) => {
      const known = this.#prepared.get(text) ?? prepare(text);
      this.#prepared.set(text, known);
      return known;
    });
  }

  /** The texts that are the most likely to be meant, and how many have all letters. */
  async #narrow(
    letters: string,
    { bonus, slice }: { bonus: ReadonlyMap<string, number> | undefined; slice: TimeSlice },
  ): Promise<{ likely: readonly string[]; total: number }> {
    const all = await this.#open();
    const known = this.#last && letters.startsWith(this.#last.letters) ? this.#last : undefined;
    const tiers: Entry[][] = Array.from({ length: TIERS }, () => []);
    const found: Entry[] = [];
    const favoured: string[] = [];
    for (const entry of known?.found ?? all) {
      const tier = tierOf(entry, letters);
      if (tier !== undefined) {
        tiers[tier]?.push(entry);
        found.push(entry);
        if (bonus?.has(entry.text)) favoured.push(entry.text);
      }
      if (slice.step()) await slice.pause();
    }
    this.#last = { letters, found };
    return { likely: await selectLikely(tiers, { letters, favoured, slice }), total: found.length };
  }
}

/** As they are looked at, made once for all searches. */
async function toEntries(texts: readonly string[]): Promise<Entry[]> {
  const entries: Entry[] = [];
  const slice = new TimeSlice();
  for (const text of texts) {
    entries.push(toEntry(text));
    if (slice.step()) await slice.pause();
  }
  return entries;
}

function toEntry(text: string): Entry {
  const lower = text.toLowerCase();
  return { text, lower, last: lower.lastIndexOf("/", lower.length - 2) + 1 };
}

/** Undefined if a letter is missing. */
function tierOf({ lower, last }: Entry, letters: string): number | undefined {
  if (lower.startsWith(letters, last)) return 0;
  let at = -1;
  for (let index = 0; index < letters.length; index++) {
    at = lower.indexOf(letters[index] ?? "", at + 1);
    if (at < 0) return undefined;
  }
  const together = lower.lastIndexOf(letters);
  if (together < 0) return SCATTERED;
  return together > last ? 1 : 2;
}

/** What is ranked: all that is favoured, then tier by tier, in a tier the shortest. */
async function selectLikely(
  tiers: readonly (readonly Entry[])[],
  { letters, favoured, slice }: {
    letters: string;
    favoured: readonly string[];
    slice: TimeSlice;
  },
): Promise<string[]> {
  const likely = new Set(favoured);
  const add = (entries: readonly Entry[]) => {
    for (const { text } of shortest(entries, MAX_RANKED - likely.size)) likely.add(text);
  };
  for (const tier of tiers.slice(0, SCATTERED)) add(tier);
  const scattered = tiers[SCATTERED] ?? [];
  if (scattered.length > MAX_RANKED - likely.size && likely.size < MAX_RANKED) {
    const pattern = patternOfBeginnings(letters);
    const beginning: Entry[] = [];
    for (const entry of scattered) {
      if (pattern.test(entry.lower)) beginning.push(entry);
      if (slice.step()) await slice.pause();
    }
    add(beginning);
  }
  add(scattered);
  return [...likely];
}

/** The shortest of some entries, at most so many. */
function shortest(entries: readonly Entry[], count: number): readonly Entry[] {
  if (entries.length <= count) return entries;
  const lengths = Uint32Array.from(entries, ({ text }) => text.length).sort();
  const longest = lengths[Math.max(0, count)] ?? 0;
  const kept = entries.filter(({ text }) => text.length < longest);
  return [
    ...kept,
    ...entries.filter(({ text }) => text.length === longest).slice(0, count - kept.length),
  ];
}

/** Letters each of which begins a word or follows the one before. */
function patternOfBeginnings(letters: string): RegExp {
  const parts = Array.from(letters, (letter, index) => {
    const one = RegExp.escape(letter);
    return index === 0 ? `(?:^|[\\W_])${one}` : `(?:${one}|.*?[\\W_]${one})`;
  });
  return new RegExp(parts.join(""));
}
