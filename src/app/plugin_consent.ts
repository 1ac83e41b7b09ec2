/**
 * Whether a plugin may run, from all that can say so: the flag `--allow-plugin`, what was allowed before to just
 * this content, and a person. The host of plugins asks it through its port; `/plugins` changes what it knows.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { AskConsent, ConsentRequest } from "../core/plugin_consent.ts";
import { messageOf, quoteName } from "../lib/text.ts";
import type { Consent, ConsentAnswer } from "../plugin_host/consent.ts";
import { hashFolder, pluginFiles } from "../plugin_host/folder_hash.ts";
import { permissionWords } from "../plugin_host/permission_words.ts";
import type { Plugin } from "../plugin_host/plugin.ts";
import type { PluginRecord, PluginStore, StoredConsent } from "../store/plugin_records.ts";

/** Files named one by one where some changed. */
const MAX_NAMED = 10;

/** What consent is made of. */
interface PluginConsentOptions {
  readonly records: PluginStore;
  /** Names given with `--allow-plugin`. */
  readonly allowed: readonly string[];
  /** Whether what was allowed before counts for nothing. @default false */
  readonly onlyNamed?: boolean;
  /** Absent where nobody can answer. */
  readonly ask?: AskConsent | undefined;
  /** Whether the sandbox holds programs to their permissions. */
  readonly sandboxed: () => Promise<boolean>;
  readonly warn: (text: string) => void;
}

/** Why a person has to be asked. */
const NOT_ALLOWED = {
  changed: "it changed since it was allowed",
  unconfined: "it was allowed where a sandbox holds it, and there is none",
  new: "it was not allowed yet",
} as const;

/** Where a plugin stands with the person. */
export type ConsentStatus =
  | "flag"
  | "session"
  | "allowed"
  | "changed"
  /** It was allowed where a sandbox held it, and none does now. */
  | "unconfined"
  | "denied"
  | "new";

/** The port of the host, with what the commands about plugins need besides. */
export class PluginConsent implements Consent {
  readonly #options: PluginConsentOptions;
  /** Answers of this session, by what they were given for. */
  readonly #granted = new Set<string>();
  readonly #denied = new Set<string>();
  /** Names of plugins of which was said that no sandbox holds them. */
  readonly #warned = new Set<string>();
  /** Settles when the last check of the same is done; never rejects. */
  readonly #pending = new Map<string, Promise<void>>();

  constructor(options: PluginConsentOptions) {
    this.#options = options;
  }

