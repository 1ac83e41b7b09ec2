/**
 * Checks a file after a change for syntax errors that it did not have before. A parser is loaded when a file of its
 * kind is first changed, and a check that fails never fails the change.
 */
import type { Change, FileCheck } from "../core/files.ts";
import type { FindProblems } from "./checks/problem.ts";

/** Characters of the longest text that is checked. */
const MAX_CHECKED = 1_000_000;
/** @default of `timeLimit` */
const TIME_LIMIT = 2_000;

/** Checks files, and keeps what it has loaded for that. */
export class FileChecks {
  readonly #loaded = new Map<string, Promise<FindProblems>>();
  readonly #timeLimit: number;

  /** @param options.timeLimit milliseconds after which what is left of a commit goes unchecked */
  constructor(options: { timeLimit?: number } = {}) {
    this.#timeLimit = options.timeLimit ?? TIME_LIMIT;
  }

  /** One result for each change, in order; undefined for what cannot be checked. */
  async run(changes: readonly Change[]): Promise<(FileCheck | undefined)[]> {
    const deadline = performance.now() + this.#timeLimit;
    const results: (FileCheck | undefined)[] = [];
    for (const change of changes) {
      const late = performance.now() > deadline;
      results.push(late ? undefined : await this.#check(change).catch(() => undefined));
    }
    return results;
  }

  async #check({ path, before, after }: Change): Promise<FileCheck | undefined> {
    if (after === null || after.length > MAX_CHECKED) return undefined;
    const { checkerFor } = await import("./checks/registry.ts");
    const checker = checkerFor(path.absolute, before);
    if (checker === undefined) return undefined;
    let loading = this.#loaded.get(checker.name);
    if (loading === undefined) {
      loading = checker.load();
      this.#loaded.set(checker.name, loading);
    }
    const find = await loading;
    const now = checkText(after, find);
    const earlier = now.problems.length === 0
      ? { text: "", problems: [] }
      : checkText(before, find);
    if (checker.hasFalsePositives && earlier.problems.length > 0) return undefined;
    const { reportNew } = await import("./checks/report.ts");
    return reportNew(checker.name, now, earlier);
  }
}

function checkText(text: string | null, find: FindProblems) {
  // Parsers count lines by line feeds; a lone return is as long as one.
  const unified = (text ?? "").replace(/\r(?!\n)/g, "\n");
  return { text: unified, problems: unified.trim() === "" ? [] : find(unified) };
}
