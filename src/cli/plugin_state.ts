/**
 * Every installed plugin as it is now: what it may do, whether it may run, what changed since it was allowed.
 * `ally plugin list` and `audit` show it.
 */
import { join } from "node:path";
import { jsonLine, messageOf } from "../lib/text.ts";
import { permissionWords } from "../plugins/permission_words.ts";
import type { Plugin, PluginPermissions } from "../plugins/plugin.ts";
import { type PluginRecord, PluginRecords } from "../store/plugin_records.ts";
import { checkPlugin, problemText } from "./plugin_check.ts";
import { changesSince, fileHashes, storedWords } from "./plugin_consent.ts";

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
  /** What is different from what was allowed. */
  readonly changes: readonly string[];
  readonly from?: string;
  readonly installed?: string;
  readonly used?: string;
}

export interface StateOptions {
  /** Folder of installed plugins. */
  readonly directory: string;
  readonly records: PluginRecords;
  readonly sandboxed: boolean;
  /** The environment's PATH. */
  readonly path: string;
  readonly warn: (text: string) => void;
}

/** All installed plugins by name, or one. */
export async function pluginStates(options: StateOptions, only?: string): Promise<PluginState[]> {
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
    wanted.map((name) => pluginState(name, { ...options, folder: join(directory, name) })),
  );
}

/** One plugin in a folder of its own. */
export async function pluginState(
  name: string,
  options: Omit<StateOptions, "directory"> & { folder: string },
): Promise<PluginState> {
  const { folder } = options;
  const { plugin, hash, problems } = await checkPlugin(folder, options);
  const record = await options.records.read(name).catch((error): PluginRecord => {
    options.warn(messageOf(error));
    return {};
  });
  const files = await fileHashes(folder).catch(() => ({}));
  const texts = problems.map(problemText);
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
    ...consentState(plugin, { record, hash, files }),
    ...(from !== undefined && { from }),
    ...(installed !== undefined && { installed }),
    ...(used !== undefined && { used }),
  };
}

function consentState(
  plugin: Plugin | undefined,
  { record: { consent }, hash, files }: {
    record: PluginRecord;
    hash: string | undefined;
    files: Readonly<Record<string, string>>;
  },
): Pick<PluginState, "consent" | "allowed" | "changes"> {
  if (consent === undefined || plugin === undefined) return { consent: "not allowed", changes: [] };
  const { allowed } = consent;
  const may = storedWords(plugin);
  const changes = changesSince(consent, { version: plugin.version, may, files });
  const same = changes.length === 0 && consent.hash === hash;
  return { consent: same ? "allowed" : "changed", allowed, changes };
}

/** `ally plugin list` as text or JSON. */
export function listText(states: readonly PluginState[], json: boolean): string {
  if (json) {
    return jsonLine({
      plugins: states.map(({ name, version, description, folder, usable, problems, ...rest }) => ({
        name,
        version,
        description,
        folder,
        usable,
        problems,
        tools: rest.tools.map((tool) => tool.name),
        consent: rest.consent,
        used: rest.used,
      })),
    });
  }
  if (states.length === 0) {
    return "No plugin is installed. Begin one with: ally plugin new NAME";
  }
  return states.map((state) =>
    [
      `${state.name}  ${state.version ?? ""}  ${state.description ?? ""}`.trimEnd(),
      ...(state.tools.length > 0
        ? [`  tools  ${state.tools.map((one) => one.name).join(", ")}`]
        : []),
      `  ${state.usable ? standingText(state) : "cannot be used:"}`,
      ...state.problems.map((problem) => `    ${problem}`),
    ].join("\n")
  ).join("\n\n");
}

/** `ally plugin audit` as text or JSON. */
export function auditText(states: readonly PluginState[], json: boolean): string {
  if (json) return jsonLine({ plugins: states });
  if (states.length === 0) return "No plugin is installed.";
  return states.map((state) => auditLines(state).join("\n")).join("\n\n");
}

/** One plugin in words, for `audit` and `/plugins audit`. */
export function auditLines(state: PluginState): string[] {
  const { name, version, description, folder, hash, from, installed, used } = state;
  const files = Object.keys(state.files).length;
  return [
    `${name}  ${version ?? ""}  ${description ?? ""}`.trimEnd(),
    ...state.problems.map((problem) => `  problem   ${problem}`),
    ...state.may.map((line, index) => `  ${index === 0 ? "may     " : "        "}  ${line}`),
    ...state.tools.map((tool, index) =>
      `  ${index === 0 ? "tools   " : "        "}  ${tool.name} (${
        tool.effects.join(", ")
      }): ${tool.description}`
    ),
    `  consent   ${standingText(state)}`,
    ...state.changes.map((line) => `            ${line}`),
    `  last use  ${used ?? "never"}`,
    `  folder    ${folder}`,
    ...(from === undefined
      ? []
      : [`  from      ${from}${installed === undefined ? "" : `, ${installed.slice(0, 10)}`}`]),
    ...(hash === undefined ? [] : [`  sha256    ${hash} (of ${files} files)`]),
  ];
}

/** Whether it may run, in a few words. */
export function standingText({ consent, allowed }: PluginState): string {
  switch (consent) {
    case "allowed":
      return `always allowed as it is, since ${allowed?.slice(0, 10)}`;
    case "changed":
      return `changed since it was allowed on ${allowed?.slice(0, 10)}: asks again`;
    case "not allowed":
      return "asks when it is first used";
  }
}
