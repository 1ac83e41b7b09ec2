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

/** Whether what lies at a canonical path is not for the model, by a rule or, where a link led there, as a secret. */
export type IsHidden = (real: string, how: { readonly isLinked: boolean }) => boolean;

interface ReadOptions {
  readonly root: string;
  readonly within?: string;
  /** @default nothing is */
  readonly isHidden?: IsHidden | undefined;
}

/**
 * Reads a file by its path relative to `root`; it must lie in `within` (both absolute and canonical).
 * @throws {Error} it leads out of the project or to what is hidden, is no regular file, too large, or may not be read
 */
export async function readProjectFile(
  path: string,
  { root, within = root, isHidden }: ReadOptions,
): Promise<ProjectFile> {
  const named = join(root, path);
  const real = await Deno.realPath(named);
  if (!contains(within, real)) throw new Error("it is a link that leads out of the project");
  if (isHidden?.(real, { isLinked: real !== named })) {
    throw new Error(`it leads to ${real}, which is not to be read`);
  }
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
