/**
 * What was typed before, in all projects: found by a few letters, that of this project first.
 */
import { basename } from "node:path";
import { FuzzyList } from "../../lib/fuzzy_list.ts";
import { HIDDEN_CHARACTER } from "../../lib/text.ts";
import type { HistoryEntry } from "../../store/history.ts";
import { type Found, MAX_ITEMS, type SuggestionSource } from "./suggestion_source.ts";

/** What is added to the rank of a text, of which 1 is the best; the older, the less of it for being new. */
const BONUS = { project: 0.15, newest: 0.15 } as const;

/** A history, as it was when the search began. */
export class HistorySource implements SuggestionSource {
  readonly #list: FuzzyList;
  readonly #bonus = new Map<string, number>();
  /** Of texts that were only typed elsewhere, the names of the projects. */
  readonly #places = new Map<string, string>();

  /** `entries` are the oldest first, `project` is the directory of this session. */
  constructor(entries: readonly HistoryEntry[], { project }: { project: string }) {
    const newest = entries.toReversed().filter(({ text }) => !HIDDEN_CHARACTER.test(text));
    const own = new Set(newest.flatMap((entry) => entry.project === project ? [entry.text] : []));
    const texts = [...own.union(new Set(newest.map(({ text }) => text)))];
    this.#list = new FuzzyList(texts);
    const ages = [...new Set(newest.map(({ text }) => text))];
    for (const [age, text] of ages.entries()) {
      const freshness = BONUS.newest * (1 - age / ages.length);
      this.#bonus.set(text, freshness + (own.has(text) ? BONUS.project : 0));
    }
    for (const { text, project } of entries) {
      if (project !== undefined && !own.has(text)) this.#places.set(text, basename(project));
    }
  }

  /** Without letters all texts, the newest first. @throws {DOMException} aborted */
  async find(letters: string, signal: AbortSignal): Promise<Found> {
    const options = { limit: MAX_ITEMS, bonus: this.#bonus, signal };
    const { best, total } = await this.#list.find(letters, options);
    const items = best.map(({ text, ...match }) => {
      const detail = this.#places.get(text);
      return { ...match, label: text, insert: text, ...detail !== undefined && { detail } };
    });
    return { items, rest: total - items.length };
  }
}
