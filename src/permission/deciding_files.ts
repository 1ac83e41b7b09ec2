/**
 * The files that decide what a command does, looked at before it runs: where it runs once more, with more than it had or
 * outside of the sandbox, that is allowed for what they held then. Ignored files are in no snapshot to be taken back.
 */
import { isFile, type PathFacts } from "../core/path_facts.ts";
import type { Access } from "../core/permission.ts";
import { analyzeCommand } from "../shell/analyze.ts";
import { followExecuted } from "./bound_files/closure.ts";

/**
 * Looks at the files of the workspace that commands execute, and with `hooks` at those that git starts; the result tells
 * which of them hold something else by then.
 */
export async function watchDecidingFiles(
  accesses: readonly Access[],
  { pathFacts, hooks }: { pathFacts: PathFacts; hooks: boolean },
): Promise<() => readonly string[]> {
  const parts = accesses.filter(({ kind }) => kind === "run").flatMap(({ target, cwd }) =>
    analyzeCommand(target, { pathFacts, sandboxed: true, ...(cwd !== undefined && { cwd }) }).parts
  );
  const changesGit = parts.some(({ needs }) => needs.includes("repository"));
  const started = hooks && changesGit ? await pathFacts.gitHooks() : [];
  const files = parts.flatMap((part) => {
    const command = { ...part, argv: part.argv ?? [], hooks: started, looksAtOptions: true };
    return followExecuted(command, pathFacts).files;
  });
  const before = [...new Set(files)].map((path) => [path, pathFacts.fingerprint(path)] as const)
    .filter(([, hash]) => isFile(hash));
  return () => before.flatMap(([path, hash]) => pathFacts.fingerprint(path) === hash ? [] : [path]);
}
