/**
 * Finds plugins and reads their manifests, while start-up waits. A broken plugin is reported and left out; nothing of
 * a plugin is run.
 */
import { basename, dirname, join } from "node:path";
import { requireSmallFile } from "../lib/fs.ts";
import { messageOf } from "../lib/text.ts";
import { type CheckedManifests, type ManifestResult, readManifest } from "./manifest.ts";
import type { Plugin } from "./plugin.ts";

/** Bytes that a manifest may have. */
const MAX_MANIFEST = 1024 * 1024;

/** The plugins of a run, and why others are left out. */
interface LoadedPlugins {
  readonly plugins: readonly Plugin[];
  /** One sentence each. */
  readonly problems: readonly string[];
}

/** Where plugins are. */
interface PluginFolders {
  /** Absolute: each folder in it is a plugin. It need not exist. */
  readonly installed: string | undefined;
  /** Absolute: each is a plugin or a folder of plugins. */
  readonly development: readonly string[];
}

/**
 * Reads all plugins; those in development replace installed ones of the same name.
 * @throws {Error} a folder named for development cannot be read; the message is for people
 */
export async function loadPlugins(
  pluginFolders: PluginFolders,
  { checked }: { checked?: CheckedManifests | undefined } = {},
): Promise<LoadedPlugins> {
  const [installed, ...named] = await Promise.all([
    readAll(foldersIn(pluginFolders.installed), { development: false, checked }),
    ...pluginFolders.development.map((directory) =>
      readAll(namedFolders(directory), { development: true, checked })
    ),
  ]);
  const problems: string[] = [];
  const plugins = new Map<string, Plugin>();
  for (const { result, folder } of [...named.flat(), ...installed]) {
    if (typeof result === "string") {
      problems.push(`The plugin ${folder} is left out: ${result}`);
    } else if (!result.ok) {
      problems.push(`The plugin ${folder} is left out: ${describeProblems(result)}`);
    } else if (!plugins.has(result.plugin.name)) {
      plugins.set(result.plugin.name, result.plugin);
    } else if (!plugins.get(result.plugin.name)!.development || result.plugin.development) {
      const { name } = result.plugin;
      problems.push(`The plugin ${folder} is left out: another one is named '${name}' too`);
    }
  }
  return { plugins: [...plugins.values()], problems };
}

/** What is wrong with a manifest, in one sentence with the lines. */
function describeProblems({ problems }: Extract<ManifestResult, { ok: false }>): string {
  return problems.map(({ line, column, message }) =>
    `plugin.json line ${line} column ${column}: ${message}`
  ).join("; ");
}

/** A folder with its manifest, or why that cannot be read. */
interface ScannedFolder {
  readonly folder: string;
  readonly result: ManifestResult | string;
}

/** A folder as it was found in its directory. */
interface ListedFolder {
  readonly folder: string;
  /** Whether another path than this one may be its real one. */
  readonly isLink: boolean;
}

function readAll(
  folders: readonly ListedFolder[],
  options: { development: boolean; checked: CheckedManifests | undefined },
): Promise<ScannedFolder[]> {
  const parents = new Map<string, string>();
  return Promise.all(folders.map(async ({ folder, isLink }): Promise<ScannedFolder> => {
    try {
      const real = isLink ? Deno.realPathSync(folder) : canonicalFolder(folder, parents);
      const text = manifestText(join(real, "plugin.json"));
      return { folder, result: await readManifest(text, { folder: real, ...options }) };
    } catch (error) {
      return {
        folder,
        result: error instanceof Deno.errors.NotFound ? "it has no plugin.json" : messageOf(error),
      };
    }
  }));
}

/** The canonical path of a folder that is no link; that of the directory it lies in is remembered. */
function canonicalFolder(folder: string, parents: Map<string, string>): string {
  const parent = dirname(folder);
  const known = parents.get(parent) ?? Deno.realPathSync(parent);
  parents.set(parent, known);
  return join(known, basename(folder));
}

/** Synchronous: for files this small that takes a third of the time. */
function manifestText(path: string): string {
  requireSmallFile(Deno.lstatSync(path), MAX_MANIFEST);
  return Deno.readTextFileSync(path);
}

function foldersIn(directory: string | undefined): ListedFolder[] {
  if (directory === undefined) return [];
  try {
    // A folder that is being installed or removed has a name with a dot.
    return [...Deno.readDirSync(directory)]
      .filter(({ name, isFile }) => !isFile && !name.startsWith("."))
      .map(({ name, isSymlink }) => ({ folder: join(directory, name), isLink: isSymlink }))
      .sort((one, other) => one.folder < other.folder ? -1 : 1);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return [];
  }
}

/** The folder itself if it is a plugin, else those in it. */
function namedFolders(directory: string): ListedFolder[] {
  let names: string[];
  try {
    names = Array.from(Deno.readDirSync(directory), ({ name }) => name);
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound
      ? "there is no such directory"
      : messageOf(error);
    throw new Error(`Cannot read plugins from ${directory}: ${why}.`, { cause: error });
  }
  if (names.includes("plugin.json")) return [{ folder: directory, isLink: true }];
  const folders = foldersIn(directory);
  // The directory was named by a person, in whatever way.
  if (folders.length > 0) return folders.map(({ folder }) => ({ folder, isLink: true }));
  throw new Error(
    `Cannot read plugins from ${directory}: it has no plugin.json, and there is no folder in it.`,
  );
}
