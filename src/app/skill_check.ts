/**
 * Looks at skills without a run: those that there are, and those in a folder that somebody names.
 */
import { basename, join } from "node:path";
import { MANIFEST } from "../../plugins/manifest.ts";
import { sha256 } from "../lib/fs.ts";
import { type ParsedSkill, parseSkill, type SkillSource } from "../skills/skill.ts";
import { findProjectFiles } from "../store/project.ts";
import {
  findUserSkills,
  listSkillsIn,
  SKILL_FILE,
  type SkillFile,
  toProjectSkill,
} from "../store/skill_files.ts";
import { openProject, type ProjectOptions } from "./project.ts";

/** A skill's file with what was made of it. */
export interface CheckedSkill extends ParsedSkill {
  readonly file: Omit<SkillSource, "text" | "hash">;
}

/** A skill that a run would find, and whether it would act. */
export interface ListedSkill {
  readonly checked: CheckedSkill;
  /** Why it does not act; absent if it does. */
  readonly inactive?: string;
}

/** Reads one file as a run would, with the tools that ally brings. */
export async function checkSkill({ text, hash, ...file }: SkillSource): Promise<CheckedSkill> {
  const definitions = MANIFEST.map(({ definition }) => definition);
  return { file, ...await parseSkill({ ...file, text, hash }, { definitions }) };
}

/** Checks a folder that is a skill, or each skill in it. @throws {Error} it cannot be read */
export async function checkFolder(folder: string): Promise<CheckedSkill[]> {
  const folders = listSkillsIn(folder);
  return await Promise.all(folders.map(async (one) => {
    const path = join(one, SKILL_FILE);
    const bytes = await Deno.readFile(path);
    const text = new TextDecoder().decode(bytes);
    const folderName = basename(await Deno.realPath(one));
    const hash = sha256(bytes);
    return await checkSkill({ text, hash, path, folderName, folder: one, source: "user" });
  }));
}

/** The skills that a run would find, and what is wrong with others. */
export async function listSkills(
  options: ProjectOptions & Required<Pick<ProjectOptions, "skillPlaces">> & { userHome: string },
): Promise<{ readonly skills: readonly ListedSkill[]; readonly problems: readonly string[] }> {
  const { directory, skillPlaces, userHome } = options;
  const user = await findUserSkills(skillPlaces.user, { userHome });
  const { files: { skills: theirs }, problems } = await findProjectFiles(directory, options);
  const { states } = await openProject({ ...options, warn: () => {} });
  const known = new Map<string, string>();
  const list = async (file: SkillFile, trust?: { isActive: boolean; why: string }) => {
    const checked = await checkSkill(file);
    const other = checked.skill && known.get(checked.skill.name);
    if (trust && !trust.isActive) return { checked, inactive: trust.why };
    if (checked.skill === undefined) {
      const [why] = checked.problems;
      return { checked, inactive: `it cannot be used${why ? `: ${why.text}` : ""}` };
    }
    if (other !== undefined) return { checked, inactive: `${other} has its name` };
    known.set(checked.skill.name, file.path);
    return { checked };
  };
  const skills: ListedSkill[] = [];
  for (const file of user.files) skills.push(await list(file));
  for (const file of theirs) {
    const trust = states.find(({ path }) => path === file.path);
    skills.push(await list(toProjectSkill(file, directory), trust));
  }
  return { skills, problems: [...user.problems, ...problems] };
}
