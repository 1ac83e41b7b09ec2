/**
 * Commands about the session itself: help, a new conversation, the end.
 */
import { findTopic, HELP_TOPICS, type HelpTopic } from "../help/topics.ts";
import { didYouMean, findNear } from "../lib/names.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { markdownTable } from "./markdown.ts";

/** `/help` */
export const help: SlashCommand = {
  name: "help",
  terminalOnly: true,
  duringTurn: true,
  aliases: ["?"],
  usage: "[COMMAND | TOPIC]",
  summary: "show what can be typed here, how one command is used, or a page on a topic",
  examples: ["/help", "/help focus", "/help permissions"],
  complete: ({ commands }) =>
    Promise.resolve([
      ...new Set([...commands.map(({ name }) => name), ...HELP_TOPICS.map(({ name }) => name)]),
    ]),
  opensPage: (argument) => topicOf(argument) !== undefined,
  async run(argument, context) {
    if (argument !== "") {
      await explain(argument, context);
      return "continue";
    }
    const commands = context.commands.map(({ name, summary }) => [`/${name}`, summary] as const);
    context.say(
      [
        ...formatTable(["Command", "does"], commands),
        "",
        ...formatTable(["Key", "does"], KEYS),
        "",
        ...formatTable(
          ["Topic", "is about"],
          HELP_TOPICS.map((topic) => [topic.name, topic.summary]),
        ),
      ].join("\n"),
    );
    context.say("`/help COMMAND` and `/help TOPIC` say more of one.");
    return "continue";
  },
};

/** Says how a command is used, and shows the page of that name. @throws {Error} there is neither */
async function explain(wanted: string, context: CommandContext): Promise<void> {
  const name = wanted.replace(/^\//, "").toLowerCase();
  const topic = topicOf(wanted);
  const command = findCommand(name, context.commands);
  if (command === undefined && topic === undefined) {
    const names = [...context.commands, ...HELP_TOPICS].map((one) => one.name);
    const hint = didYouMean(findNear(name, names).map((one) => `/help ${one}`));
    throw new Error(`There is no command or topic '${name}'. ${hint || "/help lists them."}`);
  }
  if (command !== undefined) context.say(describeCommand(command));
  if (topic !== undefined) await context.showPage(await topic.load());
}

/** The page that is asked for; with a slash it is a command. */
function topicOf(wanted: string): HelpTopic | undefined {
  return findTopic(wanted.toLowerCase());
}

/** What can be typed besides commands. */
const KEYS = [
  ["!command", "run a shell command; the model sees its output too"],
  ["@path", "attach a file, a directory or a pattern; `@path:10-20` some lines"],
  ["@agent", "give the words that follow to an agent"],
  ["#words", "add them to the project's instructions"],
  ["\\ at the end", "go on in the next line; a paste of many lines is one message"],
  ["Tab", "complete commands and paths"],
  ["Up, Down, Ctrl+R", "recall what was typed, search it"],
  ["words, Enter", "while ally works they wait, or steer it after the current call"],
  ["Esc", "get the last such line back; without one, stop what runs"],
  ["Ctrl+C", "stop what runs, clear the line, or leave; twice: leave at once"],
] as const;

/** A table whose first column is what can be typed. */
function formatTable(
  head: readonly [string, string],
  rows: readonly (readonly [what: string, text: string])[],
): string[] {
  return markdownTable(head, { rows: rows.map(([what, text]) => [`\`${what}\``, text]) });
}

function findCommand(name: string, commands: readonly SlashCommand[]): SlashCommand | undefined {
  return commands.find((one) => one.name === name || one.aliases?.includes(name));
}

function describeCommand(
  { name, usage, summary, aliases = [], examples = [] }: SlashCommand,
): string {
  const also = aliases.map((alias) => `\`/${alias}\``).join(", ");
  return [
    `\`/${[name, usage].filter(Boolean).join(" ")}\``,
    "",
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.${also === "" ? "" : ` Also: ${also}.`}`,
    ...examples.length > 0 ? ["", "Examples:", "", ...examples.map((one) => `- \`${one}\``)] : [],
  ].join("\n");
}

/** `/clear` */
export const clear: SlashCommand = {
  name: "clear",
  terminalOnly: true,
  changes: "session",
  summary: "begin a new conversation; the old one stays saved",
  run(_argument, context) {
    context.startSession();
    context.say("A new conversation begins. The old one can be resumed with `ally --resume`.");
    return Promise.resolve("continue");
  },
};

/** `/exit` */
export const exit: SlashCommand = {
  name: "exit",
  terminalOnly: true,
  aliases: ["quit"],
  summary: "leave ally",
  run: () => Promise.resolve("exit"),
};
