/**
 * Reads one file of a project that would act on ally: once, and only a regular file of the project's own that is
 * not too large, wherever links lead.
 */
import { join } from "node:path";
import type { ProjectFile } from "../core/project.ts";
import { contains } from "../lib/contains.ts";
import { errorCode, openCanonical, requireSmallFile, sha256 } from "../lib/fs.ts";

/** Bytes that one such file may have. */
const MAX_BYTES = 250_000;

/**
 * Reads a file by its path relative to `root`; it must lie in `within` (both absolute and canonical).
 * @throws {Error} it leads out of the project, is no regular file, too large, or may not be read
 */
export async function readProjectFile(
  path: string,
  { root, within = root }: { root: string; within?: string },
): Promise<ProjectFile> {
  const real = await Deno.realPath(join(root, path));
  if (!contains(within, real)) throw new Error("it is a link that leads out of the project");
  const { handle, stats } = await openOnce(real);
  try {
    requireSmallFile({ isFile: stats.isFile(), size: stats.size }, MAX_BYTES);
    const bytes = await handle.readFile() as Uint8Array;
    return { path, text: new TextDecoder().decode(bytes), hash: sha256(bytes) };
  } finally {
    await handle.close();
  }
}

async function openOnce(real: string): ReturnType<typeof openCanonical> {
  try {
    return await openCanonical(real);
  } catch (error) {
    if (errorCode(error) === "ELOOP") {
      throw new Error("it became a link while it was looked at", { cause: error });
    }
    if (errorCode(error) === "ENXIO") {
      throw new Error("it is not a regular file", { cause: error });
    }
    throw error;
  }
}
