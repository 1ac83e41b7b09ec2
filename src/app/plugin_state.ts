/**
 * The state of installed plugins: what each may do, whether it may run, and what changed since it was allowed.
 */
import { join } from "node:path";
import { messageOf, plural } from "../lib/text.ts";
import { permissionWords } from "../plugin_host/permission_words.ts";
import type { Plugin, PluginPermissions } from "../plugin_host/plugin.ts";
import { type PluginRecord, PluginStore } from "../store/plugin_records.ts";
import { escapeLine } from "../ui/safe_text.ts";
import { checkPlugin, formatProblem } from "./plugin_check.ts";
import { hashFiles, listChanges, storedPermissions } from "./plugin_consent.ts";

/** One plugin, as `audit --json` prints it. */
export interface PluginState {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly folder: string;
  /** Whether its files and its manifest can be used. */
  readonly usable: boolean;
  readonly problems: readonly string[];
  readonly tools: readonly { name: string; description: string; effects: readonly string[] }[];
  readonly permissions: PluginPermissions;
  /** The permissions in plain words. */
  readonly may: readonly string[];
  /** SHA-256 of all its files. */
  readonly hash?: string;
  readonly files: Readonly<Record<string, string>>;
  /** "allowed" for good, "changed" since, or "not allowed" yet. */
  readonly consent: "allowed" | "changed" | "not allowed";
  /** When it was allowed. */
  readonly allowed?: string;
  /** What differs from what was allowed. */
  readonly changes: readonly string[];
  readonly from?: string;
  readonly installed?: string;
  readonly used?: string;
}

/** What states are read from. */
interface StateOptions {
  /** Folder of installed plugins. */
  readonly directory: string;
  readonly records: PluginStore;
  readonly sandboxed: boolean;
  /** The environment's PATH. */
  readonly path: string;
  readonly warn: (text: string) => void;
}

/** All installed plugins by name, or one. */
export async function readPluginStates(
  options: StateOptions,
  only?: string,
): Promise<PluginState[]> {
  const { directory } = options;
  const names: string[] = [];
  try {
    for await (const { name, isDirectory, isSymlink } of Deno.readDir(directory)) {
      if ((isDirectory || isSymlink) && !name.startsWith(".")) names.push(name);
    }
  } catch {
    // There is no such folder yet.
  }
  const wanted = names.filter((name) => only === undefined || name === only).sort();
  return await Promise.all(
    wanted.map((name) => readPluginState(name, { ...options, folder: join(directory, name) })),
  );
}

/** One plugin in a folder of its own. */
export async function readPluginState(
  name: string,
  options: Omit<StateOptions, "directory"> & { folder: string },
): Promise<PluginState> {
  const { folder } = options;
  const { plugin, hash, problems } = await checkPlugin(folder, options);
  const record = await options.records.read(name).catch((error): PluginRecord => {
    options.warn(messageOf(error));
    return {};
  });
  const files = await hashFiles(folder).catch(() => ({}));
  const texts = problems.map(formatProblem);
  if (plugin && plugin.name !== name) {
    texts.push(`plugin.json: its name is ${plugin.name}, the folder's is ${name}`);
  }
  const { from, installed, used } = record;
  return {
    name,
    ...(plugin && { version: plugin.version, description: plugin.description }),
    folder,
    usable: texts.length === 0,
    problems: texts,
    tools:
      plugin?.tools.map(({ name, description, effects }) => ({ name, description, effects })) ??
        [],
    permissions: plugin?.permissions ?? {},
    may: plugin ? permissionWords(plugin, options) : [],
    ...(hash !== undefined && { hash }),
    files,
    ...compareConsent(plugin, { record, hash, files }),
    ...(from !== undefined && { from }),
    ...(installed !== undefined && { installed }),
    ...(used !== undefined && { used }),
  };
}

function compareConsent(
  plugin: Plugin | undefined,
  { record: { consent }, hash, files }: {
    record: PluginRecord;
    hash: string | undefined;
    files: Readonly<Record<string, string>>;
  },
): Pick<PluginState, "consent" | "allowed" | "changes"> {
  if (consent === undefined || plugin === undefined) return { consent: "not allowed", changes: [] };
  const { allowed } = consent;
  const may = storedPermissions(plugin);
  const changes = listChanges(consent, { version: plugin.version, may, files });
  const same = changes.length === 0 && consent.hash === hash;
  return { consent: same ? "allowed" : "changed", allowed, changes };
}

/** One fact about a plugin. */
interface PluginFact {
  readonly label: string;
  readonly text: string;
}

/** All that is known of a plugin, for `audit` and `/plugins audit`; a label can occur several times. */
export function pluginFacts(state: PluginState): PluginFact[] {
  const { folder, hash, from, installed, used } = state;
  const count = plural(Object.keys(state.files).length, "file");
  const facts = (label: string, texts: readonly (string | undefined)[]) =>
    texts.flatMap((text) => text === undefined ? [] : [{ label, text: escapeLine(text) }]);
  const when = installed === undefined ? "" : `, ${installed.slice(0, 10)}`;
  return [
    ...facts("problem", state.problems),
    ...facts("it", state.may),
    ...facts(
      "tools",
      state.tools.map((one) => `${one.name} (${one.effects.join(", ")}): ${one.description}`),
    ),
    ...facts("consent", [describeConsent(state)]),
    ...facts("changed", state.changes),
    ...facts("last use", [used ?? "never"]),
    ...facts("folder", [folder]),
    ...facts("from", [from && `${from}${when}`]),
    ...facts("sha256", [hash && `${hash} (of ${count})`]),
  ];
}

/** Whether it may run, in a few words. */
export function describeConsent({ consent, allowed }: PluginState): string {
  switch (consent) {
    case "allowed":
      return `always allowed as it is, since ${allowed?.slice(0, 10)}`;
    case "changed":
      return `changed since it was allowed on ${allowed?.slice(0, 10)}: asks again`;
    case "not allowed":
      return "asks when it is first used";
  }
}
