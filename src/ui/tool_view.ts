/**
 * How one tool call looks: its line, its live output, its result.
 */
import type { CallState, ResultRecord } from "../core/event.ts";
import type { ItemKind } from "../core/numbered_item.ts";
import type { Preview } from "../core/permission.ts";
import { elideLines, formatDuration, oneLine, overwriteLines, plural } from "../lib/text.ts";
import { withNumber } from "./numbered_items.ts";
import { escapeControls, safeLines } from "./safe_text.ts";
import type { Layout, Theme } from "./theme.ts";
import { cellWidth, fit, wrapProse } from "./wrap.ts";

/** A running call. */
export interface ToolView {
  readonly name: string;
  readonly description: string;
  /** What its arguments name as paths. */
  readonly paths: readonly string[];
  /** Blanks before every line: calls of sub-agents stand further right. */
  readonly indent: string;
  state: CallState;
  /** End of the output so far. */
  output: string;
  /** What it is about to do, as long as that is not on the screen. */
  previews: readonly Preview[];
  /** Whether its preview is on the screen already. */
  isPreviewed: boolean;
  /** When it began to run, by the clock of the screen. */
  since: number | undefined;
}

/** A call that took less is shown without its duration, in milliseconds. */
export const MIN_SHOWN_MS = 1000;
/** Lines of live output shown under a running call. */
const OUTPUT_LINES = 4;
/** Characters of live output that are kept; less is shown. */
const MAX_OUTPUT = 8000;
/** Lines shown of a result, and of an error; the model gets all of it. */
const RESULT_LINES = 12;
const ERROR_LINES = 6;
/** Lines shown of a command after its first. */
const COMMAND_LINES = 4;

/** A call that begins. */
export function createToolView(
  name: string,
  { description, input, indent = "", state = "validating" }:
    & Pick<ToolView, "description">
    & Partial<Pick<ToolView, "indent" | "state">>
    & { input?: unknown },
): ToolView {
  const seen = { output: "", previews: [], isPreviewed: false, since: undefined };
  return { name, description, paths: pathsIn(input), indent, state, ...seen };
}

/** The values of arguments whose names say that they are paths. */
function pathsIn(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).filter(([name]) => /(?:^|_)paths?$/.test(name))
    .flatMap(([, value]) => value)
    .filter((value) => typeof value === "string" && value !== "");
}

/** The paths in a line that shows them whole, as links. */
function linkPaths(line: string, paths: readonly string[], theme: Theme): string {
  const words = line.split(/([\s,]+)/);
  return words.map((word) => paths.includes(word) ? theme.linkFile(word) : word).join("");
}

/** Adds a piece of live output. */
export function appendOutput(view: ToolView, text: string): void {
  view.output = (view.output + text).slice(-MAX_OUTPUT);
}

/** "● edit src/main.ts": in one line, cut at the right edge. */
export function headLine(
  view: ToolView,
  options: Layout & { state?: CallState; note?: string },
): string {
  const { theme } = options;
  const mark = markOf(options.state ?? view.state, theme);
  const note = fitNote(options.note ?? "", options);
  const room = options.columns - view.indent.length - 2 - note.length;
  const name = oneLine(view.name);
  const rest = fit(oneLine(view.description), room - name.length - 1, theme.glyphs.ellipsis);
  const linked = linkPaths(rest, view.paths, theme);
  const text = `${theme.paint("bold", fit(name, room))}${rest === "" ? "" : ` ${linked}`}`;
  return `${view.indent}${mark} ${text}${theme.paint("dim", note.trimEnd())}`;
}

/** What is said after a call, from the end as much as leaves half of the line to the call. */
function fitNote(note: string, { theme, columns }: Layout): string {
  const separator = ` ${theme.glyphs.dot} `;
  const parts = note.split(separator);
  while (parts.length > 1 && parts.join(separator).length > columns / 2) parts.shift();
  return note === "" ? "" : separator + parts.join(separator);
}

/** "Running bash: npm test" */
export function announceRun(view: ToolView, { columns }: Layout): string[] {
  return wrapProse(`Running ${oneLine(view.name)}: ${oneLine(view.description)}`, columns);
}

/** The call's name with its preview, whose first line is beside the name if it `joins` and fits. */
export function previewLines(
  view: ToolView,
  { body, joins, theme, columns }: {
    body: readonly string[];
    joins: boolean;
    theme: Theme;
    columns: number;
  },
): string[] {
  const head = headLine({ ...view, description: "" }, { theme, columns, state: "executing" });
  const joined = `${head} ${body[0]}`;
  const below = joins && cellWidth(joined) <= columns ? body.slice(1) : body;
  return [below === body ? head : joined, ...below.map((line) => `${view.indent}  ${line}`)];
}

/** A running call: its line with its seconds, unless that is right above, and the last lines of its output. */
export function liveLines(
  view: ToolView,
  options: Layout & { headed: boolean; now: number; outputLines?: number },
): string[] {
  const { theme, now, outputLines = OUTPUT_LINES } = options;
  const room = options.columns - view.indent.length - 4;
  const seconds = Math.floor((now - (view.since ?? now)) / 1000);
  const note = seconds < 1 ? "" : formatSeconds(seconds);
  const output = safeLines(overwriteLines(view.output)).filter((line) => line.trim() !== "");
  return [
    ...(options.headed ? [] : [headLine(view, { ...options, note })]),
    ...output.slice(output.length - Math.min(outputLines, output.length)).map((line) =>
      `${view.indent}  ${theme.paint("dim", `${theme.glyphs.bar} ${fit(line, room)}`)}`
    ),
  ];
}

