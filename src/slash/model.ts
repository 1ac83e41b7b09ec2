/**
 * `/model`: chooses among the models of all endpoints, or goes on with a named one.
 */
import type { CommandContext, SlashCommand } from "./command.ts";

/** Names listed in an error. */
const MAX_NAMES = 12;

/** `/model [NAME]` */
export const model: SlashCommand = {
  name: "model",
  changes: "session",
  usage: "[[ENDPOINT/]NAME]",
  summary: "choose among the models of all endpoints, or use the one named",
  complete: async ({ models }) => (await models.list().catch(() => undefined))?.names ?? [],
  async run(argument, context) {
    const current = context.agent.deps.settings.model;
    const chosen = argument === ""
      ? await chooseModel(current, context)
      : await resolveName(argument, context);
    if (chosen === undefined || chosen === current) return "continue";
    context.say(`The model is now **${context.models.use(chosen)}**.`);
    return "continue";
  },
};

/** Lets the user pick, or shows the list where that cannot be. */
async function chooseModel(current: string, context: CommandContext): Promise<string | undefined> {
  const { names, problems } = await context.models.list();
  for (const problem of problems) context.say(`Not asked: ${problem}`);
  const all = names.includes(current) ? names : [current, ...names];
  if (context.pickName && all.length > 1) {
    return await context.pickName("Which model?", all, current);
  }
  context.say(
    all.map((name) => name === current ? `- **${name}** (in use)` : `- ${name}`).join("\n"),
  );
  return undefined;
}

/** The name if it is, or may be, one of a model. @throws {Error} its server has no such model */
async function resolveName(name: string, { models }: CommandContext): Promise<string> {
  const offered = await models.list().catch(() => undefined);
  // A server that did not answer may have it.
  if (offered === undefined || offered.problems.length > 0 || offered.names.length === 0) {
    return name;
  }
  if (offered.names.includes(name)) return name;
  const ends = offered.names.filter((one) => one.endsWith(`/${name}`));
  if (ends.length === 1) return ends[0]!;
  const shown = offered.names.slice(0, MAX_NAMES).join(", ");
  const more = offered.names.length > MAX_NAMES ? ", ..." : "";
  throw new Error(`The server has no model '${name}'. It has: ${shown}${more}`);
}
