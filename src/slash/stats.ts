/**
 * `/stats`: what the tools and requests of this run took.
 */
import type { CallQuality, ToolStatistics, Totals } from "../agent/statistics.ts";
import { formatCount, formatDuration, formatShortDuration, plural } from "../lib/text.ts";
import type { SlashCommand } from "./command.ts";
import { markdownTable } from "./markdown.ts";

const HEAD = ["tool", "calls", "success", "total", "avg", "min", "max", "tokens a result"];

/** `/stats` */
export const stats: SlashCommand = {
  name: "stats",
  duringTurn: true,
  summary: "show what tools and requests took since ally was started",
  run(_argument, context) {
    const { tools, totals, models } = context.statistics;
    const rows = [...tools].map(([name, one]) => toRow(name, one));
    const table = rows.length === 0
      ? ["No tool was called yet."]
      : markdownTable(HEAD, { rows, numeric: [1, 2, 3, 4, 5, 6, 7] });
    const lines = [
      totalsLine(totals),
      ...detailLine(totals),
      ...[...models].flatMap(qualityLine),
      "",
      ...table,
    ];
    context.say(lines.join("\n"));
    return Promise.resolve("continue");
  },
};

/** "qwen3: of 12 calls, 3 rescued from text, 1 repaired", if there is something to say. */
function qualityLine([model, quality]: [string, CallQuality]): string[] {
  const { calls, rescued, repaired, refused } = quality;
  const parts = [
    ...(rescued > 0 ? [`${rescued} rescued from text`] : []),
    ...(repaired > 0 ? [`${repaired} repaired`] : []),
    ...(refused > 0 ? [`${refused} refused as cut off or ambiguous`] : []),
  ];
  return parts.length === 0
    ? []
    : ["", `${model}: of ${plural(calls, "call")}, ${parts.join(", ")}`];
}

function totalsLine(totals: Totals): string {
  const { turns, requests, usage, durationMs } = totals;
  const tokens = `${formatCount(usage.prompt_tokens)} tokens in, ${
    formatCount(usage.completion_tokens)
  } out`;
  return `${plural(turns, "turn")}, ${plural(requests, "request")}, ${tokens}, ` +
    `${formatDuration(durationMs)}`;
}

/** What of the tokens was cached or thought, and what they cost, as far as it is known. */
function detailLine({ usage }: Totals): string[] {
  const { prompt_tokens, cached_tokens, reasoning_tokens, cost } = usage;
  const share = Math.round(((cached_tokens ?? 0) / Math.max(1, prompt_tokens)) * 100);
  const parts = [
    ...(cached_tokens === undefined
      ? []
      : [`${formatCount(cached_tokens)} tokens cached (${share}%)`]),
    ...(reasoning_tokens === undefined ? [] : [`${formatCount(reasoning_tokens)} of thinking`]),
    ...(cost === undefined ? [] : [`cost ${formatCost(cost)}`]),
  ];
  return parts.length === 0 ? [] : ["", parts.join(", ")];
}

/** Enough digits for a single request of a cheap model. */
function formatCost(cost: number): string {
  return cost >= 1 ? cost.toFixed(2) : cost === 0 ? "0" : cost.toPrecision(3);
}

function toRow(name: string, one: ToolStatistics): (string | number)[] {
  const rate = Math.round((one.successes / one.calls) * 100);
  const times = one.runs === 0
    ? ["-", "-", "-", "-"]
    : [one.totalMs, one.totalMs / one.runs, one.minMs, one.maxMs].map(formatShortDuration);
  const tokens = one.results === 0 ? "-" : formatCount(Math.round(one.resultTokens / one.results));
  return [name, one.calls, `${rate} %`, ...times, tokens];
}
