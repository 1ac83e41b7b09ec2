/**
 * How one tool call looks: its line, its live output, its result.
 */
import type { CallState, ResultRecord } from "../core/event.ts";
import { formatDuration, oneLine, overwriteLines } from "../lib/text.ts";
import { safeLines } from "./safe_text.ts";
import type { Layout, Theme } from "./theme.ts";
import { cellWidth, fit, wrapProse } from "./wrap.ts";

/** A running call. */
export interface ToolView {
  readonly name: string;
  readonly description: string;
  /** Blanks before every line: calls of sub-agents stand further right. */
  readonly indent: string;
  state: CallState;
  /** End of the output so far. */
  output: string;
  /** Whether its preview is on the screen already. */
  isPreviewed: boolean;
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

/** A call that begins. */
export function createToolView(
  name: string,
  { description, indent = "", state = "validating" }:
    & Pick<ToolView, "description">
    & Partial<Pick<ToolView, "indent" | "state">>,
): ToolView {
  return { name, description, indent, state, output: "", isPreviewed: false };
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
  const note = options.note ? ` ${theme.glyphs.dot} ${options.note}` : "";
  const room = options.columns - view.indent.length - 2 - note.length;
  const name = oneLine(view.name);
  const rest = fit(oneLine(view.description), room - name.length - 1, theme.glyphs.ellipsis);
  const text = `${theme.paint("bold", fit(name, room))}${rest === "" ? "" : ` ${rest}`}`;
  return `${view.indent}${mark} ${text}${theme.paint("dim", note)}`;
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

/** A running call: its line, unless that is right above, and the end of its output. */
export function liveLines(
  view: ToolView,
  options: Layout & { headed: boolean },
): string[] {
  const { theme } = options;
  const room = options.columns - view.indent.length - 4;
  const output = safeLines(overwriteLines(view.output)).filter((line) => line.trim() !== "").slice(
    -OUTPUT_LINES,
  );
  return [
    ...(options.headed ? [] : [headLine(view, options)]),
    ...output.map((line) =>
      `${view.indent}  ${theme.paint("dim", `${theme.glyphs.bar} ${fit(line, room)}`)}`
    ),
  ];
}

/** A call that has ended: its line with its duration, and its result. */
export function endLines(
  view: ToolView,
  { duration, ...outcome }: Parameters<typeof resultLines>[1],
  options: Layout,
): string[] {
  const note = duration === undefined ? "" : formatDuration(duration);
  return [headLine(view, { ...options, note }), ...resultLines(view, outcome, options)];
}

/** The result of a call: a few lines, or the error and what to do about it. */
export function resultLines(
  view: ToolView,
  outcome: {
    result: ResultRecord;
    message?: string | undefined;
    preview: readonly string[];
    duration?: number | undefined;
  },
  options: Layout,
): string[] {
  const { theme } = options;
  const { result } = outcome;
  const note = outcome.duration === undefined
    ? ""
    : ` ${theme.glyphs.dot} ${formatDuration(outcome.duration)}`;
  const room = options.columns - view.indent.length - 3 - theme.glyphs.result.length - note.length;
  const preview = outcome.preview.flatMap(safeLines).slice(0, RESULT_LINES)
    .map((line) => theme.paint("dim", fit(line, room, theme.glyphs.ellipsis)));
  const lines = result.success
    ? preview
    : [...errorLines(result, { message: outcome.message, theme, columns: room }), ...preview];
  if (lines.length === 0 && !view.isPreviewed) return [];
  const [first = theme.paint("dim", "done"), ...others] = lines;
  return [first + theme.paint("dim", note), ...others].map((line, index) => {
    const lead = index === 0 ? theme.glyphs.result : " ".repeat(theme.glyphs.result.length);
    return `${view.indent}  ${theme.paint("dim", lead)} ${line}`;
  });
}

function errorLines(
  result: ResultRecord,
  { message: ownMessage, theme, columns }: {
    message: string | undefined;
    theme: Theme;
    columns: number;
  },
): string[] {
  const message = safeLines(ownMessage || result.error || "The call failed without saying why.")
    .flatMap((line) => wrapProse(line, columns));
  const shown = message.slice(0, ERROR_LINES)
    .map((line) => theme.paint("error", theme.linkReferences(line)));
  if (message.length > ERROR_LINES) shown.push(theme.paint("dim", theme.glyphs.ellipsis));
  const advice = result.suggestion ? wrapProse(oneLine(result.suggestion), columns) : [];
  return [...shown, ...advice.map((line) => theme.paint("dim", line))];
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
      return theme.paint("accent", theme.glyphs.bullet);
    default:
      return theme.paint("dim", theme.glyphs.pending);
  }
}
