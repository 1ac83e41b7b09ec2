/**
 * Which files of a workspace decide what git does beside its own work: hooks that lie in the tree, as husky keeps
 * them, and the files that name filters and submodules. `.git` itself is closed to tools and commands.
 */
import { dirname, join, resolve } from "node:path";
import { contains } from "../lib/contains.ts";
import { entriesOf, kindOf, realPath } from "../sandbox/inspect.ts";
import { readEffectiveSettings } from "../sandbox/named_programs.ts";
import { repositoryDirectories } from "../sandbox/repository.ts";

/** Names in the root that git obeys, or what is usually started by its hooks. */
const OBEYED = [
  ...[".gitattributes", ".gitmodules", ".pre-commit-config.yaml"],
  ...["lefthook.yml", ".lefthook.yml", "lefthook-local.yml", ".lefthook-local.yml"],
];

/** What git starts, from whichever directory of hooks. */
const HOOKS = [
  ...["applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit"],
  ...["prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout"],
  ...["post-merge", "pre-push", "pre-auto-gc", "post-rewrite", "post-index-change"],
  ...["reference-transaction", "sendemail-validate", "fsmonitor-watchman"],
];

/** More hooks than this no repository has; the others are not looked at. */
const MAX_HOOKS = 100;

/** The files, absolute, there or not; git itself is asked where it looks for hooks. Never throws. */
export async function findGitHooks(
  root: string,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  try {
    const settings = await readEffectiveSettings({
      trees: [root],
      directories: [],
      roots: [root],
      env,
    });
    const named = (settings ?? []).filter(({ name }) => name === "core.hookspath")
      .map(({ value }) => value);
    return [...OBEYED.map((name) => join(root, name)), ...hooksInTree(root, named)];
  } catch {
    return OBEYED.map((name) => join(root, name));
  }
}

function hooksInTree(root: string, named: readonly string[]): string[] {
  const repositories = repositoryDirectories(root);
  const directories = named.map((path) => realPath(resolve(root, path)) ?? resolve(root, path))
    .filter((directory) => directory !== root && contains(root, directory));
  // husky has git start scripts in `.husky/_`, which run those of the directory above.
  const all = directories.flatMap((directory) =>
    dirname(directory) === root ? [directory] : [directory, dirname(directory)]
  );
  // Those of `.git` itself stay as they are, and start scripts that do not.
  const own = repositories.map((directory) => join(directory, "hooks"));
  const found = [...new Set([...all, ...own])].flatMap((directory) =>
    [...entriesOf(directory)?.keys() ?? []].map((name) => join(directory, name))
      .filter((path) => kindOf(path) === "file" && !path.endsWith(".sample"))
  ).slice(0, MAX_HOOKS);
  // In the tree a branch may bring one that is not there yet.
  const absent = all.flatMap((directory) => HOOKS.map((name) => join(directory, name)))
    .filter((path) => kindOf(path) === undefined);
  return [...new Set([...found, ...absent])];
}
