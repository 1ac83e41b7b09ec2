/**
 * Gets the files of a plugin from where a person says it is: a folder, a packed file, or npm's registry.
 * None of it runs, and nothing is written.
 */
import { join, resolve } from "node:path";
import { UsageError } from "../core/errors.ts";
import { MAX_PLUGIN_BYTES } from "../core/plugin_size.ts";
import { errorCode, isMissing, openCanonical } from "../lib/fs.ts";
import { formatBytes, messageOf, quoteName } from "../lib/text.ts";
import { fetchPackage } from "./npm_package.ts";
import {
  checkSize,
  normalizePluginPath,
  type PluginSourceFile,
  readArchive,
  selectBelowManifest,
} from "./plugin_archive.ts";

/** Left behind when a folder is installed. */
const SKIPPED_NAMES = new Set([".git", ".DS_Store"]);

/** Where a plugin comes from, and its files. */
interface PluginSource {
  /** For people and the record: a path, or `npm:name@1.2.3`. */
  readonly from: string;
  readonly files: readonly PluginSourceFile[];
}

/** How a source is read. */
interface SourceOptions {
  readonly cwd: string;
  /** Base URL of npm's registry. */
  readonly registry: string;
  readonly signal: AbortSignal;
}

/**
 * Reads a plugin from `DIR`, `TARBALL` or `npm:NAME[@VERSION]`.
 * @throws {UsageError} it is not there, cannot be read, or holds what a plugin may not
 */
export async function readPluginSource(
  spec: string,
  options: SourceOptions,
): Promise<PluginSource> {
  return await readSource(spec, {
    ...options,
    select(files, isFolder) {
      if (!isFolder) return selectBelowManifest(files);
      if (files.some(({ path }) => path === "plugin.json")) return files;
      throw new Error("it holds no plugin.json");
    },
  });
}

/**
 * Reads all files of what is to be installed, from the same places; `select` takes those that are wanted.
 * @throws {UsageError} it is not there, cannot be read, or holds what may not be installed
 */
export async function readSource(
  spec: string,
  { cwd, registry, signal, select }: SourceOptions & {
    select: (files: PluginSourceFile[], isFolder: boolean) => PluginSourceFile[];
  },
): Promise<PluginSource> {
  try {
    if (spec.startsWith("npm:")) {
      const { name, version, archive } = await fetchPackage(spec.slice(4), { registry, signal });
      return { from: `npm:${name}@${version}`, files: select(await readArchive(archive), false) };
    }
    const path = await Deno.realPath(resolve(cwd, spec));
    const { isDirectory } = await Deno.stat(path);
    const files = isDirectory ? await readFolder(path) : await readArchiveFile(path);
    return { from: path, files: select(files, isDirectory) };
  } catch (error) {
    if (signal.aborted) throw error;
    const what = isMissing(error)
      ? "there is no such folder or file. Name a folder, a .tgz, or npm:NAME"
      : messageOf(error).replace(/\.$/, "");
    throw new UsageError(`Cannot install ${quoteName(spec)}: ${what}.`, { cause: error });
  }
}

async function readArchiveFile(path: string): Promise<PluginSourceFile[]> {
  const { bytes } = await readRegular(path);
  return await readArchive(bytes);
}

/** All files of a folder; a link in it is refused, as it is in an archive. */
async function readFolder(root: string): Promise<PluginSourceFile[]> {
  const files: PluginSourceFile[] = [];
  let total = 0;
  async function visit(folder: string): Promise<void> {
    const entries = await Array.fromAsync(Deno.readDir(join(root, folder)));
    for (const { name, isDirectory, isFile } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
      if (SKIPPED_NAMES.has(name)) continue;
      const path = normalizePluginPath(folder === "" ? name : `${folder}/${name}`);
      if (isDirectory) {
        await visit(path);
        continue;
      }
      if (!isFile) throw new Error(`${quoteName(path)} is a link or no plain file`);
      const { bytes, mode } = await readRegular(join(root, path));
      total += bytes.length;
      files.push({ path, bytes, executable: (mode & 0o100) !== 0 });
      checkSize(files.length, total);
    }
  }
  await visit("");
  return files;
}

async function readRegular(
  path: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; mode: number }> {
  const { handle, stats } = await openCanonical(path).catch((error) => {
    if (errorCode(error) === "ELOOP") throw new Error(`${quoteName(path)} is a link`);
    throw error;
  });
  try {
    if (!stats.isFile()) throw new Error(`${quoteName(path)} is not a plain file`);
    if (stats.size > MAX_PLUGIN_BYTES) {
      throw new Error(`it has more than ${formatBytes(MAX_PLUGIN_BYTES)}`);
    }
    return { bytes: new Uint8Array(await handle.readFile()), mode: stats.mode };
  } finally {
    await handle.close();
  }
}
