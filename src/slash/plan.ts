/**
 * `/plan`: from now on only look, or work again.
 */
import type { SlashCommand } from "./command.ts";

/** `/plan [on|off]` */
export const plan: SlashCommand = {
  name: "plan",
  changes: "session",
  usage: "[on|off]",
  summary: "only read and propose a plan, or change things again",
  complete: () => Promise.resolve(["on", "off"]),
  run(argument, { plan, say }) {
    if (argument !== "" && argument !== "on" && argument !== "off") {
      throw new Error(`Cannot turn plan mode '${argument}': say /plan, /plan on or /plan off.`);
    }
    plan.set(argument === "" ? !plan.on : argument === "on");
    say(
      plan.on
        ? "Plan mode is **on**: nothing is changed or run. `/plan` again ends it."
        : "Plan mode is **off**: ally asks before it changes or runs something, as always.",
    );
    return Promise.resolve("continue");
  },
};
