/**
 * Plugin manifests that have passed every check, by the SHA-256 of their text, so that start-up does not check them
 * again. What cannot be read counts as unknown and is checked; what cannot be written is checked again next time.
 */
import { updateLocked } from "../lib/locked_file.ts";
import { isObject } from "../lib/schema.ts";
import { hashShortText } from "../lib/text_hash.ts";
import { readJsonIfAny } from "./json_file.ts";

/** Manifests that are remembered; beyond that the ones remembered longest are forgotten. */
const MAX_KNOWN = 1000;

/** The manifests that one version of ally has checked. */
export class KnownManifests {
  readonly #path: string;
  readonly #version: string;
  readonly #added = new Set<string>();
  #hashes: ReadonlySet<string> | undefined;

  /** `path` of the file, which need not exist; `version` of the checks: what another one passed counts as unknown. */
  constructor(options: { path: string; version: string }) {
    this.#path = options.path;
    this.#version = options.version;
  }

  /** Whether just this text has passed. */
  has(text: string): boolean {
    this.#hashes ??= new Set(this.#read(this.#path));
    return this.#hashes.has(hashShortText(text));
  }

  /** Notes that a text has passed; kept with the next `save`. */
  add(text: string): void {
    this.#added.add(hashShortText(text));
  }

  /** Keeps what was added. Never rejects. */
  async save(): Promise<void> {
    if (this.#added.size === 0) return;
    try {
      await updateLocked(this.#path, (path) => {
        const manifests = [...new Set([...this.#read(path), ...this.#added])].slice(-MAX_KNOWN);
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
