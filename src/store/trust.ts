/**
 * What the user has decided about the files of projects, in `trust.json`: by directory, for which contents. A
 * file that is not understood counts as no trust at all and is never written over. Used by `cli/project.ts`.
 */
import type { ProjectFile } from "../core/project.ts";
import { parseJson } from "../lib/json_text.ts";
import { updateLocked } from "../lib/locked_file.ts";
import { isObject } from "../lib/schema.ts";
import { messageOf } from "../lib/text.ts";

const VERSION = 1;

/** A decision about one content of one file. */
export interface TrustDecision {
  readonly trusted: boolean;
  /** ISO 8601. */
  readonly decided: string;
  readonly hash: string;
  /** Kept to show later what changed. */
  readonly text: string;
}

/** The last decision about each file of a directory, by path. */
export type TrustDecisions = ReadonlyMap<string, TrustDecision>;

/** The decisions of a user. */
export class TrustStore {
  readonly #path: string;

  /** `path` of the file; it need not exist. */
  constructor(options: { path: string }) {
    this.#path = options.path;
  }

  /**
   * What was decided about the files of a directory (absolute and canonical).
   * @throws {Error} the file cannot be read or understood: it counts as no decision
   */
  async read(directory: string): Promise<TrustDecisions> {
    return decisionsIn(await this.#projects(), directory);
  }

  /**
   * Remembers a decision about some files, in place of earlier ones about the same paths.
   * @throws {Error} the file cannot be understood, or not be written; it is as it was
   */
  async remember(
    directory: string,
    decision: { trusted: boolean; files: readonly ProjectFile[] },
  ): Promise<void> {
    const { trusted, files } = decision;
    const decided = new Date().toISOString();
    await updateLocked(this.#path, async (path) => {
      const projects = await this.#projects(path);
      const record = {
        ...Object.fromEntries(decisionsIn(projects, directory)),
        ...Object.fromEntries(
          files.map(({ path, hash, text }) => [path, { trusted, decided, hash, text }]),
        ),
      };
      const content = { version: VERSION, projects: { ...projects, [directory]: record } };
      return `${JSON.stringify(content, undefined, 2)}\n`;
    });
  }

  async #projects(path = this.#path): Promise<Record<string, unknown>> {
    let text: string;
    try {
      text = await Deno.readTextFile(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return {};
      throw new Error(`Cannot read ${this.#path}: ${messageOf(error)}`, { cause: error });
    }
    const value = parseJson(text);
    if (isObject(value) && value.version === VERSION && isObject(value.projects)) {
      return value.projects;
    }
    throw new Error(
      `Cannot use ${this.#path}: it is damaged, or of another version of ally. ` +
        "Correct it, or remove it: then each project is asked about anew.",
    );
  }
}

function decisionsIn(projects: Record<string, unknown>, directory: string): TrustDecisions {
  const project = Object.hasOwn(projects, directory) ? projects[directory] : undefined;
  if (!isObject(project)) return new Map();
  const known = Object.entries(project).filter((entry): entry is [string, TrustDecision] =>
    isTrustDecision(entry[1])
  );
  return new Map(known);
}

function isTrustDecision(value: unknown): value is TrustDecision {
  return isObject(value) && typeof value.trusted === "boolean" &&
    [value.decided, value.hash, value.text].every((field) => typeof field === "string");
}
