/**
 * `/context`: what fills the model's window.
 */
import { breakdown, type WindowPart } from "../context/breakdown.ts";
import { formatCount } from "../lib/text.ts";
import type { SlashCommand } from "./command.ts";
import { inlineCode, markdownTable } from "./markdown.ts";

/** `/context` */
export const context: SlashCommand = {
  name: "context",
  duringTurn: true,
  summary: "show what fills the model's window",
  run(_argument, { agent, say }) {
    const { budget, conversation, scheduler } = agent.deps;
    const { definitions: tools } = scheduler.registry;
    const { used, size, limit, percent, level, remainingCalls, counter } = budget;
    const parts = breakdown(conversation, { budget, tools });
    const share = (tokens: number) => `${((tokens / size) * 100).toFixed(1)} %`;
    const rows = parts.map(({ name, count, tokens, within }: WindowPart) => [
      within ? `· ${name}` : name,
      count ?? "",
      formatCount(tokens),
      share(tokens),
    ]);
    const reserve = size - limit;
    const free = Math.max(0, limit - used);
    const how = counter.isExact ? "counted" : "estimated";
    const text = [
      `${formatCount(used)} of ${formatCount(size)} tokens (${percent}%) are in use, ${how} here` +
      `${budget.isServerCounted ? " and by the server" : ""}: ${level}, ` +
      `about ${remainingCalls} tool calls remain.`,
      "",
      ...markdownTable(["part", "number", "tokens", "share"], {
        rows: [
          ...rows,
          ["reserved for the reply", "", formatCount(reserve), share(reserve)],
          ["free", "", formatCount(free), share(free)],
        ],
        numeric: [1, 2, 3],
      }),
    ];
    const averages = [...budget.toolUse].map(([name, { calls, tokens }]) =>
      `${inlineCode(name)} ${formatCount(Math.round(tokens / calls))}`
    );
    if (averages.length > 0) text.push("", `Tokens a result, on average: ${averages.join(", ")}`);
    say(text.join("\n"));
    return Promise.resolve("continue");
  },
};
