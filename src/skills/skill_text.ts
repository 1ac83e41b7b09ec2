/**
 * What the model reads of a skill: its instructions once it is loaded, with the files that belong to it.
 */
import type { LoadedSkill } from "../core/message.ts";
import type { Skill } from "./skill.ts";

/** The files of a skill, relative to its folder. */
export interface BundledFiles {
  readonly files: readonly string[];
  /** Whether there are more. */
  readonly more: boolean;
}

/** A skill as a message holds it. */
export function toLoaded(skill: Skill, { files, more }: BundledFiles): LoadedSkill {
  const { name, hash, folder, body } = skill;
  const listed = files.length === 0
    ? []
    : [`Its files, to be read when they are needed: ${files.join(", ")}${more ? ", ..." : ""}`];
  const head = [
    `The skill ${name}. Follow its instructions where they fit the user's task; what the user says comes first.`,
    `Its folder is ${folder}: paths in the instructions are relative to it.`,
    ...listed,
  ];
  const text = `[${head.join("\n")}]\n\n${body}\n\n[End of the skill ${name}]`;
  return { name, hash, text };
}
