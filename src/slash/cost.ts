/**
 * `/cost`: what the session has cost, by model and by turn, its agents included, and what the servers' caches saved. In
 * money where a price is known, else in tokens.
 */
import { addUsage, NO_USAGE } from "../agent/usage.ts";
import type { TurnUsage } from "../core/event.ts";
import type { EndedTurn, SpentTokens } from "../core/session_log.ts";
import { formatCount, formatMoney, plural } from "../lib/text.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { escapeMarkdown, markdownTable } from "./markdown.ts";

/** Turns that are shown, the last ones. */
const MAX_TURNS = 12;

/** `/cost` */
export const cost: SlashCommand = {
  name: "cost",
  duringTurn: true,
  summary: "show what this session has cost, by model and turn, agents included",
  run(_argument, context) {
    const turns = context.agent.deps.conversation.turns.filter(({ spent }) => spent.length > 0);
    context.say(
      turns.length === 0
        ? "No turn of this session has ended whose tokens a server counted."
        : costLines(turns, context).join("\n"),
    );
    return Promise.resolve("continue");
  },
};

function costLines(turns: readonly EndedTurn[], context: CommandContext): string[] {
  const spent = turns.flatMap((turn) => turn.spent);
  const total = sumOf(spent);
  const models = [...Map.groupBy(spent, ({ model }) => model ?? "unknown")];
  const agents = [...Map.groupBy(spent, ({ agent }) => agent)];
  const shown = turns.slice(-MAX_TURNS);
  return [
    totalLine(turns.length, total),
    "",
    ...usageTable("model", models.map(([name, some]) => [name, some])),
    ...agents.length < 2 ? [] : ["", ...usageTable("agent", agents)],
    "",
    ...usageTable("turn", shown.map((turn) => [turn.prompt || "-", turn.spent])),
    ...shown.length === turns.length ? [] : ["", `The last ${shown.length} turns.`],
    "",
    ...savedLines(spent, context),
    ...total.cost === undefined
      ? ["No price is configured for these models: `ally help models` says how to set `prices`."]
      : spent.some((one) => one.cost === undefined)
      ? ["Models without a configured price are not part of the cost."]
      : [],
  ];
}

function totalLine(turns: number, { prompt_tokens, completion_tokens, cost }: TurnUsage): string {
  const tokens = `${formatCount(prompt_tokens)} tokens in, ${formatCount(completion_tokens)} out`;
  const money = cost === undefined ? "" : `, cost **${formatMoney(cost)}**`;
  return `${plural(turns, "turn")}: ${tokens}${money}`;
}

function usageTable(
  what: string,
  groups: readonly (readonly [name: string, spent: readonly SpentTokens[]])[],
): string[] {
  const rows = groups.map(([name, spent]) => {
    const { prompt_tokens, completion_tokens, cached_tokens, cost } = sumOf(spent);
    return [
      escapeMarkdown(name),
      spent.reduce((sum, { requests }) => sum + requests, 0),
      formatCount(prompt_tokens),
      cached_tokens === undefined ? "-" : formatCount(cached_tokens),
      formatCount(completion_tokens),
      cost === undefined ? "-" : formatMoney(cost),
    ];
  });
  const head = [what, "requests", "in", "cached", "out", "cost"];
  return markdownTable(head, { rows, numeric: [1, 2, 3, 4, 5] });
}

/** What was not read again, and what it would have cost to read it. */
function savedLines(spent: readonly SpentTokens[], { savedByCache }: CommandContext): string[] {
  const { cached_tokens: cached = 0, prompt_tokens: all } = sumOf(spent);
  if (cached === 0) return [];
  const money = spent.reduce((sum, one) => sum + (savedByCache(one) ?? 0), 0);
  const share = Math.round((cached / Math.max(1, all)) * 100);
  return [
    `Caches of the servers saved reading ${formatCount(cached)} tokens (${share}%)${
      money > 0 ? `, worth ${formatMoney(money)}` : ""
    }.`,
  ];
}

function sumOf(spent: readonly SpentTokens[]): TurnUsage {
  return spent.reduce((sum: TurnUsage, one) => addUsage(sum, one), NO_USAGE);
}
