/**
 * `/tree`: the branches of the conversation, as going back and saying something else has made them, and the way to
 * another one. Files stay as they are: each branch's changes are made and taken back by `/undo` and `/rewind`.
 */
import { userPoints } from "../agent/user_messages.ts";
import { fullHistory } from "../context/transcript.ts";
import type { Branch } from "../core/branches.ts";
import { cutEnd, oneLine, plural } from "../lib/text.ts";
import type { CommandContext, SlashCommand } from "./command.ts";

/** Characters of a message by which a branch is named. */
const MAX_WORDS = 40;

/** `/tree [N]` */
export const tree: SlashCommand = {
  name: "tree",
  terminalOnly: true,
  changes: "session",
  usage: "[N]",
  summary: "show the branches that /rewind has left, and go on with another one",
  async run(argument, context) {
    const { conversation } = context.agent.deps;
    const { branches } = conversation;
    if (branches.length === 0) {
      context.say(
        "The conversation has one branch: this one. Going back with `/rewind` and saying something " +
          "else makes another.",
      );
      return "continue";
    }
    const place = argument === ""
      ? await choosePlace(context)
      : parsePlace(argument, branches.length);
    if (place === undefined || !await context.agent.switchBranch(place)) return "continue";
    context.say("The conversation goes on from that branch. Files stay as they are.");
    context.showLastTurns();
    return "continue";
  },
};

function parsePlace(argument: string, count: number): number {
  const number = /^[1-9]\d*$/.test(argument) ? Number(argument) : Infinity;
  if (number <= count) return number - 1;
  throw new Error(
    `There is no branch '${argument}': ${plural(count, "branch", "branches")} ` +
      `${count === 1 ? "was" : "were"} left. /tree shows them with their numbers.`,
  );
}

/** Shows the tree, and lets the user pick one of its branches. */
async function choosePlace(context: CommandContext): Promise<number | undefined> {
  const { conversation } = context.agent.deps;
  const { branches } = conversation;
  context.say(["```", ...treeLines(conversation, branches), "```"].join("\n"));
  const stay = "stay here";
  const names = branches.map((branch, place) => `${place + 1}  ${nameOf(pathOf(branch))}`);
  const chosen = await context.pickName?.("Go to which branch?", [stay, ...names], stay);
  const place = chosen === undefined ? -1 : names.indexOf(chosen);
  return place < 0 ? undefined : place;
}

/** One turn of a branch. */
interface Turn {
  /** What the user said. */
  readonly words: string;
  /** All that was said, by which the turns of two branches are the same. */
  readonly key: string;
}

/** A branch as its turns, with the mark that stands before its end. */
interface Path {
  readonly turns: readonly Turn[];
  readonly mark: string;
}

/** The tree of the current branch and of those that were left, a line for each stretch that they share or do not. */
function treeLines(current: Branch, left: readonly Branch[]): string[] {
  const paths = [current, ...left].map((branch, index) => ({
    turns: pathOf(branch),
    mark: index === 0 ? "here" : String(index),
  }));
  return drawStretch(paths, 0).map((line) => line.trimEnd());
}

function pathOf(branch: Branch): Turn[] {
  const messages = fullHistory(branch);
  const points = userPoints(messages);
  return points.map(({ index, text }, at) => {
    const said = messages.slice(index, points[at + 1]?.index)
      .filter(({ role }) => role !== "tool").map(({ content }) => content);
    return { words: cutEnd(oneLine(text), MAX_WORDS), key: JSON.stringify(said) };
  });
}

/** What paths have in common from a turn on, and below it each way on. */
function drawStretch(paths: readonly Path[], from: number): string[] {
  const [first] = paths;
  if (first === undefined) return [];
  let end = from;
  while (paths.every(({ turns }) => turns[end] && turns[end]?.key === first.turns[end]?.key)) end++;
  const stretch = nameOf(first.turns.slice(from, end));
  if (paths.length === 1) return [`${first.mark.padEnd(4)} ${stretch}`];
  const ways = [...Map.groupBy(paths, ({ turns }) => turns[end]?.key).values()];
  const below = ways.flatMap((way, index) => {
    const isLast = index === ways.length - 1;
    return drawStretch(way, end).map((line, row) =>
      `${row === 0 ? (isLast ? "└─ " : "├─ ") : isLast ? "   " : "│  "}${line}`
    );
  });
  return [stretch, ...below];
}

/** "fix the test … now the docs (3 turns)" */
function nameOf(turns: readonly Turn[]): string {
  const [first] = turns;
  const last = turns.at(-1);
  if (first === undefined || last === undefined) return "(nothing more)";
  return turns.length === 1
    ? first.words
    : `${first.words} … ${last.words} (${plural(turns.length, "turn")})`;
}
