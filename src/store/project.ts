/**
 * Finds the files of a project that would act on ally, and reads each once. Only regular files that lie in the
 * project count, wherever links lead; what is refused is named.
 */
import { join, relative } from "node:path";
import type { ProjectFile, ProjectFiles } from "../core/project.ts";
import { exists, isMissing, mayRead, realPathOrSame, reasonOf } from "../lib/fs.ts";
import { findInstructions, instructionDirectories } from "./instructions.ts";
import type { SkillPlaces } from "./paths.ts";
import { type IsHidden, readProjectFile } from "./project_file.ts";

/** Agents, commands, and skills, that are looked at. */
const MAX_FILES = 200;

/** What was found. */
interface FoundProjectFiles {
  readonly files: ProjectFiles;
  /** Files that are never used, even if trusted, each with why. */
  readonly problems: readonly string[];
}

/** A project without such files. */
export const NO_PROJECT_FILES: ProjectFiles = {
  agents: [],
  commands: [],
  skills: [],
  instructions: [],
};

/**
 * Looks in a project (absolute and canonical). A `.ally` in it that is one of `ownFolders` is the
 * person's and not the project's. Without `skillPlaces` no skill is looked for.
 */
export async function findProjectFiles(
  root: string,
  options: {
    ownFolders: readonly string[];
    skillPlaces?: SkillPlaces | undefined;
    isHidden?: IsHidden | undefined;
  },
): Promise<FoundProjectFiles> {
  const problems: string[] = [];
  const read = async (path: string, within = root): Promise<ProjectFile | undefined> => {
    try {
      return await readProjectFile(path, { root, within, isHidden: options.isHidden });
    } catch (error) {
      if (!isMissing(error)) problems.push(`${path} is left out: ${reasonOf(error)}`);
      return undefined;
    }
  };
  const folder = await isOwnFolder(root, options.ownFolders) ? undefined : ".ally";
  const config = folder && await read(`${folder}/config.json`);
  const mcp = folder && await read(`${folder}/mcp.json`);
  const hooks = config && await readHooks(config, root);
  const { instructions, problems: unusable } = await findInstructions(root, options);
  problems.push(...unusable);
  const files: ProjectFiles = {
    ...(config && { config }),
    ...(mcp && { mcp }),
    ...(hooks && hooks.length > 0 && { hooks }),
    agents: folder ? await readMarkdownFiles(`${folder}/agents`, { root, read }) : [],
    commands: folder ? await readMarkdownFiles(`${folder}/commands`, { root, read, depth: 5 }) : [],
    skills: await findSkills(root, { ...options, read, problems }),
    instructions,
  };
  return { files, problems };
}

/** The programs of the project that its hooks run; looked for only where there may be hooks. */
async function readHooks(config: ProjectFile, root: string): Promise<readonly ProjectFile[]> {
  if (!config.text.includes("hooks")) return [];
  const { findHookFiles } = await import("./hook_files.ts");
  return await findHookFiles(config, { root });
}

/** All of them, in a fixed order. */
export function listFiles(files: ProjectFiles): ProjectFile[] {
  const { config, hooks = [], mcp, agents, commands, skills, instructions } = files;
  return [config, ...hooks, mcp, ...agents, ...commands, ...skills, ...instructions].filter((
    file,
  ) => file !== undefined);
}

/** Those among them that pass a test. */
export function filterFiles(
  files: ProjectFiles,
  isWanted: (file: ProjectFile) => boolean,
): ProjectFiles {
  const { config, hooks, mcp, instructions } = files;
  return {
    ...(config && isWanted(config) && { config }),
    ...(hooks && { hooks: hooks.filter(isWanted) }),
    ...(mcp && isWanted(mcp) && { mcp }),
    agents: files.agents.filter(isWanted),
    commands: files.commands.filter(isWanted),
    skills: files.skills.filter(isWanted),
    instructions: instructions.filter(isWanted),
  };
}

/** The skills of the directories from the project's up to the root of its repository, the nearest first. */
async function findSkills(
  root: string,
  { skillPlaces, read, problems }: {
    skillPlaces?: SkillPlaces | undefined;
    read: (path: string, within: string) => Promise<ProjectFile | undefined>;
    problems: string[];
  },
): Promise<ProjectFile[]> {
  if (skillPlaces === undefined) return [];
  const directories = instructionDirectories(root).toReversed();
  const folders = directories.flatMap((one) => skillPlaces.project.map((name) => join(one, name)))
    .filter((path) => mayRead(path) && exists(path));
  if (folders.length === 0) return [];
  const own = skillPlaces.user.map(realPathOrSame);
  const foreign = folders.filter((path) => !own.includes(realPathOrSame(path)))
    .map((path) => relative(root, path));
  const { projectSkillFiles } = await import("./skill_files.ts");
  const found = projectSkillFiles(root, foreign);
  problems.push(...found.problems);
  const files: ProjectFile[] = [];
  for (const path of found.paths.slice(0, MAX_FILES)) {
    const file = await read(path, directories.at(-1) ?? root);
    if (file !== undefined) files.push(file);
  }
  return files;
}

/** Whether `.ally` in the project is the person's own. Without one there is nothing to find. */
async function isOwnFolder(root: string, ownFolders: readonly string[]): Promise<boolean> {
  try {
    const folder = await Deno.realPath(join(root, ".ally"));
    for (const own of ownFolders) {
      if (folder === await Deno.realPath(own).catch(() => own)) return true;
    }
    return false;
  } catch {
    return false;
  }
}

/** The Markdown files of a folder by name, and of the folders in it as far as `depth` goes. */
async function readMarkdownFiles(
  folder: string,
  { root, read, depth = 0 }: {
    root: string;
    read: (path: string) => Promise<ProjectFile | undefined>;
    depth?: number;
  },
): Promise<ProjectFile[]> {
  const paths: string[] = [];
  async function visit(below: string, levels: number): Promise<void> {
    const entries = await Array.fromAsync(Deno.readDir(join(root, below))).catch(() => []);
    for (const { name, isDirectory } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
      if (isDirectory && levels > 0) await visit(`${below}/${name}`, levels - 1);
      else if (name.endsWith(".md") && paths.length < MAX_FILES) paths.push(`${below}/${name}`);
    }
  }
  await visit(folder, depth);
  const files: ProjectFile[] = [];
  for (const path of paths) {
    const file = await read(path);
    if (file !== undefined) files.push(file);
  }
  return files;
}
