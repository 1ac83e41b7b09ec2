/**
 * `/rewind`: back to before one of the user's messages, with the conversation, the files, or both. What happens
 * to files is shown before; the message comes back into the line to be edited; nothing is lost for good.
 */
import { type UserPoint, userPoints } from "../agent/user_messages.ts";
import { cutEnd, plural, quoteName } from "../lib/text.ts";
import type { RewindPreview } from "../workspace/rewind.ts";
import type { CommandContext, SlashCommand } from "./command.ts";

/** Messages offered at once; `/rewind N` reaches all. */
const MAX_OFFERED = 12;
/** Characters of a message by which it is named. */
const MAX_NAME_LENGTH = 50;

/** What goes back. */
type RewindScope = "both" | "conversation" | "files";

/** `/rewind [N | undo]` */
export const rewind: SlashCommand = {
  name: "rewind",
  terminalOnly: true,
  changes: "session",
  usage: "[N | undo]",
  summary: "go back to before your Nth last message: words, files, or both",
  complete: () => Promise.resolve(["undo"]),
  async run(argument, context) {
    if (argument === "undo") {
      await undoRewind(context);
      return "continue";
    }
    const points = userPoints(context.agent.deps.conversation.messages);
    if (points.length === 0) throw new Error("There is nothing to go back to yet.");
    const point = argument === ""
      ? await choosePoint(points, context)
      : parsePoint(argument, points);
    if (point !== undefined) await rewindTo(point, context);
    return "continue";
  },
};

function parsePoint(argument: string, points: readonly UserPoint[]): UserPoint {
  const point = /^[1-9]\d*$/.test(argument) ? points.at(-Number(argument)) : undefined;
  if (point !== undefined) return point;
  throw new Error(
    `Cannot go back to before message '${argument}': you have sent ${
      plural(points.length, "message")
    } since the conversation began or was compacted. /rewind 1 is the last one.`,
  );
}

async function choosePoint(
  points: readonly UserPoint[],
  { pick }: CommandContext,
): Promise<UserPoint | undefined> {
  const offered = points.slice(-MAX_OFFERED);
  const choices = offered.map(({ text }, index) => {
    const number = offered.length - index;
    const words = shortenMessage(text);
    // A key that chooses it is shown anyway, in brackets.
    return number < 10
      ? { label: words, key: String(number) }
      : { label: `${words} (${number})`, key: "" };
  });
  const chosen = await pick("Go back to before which message?", choices);
  return chosen === undefined ? undefined : offered[chosen];
}

async function rewindTo(point: UserPoint, context: CommandContext): Promise<void> {
  const { agent, workspace, say } = context;
  await workspace.recordTasks();
  const files = point.change === undefined
    ? undefined
    : await workspace.previewRewind(point.change);
  const part = await chooseScope(point, { files, context });
  if (part === undefined) return say("Nothing was changed.");
  const lines: string[] = [];
  if (part !== "conversation" && point.change !== undefined) {
    const done = await workspace.rewind(point.change);
    const count = plural(files?.numbers.length ?? 0, "change");
    lines.push(`Took back ${count} to files (\`/redo\` makes them again):`);
    lines.push(...done.map(({ action, path }) => `- ${action} \`${quoteName(path.display)}\``));
  }
  if (part !== "files") {
    const dropped = agent.deps.conversation.messages.length - point.index;
    await agent.rewind(point.index);
    context.prefill(point.text);
    lines.unshift(
      `Went back by ${plural(dropped, "message")}; until you send one, ` +
        "`/rewind undo` brings them back.",
      "",
    );
  }
  say(lines.join("\n").trim());
}

/** Shows what would happen to files, and asks what is to go back. */
async function chooseScope(
  { text }: UserPoint,
  { files, context }: { files: RewindPreview | undefined; context: CommandContext },
): Promise<RewindScope | undefined> {
  const { confirm, pick, say, show } = context;
  const question = `Go back to before "${shortenMessage(text)}"?`;
  if (files === undefined || files.numbers.length === 0 || files.problem !== undefined) {
    if (files?.problem !== undefined) say(`Files cannot go back: ${files.problem}`);
    const filesNote = files?.problem === undefined ? "" : " Files stay as they are.";
    return await confirm(`${question}${filesNote}`) ? "conversation" : undefined;
  }
  show(files.previews);
  const [first = ""] = files.deletes;
  if (files.deletes.length > 0) {
    const what = files.deletes.length === 1 ? quoteName(first) : `${files.deletes.length} files`;
    say(`Going back with the files deletes ${what}.`);
  }
  const parts: readonly RewindScope[] = ["both", "conversation", "files"];
  const chosen = await pick(question, [
    { label: "Conversation and files", key: "b" },
    { label: "Conversation only", key: "c" },
    { label: "Files only", key: "f" },
  ]);
  return chosen === undefined ? undefined : parts[chosen];
}

async function undoRewind({ agent, say }: CommandContext): Promise<void> {
  const count = await agent.undoRewind();
  if (count === 0) {
    throw new Error(
      "Nothing to take back: you have not gone back, or the conversation has gone on since.",
    );
  }
  say(`${plural(count, "message is", "messages are")} back. Files are as they were left.`);
}

function shortenMessage(text: string): string {
  return cutEnd(text.replace(/\s+/g, " ").trim(), MAX_NAME_LENGTH);
}
