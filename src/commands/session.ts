/**
 * Commands about the session itself: what there is to say, a fresh start, the end.
 */
import type { SlashCommand } from "./command.ts";

/** `/help` */
export const help: SlashCommand = {
  name: "help",
  aliases: ["?"],
  summary: "show what can be typed here",
  run(_argument, context) {
    const rows = context.commands.map(({ name, usage, summary }) =>
      `- \`/${[name, usage].filter(Boolean).join(" ")}\` ${summary}`
    );
    const keys = [
      "- `!command` runs a shell command and shows its output to the model too",
      "- a line that ends in `\\` goes on in the next one; a paste of many lines is one message",
      "- Tab completes commands and paths, Up and Down recall what was typed",
      "- Ctrl+C stops what is running, clears a half-typed line, and leaves on an empty one; " +
      "twice, it leaves whatever ally does",
    ];
    context.say(["Commands:", "", ...rows, "", "Besides:", "", ...keys].join("\n"));
    return Promise.resolve("continue");
  },
};

/** `/clear` */
export const clear: SlashCommand = {
  name: "clear",
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
