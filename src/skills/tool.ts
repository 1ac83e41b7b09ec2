/**
 * The tool by which the model loads a skill. Its description holds the catalogue; it is there only where there are
 * skills.
 */
import { ToolError } from "../core/errors.ts";
import { isLoaded, type LoadedSkill } from "../core/message.ts";
import type { AgentIdentity, Tool, ToolDefinition, ToolEntry } from "../core/tool.ts";
import { didYouMean, findName, findNear } from "../lib/names.ts";
import { plural } from "../lib/text.ts";
import { searchWords } from "../lib/word_search.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Skill } from "./skill.ts";

/** Skills that one search finds at most. */
const MAX_FOUND = 8;

/** What the tool works with. */
export interface SkillToolOptions {
  readonly catalogue: Catalogue;
  /** The skills that the model may load. */
  readonly skills: () => readonly Skill[];
  /** Makes the text of a skill, and lets it do in this turn what it may do without a question. */
  readonly load: (skill: Skill, agent: AgentIdentity) => LoadedSkill;
}

interface SkillInput extends Readonly<Record<string, unknown>> {
  readonly name?: string;
  readonly query?: string;
}

/** Makes the tool. */
export function createSkillTool({ catalogue, skills, load }: SkillToolOptions): ToolEntry {
  const definition = defineSkillTool(catalogue);
  const tool: Tool<SkillInput, { skill?: string; found?: readonly string[] }> = {
    definition,
    check({ name, query }) {
      if ((name === undefined) !== (query === undefined)) return;
      throw new ToolError("Give the name of one skill, or a query.", { kind: "validation" });
    },
    describe: ({ name, query = "" }) => name ?? query,
    run({ name, query = "" }, { agent, loadedSkills }) {
      if (name === undefined) return Promise.resolve(findSkills(query, skills()));
      const skill = requireSkill(name, skills());
      const already = isLoaded(skill, loadedSkills());
      const loaded = load(skill, agent);
      return Promise.resolve({
        ok: true,
        data: { skill: skill.name },
        ...already
          ? { text: `The skill ${skill.name} is loaded already: its instructions stand above.` }
          : { text: loaded.text, skills: [loaded] },
      });
    },
    preview: ({ skill, found = [] }) => [skill ? `loaded ${skill}` : found.join(", ") || "nothing"],
  };
  return { definition, load: () => Promise.resolve(tool) };
}

function defineSkillTool({ lines, left }: Catalogue): ToolDefinition {
  const more = left === 0 ? [] : [`${plural(left, "more skill")}: find them with query.`];
  const description = [
    "Load a skill: instructions for a kind of task. When one fits the task, load it before you begin; " +
    "each is loaded once. Skills:",
    ...lines,
    ...more,
  ].join("\n");
  return {
    name: "skill",
    description,
    parameters: {
      type: "object",
      properties: {
        name: { type: "string" },
        ...left > 0 && { query: { type: "string", description: "a few words" } },
      },
      ...left === 0 && { required: ["name"] },
      additionalProperties: false,
    },
    effects: ["read"],
    example: { name: lines[0]?.match(/^- ([a-z0-9-]+)/)?.[1] ?? "pdf" },
  };
}

/** @throws {ToolError} validation: there is none, with the nearest names */
function requireSkill(name: string, skills: readonly Skill[]): Skill {
  const names = skills.map((one) => one.name);
  const found = findName(name, names) ?? name;
  const skill = skills.find((one) => one.name === found);
  if (skill !== undefined) return skill;
  throw new ToolError(`There is no skill '${name}' that you can load.`, {
    kind: "validation",
    suggestion: didYouMean(findNear(name, names)),
  });
}

function findSkills(query: string, skills: readonly Skill[]) {
  const things = skills.map(({ name, description }) => ({ name, text: description }));
  const found = searchWords(query, things).slice(0, MAX_FOUND);
  const lines = found.map(({ name, text }) => `- ${name}: ${text}`);
  return {
    ok: true as const,
    data: { found: found.map(({ name }) => name) },
    text: lines.length === 0 ? "No skill was found. Try other words." : lines.join("\n"),
  };
}
