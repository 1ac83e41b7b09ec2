/**
 * The working trees that git takes for a repository's own because its settings say so, wherever they lie.
 */
import { join } from "node:path";
import { tryStat } from "../lib/fs.ts";
import { isReadWhole, readSettings } from "./git_settings.ts";
import { followPath, isNoText, readSmallFile, realPath } from "./inspect.ts";
import { CONFIGS } from "./repository_directories.ts";

/** Without such words no setting names a tree. Git takes none from what a file includes. */
const NAMES_TREE = /(?<![\w-])worktree[ \t]*=/i;
/** A value that says something else than it looks like: a part is a comment, or a character that is not itself. */
const READ_OTHERWISE = /worktree[ \t]*=.*(?:[#;\\]|[^\S \t\r\n])/i;

/**
 * The trees, canonical, that the settings in directories of git's name; undefined if it cannot be told which these are.
 */
export function namedTrees(directories: readonly string[]): readonly string[] | undefined {
  const named: string[] = [];
  for (const directory of directories) {
    for (const name of CONFIGS) {
      const values = treesIn(join(directory, name));
      if (values === undefined) return undefined;
      // Of several directories any may be the one from which it is meant.
      named.push(...values.flatMap((value) => directories.map((one) => followPath(one, value))));
    }
  }
  if (named.some(isNoText)) return undefined;
  return [...new Set(named.flatMap((tree) => realPath(tree) ?? []))];
}

/** The values that a file gives the setting; undefined if git may read others. */
function treesIn(config: string): readonly string[] | undefined {
  if ((tryStat(config)?.size ?? 0) === 0) return [];
  const text = readSmallFile(realPath(config) ?? config);
  if (text === "") return undefined;
  if (!NAMES_TREE.test(text)) return [];
  if (READ_OTHERWISE.test(text) || !isReadWhole(text)) return undefined;
  return readSettings(text).filter(([name]) => name === "core.worktree").map(([, value]) => value);
}
