/**
 * `/plugins`: shows the plugins of this session and whether they may run, allows or forgets one, and audits them.
 */
import type { ListedPlugin, PluginAudit, SlashCommand } from "./command.ts";

const USAGE = "Use /plugins, /plugins allow NAME, /plugins forget NAME or /plugins audit [NAME].";

/** `/plugins [allow|forget|audit NAME]` */
export const plugins: SlashCommand = {
  name: "plugins",
  changes: "machine",
  usage: "[allow|forget|audit NAME]",
  summary: "show the plugins and whether they may run, or change that",
  async complete({ plugins }) {
    const names = await plugins.names();
    return ["allow", "forget", "audit"].flatMap((verb) => names.map((name) => `${verb} ${name}`));
  },
  async run(argument, { plugins, say }) {
    const [verb, name, ...rest] = argument.split(/\s+/).filter((word) => word !== "");
    if (rest.length > 0) throw new Error(USAGE);
    if (verb === undefined) say(formatOverview(await plugins.list()));
    else if (verb === "audit") say(formatAudit(await plugins.audit(name)));
    else if (verb === "allow" && name !== undefined) {
      const allowed = await plugins.allow(name);
      say(allowed ? `**${name}** may run.` : `**${name}** may not run.`);
    } else if (verb === "forget" && name !== undefined) {
      await plugins.forget(name);
      say(`**${name}** asks again before it runs.`);
    } else throw new Error(USAGE);
    return "continue";
  },
};

function formatOverview(plugins: readonly ListedPlugin[]): string {
  if (plugins.length === 0) {
    return "No plugin is installed. `ally plugin new NAME` begins one, `ally plugin install` gets one.";
  }
  return plugins.flatMap(({ name, version, description, tools, problems, status }) => [
    `- **${name}** ${version}: ${description || "(not understood)"}`,
    `  - ${status}`,
    ...(tools.length > 0 ? [`  - tools: ${tools.map((tool) => `\`${tool}\``).join(", ")}`] : []),
    ...problems.map((problem) => `  - problem: ${problem}`),
  ]).join("\n");
}

function formatAudit(plugins: readonly PluginAudit[]): string {
  if (plugins.length === 0) return "No plugin is installed.";
  return plugins.flatMap(({ name, facts }) => [
    `- **${name}**`,
    ...facts.map(({ label, text }) => `  - ${label}: ${text}`),
  ]).join("\n");
}
