/**
 * `/answer`: has a model that thinks too long answer now.
 */
import type { SlashCommand } from "./command.ts";

/** `/answer` */
export const answer: SlashCommand = {
  name: "answer",
  terminalOnly: true,
  duringTurn: true,
  summary: "have a model that thinks answer now (Ctrl+N does the same)",
  run: (_argument, { answerNow }) =>
    Promise.try(() => {
      answerNow();
      return "continue";
    }),
};
