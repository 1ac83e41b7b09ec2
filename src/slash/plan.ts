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
  run(argument, { mode, say }) {
    if (argument !== "" && argument !== "on" && argument !== "off") {
      throw new Error(`Cannot turn plan mode '${argument}': say /plan, /plan on or /plan off.`);
    }
    const on = argument === "" ? !mode.isPlan : argument === "on";
    if (on !== mode.isPlan) mode.set(on ? "plan" : "ask");
    say(on ? ON : `${OFF}: ${mode.label ?? "ally asks before it changes or runs something"}.`);
    return Promise.resolve("continue");
  },
};

const ON = "Plan mode is **on**: nothing is changed or run. `/plan` again ends it.";
const OFF = "Plan mode is **off**";
