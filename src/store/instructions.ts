/**
 * Finds the instruction files for the model: in each directory from the root of the repository down to the working
 * directory the first of them that is there.
 */
import { basename, dirname, join, relative } from "node:path";
import type { ProjectFile } from "../core/project.ts";
import { exists, isMissing, mayRead, reasonOf } from "../lib/fs.ts";
import { type IsHidden, readProjectFile } from "./project_file.ts";

/** Names of instruction files; the first of a directory that is there counts. */
export const INSTRUCTION_FILES: readonly string[] = ["ALLY.md", "AGENTS.md", "CLAUDE.md"];

/** The instructions for a directory (absolute and canonical), the nearest last, and what could not be used. */
export async function findInstructions(
  directory: string,
  { isHidden }: { isHidden?: IsHidden | undefined } = {},
): Promise<{ instructions: ProjectFile[]; problems: string[] }> {
  const instructions: ProjectFile[] = [];
  const problems: string[] = [];
  const directories = instructionDirectories(directory);
  const [within = directory] = directories;
  for (const one of directories) {
    for (const name of INSTRUCTION_FILES) {
      const path = relative(directory, join(one, name));
      try {
        instructions.push(await readProjectFile(path, { root: directory, within, isHidden }));
        break;
      } catch (error) {
        if (isMissing(error)) continue;
        problems.push(`${path} is left out: ${reasonOf(error)}`);
      }
    }
  }
  return { instructions, problems };
}

/** The user's own instructions, or undefined if there are none. @throws {Error} they cannot be read */
export async function readUserInstructions(path: string): Promise<ProjectFile | undefined> {
  try {
    const root = await Deno.realPath(dirname(path));
    return { ...await readProjectFile(basename(path), { root, within: "/" }), path };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The directories from the root of the repository down to this one; outside of a repository, this one alone. */
export function instructionDirectories(directory: string): string[] {
  const root = repositoryRoot(directory) ?? directory;
  const found = [directory];
  for (let at = directory; at !== root; at = dirname(at)) found.unshift(dirname(at));
  return found;
}

/** The directory, or the nearest above it, that holds `.git`; undefined outside of repositories. */
export function repositoryRoot(directory: string): string | undefined {
  for (let at = directory;; at = dirname(at)) {
    const path = join(at, ".git");
    // Where Deno would have to ask the person, nothing is looked at.
    if (!mayRead(path)) return undefined;
    if (exists(path)) return at;
    if (dirname(at) === at) return undefined;
  }
}
