/**
 * `/hooks`: the hooks of this session, as they were when it began.
 */
import type { SlashCommand } from "./command.ts";
import { inlineCode } from "./markdown.ts";

/** `/hooks` */
export const hooks: SlashCommand = {
  name: "hooks",
  summary: "show the commands of yours that run at certain moments",
  duringTurn: true,
  run(_argument, { hooks = [], say }) {
    say(
      hooks.length === 0
        ? "No hooks. `ally help hooks` shows how to add one to your configuration."
        : hooks.map((line) => `- ${inlineCode(line)}`).join("\n"),
    );
    return Promise.resolve("continue");
  },
};
