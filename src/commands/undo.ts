/**
 * `/undo`: takes back what a tool did to files.
 */
import type { SlashCommand } from "./command.ts";

/** `/undo [NUMBER]` */
export const undo: SlashCommand = {
  name: "undo",
  usage: "[NUMBER]",
  summary: "take back the last change to files, or the change with that number",
  complete: async (context) => (await context.workspace.patches()).map((one) => `${one.number}`),
  async run(argument, context) {
    if (argument !== "" && !/^\d+$/.test(argument)) {
      throw new Error(`'${argument}' is not the number of a change. Use /undo or /undo NUMBER.`);
    }
    const number = argument === "" ? undefined : Number(argument);
    const undone = await context.workspace.undo(number);
    const files = undone.files.map((file) => `- ${file.action} \`${file.path.display}\``);
    context.say([`Took back change ${undone.number} (${undone.tool}):`, ...files].join("\n"));
    return "continue";
  },
};
