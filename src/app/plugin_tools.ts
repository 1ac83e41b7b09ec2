/**
 * Reads the plugins of a run and makes tools of them. Loaded only where there may be some.
 */
import { UsageError } from "../core/errors.ts";
import type { ToolEntry } from "../core/tool.ts";
import { messageOf } from "../lib/text.ts";
import { pluginEntries } from "../plugin_host/entries.ts";
import { loadPlugins } from "../plugin_host/loader.ts";
import type { Plugin } from "../plugin_host/plugin.ts";
import { KnownManifests } from "../store/known_manifests.ts";
import { VERSION } from "./version.ts";

/** What is read, and what the tools of it get. */
interface PluginToolsOptions {
  readonly folders: Parameters<typeof loadPlugins>[0];
  /** File of the manifests that passed every check. */
  readonly knownManifestsPath: string;
  readonly entries: Parameters<typeof pluginEntries>[1];
}

/** The plugins with their tools, and why others are left out. @throws {UsageError} a directory named with `--plugin-dir` holds none */
export async function readPluginTools(
  { folders, knownManifestsPath, entries: options }: PluginToolsOptions,
): Promise<{
  readonly plugins: readonly Plugin[];
  readonly entries: readonly ToolEntry[];
  readonly problems: readonly string[];
}> {
  const checked = new KnownManifests({ path: knownManifestsPath, version: VERSION });
  const { plugins, problems } = await loadPlugins(folders, { checked }).catch((error) => {
    throw new UsageError(messageOf(error), { cause: error });
  });
  await checked.save();
  const { entries, problems: leftOut } = pluginEntries(plugins, options);
  return { plugins, entries, problems: [...problems, ...leftOut] };
}
