/**
 * `/save`: writes what has a number to a file of the workspace, with secrets masked, as a
 * change that can be undone.
 */
import { formatBytes, quoteName } from "../lib/text.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { findItem, isNumber } from "./numbered_items.ts";

/** `/save N FILE [--force]` */
export const save: SlashCommand = {
  name: "save",
  terminalOnly: true,
  changes: "machine",
  usage: "N FILE [--force]",
  summary: "write the code or anything else that has a number to a file",
  examples: ["/save 12 src/parse.ts", "/save 12 notes.md --force"],
  async run(argument, context) {
    const words = argument.split(/\s+/).filter((word) => word !== "--force");
    const isForced = words.length < argument.split(/\s+/).length;
    const [number = "", ...rest] = words;
    const name = rest.join(" ");
    if (!isNumber(number) || name === "") {
      throw new Error("Say what is saved, and where: /save N FILE. /show lists the numbers.");
    }
    const text = context.mask((await findItem(number, context)).content.text);
    await writeFile(name, { text: text.endsWith("\n") ? text : `${text}\n`, isForced, context });
    return "continue";
  },
};

async function writeFile(
  name: string,
  { text: after, isForced, context }: {
    text: string;
    isForced: boolean;
    context: CommandContext;
  },
): Promise<void> {
  const { workspace, say, confirm } = context;
  const path = await workspace.resolve(name);
  const shown = quoteName(path.display);
  if (!path.inside) {
    throw new Error(
      `${shown} is outside of the workspace. /add-dir DIR makes a directory part of it.`,
    );
  }
  const info = await workspace.info(path);
  if (info !== undefined && info.kind !== "file") {
    throw new Error(`Cannot write ${shown}: it is a ${info.kind}.`);
  }
  if (info && !isForced && !await confirm(`${shown} is there already. Overwrite it?`)) {
    return say("Nothing was written.");
  }
  const before = info === undefined ? null : (await workspace.read(path, { unseen: true })).text;
  if (before === after) return say(`\`${shown}\` holds exactly this already.`);
  const by = { tool: "save", callId: "save", unseen: true };
  const { bytesWritten: [bytes = 0] } = await workspace.commit([{ path, before, after }], by);
  say(`Wrote \`${shown}\` (${formatBytes(bytes)}). \`/undo\` takes it back.`);
}
