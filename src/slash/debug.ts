/**
 * `/debug`: versions and paths, and the events behind the screen.
 */
import type { RunInfo, SlashCommand } from "./command.ts";
import { markdownTable } from "./markdown.ts";

/** `/debug [on|off]` */
export const debug: SlashCommand = {
  name: "debug",
  terminalOnly: true,
  usage: "[on|off]",
  summary: "show versions and paths, or show and log events as they happen",
  examples: ["/debug", "/debug on"],
  duringTurn: true,
  complete: () => Promise.resolve(["on", "off"]),
  async run(argument, { runInfo, say }) {
    if (argument === "") say(await formatOverview(runInfo));
    else if (argument === "on" || argument === "off") {
      const log = runInfo.setDebugging(argument === "on");
      say(
        argument === "off"
          ? "Events are neither shown nor logged any more."
          : `Events are shown as they happen${log ? `, and logged to \`${log}\`` : ""}. ` +
            "`/debug off` ends that.",
      );
    } else throw new Error(`Cannot debug '${argument}': say /debug, /debug on or /debug off.`);
    return "continue";
  },
};

async function formatOverview(about: RunInfo): Promise<string> {
  const state = about.verbose ? "on" : "off: `/debug on` shows and logs events";
  const rows = [...await about.facts(), ["events", state] as const];
  return markdownTable(["", ""], { rows }).join("\n");
}
