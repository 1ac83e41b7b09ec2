/**
 * `ally plugin install`: from a folder, an archive or npm to a folder where ally finds it, after a person saw
 * what it may do. The old version stays until the new one is whole; nothing of either runs.
 */
import { join } from "node:path";
import { changesSince, fileHashes, storedWords } from "../../app/plugin_consent.ts";
import { UsageError } from "../../core/errors.ts";
import { plural } from "../../lib/text.ts";
import { permissionWords } from "../../plugin_host/permission_words.ts";
import type { Plugin } from "../../plugin_host/plugin.ts";
import type { Locations } from "../../store/paths.ts";
import { stagePlugin } from "../../store/plugin_folder.ts";
import type { PluginRecords } from "../../store/plugin_records.ts";
import { readPluginSource } from "../../store/plugin_source.ts";
import { type CheckedPlugin, checkPlugin, problemText } from "./plugin_check.ts";
import { shown } from "./plugin_state.ts";

export interface InstallOptions {
  /** What the person named. */
  readonly source: string;
  readonly cwd: string;
  readonly places: Locations;
  readonly records: PluginRecords;
  /** Base URL of npm's registry. */
  readonly registry: string;
  /** The environment's PATH. */
  readonly path: string;
  readonly sandboxed: boolean;
  /** Tells the person what it may do. */
  readonly out: (text: string) => void;
  /** Asks whether to go on. @throws {UsageError} nobody can be asked */
  readonly confirm: (question: string) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Installs; false if the person said no. @throws {UsageError} it cannot be installed, and why */
export async function installPlugin(options: InstallOptions): Promise<boolean> {
  const { places, records, out, confirm } = options;
  const { from, files } = await readPluginSource(options.source, options);
  await using staged = await stagePlugin(places.plugins, files);
  const checked = await checkPlugin(staged.folder, options);
  const { plugin } = checked;
  if (plugin === undefined || checked.problems.length > 0) throw unusable(options.source, checked);
  const place = join(places.plugins, plugin.name);
  const old = await checkPlugin(place, options);
  if (old.hash !== undefined && old.hash === checked.hash) {
    out(`The plugin ${plugin.name} ${plugin.version} is installed already, and the same.`);
    return true;
  }
  out(await describe(plugin, { ...options, from, old, folder: staged.folder }));
  if (!await confirm(question(plugin, old))) return false;
  await staged.publish(plugin.name);
  await records.update(plugin.name, { from, installed: new Date().toISOString() });
  out(`Installed ${plugin.name} ${plugin.version} in ${place}. ally asks before it runs.`);
  return true;
}

function unusable(source: string, { problems }: CheckedPlugin): UsageError {
  const list = problems.map((problem) => `  ${problemText(problem)}`).join("\n");
  return new UsageError(
    `Cannot install ${source}: ${plural(problems.length, "problem")}:\n${list}`,
  );
}

function question({ name, version }: Plugin, { plugin: old }: CheckedPlugin): string {
  return old === undefined
    ? `Install ${name} ${version}?`
    : `Replace ${name} ${old.version} by ${version}?`;
}

/** What it may do, and for one that is there already what would change. */
async function describe(
  plugin: Plugin,
  { from, old, folder, sandboxed, places }:
    & Pick<InstallOptions, "sandboxed" | "places">
    & { from: string; old: CheckedPlugin; folder: string },
): Promise<string> {
  const { name, version, description, tools } = plugin;
  const changes = old.plugin === undefined || old.hash === undefined ? [] : changesSince(
    {
      hash: old.hash,
      version: old.plugin.version,
      may: storedWords(old.plugin),
      files: await fileHashes(join(places.plugins, name)),
      allowed: "",
    },
    { version, may: storedWords(plugin), files: await fileHashes(folder) },
  );
  return [
    shown(`${name} ${version}: ${description}`),
    `  from ${shown(from)}`,
    "",
    "It",
    ...permissionWords(plugin, { sandboxed }).map((line) => `  ${shown(line)}`),
    "Its tools",
    ...tools.map((tool) => `  ${tool.name}: ${shown(tool.description)}`),
    ...(changes.length > 0 ? ["Changed", ...changes.map((line) => `  ${shown(line)}`)] : []),
    "",
  ].join("\n");
}
