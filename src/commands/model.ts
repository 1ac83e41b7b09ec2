/**
 * `/model`: shows the models of the server, or goes on with another one.
 */
import type { SlashCommand } from "./command.ts";

/** `/model [NAME]` */
export const model: SlashCommand = {
  name: "model",
  usage: "[NAME]",
  summary: "show the server's models, or use another one",
  complete: (context) => context.listModels().catch(() => []),
  async run(argument, context) {
    const current = context.agent.deps.settings.model;
    if (argument === "") {
      const names = await context.listModels();
      const rows = names.map((name) => name === current ? `- **${name}** (in use)` : `- ${name}`);
      const missing = names.includes(current) ? [] : [`In use: **${current}**`];
      context.say([...missing, ...rows].join("\n"));
      return "continue";
    }
    const names = await context.listModels().catch(() => undefined);
    if (names && names.length > 0 && !names.includes(argument)) {
      throw new Error(
        `The server has no model '${argument}'. It has: ${names.join(", ")}`,
      );
    }
    context.agent.configure({ model: argument });
    context.say(`The model is now **${argument}**.`);
    return "continue";
  },
};
