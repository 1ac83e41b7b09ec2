/**
 * Commands about the session itself: what there is to say, a fresh start, the end.
 */
import type { SlashCommand } from "./command.ts";

/** `/help` */
export const help: SlashCommand = {
  name: "help",
  anytime: true,
  aliases: ["?"],
  usage: "[COMMAND]",
  summary: "show what can be typed here, or how one command is used",
  examples: ["/help", "/help focus"],
  complete: ({ commands }) => Promise.resolve(commands.map(({ name }) => name)),
  run(argument, context) {
    if (argument !== "") {
      context.say(describeOne(argument, context.commands));
      return Promise.resolve("continue");
    }
    const rows = context.commands.map(({ name, usage, summary }) =>
      `- \`/${[name, usage].filter(Boolean).join(" ")}\` ${summary}`
    );
    const keys = [
      "- `!command` runs a shell command and shows its output to the model too",
      "- `@path` attaches a file, a directory or a pattern, `@path:10-20` some lines",
      "- `#words` adds them to the notes of the project",
      "- what is typed while ally works waits, or steers it after the current call; Esc gives the " +
      "last line back, and stops what is running if there is none",
      "- a line that ends in `\\` goes on in the next one; a paste of many lines is one message",
      "- Tab completes commands and paths, Up and Down recall what was typed",
      "- Ctrl+C stops what is running, clears a half-typed line, and leaves on an empty one; " +
      "twice, it leaves whatever ally does",
    ];
    context.say(["Commands:", "", ...rows, "", "Besides:", "", ...keys].join("\n"));
    return Promise.resolve("continue");
  },
};

function describeOne(wanted: string, commands: readonly SlashCommand[]): string {
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
  repeatable: true,
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
