/**
 * A directory tree as one text a path: kind, permission bits, content or target, to compare trees by.
 */
import { join, relative } from "node:path";
import { createHash } from "node:crypto";

/** Every path below a directory, sorted; names in `except` are passed over. */
export async function describeTree(
  root: string,
  options: { except?: readonly string[] } = {},
): Promise<string[]> {
  const lines: string[] = [];
  const visit = async (directory: string) => {
    for await (const { name } of Deno.readDir(directory)) {
      if (options.except?.includes(name)) continue;
      const path = join(directory, name);
      const info = await Deno.lstat(path);
      const bits = ((info.mode ?? 0) & 0o7777).toString(8);
      const shown = relative(root, path);
      if (info.isSymlink) lines.push(`${shown} -> ${await Deno.readLink(path)}`);
      else if (info.isDirectory) {
        lines.push(`${shown}/ ${bits}`);
        await visit(path);
      } else {
        const hash = createHash("sha256").update(await Deno.readFile(path)).digest("hex");
        lines.push(`${shown} ${bits} ${hash}`);
      }
    }
  };
  await visit(root);
  return lines.sort();
}
