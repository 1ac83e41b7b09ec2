/**
 * The images of a session: each is a file named by the hash of its bytes, in a folder beside the session's own file. The
 * messages hold the hash alone.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { ImagePart } from "../core/image.ts";
import { exists, listNames } from "../lib/fs.ts";

/** Writes an image unless it is there. @throws {Error} it cannot be written */
export async function writeImage(
  folder: string,
  { hash, bytes }: { readonly hash: string; readonly bytes: Uint8Array },
): Promise<void> {
  const path = join(folder, hash);
  if (exists(path)) return;
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const fresh = `${path}.new`;
  await Deno.writeFile(fresh, bytes, { mode: 0o600 });
  await Deno.rename(fresh, path);
}

/** The bytes of an image; undefined if they are not there, or are others. */
export async function readImage(
  folder: string,
  { hash, size }: ImagePart,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const path = join(folder, hash);
    const info = await Deno.lstat(path);
    if (!info.isFile || info.size !== size) return undefined;
    const bytes = await Deno.readFile(path);
    return createHash("sha256").update(bytes).digest("hex") === hash ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes of an image as a data URL. */
export function toDataUrl({ mime }: ImagePart, bytes: Uint8Array): string {
  return `data:${mime};base64,${bytes.toBase64()}`;
}

/** Gives a copy of a session the images of the session. */
export async function shareImages(from: string, to: string): Promise<void> {
  const names = listNames(from);
  if (names.length === 0) return;
  await Deno.mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of names) {
    await Deno.link(join(from, name), join(to, name))
      .catch(() => Deno.copyFile(join(from, name), join(to, name)));
  }
}
