/**
 * `/tools`: what the model can call, where each tool comes from, and how often it was called.
 */
import type { SlashCommand } from "./command.ts";
import { markdownTable } from "./markdown.ts";

/** `/tools` */
export const tools: SlashCommand = {
  name: "tools",
  summary: "show what the model can call, and how often it did",
  duringTurn: true,
  run(_argument, { agent, statistics, runInfo, say }) {
    const { definitions } = agent.deps.scheduler.registry;
    const rows = definitions.map(({ name, effects, description }) => {
      const calls = statistics.tools.get(name)?.calls ?? 0;
      const source = sourceOf(name, runInfo.builtInTools);
      const what = description.split(/(?<=[.!?])\s/)[0] ?? "";
      return [name, effects.join(", ") || "none", source, calls || "-", what];
    });
    const head = ["tool", "effects", "source", "calls", "what"];
    say(markdownTable(head, { rows, numeric: [3] }).join("\n"));
    return Promise.resolve("continue");
  },
};

/** `server__tool` is a server's or a plugin's; what else ally does not bring is a plugin's. */
function sourceOf(name: string, builtIn: ReadonlySet<string>): string {
  if (builtIn.has(name)) return "built in";
  const prefix = /^(.+?)__/.exec(name)?.[1];
  return prefix ?? "plugin";
}
