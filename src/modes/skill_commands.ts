/**
 * The commands of the skills of a run, `/NAME words`: each runs a turn with its skill.
 */
import type { App } from "../app/app.ts";
import type { SlashCommand } from "../slash/command.ts";
import { createSkillCommands } from "../slash/skills.ts";

/** Makes them; a name in `taken` is left to the command that has it. */
export function skillCommandsOf(app: App, taken: readonly SlashCommand[]): SlashCommand[] {
  const { skills } = app;
  if (skills === undefined) return [];
  return createSkillCommands(skills.all, {
    taken,
    async run(skill, words) {
      const { runSkill } = await import("../app/skills.ts");
      return await runSkill(skill, words, { ...app, skills });
    },
  });
}
