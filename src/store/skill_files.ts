/**
 * Finds skills on the disk: folders with a `SKILL.md`, of the user and of a project, and what else is in them. Loaded
 * only where one of the folders is there that may hold skills.
 */
import { basename, dirname, join, relative } from "node:path";
import type { ProjectFile } from "../core/project.ts";
import { contains } from "../lib/contains.ts";
import { isMissing, readSmallFile, realPathOrSame, reasonOf, sha256, tryLstat } from "../lib/fs.ts";
import { HIDDEN_CHARACTER } from "../lib/text.ts";

/** The file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";
/** Bytes that it may have. */
const MAX_BYTES = 250_000;
/** Skills of one folder that are looked at. */
const MAX_SKILLS = 500;
/** Files of a skill that are named, and folders below one another in which they are looked for. */
const MAX_FILES = 60;
const MAX_DEPTH = 4;

/** A `SKILL.md` with where it was found. */
export interface SkillFile {
  readonly text: string;
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly hash: string;
  /** As people know the file. */
  readonly path: string;
  /** Name of the folder, which the skill's name should be. */
  readonly folderName: string;
  /** The folder, absolute and canonical. */
  readonly folder: string;
  readonly source: "user" | "project";
}

/** What was found, and what could not be used. */
export interface FoundSkillFiles {
  readonly files: readonly SkillFile[];
  readonly problems: readonly string[];
}

/** The user's skills in some folders, in their order, paths below `userHome` with `~`. Links are followed. */
export async function findUserSkills(
  directories: readonly string[],
  { userHome }: { userHome: string },
): Promise<FoundSkillFiles> {
  const files: SkillFile[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const directory of directories) {
    for (const name of skillNames(directory)) {
      const path = shorten(join(directory, name, SKILL_FILE), userHome);
      try {
        const folder = await Deno.realPath(join(directory, name));
        // A folder that holds all the rest is no skill's own, and its files are read without a question.
        if (contains(folder, await Deno.realPath(directory)) || folder === userHome) {
          throw new Error("it is a link to a folder that holds more than the skill");
        }
        const real = await Deno.realPath(join(folder, SKILL_FILE));
        if (seen.has(real)) continue;
        seen.add(real);
        if (!contains(folder, real)) throw new Error("it is a link that leads out of its folder");
        const text = await readSmallFile(real, { maxBytes: MAX_BYTES });
        const hash = sha256(new TextEncoder().encode(text));
        files.push({ text, hash, path, folderName: name, folder, source: "user" });
      } catch (error) {
        if (!isMissing(error)) problems.push(`${path} is left out: ${reasonOf(error)}`);
      }
    }
  }
  return { files, problems };
}

/** The folders of a project's skills, relative to it: of linked ones only what is wrong is told. */
export function projectSkillFiles(
  root: string,
  folders: readonly string[],
): { readonly paths: readonly string[]; readonly problems: readonly string[] } {
  const paths: string[] = [];
  const problems: string[] = [];
  for (const folder of folders) {
    for (const name of skillNames(join(root, folder))) {
      const path = `${folder}/${name}/${SKILL_FILE}`;
      const linked = [`${folder}/${name}`, path].find((one) =>
        tryLstat(join(root, one))?.isSymlink
      );
      if (linked !== undefined) problems.push(`${path} is left out: ${linked} is a link`);
      else if (tryLstat(join(root, path)) !== undefined) paths.push(path);
    }
  }
  return { paths, problems };
}

/** A trusted file of a project as the skill that it is. */
export function toProjectSkill({ path, text, hash }: ProjectFile, root: string): SkillFile {
  const folder = dirname(join(root, path));
  const folderName = basename(folder);
  return { text, hash, path, folderName, folder: realPathOrSame(folder), source: "project" };
}

/** The folders of skills in a folder: itself if it is one, else those below it that are. */
export function listSkillsIn(folder: string): string[] {
  const isSkill = (path: string) => tryLstat(join(path, SKILL_FILE)) !== undefined;
  if (isSkill(folder)) return [folder];
  return skillNames(folder).map((name) => join(folder, name)).filter(isSkill);
}

/** What is in a skill's folder beside its `SKILL.md`: plain files, relative to it; links are left out. */
export function listSkillFiles(folder: string): { files: string[]; more: boolean } {
  const files: string[] = [];
  let more = false;
  function visit(directory: string, depth: number): void {
    for (const { name, isDirectory, isFile } of entriesOf(directory)) {
      if (files.length >= MAX_FILES) {
        more = true;
        return;
      }
      const path = join(directory, name);
      if (isFile && path !== join(folder, SKILL_FILE)) files.push(relative(folder, path));
      if (isDirectory && depth < MAX_DEPTH) visit(path, depth + 1);
    }
  }
  visit(folder, 1);
  return { files, more };
}

/** The names in a folder of skills that may be skills; none where it is not there. */
function skillNames(directory: string): string[] {
  return entriesOf(directory)
    .filter(({ isFile }) => !isFile)
    .map(({ name }) => name)
    .slice(0, MAX_SKILLS);
}

/** By name, without what is hidden; a name that a terminal would not show as it is hides as well. */
function entriesOf(directory: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(directory)]
      .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
      .filter(({ name }) => !/[\t\n]/.test(name) && !HIDDEN_CHARACTER.test(name))
      .sort((a, b) => a.name < b.name ? -1 : 1);
  } catch {
    return [];
  }
}

function shorten(path: string, userHome: string): string {
  const below = userHome !== "" && path.startsWith(`${userHome}/`);
  return below ? `~${path.slice(userHome.length)}` : path;
}
