/**
 * One hash of everything a plugin consists of: names, execute bits and bytes of its files. A person's consent is
 * for this hash and nothing else.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { MAX_PLUGIN_BYTES, MAX_PLUGIN_FILES } from "../core/plugin_size.ts";
import { openCanonical } from "../lib/fs.ts";
import { formatBytes } from "../lib/text.ts";

/** The folder for a plugin's own data; nothing in it is run or imported. */
const DATA = "data";
/** Bytes read at once. */
const CHUNK_SIZE = 65_536;

/** One file of a plugin. */
interface PluginFile {
  /** Below the plugin's folder, with slashes. */
  readonly path: string;
  readonly executable: boolean;
  /** Bytes. */
  readonly size: number;
  /** Changes with the file, as far as the file system tells. */
  readonly mark: string;
}

/**
 * The files of a plugin's folder (canonical), sorted by name.
 * @throws {Error} a link, a device or too many files; the message names the path and is for people
 */
export async function pluginFiles(folder: string): Promise<PluginFile[]> {
  const files: PluginFile[] = [];
  let bytes = 0;
  async function visit(below: string): Promise<void> {
    for await (const entry of Deno.readDir(join(folder, below))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory) {
        if (path !== DATA) await visit(path);
        continue;
      }
      if (!entry.isFile) {
        const what = entry.isSymlink ? "a link" : "neither a file nor a directory";
        throw new Error(`${path} is ${what}: a plugin consists of regular files only`);
      }
      const { size, mode, ino, mtime, ctime } = await Deno.lstat(join(folder, path));
      const mark = [ino, mtime?.getTime(), ctime?.getTime()].join();
      files.push({ path, executable: ((mode ?? 0) & 0o111) !== 0, size, mark });
      bytes += size;
      if (files.length > MAX_PLUGIN_FILES) {
        throw new Error(`it has more than ${MAX_PLUGIN_FILES} files`);
      }
      if (bytes > MAX_PLUGIN_BYTES) {
        throw new Error(`its files are larger than ${formatBytes(MAX_PLUGIN_BYTES)}`);
      }
    }
  }
  await visit("");
  return files.sort((one, other) => one.path < other.path ? -1 : 1);
}

/**
 * Equal as long as nothing in a plugin's folder (canonical) changes: much cheaper than the hash, but no proof.
 * @throws {Error} as `pluginFiles`
 */
export async function fingerprint(folder: string): Promise<string> {
  return JSON.stringify(await pluginFiles(folder));
}

/**
 * The hash (SHA-256 in hexadecimal) of all files of a plugin's folder (canonical).
 * @throws {Error} as `pluginFiles`, or a file cannot be read
 */
export async function hashFolder(folder: string): Promise<string> {
  const hash = createHash("sha256");
  for (const { path, executable } of await pluginFiles(folder)) {
    const content = createHash("sha256");
    const { handle, stats } = await openCanonical(join(folder, path));
    try {
      if (!stats.isFile()) throw new Error(`${path} is no longer a regular file`);
      const piece = new Uint8Array(CHUNK_SIZE);
      for (;;) {
        const { bytesRead } = await handle.read(piece, 0, CHUNK_SIZE, null);
        if (bytesRead === 0) break;
        content.update(piece.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
    // As JSON, so that no name can be mistaken for the end of another.
    hash.update(JSON.stringify([path, executable, content.digest("hex")]) + "\n");
  }
  return hash.digest("hex");
}
