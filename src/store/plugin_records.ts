/**
 * What ally remembers of plugins, in `~/.ally/plugins.json`: what the person allowed to which content, where a
 * plugin came from, and when it last ran. A file that is not understood allows nothing and is never written over.
 */
import { UsageError } from "../core/errors.ts";
import { isMissing } from "../lib/fs.ts";
import { updateLocked } from "../lib/locked_file.ts";
import { isObject, violations } from "../lib/schema.ts";
import { messageOf } from "../lib/text.ts";
import { locateJsonError } from "./config.ts";

const VERSION = 1;
/** Milliseconds between two dates of use that are worth a write. */
const USE_WRITE_INTERVAL_MS = 60_000;

/** What was allowed, for just one content of a plugin. */
export interface StoredConsent {
  /** Of all its files. */
  readonly hash: string;
  readonly version: string;
  /** What it might do then, in plain words. */
  readonly may: readonly string[];
  /** SHA-256 by path, to say later what changed. */
  readonly files: Readonly<Record<string, string>>;
  /** ISO 8601. */
  readonly allowed: string;
}

/** All that is remembered of one plugin. */
export interface PluginRecord {
  readonly consent?: StoredConsent;
  /** Where it was installed from: a path, or `npm:name@1.2.3`. */
  readonly from?: string;
  /** ISO 8601. */
  readonly installed?: string;
  /** ISO 8601, to the minute. */
  readonly used?: string;
}

const TEXT = { type: "string" } as const;
const SCHEMA = {
  type: "object",
  required: ["version", "plugins"],
  properties: {
    version: { const: VERSION },
    plugins: {
      type: "object",
      additionalProperties: {
        type: "object",
        properties: {
          from: TEXT,
          installed: TEXT,
          used: TEXT,
          consent: {
            type: "object",
            required: ["hash", "version", "may", "files", "allowed"],
            properties: {
              hash: TEXT,
              version: TEXT,
              may: { type: "array", items: TEXT },
              files: { type: "object", additionalProperties: TEXT },
              allowed: TEXT,
            },
          },
        },
      },
    },
  },
} as const;

/** The file. */
export class PluginStore {
  readonly #path: string;

  /** `path` of the file; it need not exist. */
  constructor(options: { path: string }) {
    this.#path = options.path;
  }

  /** @throws {UsageError} the file cannot be read or understood: it allows nothing */
  async read(name: string): Promise<PluginRecord> {
    return (await readAll(this.#path)).get(name) ?? {};
  }

  /**
   * Sets fields of one plugin's record; a field that is given as undefined is removed.
   * @throws {UsageError} the file cannot be understood @throws {Error} it cannot be written
   */
  async update(
    name: string,
    fields: { [K in keyof PluginRecord]?: PluginRecord[K] | undefined },
  ): Promise<void> {
    await this.#change((plugins) => plugins.set(name, { ...plugins.get(name), ...fields }));
  }

  /** Forgets all about a plugin. @throws as `update` */
  async forget(name: string): Promise<void> {
    await this.#change((plugins) => plugins.delete(name));
  }

  /** Dates a use; what it dates goes on whatever comes of it. */
  async recordUse(name: string): Promise<void> {
    try {
      const { used = "" } = await this.read(name);
      if (Date.now() - (Date.parse(used) || 0) < USE_WRITE_INTERVAL_MS) return;
      await this.update(name, { used: `${new Date().toISOString().slice(0, 16)}Z` });
    } catch {
      // The date is for people.
    }
  }

  async #change(change: (plugins: Map<string, PluginRecord>) => void): Promise<void> {
    await updateLocked(this.#path, async (path) => {
      const plugins = await readAll(path);
      change(plugins);
      const content = { version: VERSION, plugins: Object.fromEntries(plugins) };
      return `${JSON.stringify(content, null, 2)}\n`;
    });
  }
}

async function readAll(path: string): Promise<Map<string, PluginRecord>> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (isMissing(error)) return new Map();
    throw new UsageError(`Cannot read ${path}: ${messageOf(error)}.`, { cause: error });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const place = await locateJsonError(text);
    throw new UsageError(
      `Cannot use ${path}: ${place} it is not valid JSON. Correct it, or remove it: then every plugin asks anew.`,
      { cause: error },
    );
  }
  const [wrong] = violations(SCHEMA, value);
  if (wrong || !isObject(value) || !isObject(value.plugins)) {
    throw new UsageError(
      `Cannot use ${path}: '${wrong?.path ?? ""}' is wrong. ${wrong?.message ?? ""} Correct it, ` +
        "or remove it: then every plugin asks anew.",
    );
  }
  return new Map(Object.entries(value.plugins)) as Map<string, PluginRecord>;
}
