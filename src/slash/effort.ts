/**
 * `/effort`: how much the model thinks before it answers, from the next request on.
 */
import { type Effort, EFFORTS } from "../core/model.ts";
import type { SlashCommand } from "./command.ts";

/** The choice that leaves it to the settings. */
const DEFAULT = "default";
const CHOICES: readonly string[] = [...EFFORTS, DEFAULT];

/** `/effort [LEVEL]` */
export const effort: SlashCommand = {
  name: "effort",
  changes: "session",
  usage: `[${CHOICES.join("|")}]`,
  summary: "choose how much the model thinks before it answers",
  complete: () => Promise.resolve(CHOICES),
  async run(argument, { agent, models, pickName, say }) {
    const current = agent.deps.settings.effort ?? DEFAULT;
    const chosen = argument === ""
      ? await pickName?.("How much is the model to think?", CHOICES, current)
      : argument;
    if (chosen !== undefined) models.useEffort(parse(chosen));
    say(`The effort is **${models.effort()}**.`);
    return "continue";
  },
};

/** @throws {Error} there is no such level */
function parse(text: string): Effort | undefined {
  const found = EFFORTS.find((one) => one === text);
  if (found !== undefined || text === DEFAULT) return found;
  throw new Error(`There is no effort '${text}'. There are: ${CHOICES.join(", ")}.`);
}
