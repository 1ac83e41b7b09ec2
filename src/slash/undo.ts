/**
 * `/undo` and `/redo`: take back what tools and commands did to files, one change after the other, and
 * make it again. What will happen is shown before it happens. A bare number is one that stands on the screen.
 */
import { formatLocalTime, plural, quoteName } from "../lib/text.ts";
import type { UndoResult } from "../workspace/undo.ts";
import type { ChangeSummary } from "../workspace/undo_list.ts";
import type { UndoPreview } from "../workspace/undo_preview.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { describeItem, describeMissing, isNumber } from "./numbered_items.ts";

/** `/undo [N | last COUNT | #NUMBER | list]` */
export const undo: SlashCommand = {
  name: "undo",
  changes: "session",
  usage: "[N | last COUNT | #NUMBER | list]",
  summary: "take back the last change to files, some of the last, or one by its number",
  examples: ["/undo", "/undo 12", "/undo last 3", "/undo list", "/undo #57"],
  recorded: (argument, { items }) => {
    const change = isNumber(argument) ? items.get(Number(argument))?.change : undefined;
    return change === undefined ? argument : `#${change}`;
  },
  complete: async (context) => [
    "last",
    "list",
    ...(await context.workspace.listPatches()).map((one) => `#${one.number}`),
  ],
  async run(argument, context) {
    await context.workspace.recordTasks();
    if (argument === "list") await showList(context);
    else if (isNumber(argument)) await undoOne(changeOf(argument, context), context);
    else if (/^#\d+$/.test(argument)) await undoOne(Number(argument.slice(1)), context);
    else await applyChanges("undo", { argument, context });
    return "continue";
  },
};

/** `/redo [last COUNT]` */
export const redo: SlashCommand = {
  name: "redo",
  changes: "session",
  usage: "[last COUNT]",
  summary: "make the change again that was undone last, or some of the last",
  examples: ["/redo", "/redo last 3"],
  async run(argument, context) {
    await applyChanges("redo", { argument, context });
    return "continue";
  },
};

/** Takes back or makes again as many changes as were asked for, showing each before it acts. */
async function applyChanges(
  direction: "undo" | "redo",
  { argument, context }: { argument: string; context: CommandContext },
): Promise<void> {
  const wanted = parseCount(argument, direction);
  const { workspace } = context;
  const patches = direction === "undo"
    ? await workspace.listPatches()
    : await workspace.listRedoable();
  const count = Math.min(wanted, patches.length);
  if (count > 1) {
    const rows = direction === "undo"
      ? (await workspace.listChanges()).slice(0, count).map(formatChange)
      : patches.slice(0, count).map((one) => `- **#${one.number}** ${one.tool}`);
    context.say(rows.join("\n"));
    const verb = direction === "undo" ? "Take back" : "Redo";
    if (!await context.confirm(`${verb} these ${count} changes?`)) {
      return sayNothingChanged(context);
    }
  }
  // What is taken back is what was asked about, whatever tasks in the background do meanwhile.
  const numbers = count > 1 ? patches.slice(0, count).map(({ number }) => number) : [undefined];
  for (const number of numbers) {
    const isAsked = count <= 1;
    if (!await applyOne(direction, { number, isAsked, context })) return sayNothingChanged(context);
  }
  if (wanted > count && count > 0) {
    context.say(`There were no more than ${plural(count, "change")}.`);
  }
}

/** The change to files that an item shows. @throws {Error} it shows none, or none that was made */
function changeOf(argument: string, context: CommandContext): number {
  const item = context.items.get(Number(argument));
  if (item?.change !== undefined) return item.change;
  const why = item === undefined
    ? describeMissing(argument, context)
    : `${describeItem(item)}, which ${item.kind === "diff" ? "was not made" : "changed no file"}.`;
  throw new Error(`${why} /undo last ${argument} takes back as many of the last changes.`);
}

async function undoOne(number: number, context: CommandContext): Promise<void> {
  if (!await applyOne("undo", { number, isAsked: true, context })) sayNothingChanged(context);
}

/** Shows one change, and takes it back or makes it again; false if the person did not want that after all. */
async function applyOne(
  direction: "undo" | "redo",
  { number, isAsked, context }: {
    number: number | undefined;
    isAsked: boolean;
    context: CommandContext;
  },
): Promise<boolean> {
  const { workspace } = context;
  for (;;) {
    const preview = await workspace.preview(direction, number);
    context.show(preview.previews);
    const changes = preview.paths.length > 0;
    if (isAsked && changes && !await confirmChange(direction, preview, context)) return false;
    const done = direction === "undo"
      ? await workspace.undo(preview.patch.number)
      : await workspace.redo();
    // What is as it was before already is passed over.
    const isPassedOver = done.files.length === 0 && direction === "undo" && number === undefined;
    if (!isPassedOver) {
      report(direction, done, context);
      return true;
    }
  }
}

/** Asks before files are deleted, and before that is taken back which somebody else may have done. */
async function confirmChange(
  direction: "undo" | "redo",
  { patch, deletes }: Pick<UndoPreview, "patch" | "deletes">,
  context: CommandContext,
): Promise<boolean> {
  const [first = ""] = deletes;
  const what = deletes.length === 1 ? quoteName(first) : `${deletes.length} files`;
  const reasons = [
    ...direction === "undo" && patch.byTask
      ? ["A background task made this change, or somebody else while it ran."]
      : [],
    ...deletes.length > 0 ? [`This deletes ${what}.`] : [],
  ];
  return reasons.length === 0 || await context.confirm(`${reasons.join(" ")} Go on?`);
}

async function showList(context: CommandContext): Promise<void> {
  const changes = await context.workspace.listChanges();
  if (changes.length === 0) return context.say("There is no change to take back.");
  context.say(changes.map(formatChange).join("\n"));
}

function formatChange(
  { number, time, tool, command, files, added, removed }: ChangeSummary,
): string {
  const names = files.slice(0, 3).map((file) => `\`${quoteName(file)}\``).join(", ");
  const more = files.length > 3 ? ` and ${files.length - 3} more` : "";
  const what = command === undefined ? tool : `${tool} \`${shortenCommand(command)}\``;
  return `- **#${number}** ${formatLocalTime(time)} ${what}: ${names}${more} +${added} -${removed}`;
}

/** What was done to a file, in the words of each command. */
const VERBS = {
  undo: { restored: "restored", removed: "removed", recreated: "recreated" },
  redo: { restored: "changed again", removed: "removed again", recreated: "created again" },
} as const;

function report(direction: "undo" | "redo", done: UndoResult, context: CommandContext): void {
  const verb = direction === "undo" ? "Took back" : "Redid";
  const verbs = VERBS[direction];
  const files = done.files.map(({ action, path }) =>
    action === "left"
      ? `- left \`${quoteName(path.display)}\`, whose content was too large to be saved`
      : `- ${verbs[action]} \`${quoteName(path.display)}\``
  );
  const shown = files.length > 20
    ? [...files.slice(0, 20), `- and ${files.length - 20} more`]
    : files;
  context.say([`${verb} change ${done.number} (${done.tool}):`, ...shown].join("\n"));
}

function sayNothingChanged(context: CommandContext): void {
  context.say("Nothing was changed.");
}

function parseCount(argument: string, command: string): number {
  if (argument === "") return 1;
  const [, count] = /^last(?:\s+(\d{1,6}))?$/.exec(argument) ?? [];
  if (argument === "last") return 1;
  if (Number(count) > 0) return Number(count);
  throw new Error(
    `'${argument}' does not say which changes. Use /${command} or /${command} last COUNT${
      command === "undo"
        ? ", /undo N for what has a number on the screen, /undo list and /undo #NUMBER"
        : ""
    }.`,
  );
}

function shortenCommand(command: string): string {
  const line = command.replace(/\s+/g, " ").replaceAll("`", "'");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
