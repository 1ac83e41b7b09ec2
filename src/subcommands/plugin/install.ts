/**
 * `ally plugin install`: installs a plugin from a folder, an archive or npm, after a person has seen what it may do.
 * The old version stays until the new one is complete; no code of either runs.
 */
import { join } from "node:path";
import { checkPlugin, formatProblem, type PluginCheck } from "../../app/plugin_check.ts";
import { hashFiles, listChanges, storedPermissions } from "../../app/plugin_consent.ts";
import { UsageError } from "../../core/errors.ts";
import { plural } from "../../lib/text.ts";
import { permissionWords } from "../../plugin_host/permission_words.ts";
import type { Plugin } from "../../plugin_host/plugin.ts";
import type { AllyPaths } from "../../store/paths.ts";
import { stagePlugin } from "../../store/plugin_folder.ts";
import type { PluginStore } from "../../store/plugin_records.ts";
import { readPluginSource } from "../../store/plugin_source.ts";
import { escapeLine } from "../../ui/safe_text.ts";

/** What an installation works with. */
export interface InstallOptions {
  /** What the person named. */
  readonly source: string;
  readonly cwd: string;
  readonly paths: AllyPaths;
  readonly records: PluginStore;
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
  const { paths, records, out, confirm } = options;
  const { from, files } = await readPluginSource(options.source, options);
  await using staged = await stagePlugin(paths.plugins, files);
  const checked = await checkPlugin(staged.folder, options);
  const { plugin } = checked;
  if (plugin === undefined || checked.problems.length > 0) {
    throw unusableError(options.source, checked);
  }
  const folder = join(paths.plugins, plugin.name);
  const old = await checkPlugin(folder, options);
  if (old.hash !== undefined && old.hash === checked.hash) {
    out(`The plugin ${plugin.name} ${plugin.version} is already installed and unchanged.`);
    return true;
  }
  out(await describePlugin(plugin, { ...options, from, old, folder: staged.folder }));
  if (!await confirm(confirmQuestion(plugin, old))) return false;
  await staged.publish(plugin.name);
  await records.update(plugin.name, { from, installed: new Date().toISOString() });
  out(`Installed ${plugin.name} ${plugin.version} in ${folder}. ally asks before it runs.`);
  return true;
}

function unusableError(source: string, { problems }: PluginCheck): UsageError {
  const list = problems.map((problem) => `  ${formatProblem(problem)}`).join("\n");
  return new UsageError(
    `Cannot install ${source}: ${plural(problems.length, "problem")}:\n${list}`,
  );
}

function confirmQuestion({ name, version }: Plugin, { plugin: old }: PluginCheck): string {
  return old === undefined
    ? `Install ${name} ${version}?`
    : `Replace ${name} ${old.version} with ${version}?`;
}

/** What it may do, and what changes if it is already installed. */
async function describePlugin(
  plugin: Plugin,
  { from, old, folder, sandboxed, paths }:
    & Pick<InstallOptions, "sandboxed" | "paths">
    & { from: string; old: PluginCheck; folder: string },
): Promise<string> {
  const { name, version, description, tools } = plugin;
  const changes = old.plugin === undefined || old.hash === undefined ? [] : listChanges(
    {
      version: old.plugin.version,
      may: storedPermissions(old.plugin),
      files: await hashFiles(join(paths.plugins, name)),
    },
    { version, may: storedPermissions(plugin), files: await hashFiles(folder) },
  );
  return [
    escapeLine(`${name} ${version}: ${description}`),
    `  from ${escapeLine(from)}`,
    "",
    "It",
    ...permissionWords(plugin, { sandboxed }).map((line) => `  ${escapeLine(line)}`),
    "Its tools",
    ...tools.map((tool) => `  ${tool.name}: ${escapeLine(tool.description)}`),
    ...(changes.length > 0 ? ["Changed", ...changes.map((line) => `  ${escapeLine(line)}`)] : []),
    "",
  ].join("\n");
}
