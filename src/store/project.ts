/**
 * Finds the files of a project that would act on ally, and reads each once. Only regular files that lie in the
 * project count, wherever links lead; what is refused is named. Called by `cli/project.ts` at start.
 */
import { isAbsolute, join, relative } from "node:path";
import type { ProjectFile, ProjectFiles } from "../core/project.ts";
import { errorCode, isMissing, openCanonical, sha256 } from "../lib/fs.ts";
import { formatBytes, messageOf } from "../lib/text.ts";

/** Bytes that one such file may have. */
const MOST_BYTES = 250_000;
/** Agents, and commands, that are looked at. */
const MOST_FILES = 200;
/** The first that is there holds the notes. */
const NOTES = ["ALLY.md", "AGENTS.md", "CLAUDE.md"];

/** What was found. */
export interface Found {
  readonly files: ProjectFiles;
  /** Files that do not act whoever trusts them, each with why. */
  readonly refused: readonly string[];
}

/** Nothing that acts. */
export const NO_PROJECT_FILES: ProjectFiles = { agents: [], commands: [] };

/**
 * Looks in a project (absolute and canonical). A `.ally` in it that is `home`, where ally keeps its own
 * files, is the user's and not the project's.
 */
export async function findProjectFiles(root: string, options: { home: string }): Promise<Found> {
  const refused: string[] = [];
  const read = async (path: string): Promise<ProjectFile | undefined> => {
    try {
      return await readInside(path, root);
    } catch (error) {
      if (!isMissing(error)) refused.push(`${path} is left out: ${messageOf(error)}`);
      return undefined;
    }
  };
  const folder = await isOwnFolder(root, options.home) ? undefined : ".ally";
  const config = folder && await read(`${folder}/config.json`);
  const mcp = folder && await read(`${folder}/mcp.json`);
  const files: ProjectFiles = {
    ...(config && { config }),
    ...(mcp && { mcp }),
    agents: folder ? await readAll(`${folder}/agents`, { root, read }) : [],
    commands: folder ? await readAll(`${folder}/commands`, { root, read, depth: 5 }) : [],
  };
  const notes = await firstOf(NOTES, read);
  return { files: { ...files, ...(notes && { notes }) }, refused };
}

/** All of them, in a fixed order. */
export function listed(files: ProjectFiles): ProjectFile[] {
  const { config, mcp, agents, commands, notes } = files;
  return [config, mcp, ...agents, ...commands, notes].filter((file) => file !== undefined);
}

/** Those among them that pass a test. */
export function filterFiles(
  files: ProjectFiles,
  keeps: (file: ProjectFile) => boolean,
): ProjectFiles {
  const { config, mcp, notes } = files;
  return {
    ...(config && keeps(config) && { config }),
    ...(mcp && keeps(mcp) && { mcp }),
    agents: files.agents.filter(keeps),
    commands: files.commands.filter(keeps),
    ...(notes && keeps(notes) && { notes }),
  };
}

async function firstOf(
  paths: readonly string[],
  read: (path: string) => Promise<ProjectFile | undefined>,
): Promise<ProjectFile | undefined> {
  for (const path of paths) {
    const file = await read(path);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** Whether `.ally` in the project is ally's own home. Without one there is nothing to find. */
async function isOwnFolder(root: string, home: string): Promise<boolean> {
  try {
    const folder = await Deno.realPath(join(root, ".ally"));
    return folder === await Deno.realPath(home).catch(() => home);
  } catch {
    return false;
  }
}

/** The Markdown files of a folder by name, and of the folders in it as far as `depth` goes. */
async function readAll(
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
      else if (name.endsWith(".md") && paths.length < MOST_FILES) paths.push(`${below}/${name}`);
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

/** @throws {Error} it leads out of the project, is no regular file, too large, or may not be read */
async function readInside(path: string, root: string): Promise<ProjectFile> {
  const real = await Deno.realPath(join(root, path));
  const inside = relative(root, real);
  if (inside.startsWith("..") || isAbsolute(inside)) {
    throw new Error("it is a link that leads out of the project");
  }
  const { handle, stats } = await openOnce(real);
  try {
    if (!stats.isFile()) throw new Error("it is not a regular file");
    if (stats.size > MOST_BYTES) {
      throw new Error(
        `it has ${formatBytes(stats.size)}, more than ${formatBytes(MOST_BYTES)}`,
      );
    }
    const bytes = await handle.readFile() as Uint8Array;
    return { path, text: new TextDecoder().decode(bytes), hash: sha256(bytes) };
  } finally {
    await handle.close();
  }
}

async function openOnce(real: string): ReturnType<typeof openCanonical> {
  try {
    return await openCanonical(real);
  } catch (error) {
    if (errorCode(error) === "ELOOP") {
      throw new Error("it became a link while it was looked at", { cause: error });
    }
    if (errorCode(error) === "ENXIO") {
      throw new Error("it is not a regular file", { cause: error });
    }
    throw error;
  }
}
