/**
 * `/skills`, and the command that each skill is: `/NAME words`.
 */
import type { Skill } from "../skills/skill.ts";
import type { SlashCommand } from "./command.ts";
import { markdownTable } from "./markdown.ts";

/** `/skills` */
export const skills: SlashCommand = {
  name: "skills",
  summary: "show the skills there are, and what each may do unasked",
  duringTurn: true,
  async run(_argument, { skills, agent, say }) {
    if (skills === undefined) {
      say(
        "There are no skills. Put a folder with a SKILL.md into `~/.agents/skills` or `~/.ally/skills`, or into " +
          "`.agents/skills` of the project, or run `ally skills install SOURCE`; then start ally again. " +
          "`ally help skills` tells more.",
      );
      return "continue";
    }
    await skills.refresh();
    const loaded = agent.deps.conversation.loadedSkills().map(({ name }) => name);
    const rows = skills.all.map((skill) => [
      `/${skill.name}`,
      sourceOf(skill),
      loaded.includes(skill.name) ? "loaded" : skill.isForModel ? "" : "only by you",
      skill.approval.labels.join(", "),
      skill.description,
    ]);
    const head = ["skill", "from", "state", "may, unasked", "for"];
    const problems = skills.problems.map((text) => `Left out: ${text}`);
    say([...markdownTable(head, { rows }), "", ...problems].join("\n").trimEnd());
    return "continue";
  },
};

/** The commands of skills; a name that another command has is left to that one. */
export function createSkillCommands(
  all: readonly Skill[],
  { taken, run }: {
    taken: readonly SlashCommand[];
    run: (skill: Skill, words: string) => Promise<unknown>;
  },
): SlashCommand[] {
  const names = new Set(taken.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return all.filter(({ name }) => !names.has(name)).map((skill): SlashCommand => ({
    name: skill.name,
    usage: "[words]",
    summary: summaryOf(skill),
    async run(argument) {
      await run(skill, argument);
      return "continue";
    },
  }));
}

function summaryOf(skill: Skill): string {
  const { labels } = skill.approval;
  const may = labels.length === 0 ? "" : `; may without asking: ${labels.join(", ")}`;
  return `${skill.description} (skill, ${sourceOf(skill)}${may})`;
}

function sourceOf({ source }: Skill): string {
  return source === "user" ? "yours" : "of this project";
}
