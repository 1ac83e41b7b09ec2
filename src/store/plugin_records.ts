/**
 * What ally remembers of plugins, in `~/.ally/plugins.json`: what the person allowed to which content, where a
 * plugin came from, and when it last ran. A file that is not understood allows nothing and is never written over.
 */
import { JsonFile } from "./json_file.ts";

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
  /** It was allowed where no sandbox held it, and that was said. @default false */
  readonly unconfined?: boolean;
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
              unconfined: { type: "boolean" },
            },
          },
        },
      },
    },
  },
} as const;

interface Content {
  readonly version: typeof VERSION;
  readonly plugins: Readonly<Record<string, PluginRecord>>;
}

/** The file. */
export class PluginStore {
  readonly #file: JsonFile<Content>;

  /** `path` of the file; it need not exist. */
  constructor({ path }: { path: string }) {
    const empty: Content = { version: VERSION, plugins: {} };
    this.#file = new JsonFile({ path, schema: SCHEMA, empty, ifRemoved: "every plugin asks anew" });
  }

  /** @throws {UsageError} the file cannot be read or understood: it allows nothing */
  async read(name: string): Promise<PluginRecord> {
    return recordOf(await this.#file.read(), name);
  }

  /**
   * Sets fields of one plugin's record; a field that is given as undefined is removed.
   * @throws {UsageError} the file cannot be understood @throws {Error} it cannot be written
   */
  async update(
    name: string,
    fields: { [K in keyof PluginRecord]?: PluginRecord[K] | undefined },
  ): Promise<void> {
    await this.#file.change((content) => {
      const record = { ...recordOf(content, name), ...fields };
      return { ...content, plugins: { ...content.plugins, [name]: record } };
    });
  }

  /** Forgets all about a plugin. @throws as `update` */
  async forget(name: string): Promise<void> {
    await this.#file.change(({ version, plugins }) => {
      const others = Object.entries(plugins).filter(([other]) => other !== name);
      return { version, plugins: Object.fromEntries(others) };
    });
  }

  /** Notes when a plugin ran last. Never rejects. */
  async recordUse(name: string): Promise<void> {
    try {
      const { used = "" } = await this.read(name);
      if (Date.now() - (Date.parse(used) || 0) < USE_WRITE_INTERVAL_MS) return;
      await this.update(name, { used: `${new Date().toISOString().slice(0, 16)}Z` });
    } catch {
      // The date is for people.
    }
  }
}

function recordOf({ plugins }: Content, name: string): PluginRecord {
  return Object.hasOwn(plugins, name) ? plugins[name] ?? {} : {};
}
