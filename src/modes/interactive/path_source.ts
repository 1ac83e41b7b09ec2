/**
 * Paths of the workspace, found by a few of their letters. What was read, changed or written of late comes before
 * what matches as well.
 */
import { dirname } from "node:path";
import { escapeMention, unescapeMention } from "../../app/mentions.ts";
import { exists } from "../../lib/fs.ts";
import { FuzzyList, type FuzzyMatch } from "../../lib/fuzzy_list.ts";
import { stripControls } from "../../lib/text.ts";
import type { ListedPaths } from "../../workspace/listed_paths.ts";
import { PathList } from "../../workspace/path_list.ts";
import { describePath } from "../../workspace/paths.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import {
  type Candidate,
  findEarly,
  type Found,
  MAX_ITEMS,
  NOTHING,
  orNothing,
  type SuggestionSource,
} from "./suggestion_source.ts";

/** What is added to the rank of a path, of which 1 is the best; where there are several, the first gets most. */
const BONUS = { touched: 0.15, changed: 0.06, newest: 0.05 } as const;

/** How likely a path is that was found by the directory it names. */
const LISTED_SCORE = 0.9;
/** Paths that say where they are: one directory is listed, whatever git ignores. */
const DIRECT = /^(?:\/|\.{1,2}\/)|\/$/;
/** Letters for what is hidden. */
const HIDDEN = /^\.|\/\./;

/** The paths of one workspace. */
export class PathSource implements SuggestionSource {
  readonly #workspace: Workspace;
  readonly #list: PathList;
  /** The lists that are searched, of the paths as they were listed last. */
  #searched: { listed: ListedPaths; shown: FuzzyList; all: FuzzyList } | undefined;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#list = new PathList({ roots: workspace.workspaceRoots });
  }

  /** Ends work in the background. */
  close(): void {
    this.#list.close();
  }

  /** As written in a line: blanks are escaped. @throws {DOMException} aborted */
  async find(written: string, signal: AbortSignal): Promise<Found> {
    const letters = unescapeMention(written);
    this.#list.refresh();
    if (DIRECT.test(letters)) {
      const listed = await this.#listDirectory(letters);
      if (listed.items.length > 0) return listed;
    }
    const { current, listing } = this.#list;
    const search = () => this.#search(letters, signal);
    if (listing === undefined) return await search();
    return current === undefined
      ? await findEarly(listing.then(search), () => this.#listDirectory(letters))
      : { ...await search(), later: orNothing(listing.then(search)) };
  }

  async #search(letters: string, signal: AbortSignal): Promise<Found> {
    const listed = this.#list.current;
    if (listed === undefined) return NOTHING;
    if (this.#searched?.listed !== listed) {
      const { shown, hidden } = listed;
      this.#searched = {
        listed,
        shown: new FuzzyList(shown),
        all: new FuzzyList([...hidden, ...shown]),
      };
    }
    const list = HIDDEN.test(letters) ? this.#searched.all : this.#searched.shown;
    const touched = this.#workspace.touched.filter(exists)
      .map((path) => describePath(path, this.#workspace.workspaceRoots).display);
    const bonus = rankBonus({ ...listed, touched });
    if (letters === "") return firstPaths(list, bonus);
    const { best, total } = await list.find(letters, { limit: MAX_ITEMS, bonus, signal });
    if (total === 0 && letters.includes("/")) return await this.#listDirectory(letters);
    const items = best.filter(({ text }) => text !== letters)
      .map((match) => toCandidate(match.text, match));
    return { items, rest: total - best.length };
  }

  /** What a directory has that begins with the last part of a path. */
  async #listDirectory(path: string): Promise<Found> {
    const stem = path.slice(path.lastIndexOf("/") + 1);
    const base = path.slice(0, path.length - stem.length);
    try {
      const directory = await this.#workspace.resolve(path.endsWith("/") ? path : dirname(path));
      if (!directory.inside) return NOTHING;
      const names = (await this.#workspace.list(directory))
        .filter(({ name }) => name.startsWith(stem) && (stem !== "" || !name.startsWith(".")))
        .filter(({ name }) => stripControls(name) === name)
        .map(({ name, kind }) => base + name + (kind === "directory" ? "/" : ""))
        .sort();
      const marks = Array.from(path, (_, index) => index);
      return {
        items: names.slice(0, MAX_ITEMS).map((name) =>
          toCandidate(name, { marks, score: LISTED_SCORE })
        ),
        rest: Math.max(0, names.length - MAX_ITEMS),
      };
    } catch {
      return NOTHING;
    }
  }
}

/** What is added to the rank of paths. */
export function rankBonus(
  { touched, changed, newest }: Record<keyof typeof BONUS, readonly string[]>,
): ReadonlyMap<string, number> {
  const bonus = new Map<string, number>();
  const add = (path: string, more: number) => bonus.set(path, (bonus.get(path) ?? 0) + more);
  for (const path of changed) add(path, BONUS.changed);
  for (const [at, path] of touched.entries()) add(path, BONUS.touched * (1 - at / touched.length));
  for (const [at, path] of newest.entries()) add(path, BONUS.newest * (1 - at / newest.length));
  return bonus;
}

/** Of all paths first those with a bonus. */
async function firstPaths(list: FuzzyList, bonus: ReadonlyMap<string, number>): Promise<Found> {
  const favoured = [...bonus].sort(([, a], [, b]) => b - a).map(([path]) => path);
  const { best, total } = await list.find("", { limit: MAX_ITEMS });
  void list.prepare().catch(() => {});
  const paths = new Set([...favoured, ...best.map(({ text }) => text)]);
  const items = [...paths].slice(0, MAX_ITEMS).map((path) =>
    toCandidate(path, { marks: [], score: 0 })
  );
  return { items, rest: Math.max(0, total - items.length) };
}

function toCandidate(path: string, { marks, score }: Omit<FuzzyMatch, "text">): Candidate {
  return { label: path, marks, score, insert: escapeMention(path), more: path.endsWith("/") };
}
