/**
 * What a session offers to somebody who types: the list under the line, and the search of what was typed before. What
 * finds is loaded with the first letters that ask for it.
 */
import type { CommandContext, SlashCommand } from "../../slash/command.ts";
import { type HistoryEntry, readHistory } from "../../store/history.ts";
import type { OfferedLine, Paste } from "../../ui/edited_line.ts";
import type { FindSuggestions } from "../../ui/search_list.ts";
import type { Suggestions } from "../../ui/suggestion_rows.ts";
import type { LineSuggestions } from "./suggestions.ts";

/** How a text ends that may be paths of images. */
const IMAGE_PATH = /\.(?:png|jpe?g|webp|gif)['"]?\s*$/i;

/** What is offered from. */
interface LineOffersOptions {
  readonly commands: () => readonly SlashCommand[];
  readonly context: () => CommandContext;
  /** Path of the history of all projects. */
  readonly history: string;
  /** What was typed in this session. */
  readonly typed: () => readonly HistoryEntry[];
  /** The working directory of the session. */
  readonly project: string;
}

/** The offers of one session. */
export class LineOffers {
  readonly #options: LineOffersOptions;
  #suggestions: Promise<LineSuggestions> | undefined;

  constructor(options: LineOffersOptions) {
    this.#options = options;
  }

  /** What may be meant by the end of a line; undefined if nothing is looked for there. */
  async suggest(
    { text, cursor, isAsked }: OfferedLine,
    signal: AbortSignal,
  ): Promise<Suggestions | undefined> {
    const before = text.slice(0, cursor);
    if (!before.startsWith("/") && !before.includes("@") && !isAsked) return undefined;
    this.#suggestions ??= import("./suggestions.ts")
      .then(({ LineSuggestions }) => new LineSuggestions(this.#options));
    return await (await this.#suggestions).find({ before, isAsked }, signal);
  }

  /** Finds what was typed before, in other sessions too. */
  search(): FindSuggestions {
    const source = this.#openHistory();
    return async (letters, signal) => await (await source).find(letters, signal);
  }

  /** The mentions of images whose paths were pasted, as when files are dropped on a terminal; not into a command. */
  convertPaste({ text, before }: Paste): Promise<string | undefined> | undefined {
    if (!IMAGE_PATH.test(text) || /^[!/]/.test(before)) return undefined;
    return import("./pasted_images.ts").then(({ mentionImages }) => mentionImages(text, before));
  }

  /** Ends work in the background. */
  stop(): void {
    void this.#suggestions?.then((suggestions) => suggestions.close());
  }

  async #openHistory() {
    const { history, typed, project } = this.#options;
    const { HistorySource } = await import("./history_source.ts");
    return new HistorySource([...await readHistory(history), ...typed()], { project });
  }
}
