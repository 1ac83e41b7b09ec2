/**
 * What the user has decided about the files of projects, in `trust.json`: by directory, for which contents. A
 * file that is not understood counts as no trust at all and is never written over.
 */
import type { ProjectFile } from "../core/project.ts";
import { isObject } from "../lib/schema.ts";
import { JsonFile } from "./json_file.ts";

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

const SCHEMA = {
  type: "object",
  required: ["version", "projects"],
  properties: { version: { const: VERSION }, projects: { type: "object" } },
} as const;

interface Content {
  readonly version: typeof VERSION;
  /** By directory; an entry that is not understood counts as no decision. */
  readonly projects: Readonly<Record<string, unknown>>;
}

/** The decisions of a user. */
export class TrustStore {
  readonly #file: JsonFile<Content>;

  /** `path` of the file; it need not exist. */
  constructor({ path }: { path: string }) {
    const empty: Content = { version: VERSION, projects: {} };
    const ifRemoved = "each project is asked about anew";
    this.#file = new JsonFile({ path, schema: SCHEMA, empty, ifRemoved });
  }

  /**
   * What was decided about the files of a directory (absolute and canonical).
   * @throws {UsageError} the file cannot be read or understood: it counts as no decision
   */
  async read(directory: string): Promise<TrustDecisions> {
    return decisionsIn(await this.#file.read(), directory);
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
    await this.#file.change((content) => {
      const record = {
        ...Object.fromEntries(decisionsIn(content, directory)),
        ...Object.fromEntries(
          files.map(({ path, hash, text }) => [path, { trusted, decided, hash, text }]),
        ),
      };
      return { ...content, projects: { ...content.projects, [directory]: record } };
    });
  }
}

function decisionsIn({ projects }: Content, directory: string): TrustDecisions {
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
