/**
 * A damaged session's file is set aside as it is, and what can be read of it takes its place, so that
 * nothing is lost and the next start finds the session whole. Called when such a session goes on.
 */
import { basename, dirname, join } from "node:path";
import { replaceFile } from "../lib/fs.ts";

/** Sets a file aside and puts the lines that could be read in its place; returns where it is kept. */
export async function setAside(path: string, lines: readonly string[]): Promise<string> {
  const real = join(await Deno.realPath(dirname(path)), basename(path));
  const kept = await keep(real);
  const text = lines.map((line) => `${line}\n`).join("");
  await replaceFile(real, new TextEncoder().encode(text), { mode: 0o600 });
  return kept;
}

/** Gives the file another name, beside the one it has until it is replaced. */
async function keep(path: string): Promise<string> {
  for (let count = 1;; count++) {
    const kept = `${path}.damaged${count === 1 ? "" : `-${count}`}`;
    try {
      await Deno.link(path, kept);
      return kept;
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) continue;
      if (await Deno.lstat(kept).then(() => true, () => false)) continue;
      await Deno.copyFile(path, kept);
      return kept;
    }
  }
}
