/**
 * What the sources of suggestions have in common: each finds by a few letters, at once or a little later.
 */
import { FuzzyList } from "../../lib/fuzzy_list.ts";
import { stripControls } from "../../lib/text.ts";
import type { Suggestion } from "../../ui/suggestion_rows.ts";

/** Something that may be meant, and how likely: 1 is best, 0.5 is good, 0 where there are no letters yet. */
export interface Candidate extends Suggestion {
  readonly score: number;
}

/** What a source has found. */
export interface Found {
  /** The likeliest first. */
  readonly items: readonly Candidate[];
  /** How many more match. */
  readonly rest: number;
  /** All that matches, where it is still being looked for. Never rejects. */
  readonly later?: Promise<Found>;
}

/** A place where things are that a person may mean. */
export interface SuggestionSource {
  /** What may be meant by some letters. @throws {DOMException} aborted */
  find(letters: string, signal: AbortSignal): Promise<Found>;
}

/** Items that a list offers: more are scrolled through by nobody. */
export const MAX_ITEMS = 50;
/** Milliseconds after which what is there is shown. */
const EARLY_MS = 60;

/** Nothing. */
export const NOTHING: Found = { items: [], rest: 0 };

/** What a search finds, or, where that takes long, what there is meanwhile, with the rest later. */
export async function findEarly(
  search: Promise<Found>,
  meanwhile: () => Promise<Found> = () => Promise.resolve(NOTHING),
): Promise<Found> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), EARLY_MS);
  const found = await Promise.race([search, promise]);
  clearTimeout(timer);
  return found ?? { ...await meanwhile(), later: orNothing(search) };
}

/** What is found later; nothing if it is no longer looked for, since perhaps nobody waits for it. */
export function orNothing(search: Promise<Found>): Promise<Found> {
  return search.catch(() => NOTHING);
}

/** Joins what several sources have found, the likeliest first; of what is as likely the order is that of the sources. */
export function joinFound(all: readonly Found[]): Found {
  const items = all.flatMap((found) => found.items).sort((a, b) => b.score - a.score);
  const rest = all.reduce((sum, found) => sum + found.rest, 0);
  const isWhole = all.every(({ later }) => later === undefined);
  return {
    items: items.slice(0, MAX_ITEMS),
    rest: rest + Math.max(0, items.length - MAX_ITEMS),
    ...!isWhole && {
      later: Promise.all(all.map((found) => found.later ?? found)).then(joinFound),
    },
  };
}

/** A thing with a name, which may have others that find it too. */
export interface Named extends Suggestion {
  readonly aliases?: readonly string[];
}

/** Finds among a few things by their labels, then by their other names. */
export async function findNamed(
  things: readonly Named[],
  letters: string,
  signal: AbortSignal,
): Promise<Found> {
  const byName = new Map<string, Named>();
  for (const thing of things.filter(canBeTyped)) byName.set(thing.label, thing);
  for (const thing of byName.values()) {
    for (const alias of thing.aliases ?? []) if (!byName.has(alias)) byName.set(alias, thing);
  }
  const aliases = new Set(byName.keys().filter((name) => byName.get(name)?.label !== name));
  const limit = byName.size;
  const names = letters === ""
    ? [...byName.keys()].filter((name) => !aliases.has(name))
    : byName.keys();
  const { best } = await new FuzzyList([...names]).find(letters, { limit, signal });
  const items = new Map<string, Candidate>();
  for (const { text, marks, score } of best) {
    const thing = byName.get(text);
    if (thing === undefined || items.has(thing.label)) continue;
    items.set(thing.label, { ...thing, score, marks: aliases.has(text) ? [] : marks });
  }
  return { items: [...items.values()], rest: 0 };
}

function canBeTyped({ insert }: Suggestion): boolean {
  return stripControls(insert) === insert;
}
