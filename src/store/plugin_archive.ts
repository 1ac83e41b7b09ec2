/**
 * Reads a packed plugin (.tar or .tar.gz) into memory as plain files, and refuses whatever else an archive can
 * hold: links, devices, paths that lead out of it, more than a plugin needs.
 */
import type { ParsedTarEntry } from "modern-tar";
import { MAX_PLUGIN_BYTES, MAX_PLUGIN_FILES } from "../core/plugin_size.ts";
import { formatBytes, messageOf, quoteName } from "../lib/text.ts";

/** One regular file of a plugin that is to be installed. */
export interface PluginSourceFile {
  /** Relative to the plugin's folder, with slashes. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/**
 * The files of an archive, all of them.
 * @throws {Error} it is no archive, or holds what may not be installed
 */
export async function readArchive(archive: Uint8Array<ArrayBuffer>): Promise<PluginSourceFile[]> {
  const { createTarDecoder } = await import("modern-tar");
  try {
    return await readEntries(decompress(archive).pipeThrough(createTarDecoder({ strict: true })));
  } catch (error) {
    if (error instanceof InvalidArchiveError) throw error;
    throw new Error(`it is no whole .tar or .tar.gz: ${messageOf(error)}`, { cause: error });
  }
}

/** An archive that can be read, but holds what a plugin may not. */
class InvalidArchiveError extends Error {}

async function readEntries(entries: ReadableStream<ParsedTarEntry>): Promise<PluginSourceFile[]> {
  const files: PluginSourceFile[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  for await (const { header, body } of entries) {
    if (header.type === "pax-global-header" || header.type === "directory") {
      // "./" is the top itself, as `tar -C folder .` lists it.
      if (header.type === "directory" && !/^\.?\/?$/.test(header.name)) {
        normalizePluginPath(header.name);
      }
      await body.cancel();
      continue;
    }
    const { name, type, size, mode = 0 } = header;
    if (type !== "file" && type !== undefined) {
      throw new InvalidArchiveError(
        `it holds ${quoteName(name)}, a ${type}: only plain files are installed`,
      );
    }
    const path = normalizePluginPath(name);
    if (seen.has(path.toLowerCase())) {
      throw new InvalidArchiveError(`it holds ${quoteName(path)} twice`);
    }
    seen.add(path.toLowerCase());
    bytes += size;
    checkSize(seen.size, bytes);
    const content = new Uint8Array(await new Response(body).arrayBuffer());
    files.push({ path, bytes: content, executable: (mode & 0o100) !== 0 });
  }
  return files;
}

/** @throws {Error} a plugin has more files or bytes than it may */
export function checkSize(files: number, bytes: number): void {
  if (files > MAX_PLUGIN_FILES) {
    throw new InvalidArchiveError(`it has more than ${MAX_PLUGIN_FILES} files`);
  }
  if (bytes > MAX_PLUGIN_BYTES) {
    throw new InvalidArchiveError(
      `its files have more than ${formatBytes(MAX_PLUGIN_BYTES)} together`,
    );
  }
}

/**
 * A path in a plugin, brought to one spelling.
 * @throws {Error} it leads out of the plugin, or has characters that no name should have
 */
export function normalizePluginPath(name: string): string {
  // deno-lint-ignore no-control-regex
  const odd = /[\x00-\x1f\x7f\\]|^\/|^[A-Za-z]:/.test(name);
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (odd || parts.length === 0 || parts.includes("..") || name.length > 500) {
    throw new InvalidArchiveError(
      `it holds a file under the name ${JSON.stringify(name)}, which is no plain path`,
    );
  }
  return parts.join("/");
}

/** The unpacked archive; one that unpacks to too much is refused on the way. */
function decompress(archive: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  const source = new Blob([archive]).stream();
  if (archive[0] !== 0x1f || archive[1] !== 0x8b) return source;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      // A header and some padding for each file.
      if (bytes > MAX_PLUGIN_BYTES + MAX_PLUGIN_FILES * 4096) {
        controller.error(
          new InvalidArchiveError(`unpacked it has more than ${formatBytes(MAX_PLUGIN_BYTES)}`),
        );
      } else controller.enqueue(chunk);
    },
  });
  return source.pipeThrough(new DecompressionStream("gzip")).pipeThrough(limit);
}

/**
 * The files of a plugin: those below the folder that holds its `plugin.json`. Archives have it in one folder ("package/"
 * in npm's) or at the top. @throws {Error} it is nowhere there
 */
export function selectBelowManifest(files: readonly PluginSourceFile[]): PluginSourceFile[] {
  const [prefix] = files
    .filter(({ path }) => /^([^/]+\/)?plugin\.json$/.test(path))
    .map(({ path }) => path.slice(0, -"plugin.json".length))
    .sort((a, b) => a.length - b.length);
  if (prefix === undefined) throw new InvalidArchiveError("it holds no plugin.json");
  return files.filter(({ path }) => path.startsWith(prefix))
    .map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
}
