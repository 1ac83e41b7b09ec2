/**
 * The skills of a run: reads them, gives the model the tool that loads them, and runs a turn with one that a person
 * names. Loaded only where there are skills.
 */
import type { Agent } from "../agent/agent.ts";
import type { CurrentConversation } from "../agent/current_conversation.ts";
import type { TurnSummary } from "../agent/turn_deps.ts";
import { buildCatalogue } from "../skills/catalogue.ts";
import type { Skill } from "../skills/skill.ts";
import { Skills } from "../skills/skills.ts";
import { createSkillTool } from "../skills/tool.ts";
import { findUserSkills, listSkillFiles } from "../store/skill_files.ts";
import type { Registry } from "../tools/registry.ts";
import type { Bootstrap } from "./bootstrap.ts";
import type { Conversations } from "./conversations.ts";
import type { Enforcement } from "./enforcement.ts";
import type { Prompts, WordsOptions } from "./prompts.ts";

/** Share of the window that the catalogue may take. */
const MAX_WINDOW_SHARE = 0.02;
/** Where the tool comes from. */
const SOURCE = "skills";

/** What skills are connected with. */
interface SkillParts {
  readonly enforcement: Enforcement;
  readonly registry: Registry;
  readonly conversations: Conversations;
  readonly current: CurrentConversation;
}

/** Opens the skills of a run. The user's are read anew when one is used; the project's stay as they were trusted. */
export async function openSkills(
  bootstrap: Bootstrap,
  { enforcement: { policy }, registry, conversations, current }: SkillParts,
): Promise<Skills> {
  const { events, home, skillFiles, userSkillFolders } = bootstrap;
  const trusted = skillFiles.filter(({ source }) => source === "project");
  const skills = new Skills({
    async read() {
      const found = await findUserSkills(userSkillFolders, { userHome: home });
      return { files: [...found.files, ...trusted], problems: found.problems };
    },
    definitions: () => registry.all,
    listFiles: listSkillFiles,
    notify: (text) => events.emit({ type: "notice", level: "info", text }),
  });
  await skills.refresh();
  // What could not be read was told when it was looked for.
  for (const text of skills.parseProblems) events.warn(`A skill is left out: ${text}`);
  if (skills.forModel.length === 0) return skills;
  const catalogue = buildCatalogue(skills.forModel, {
    tokens: current.budget.size * MAX_WINDOW_SHARE,
    count: (text) => conversations.countTokens(text),
  });
  const tool = createSkillTool({
    catalogue,
    skills: () => skills.forModel,
    load(skill, agent) {
      // What an agent loads for a task of its own approves nothing for the agent above.
      const rules = agent.depth === 0 ? skills.approve(skill) : undefined;
      if (rules) policy.approveForTurn(rules);
      return skills.load(skill);
    },
  });
  if (registry.replace(SOURCE, { listed: [tool], unlisted: [] })) conversations.onToolsChanged();
  return skills;
}

/** What a turn with a skill is run with. */
interface SkillTurnOptions extends WordsOptions {
  readonly agent: Agent;
  readonly prompts: Prompts;
  readonly skills: Skills;
}

/** Runs a turn with a skill, as a person wants it by `/name words`. */
export async function runSkill(
  { name }: Pick<Skill, "name">,
  words: string,
  { agent, prompts, skills, ...given }: SkillTurnOptions,
): Promise<TurnSummary> {
  await skills.refresh();
  const skill = skills.find(name);
  if (skill === undefined) throw new Error(`There is no skill ${name} any more.`);
  const task = words === "" ? `Use the skill ${name}.` : `Use the skill ${name}: ${words}`;
  const prompt = await prompts.turn(task, given);
  return await agent.run(prompt, { typed: `/${name} ${words}`.trim(), ...skills.use([skill]) });
}
