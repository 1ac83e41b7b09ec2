/**
 * Finds sessions by words of their titles and of what the user said in them, by their branch or by their id.
 */
import type { SearchableSummary } from "./session_summary.ts";

/** Sessions that can be searched again and again, mostly with one letter more. */
export class SessionSearch {
  readonly #entries: readonly {
    readonly summary: SearchableSummary;
    readonly title: string;
    readonly all: string;
  }[];

  /** In the order in which those that match equally well are wanted. */
  constructor(summaries: readonly SearchableSummary[]) {
    this.#entries = summaries.map((summary) => {
      const title = summary.title.toLowerCase();
      const { id, branch = "", words } = summary;
      return { summary, title, all: `${title}\n${branch}\n${id}\n${words}`.toLowerCase() };
    });
  }

  /**
   * The sessions that have all words, those with more of them in the title first; if there are none, those whose title
   * has the letters in their order.
   */
  find(typed: string): readonly SearchableSummary[] {
    const wanted = typed.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const found = this.#entries.filter(({ all }) => wanted.every((word) => all.includes(word)));
    const inTitle = ({ title }: { title: string }) =>
      wanted.filter((word) => title.includes(word)).length;
    const best = found.length > 0
      ? found.toSorted((a, b) => inTitle(b) - inTitle(a))
      : this.#entries.filter(({ title }) => hasLetters(wanted.join(""), title));
    return best.map(({ summary }) => summary);
  }
}

/** Whether a text has some letters in their order. */
function hasLetters(letters: string, text: string): boolean {
  let at = 0;
  for (const letter of text) if (letter === letters[at]) at++;
  return at === letters.length;
}
