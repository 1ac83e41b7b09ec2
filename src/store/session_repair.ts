/**
 * A damaged session's file is set aside as it is, and what can be read of it takes its place, so that
 * nothing is lost and the next start finds the session whole. Called when such a session goes on.
 */
import { basename, dirname, join } from "node:path";
import { replaceFile } from "../lib/fs.ts";
import { readLines } from "./session_lines.ts";
import { SessionReader } from "./session_reader.ts";

/** Sets a session's file aside and puts the lines that can be read in its place; returns where it is kept. */
export async function repairSessionFile(path: string, id: string): Promise<string> {
  const real = join(await Deno.realPath(dirname(path)), basename(path));
  const kept = await backUp(real);
  const reader = new SessionReader(id);
  const { lines } = await readLines(kept);
  const text = lines.filter((line) => reader.readLine(line)).map((line) => `${line}\n`).join("");
  await replaceFile(real, new TextEncoder().encode(text), { mode: 0o600 });
  return kept;
}

/** Gives the file another name, beside the one it has until it is replaced. */
async function backUp(path: string): Promise<string> {
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
