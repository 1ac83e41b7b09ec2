/**
 * Finds the user's own commands, `~/.ally/commands/NAME.md` and `DIR/NAME.md` (called `DIR:NAME`), and reads them.
 * Those of a project come from what is trusted of it.
 */
import { join } from "node:path";
import { isMissing, readSmallFile, reasonOf } from "../lib/fs.ts";

/** Bytes that a command may have. */
const MAX_BYTES = 250_000;
const MAX_FILES = 500;
/** Folders below one another. */
const MAX_DEPTH = 5;

/** One file of a command. */
export interface CommandFile {
  /** As it is called, without the slash: "review", "git:commit". */
  readonly name: string;
  /** As people know the file. */
  readonly path: string;
  readonly text: string;
}

/** The user's command files by name, paths below `userHome` with `~`; what cannot be read is named in `problems`. */
export async function findCommandFiles(
  directory: string,
  { userHome }: { userHome: string },
): Promise<{ files: CommandFile[]; problems: string[] }> {
  const files: CommandFile[] = [];
  const problems: string[] = [];
  const displayPath = (parts: readonly string[]) => {
    const path = join(directory, ...parts);
    const below = userHome !== "" && path.startsWith(`${userHome}/`);
    return below ? `~${path.slice(userHome.length)}` : path;
  };
  async function visit(below: readonly string[]): Promise<void> {
    const entries = await Array.fromAsync(Deno.readDir(join(directory, ...below)))
      .catch((error) => {
        if (!isMissing(error)) problems.push(`${displayPath(below)}: ${reasonOf(error)}`);
        return [];
      });
    for (const { name, isDirectory } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
      if (name.startsWith(".")) continue;
      if (isDirectory) {
        if (below.length < MAX_DEPTH) await visit([...below, name]);
        continue;
      }
      const path = join(directory, ...below, name);
      const called = commandName([...below, name].join("/"));
      if (called === undefined || files.length >= MAX_FILES) continue;
      try {
        files.push({
          name: called,
          path: displayPath([...below, name]),
          text: await readSmallFile(path, { maxBytes: MAX_BYTES }),
        });
      } catch (error) {
        problems.push(`${displayPath([...below, name])} is left out: ${reasonOf(error)}`);
      }
    }
  }
  await visit([]);
  return { files, problems };
}

/** The name of the command in a file below a folder of commands; undefined if it is none. */
export function commandName(path: string): string | undefined {
  const name = path.replace(/\.md$/, "").replaceAll("/", ":").toLowerCase();
  return path.endsWith(".md") && /^[a-z][\w-]*(:[\w-]+)*$/.test(name) ? name : undefined;
}
