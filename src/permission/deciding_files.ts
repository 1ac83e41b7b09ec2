/**
 * The files that a command names to be run, looked at before it runs: where it runs once more, with more than it had or
 * outside of the sandbox, that is allowed for what they held then. Ignored files are in no snapshot to be taken back.
 */
import { isFile, type PathFacts } from "../core/path_facts.ts";
import type { Access } from "../core/permission.ts";
import { analyzeCommand } from "../shell/analyze.ts";
import { findChanged } from "./grants.ts";

/** Looks at the files of the workspace that commands execute; the result tells which of them hold something else by then. */
export function watchDecidingFiles(
  accesses: readonly Access[],
  pathFacts: PathFacts,
): () => readonly string[] {
  const files = accesses.filter(({ kind }) => kind === "run").flatMap(({ target, cwd }) =>
    analyzeCommand(target, { pathFacts, sandboxed: true, ...(cwd !== undefined && { cwd }) }).parts
  ).flatMap(({ executes }) => executes);
  const before = [...new Set(files)].map((path) => [path, pathFacts.fingerprint(path)] as const)
    .filter(([, hash]) => isFile(hash));
  return () => findChanged(before, pathFacts);
}
