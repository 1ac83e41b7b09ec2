/**
 * `/focus`, `/defocus` and `/add-dir`: which directories the session works on.
 */
import type { SlashCommand } from "./command.ts";

/** `/focus [DIR]` */
export const focus: SlashCommand = {
  name: "focus",
  changes: "session",
  usage: "[DIR]",
  summary: "work in one directory only; relative paths start there",
  examples: ["/focus src/ui", "/focus", "/defocus"],
  async run(argument, { focus, say }) {
    if (argument !== "") await focus.set(unquote(argument));
    say(
      focus.label === undefined
        ? "The session works on the whole workspace. `/focus DIR` limits it to one directory."
        : `The session works in \`${focus.label}\` only: relative paths start there, what lies ` +
          "outside is refused, commands change nothing outside. `/defocus` ends that.",
    );
    return "continue";
  },
};

/** `/defocus` */
export const defocus: SlashCommand = {
  name: "defocus",
  changes: "session",
  summary: "work on the whole workspace again",
  async run(_argument, { focus, say }) {
    const lifted = await focus.clear();
    say(
      lifted ? "The session works on the whole workspace again." : "There is no focus to leave.",
    );
    return "continue";
  },
};

/** `/add-dir DIR` */
export const addDir: SlashCommand = {
  name: "add-dir",
  changes: "machine",
  usage: "DIR",
  summary: "make another directory part of the workspace",
  examples: ["/add-dir ../library", "/add-dir ~/notes"],
  async run(argument, { focus, say }) {
    if (argument === "") throw new Error("Name a directory: /add-dir ../library");
    const added = await focus.addDirectory(unquote(argument));
    say(
      added === undefined
        ? `\`${unquote(argument)}\` is part of the workspace already.`
        : `\`${added}\` is part of the workspace now: it is read without a question, and changed ` +
          "as the rest of it.",
    );
    return "continue";
  },
};

/** A path with blanks may stand in quotes, or have them escaped as completion does. */
function unquote(path: string): string {
  return /^(["']).*\1$/.test(path) ? path.slice(1, -1) : path.replace(/\\(.)/g, "$1");
}
