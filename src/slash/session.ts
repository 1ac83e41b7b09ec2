/**
 * Commands about the session itself: what there is to say, a fresh start, the end.
 */
import type { SlashCommand } from "./command.ts";

/** `/help` */
export const help: SlashCommand = {
  name: "help",
  duringTurn: true,
  aliases: ["?"],
  usage: "[COMMAND]",
  summary: "show what can be typed here, or how one command is used",
  examples: ["/help", "/help focus"],
  complete: ({ commands }) => Promise.resolve(commands.map(({ name }) => name)),
  run(argument, context) {
    if (argument !== "") {
      context.say(describeCommand(argument, context.commands));
      return Promise.resolve("continue");
    }
    const commands = context.commands.map(({ name, summary }) => [`/${name}`, summary] as const);
    context.say(
      [...formatTable(["Command", "does"], commands), "", ...formatTable(["Key", "does"], KEYS)]
        .join("\n"),
    );
    context.say("`/help COMMAND` says more of one.");
    return Promise.resolve("continue");
  },
};

/** What can be typed besides commands. */
const KEYS = [
  ["!command", "run a shell command; the model sees its output too"],
  ["@path", "attach a file, a directory or a pattern; `@path:10-20` some lines"],
  ["@agent", "give the words that follow to an agent"],
  ["#words", "add them to the notes of the project"],
  ["\\ at the end", "go on in the next line; a paste of many lines is one message"],
  ["Tab", "complete commands and paths"],
  ["Up, Down, Ctrl+R", "recall what was typed, search it"],
  ["words, Enter", "while ally works they wait, or steer it after the current call"],
  ["Esc", "get the last such line back; without one, stop what runs"],
  ["Ctrl+C", "stop what runs, clear the line, or leave; twice: leave at once"],
] as const;

/** A Markdown table; what may be code is. */
function formatTable(
  head: readonly [string, string],
  rows: readonly (readonly [what: string, text: string])[],
): string[] {
  const cell = (text: string) => text.replaceAll("|", "\\|");
  return [
    `| ${head.join(" | ")} |`,
    "| --- | --- |",
    ...rows.map(([what, text]) => `| \`${cell(what)}\` | ${cell(text)} |`),
  ];
}

function describeCommand(wanted: string, commands: readonly SlashCommand[]): string {
  const name = wanted.replace(/^\//, "").toLowerCase();
  const found = commands.find((one) => one.name === name || one.aliases?.includes(name));
  if (found === undefined) throw new Error(`There is no command /${name}. /help shows them all.`);
  const { usage, summary, aliases = [], examples = [] } = found;
  const also = aliases.map((alias) => `\`/${alias}\``).join(", ");
  return [
    `\`/${[found.name, usage].filter(Boolean).join(" ")}\``,
    "",
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.${also === "" ? "" : ` Also: ${also}.`}`,
    ...examples.length > 0 ? ["", "Examples:", "", ...examples.map((one) => `- \`${one}\``)] : [],
  ].join("\n");
}

/** `/clear` */
export const clear: SlashCommand = {
  name: "clear",
  replayable: true,
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
  aliases: ["quit"],
  summary: "leave ally",
  run: () => Promise.resolve("exit"),
};