  async check(
    plugin: Plugin,
    { hash, signal }: { hash: string; signal: AbortSignal },
  ): Promise<ConsentAnswer> {
    const key = consentKeyOf(plugin, hash);
    // One after the other: a check that comes while the question is open gets the same answer.
    const answering = (this.#pending.get(key) ?? Promise.resolve())
      .then(() => this.#answer(plugin, { hash, signal }));
    const settled = answering.then(() => {}, () => {});
    this.#pending.set(key, settled);
    const answer = await answering;
    if (answer.kind === "granted") await this.#options.records.recordUse(plugin.name);
    return answer;
  }

  /** What else is remembered of plugins. */
  get records(): PluginStore {
    return this.#options.records;
  }

  /** Whether the sandbox holds programs of plugins to their permissions. */
  sandboxed(): Promise<boolean> {
    return this.#options.sandboxed();
  }

  /** Where a plugin with this content stands. @throws {UsageError} what was stored cannot be read */
  async status(plugin: Plugin, hash: string): Promise<ConsentStatus> {
    const key = consentKeyOf(plugin, hash);
    if (this.#options.allowed.includes(plugin.name)) return "flag";
    if (this.#denied.has(key)) return "denied";
    if (this.#granted.has(key)) return "session";
    if (this.#options.onlyNamed) return "new";
    const { consent } = await this.#options.records.read(plugin.name);
    if (consent === undefined) return "new";
    // The manifest that counts is the one that was read, whatever lies in the folder by now.
    const same = consent.hash === hash &&
      consent.may.join("\n") === storedPermissions(plugin).join("\n");
    if (!same) return "changed";
    return consent.unconfined || await this.#isHeld(plugin) ? "allowed" : "unconfined";
  }

  /** Whether it can do no more than what is said of it where a sandbox holds it. */
  async #isHeld(plugin: Plugin): Promise<boolean> {
    const may = permissionWords(plugin, { sandboxed: await this.#options.sandboxed() });
    return may.join("\n") === storedPermissions(plugin).join("\n");
  }

  /** Asks anew whatever was answered, for a person who wants to decide now. @throws {Error} nobody can be asked */
  async decide(plugin: Plugin, signal: AbortSignal): Promise<boolean> {
    const hash = await hashFolder(plugin.folder);
    this.#denied.delete(consentKeyOf(plugin, hash));
    return (await this.#askOnce(plugin, { hash, signal })).kind === "granted";
  }

  /** Takes back what was allowed. @throws {UsageError} the file cannot be changed */
  async forget(plugin: Plugin): Promise<void> {
    const hash = await hashFolder(plugin.folder);
    this.#granted.delete(consentKeyOf(plugin, hash));
    this.#denied.delete(consentKeyOf(plugin, hash));
    await this.#options.records.update(plugin.name, { consent: undefined });
  }

  async #answer(
    plugin: Plugin,
    at: { hash: string; signal: AbortSignal },
  ): Promise<ConsentAnswer> {
    let status: ConsentStatus;
    try {
      status = await this.status(plugin, at.hash);
    } catch (error) {
      this.#options.warn(messageOf(error));
      status = "new";
    }
    if (status === "flag" && !await this.#isHeld(plugin)) this.#warnUnconfined(plugin);
    if (status === "flag" || status === "session" || status === "allowed") {
      return { kind: "granted" };
    }
    if (status === "denied") {
      return createRefusal(plugin, "the user has denied it in this session");
    }
    if (this.#options.ask === undefined) {
      return createRefusal(plugin, `${NOT_ALLOWED[status]}, and nobody can be asked`);
    }
    return await this.#askOnce(plugin, at);
  }

  /** Says once what a person would read in the question. */
  #warnUnconfined({ name, tools }: Plugin): void {
    if (this.#warned.has(name)) return;
    this.#warned.add(name);
    const runsPrograms = tools.some(({ program }) => program.kind === "command");
    const what = runsPrograms
      ? "what it runs can do whatever you can"
      : "in directories that it may use it follows links, wherever they lead";
    this.#options.warn(`There is no sandbox to hold the plugin ${name}: ${what}.`);
  }

  async #askOnce(
    plugin: Plugin,
    { hash, signal }: { hash: string; signal: AbortSignal },
  ): Promise<ConsentAnswer> {
    const { ask, records, warn, sandboxed } = this.#options;
    if (ask === undefined) throw new Error("Cannot ask about a plugin: nobody can answer.");
    const before = await records.read(plugin.name).catch((): PluginRecord => ({}));
    const isSandboxed = await sandboxed();
    const may = permissionWords(plugin, { sandboxed: isSandboxed });
    const files = await hashFiles(plugin.folder);
    const request = consentRequest(plugin, { may, files, before: before.consent });
    const choice = await ask(request, signal);
    const key = consentKeyOf(plugin, hash);
    if (signal.aborted) return createRefusal(plugin, "the question was interrupted");
    if (choice === "deny") {
      this.#denied.add(key);
      return createRefusal(plugin, "the user denied it");
    }
    this.#denied.delete(key);
    if (choice === "session" || plugin.development) this.#granted.add(key);
    if (choice === "always") {
      const consent = {
        hash,
        version: plugin.version,
        may: storedPermissions(plugin),
        files,
        allowed: new Date().toISOString(),
        ...(!isSandboxed && { unconfined: true }),
      };
      await records.update(plugin.name, { consent }).catch((error) => {
        this.#granted.add(key);
        warn(`This holds for this session only. ${messageOf(error)}`);
      });
    }
    return { kind: "granted" };
  }
}

/** The question about a plugin, with what changed since it was allowed. */
function consentRequest(
  plugin: Plugin,
  { may, files, before }: {
    may: readonly string[];
    files: Readonly<Record<string, string>>;
    before: StoredConsent | undefined;
  },
): ConsentRequest {
  const { name, version, description, folder, tools } = plugin;
  return {
    name,
    version,
    description,
    folder,
    may,
    tools: tools.map((tool) => `${tool.name}: ${tool.description}`),
    ...(before && {
      changes: listChanges(before, {
        version,
        may: before.unconfined ? storedPermissions(plugin) : may,
        files,
      }),
    }),
  };
}

/** What a person allows of a plugin. */
type PluginVersion = Pick<StoredConsent, "version" | "may" | "files">;

/** What differs from what was allowed, one line each; the permissions first. */
export function listChanges(before: PluginVersion, now: PluginVersion): string[] {
  const added = omitProhibitions(now.may).filter((line) => !before.may.includes(line));
  const removed = omitProhibitions(before.may).filter((line) => !now.may.includes(line));
  const paths = [...new Set([...Object.keys(before.files), ...Object.keys(now.files)])].sort();
  const changed = paths.filter((path) => before.files[path] !== now.files[path]);
  const word = (path: string) =>
    before.files[path] === undefined ? "new" : now.files[path] === undefined ? "gone" : "changed";
  return [
    ...added.map((line) => `now: ${line}`),
    ...removed.map((line) => `before: ${line}`),
    ...(before.version === now.version ? [] : [`version ${before.version} to ${now.version}`]),
    ...changed.slice(0, MAX_NAMED).map((path) => `${word(path)}: ${quoteName(path)}`),
    ...(changed.length > MAX_NAMED ? [`and ${changed.length - MAX_NAMED} more files`] : []),
  ];
}

/** What is not permitted follows from what is. */
function omitProhibitions(words: readonly string[]): string[] {
  return words.filter((line) => !line.startsWith("may not "));
}

/** What a plugin may do, as it is stored: the same with and without a sandbox. */
export function storedPermissions(plugin: Plugin): string[] {
  return permissionWords(plugin, { sandboxed: true });
}

/** SHA-256 of each file of a plugin's folder, by path. @throws {Error} a link, or a file cannot be read */
export async function hashFiles(folder: string): Promise<Record<string, string>> {
  const hashes: [string, string][] = [];
  for (const { path } of await pluginFiles(folder)) {
    const bytes = await Deno.readFile(join(folder, path));
    hashes.push([path, createHash("sha256").update(bytes).digest("hex")]);
  }
  return Object.fromEntries(hashes);
}

/** While a plugin is written, its files change all the time: there, what it may do is what counts. */
function consentKeyOf({ name, development, folder, permissions }: Plugin, hash: string): string {
  return JSON.stringify([name, folder, development ? permissions : hash]);
}

function createRefusal({ name }: Plugin, why: string): ConsentAnswer {
  return {
    kind: "denied",
    message: `The plugin ${name} may not run: ${why}.`,
    suggestion: `Do without its tools. The user can allow it with --allow-plugin=${name}, ` +
      `or with /plugins allow ${name}.`,
  };
}
