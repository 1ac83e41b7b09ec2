/**
 * `/init`: has the model look at the project and write its first notes, which it then reads in every session.
 */
import type { SlashCommand } from "./command.ts";

/** `/init [what to stress]` */
export const init: SlashCommand = {
  name: "init",
  usage: "[what to stress]",
  summary: "have the model look at the project and write ALLY.md",
  examples: ["/init", "/init above all how the tests are run"],
  async run(argument, { mode, runTurn }) {
    if (mode.isPlan) {
      throw new Error("Cannot write ALLY.md in plan mode: leave it with /plan first.");
    }
    await runTurn(argument === "" ? TASK : `${TASK}\n\nThe user adds: ${argument}`);
    return "continue";
  },
};

const TASK = `Write ALLY.md for this project: notes that a coding agent reads before it works here.

First look: list the directory, read the README, the manifests and build files, the configuration of \
tests, linters and CI, and a few central source files. If ALLY.md, AGENTS.md or CLAUDE.md exists, read it \
and keep what is still true.

Then write ALLY.md with the write tool, at most 60 lines:
- what the project is, in one or two sentences;
- the exact commands to install, build, run, test (all tests, and one of them), lint and format;
- the layout, as far as names do not tell it, and how the parts work together;
- conventions that differ from what is usual, and traps.

Write only what you have seen in a file. No general advice, no list of every file. End with one sentence \
on what you could not find out.`;
