/**
 * Plugin manifests that have passed every check, word for word, so that start-up does not check them again: to compare
 * them takes less time than to hash them. What cannot be read counts as unknown and is checked; what cannot be written is checked again next time.
 */
import { updateLocked } from "../lib/locked_file.ts";
import { isObject } from "../lib/schema.ts";
import { readJsonIfAny } from "./json_file.ts";

/** Characters of manifests that are remembered though this run has not met them; beyond that the oldest go. */
const MAX_UNUSED = 100_000;

/** The manifests that one version of ally has checked. */
export class KnownManifests {
  readonly #path: string;
  readonly #version: string;
  readonly #added = new Set<string>();
  /** Those that this run has asked for. */
  readonly #used = new Set<string>();
  #known: ReadonlySet<string> | undefined;

  /** `path` of the file, which need not exist; `version` of the checks: what another one passed counts as unknown. */
  constructor(options: { path: string; version: string }) {
    this.#path = options.path;
    this.#version = options.version;
  }

  /** Whether just this text has passed. */
  has(text: string): boolean {
    this.#known ??= new Set(this.#read(this.#path));
    const isKnown = this.#known.has(text);
    if (isKnown) this.#used.add(text);
    return isKnown;
  }

  /** Notes that a text has passed; kept with the next `save`. */
  add(text: string): void {
    this.#added.add(text);
  }

  /** Keeps what was added. Never rejects. */
  async save(): Promise<void> {
    if (this.#added.size === 0) return;
    try {
      await updateLocked(this.#path, (path) => {
        const fresh = new Set([...this.#used, ...this.#added]);
        const others = this.#read(path).filter((text) => !fresh.has(text));
        const manifests = [...selectLast(others), ...fresh];
        return Promise.resolve(`${JSON.stringify({ version: this.#version, manifests })}\n`);
      });
    } catch {
      // They are checked again.
    }
  }

  #read(path: string): string[] {
    const value = readJsonIfAny(path);
    if (!isObject(value) || value.version !== this.#version) return [];
    return Array.isArray(value.manifests) ? value.manifests.map(String) : [];
  }
}

/** As many of the last ones as may be remembered. */
function selectLast(texts: readonly string[]): string[] {
  let room = MAX_UNUSED;
  const first = texts.findLastIndex((text) => (room -= text.length) < 0);
  return texts.slice(first + 1);
}
