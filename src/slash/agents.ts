/**
 * `/agents`: which agents there are, what one of them is, and a template for a new one.
 */
import type { Profile } from "../agent/profile_file.ts";
import type { Profiles } from "../agent/profiles.ts";
import { formatCount, formatMoney, plural } from "../lib/text.ts";
import { createAgentFile } from "../store/agent_files.ts";
import type { SlashCommand } from "./command.ts";
import { markdownTable } from "./markdown.ts";

const NAME_PATTERN = /^[A-Za-z][\w-]{0,63}$/;

/** `/agents [show NAME | new NAME]` */
export const agents: SlashCommand = {
  name: "agents",
  usage: "[show NAME | new NAME]",
  summary: "list the agents that take tasks, show one, or make a new one",
  complete: ({ agents: { profiles } }) =>
    Promise.resolve(["new ", ...profiles.all.map(({ name }) => `show ${name}`)]),
  async run(argument, { agents: { profiles, directory }, say }) {
    const [verb = "", name = "", ...rest] = argument.split(/\s+/);
    await profiles.refresh();
    if (verb === "" || (verb === "list" && name === "")) {
      say(formatTable(profiles));
    } else if (verb === "show" && name !== "" && rest.length === 0) {
      say(formatDetails(requireProfile(name, profiles)));
    } else if (verb === "new" && name !== "" && rest.length === 0) {
      say(await createFromTemplate(name, directory));
    } else if (["show", "new"].includes(verb)) {
      throw new Error(`Give one name: /agents ${verb} NAME.`);
    } else {
      throw new Error(
        `There is no /agents ${argument}. Use /agents, /agents show NAME or /agents new NAME.`,
      );
    }
    return "continue";
  },
};

function requireProfile(name: string, profiles: Profiles): Profile {
  const profile = profiles.find(name.replace(/^@/, ""));
  if (profile !== undefined) return profile;
  const names = profiles.all.map((one) => one.name).join(", ");
  throw new Error(`There is no agent '${name}'. There are: ${names}.`);
}

function formatTable(profiles: Profiles): string {
  const { all, overridden, problems } = profiles;
  const rows = all.map((
    { name, source, model, tools, description },
  ) => [`@${name}`, source, model ?? "as yours", toolsOf(tools), description]);
  const notes = [
    ...overridden.filter(({ path }) => path !== undefined)
      .map(({ name, path }) =>
        `${path} is not used: the project's agent ${name} stands in for it.`
      ),
    ...problems.broken.map((text) => `Left out: ${text}`),
    ...problems.warnings,
  ];
  return [
    ...markdownTable(["agent", "source", "model", "tools", "for"], { rows }),
    ...(notes.length > 0 ? ["", ...notes.map((note) => `- ${note}`)] : []),
    "",
    "Begin a line with @NAME to give one a task; the model does so with its tool `agent`.",
  ].join("\n");
}

function formatDetails(profile: Profile): string {
  const { name, description, source, path, model, temperature, effort, tools, maxTurns } = profile;
  const { limits, approved } = profile;
  return [
    `**${name}**: ${description}`,
    "",
    `- source: ${source}${path === undefined ? "" : `, ${path}`}`,
    `- model: ${model ?? "as yours"}`,
    `- temperature: ${temperature ?? "as yours"}`,
    `- effort: ${effort ?? "as yours"}`,
    `- tools: ${toolsOf(tools)}`,
    `- requests for a task: ${maxTurns ?? "as `agent_max_turns` says"}`,
    ...(limits ? [`- may spend: ${describeLimits(limits)}`] : []),
    ...(approved ? [`- without asking: ${approved.labels.join(", ")}`] : []),
    ...(profile.instructions === "" ? [] : ["", profile.instructions]),
  ].join("\n");
}

async function createFromTemplate(name: string, directory: string): Promise<string> {
  if (!NAME_PATTERN.test(name)) {
    throw new Error(
      `'${name}' is not a valid name: it must begin with a letter and hold only letters, digits, - and _.`,
    );
  }
  const path = await createAgentFile(directory, { name, text: createTemplate(name) });
  return `Made ${path}. Say in it what the agent is; then @${name} TASK gives it one. ` +
    "The model learns of it in the next run.";
}

/** A whole file that works as it is; what is optional is commented out. */
function createTemplate(name: string): string {
  return `---
name: ${name}
description: Says in one line what it is good for
# model: another-model
# temperature: 0.2
# effort: low
# tools: [read, grep, glob, ls]
# max_turns: 30
---

You look closely and change nothing. Name files with their lines, and end with a short list of what you found.
`;
}

function describeLimits({ tokens, cost, seconds }: NonNullable<Profile["limits"]>): string {
  return [
    ...(tokens === undefined ? [] : [`${formatCount(tokens)} tokens`]),
    ...(cost === undefined ? [] : [`${formatMoney(cost)} of money`]),
    ...(seconds === undefined ? [] : [plural(seconds, "second")]),
  ].join(", ");
}

function toolsOf(tools: readonly string[] | undefined): string {
  if (tools === undefined) return "all";
  return tools.length === 0 ? "none" : tools.join(", ");
}
