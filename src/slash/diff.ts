/**
 * `/diff`: what has been changed, whole: in this session by file, in one file, or by one change that has a number.
 */
import { fullHistory } from "../context/transcript.ts";
import { userPoints } from "../agent/user_messages.ts";
import type { Drawable } from "../core/numbered_item.ts";
import type { LineCounts } from "../lib/diff.ts";
import { messageOf, plural, quoteName } from "../lib/text.ts";
import type { FileDifference } from "../workspace/change_diff.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { inlineCode, markdownTable } from "./markdown.ts";
import { describeItem, findItem, isNumber, itemFacts, lookUpItem } from "./numbered_items.ts";

/** `/diff [N | FILE]` */
export const diff: SlashCommand = {
  name: "diff",
  duringTurn: true,
  usage: "[N | FILE]",
  summary: "show what this session has changed, in all files or one, or the change with a number",
  examples: ["/diff", "/diff src/main.ts", "/diff 12"],
  complete: async (context) => (await sessionChanges(context)).map(({ path }) => path),
  opensPage: () => true,
  async run(argument, context) {
    if (isNumber(argument)) await showChange(argument, context);
    else await showSession(argument, context);
    return "continue";
  },
};

async function showChange(argument: string, context: CommandContext): Promise<void> {
  const item = lookUpItem(argument, context);
  if (item.content?.form === "preview" || item.change === undefined) {
    const whole = await findItem(argument, context);
    if (whole.content.form !== "preview") {
      throw new Error(`${describeItem(item)}, which changed no file.`);
    }
    return await context.showWhole([whole.content], { facts: itemFacts(item) });
  }
  const files = await context.workspace.diff(item.change).catch((error) => {
    const rest = item.content === undefined
      ? ""
      : ` /show ${argument} shows what was kept of its result.`;
    throw new Error(messageOf(error) + rest);
  });
  await context.showWhole(files.map(toDrawable), {
    facts: [argument, item.title, ...sumUp(files)],
  });
}

async function showSession(file: string, context: CommandContext): Promise<void> {
  await context.workspace.recordTasks();
  const all = await sessionChanges(context);
  const path = file === "" ? undefined : (await context.workspace.resolve(file)).display;
  const files = path === undefined ? all : all.filter((one) => one.path === path);
  if (files.length === 0) {
    const what = path === undefined ? "Nothing was" : `\`${quoteName(path)}\` was not`;
    return context.say(`${what} changed in this session.`);
  }
  const table = markdownTable(["file", "added", "removed"], {
    rows: files.map(({ path, added, removed }) => [inlineCode(path), `+${added}`, `-${removed}`]),
    numeric: [1, 2],
  }).join("\n");
  const list: Drawable[] = files.length > 1 ? [{ form: "markdown", text: table }] : [];
  await context.showWhole([...list, ...files.map(toDrawable)], {
    facts: ["changes of this session", ...sumUp(files)],
  });
}

/** How the files differ from what they were before the first message of the session. */
async function sessionChanges(
  { agent: { deps: { conversation } }, workspace }: CommandContext,
): Promise<FileDifference[]> {
  const { messages, covered } = conversation;
  const since = userPoints(fullHistory({ messages, covered }))
    .find(({ change }) => change !== undefined)?.change;
  return since === undefined ? [] : await workspace.diffSince(since);
}

function toDrawable({ preview }: FileDifference): Drawable {
  return { form: "preview", preview };
}

/** "3 files", "+12 -4" */
function sumUp(files: readonly FileDifference[]): string[] {
  const sum = (of: (counts: LineCounts) => number) =>
    files.reduce((total, one) => total + of(one), 0);
  const [added, removed] = [sum((one) => one.added), sum((one) => one.removed)];
  return [plural(files.length, "file"), `+${added} -${removed}`];
}
