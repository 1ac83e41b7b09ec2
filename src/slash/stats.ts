/**
 * `/stats`: what the tools and requests of this run took, and what of the requests servers had cached.
 */
import type { CallQuality, RequestFigures, ToolStatistics, Totals } from "../agent/statistics.ts";
import {
  formatCount,
  formatDuration,
  formatMoney,
  formatShortDuration,
  plural,
} from "../lib/text.ts";
import type { SlashCommand } from "./command.ts";
import { inlineCode, markdownTable } from "./markdown.ts";

/** Requests that `/stats cache` shows. */
const MAX_REQUESTS = 20;
/** Tokens read again that need no explanation: where texts meet, servers read a few anew. */
const SEAM_TOKENS = 64;

const HEAD = ["tool", "calls", "success", "total", "avg", "min", "max", "tokens a result"];

/** `/stats [cache]` */
export const stats: SlashCommand = {
  name: "stats",
  duringTurn: true,
  usage: "[cache]",
  summary:
    "show what tools and requests took since ally was started; what servers read and had cached",
  complete: () => Promise.resolve(["cache"]),
  run(argument, context) {
    if (argument === "cache") {
      context.say(cacheLines(context.statistics.requests).join("\n"));
      return Promise.resolve("continue");
    }
    if (argument !== "") return Promise.reject(new Error("Use: /stats, or /stats cache"));
    const { tools, totals, models } = context.statistics;
    const rows = [...tools].map(([name, one]) => toRow(name, one));
    const table = rows.length === 0
      ? ["No call of a tool has ended yet."]
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
    ...(cost === undefined ? [] : [`cost ${formatMoney(cost)}`]),
  ];
  return parts.length === 0 ? [] : ["", parts.join(", ")];
}

function toRow(name: string, one: ToolStatistics): (string | number)[] {
  const rate = Math.round((one.successes / one.calls) * 100);
  const times = one.runs === 0
    ? ["-", "-", "-", "-"]
    : [one.totalMs, one.totalMs / one.runs, one.minMs, one.maxMs].map(formatShortDuration);
  const tokens = one.results === 0 ? "-" : formatCount(Math.round(one.resultTokens / one.results));
  return [name, one.calls, `${rate} %`, ...times, tokens];
}

/** A row for each of the last requests, and what made a server read again what it had read before. */
function cacheLines(requests: readonly RequestFigures[]): string[] {
  if (requests.length === 0) return ["No request was answered yet."];
  const first = Math.max(0, requests.length - MAX_REQUESTS);
  const shown = requests.slice(first);
  const isOneAgent = shown.every(({ agent }) => agent === shown[0]?.agent);
  const rows = shown.map((one, index) => [
    first + index + 1,
    ...isOneAgent ? [] : [one.agent],
    ...[one.prompt_tokens, one.cached_tokens, one.read_tokens, one.reread_tokens].map((count) =>
      count === undefined ? "-" : formatCount(count)
    ),
  ]);
  const head = ["", ...isOneAgent ? [] : ["agent"], "prompt", "cached", "read", "again"];
  const numeric = head.flatMap((name, index) => name === "agent" ? [] : [index]);
  const earlier = first === 0
    ? []
    : [`The last ${MAX_REQUESTS} of ${requests.length} requests:`, ""];
  const breaks = shown.flatMap((one, index) => breakLine(one, first + index + 1));
  return [
    ...earlier,
    ...markdownTable(head, { rows, numeric }),
    "",
    ...breaks.length > 0 ? breaks : ["Each request goes on where the one before it ended."],
  ];
}

/** "Request 4 differs from the one before it in message 3 (tool), from byte 120 on: ..." */
function breakLine(
  { cache_break: found, reread_tokens: again = 0 }: RequestFigures,
  number: number,
): string[] {
  if (found !== undefined) {
    const { where, byte, before, now } = found;
    return [
      `- Request ${number} differs from the one before it in ${where}, from byte ` +
      `${formatCount(byte)} on: ${inlineCode(`…${before}…`)} is now ${inlineCode(`…${now}…`)}`,
    ];
  }
  if (again <= SEAM_TOKENS) return [];
  return [
    `- Request ${number} goes on where the one before it ended, and yet ${
      formatCount(again)
    } tokens ` +
    "were read again: the server had dropped them, or its template renders them in another way.",
  ];
}