/** "12s", "2m 5s" */
export function formatSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : formatDuration(seconds * 1000);
}

/** What a call came to. */
export interface CallEnd {
  readonly result: ResultRecord;
  readonly message?: string | undefined;
  readonly preview: readonly string[];
  /** All lines, if the preview is shorter. */
  readonly whole?: readonly string[] | undefined;
  /** Milliseconds, if they are worth telling. */
  readonly duration?: number | undefined;
  /** Gives a number to the whole of what is shown shortened, which is a result unless said otherwise. */
  readonly number: (text: string, kind?: ItemKind) => number;
}

/** A call that has ended: its line with its duration, the rest of a long command, and its result. */
export function endLines(
  view: ToolView,
  { duration, ...outcome }: CallEnd,
  options: Layout,
): string[] {
  const note = duration === undefined ? "" : formatDuration(duration);
  return [
    headLine(view, { ...options, note }),
    ...commandRest(view, { ...options, number: outcome.number }),
    ...resultLines(view, outcome, options),
  ];
}

/** What follows the first line of a command that was not shown before it ran. */
function commandRest(
  { previews, indent }: ToolView,
  { theme, columns, number }: Layout & Pick<CallEnd, "number">,
): string[] {
  const command = previews.map((one) => one.kind === "command" ? one.command.trim() : "").join("");
  const rest = safeLines(escapeControls(command)).slice(1);
  const room = columns - indent.length - 4;
  const shown = elideLines(rest, { room: COMMAND_LINES });
  const lines = shown.length === rest.length
    ? shown
    : withElision(shown, { whole: rest, number: number(command, "command"), columns: room });
  return lines.map((line) => theme.paint("dim", `${indent}    ${fit(line, room)}`));
}

/** The result of a call: a few lines, or the error and what to do about it; a number if that is not all. */
export function resultLines(
  view: ToolView,
  outcome: CallEnd,
  { theme, columns }: Layout,
): string[] {
  const { dot, result: mark } = theme.glyphs;
  const note = outcome.duration === undefined ? "" : ` ${dot} ${formatDuration(outcome.duration)}`;
  const room = columns - view.indent.length - 3 - mark.length - note.length;
  const lines = shortenResult(outcome, { theme, columns: room });
  if (lines.length === 0 && !view.isPreviewed) return [];
  const [first = theme.paint("dim", "done"), ...others] = lines;
  return [first + theme.paint("dim", note), ...others].map((line, index) => {
    const lead = index === 0 ? mark : " ".repeat(mark.length);
    return `${view.indent}  ${theme.paint("dim", lead)} ${line}`;
  });
}

/** Some lines of a result; the line that stands for the others names the number that brings them. */
function shortenResult(outcome: CallEnd, { theme, columns }: Layout): string[] {
  const { ellipsis } = theme.glyphs;
  const { message, advice } = errorLines(outcome, columns);
  const left = Math.max(0, message.length - ERROR_LINES);
  const all = outcome.preview.flatMap(safeLines);
  const preview = all.slice(0, RESULT_LINES);
  const isCut = outcome.whole !== undefined || left > 0 ||
    preview.length < all.length || preview.some((line) => cellWidth(line) > columns);
  const number = isCut ? outcome.number(wholeText(outcome)) : undefined;
  const dim = (line: string) => theme.paint("dim", fit(line, columns, ellipsis));
  return [
    ...message.slice(0, ERROR_LINES).map((line) =>
      theme.paint("error", theme.linkReferences(line))
    ),
    ...(left > 0 ? [dim(leftOut(left, { number, columns }))] : []),
    ...(number === undefined || left > 0
      ? preview
      : withElision(preview, { ...outcome, number, columns })).map(dim),
    ...advice.map((line) => theme.paint("dim", line)),
  ];
}

/** Adds the number to the line that counts those left out, or below the others if there is none. */
function withElision(
  preview: readonly string[],
  { whole = preview, ...line }: {
    whole?: readonly string[] | undefined;
    number: number;
    columns: number;
  },
): string[] {
  const at = preview.findIndex((line, index) => line !== whole[index]);
  const [, left] = /^… \+(\d+) lines?$/.exec(preview[at] ?? "") ?? [];
  if (left === undefined) return [...preview, leftOut(whole.length - preview.length, line)];
  return preview.map((one, index) => index === at ? leftOut(Number(left), line) : one);
}

function leftOut(left: number, options: { number: number | undefined; columns: number }): string {
  return left > 0 ? withNumber(`… +${plural(left, "line")}`, options) : `/show ${options.number}`;
}

function wholeText(outcome: CallEnd): string {
  const { result, whole = outcome.preview } = outcome;
  return [...result.success ? [] : [errorOf(outcome)], ...whole].join("\n");
}

function errorOf({ result, message }: CallEnd): string {
  return message || result.error || "The call failed without saying why.";
}

function errorLines(
  outcome: CallEnd,
  columns: number,
): { message: string[]; advice: string[] } {
  const { success, suggestion } = outcome.result;
  if (success) return { message: [], advice: [] };
  const message = safeLines(errorOf(outcome)).flatMap((line) => wrapProse(line, columns));
  return { message, advice: suggestion ? wrapProse(oneLine(suggestion), columns) : [] };
}

function markOf(state: CallState, theme: Theme): string {
  switch (state) {
    case "success":
      return theme.paint("success", theme.glyphs.bullet);
    case "error":
      return theme.paint("error", theme.glyphs.failed);
    case "cancelled":
      return theme.paint("warning", theme.glyphs.cancelled);
    case "executing":
      return theme.paint("accent", theme.glyphs.running);
    default:
      return theme.paint("dim", theme.glyphs.pending);
  }
}
