/**
 * The state of a session in one row below the prompt. What is worth least goes first where the row is narrow. Pure.
 */
import { formatCount, formatMoney, oneLine, plural } from "../lib/text.ts";
import type { Style } from "./palettes.ts";
import type { Layout } from "./theme.ts";
import { cellWidth, fit } from "./wrap.ts";

/** What there is to tell; what is not known is absent. */
export interface SessionState {
  readonly project: string;
  readonly model: string;
  /** Such as "plan"; absent for the usual one. */
  readonly mode?: string;
  readonly window?: { readonly percent: number; readonly tokens: number; readonly size: number };
  /** Money, in the currency of the prices. */
  readonly cost?: number;
  /** Tokens that the last reply came at, a second. */
  readonly speed?: number;
  /** Percentage of the last request that the server had cached. */
  readonly cached?: number;
  readonly git?: {
    readonly branch: string;
    /** Changed files; absent if there are too many to look at. */
    readonly changed?: number;
  };
  /** Commands that run in the background. */
  readonly tasks: number;
  /** Lines that wait. */
  readonly queued: number;
}

/** How the row is made: of what there is, of a text with names in braces, or as it is given. */
export type StatusForm =
  | { readonly kind: "auto" }
  | { readonly kind: "template"; readonly text: string }
  | { readonly kind: "given"; readonly text: string };

const BAR_CELLS = 8;
/** Percentages of the window from which its share is coloured. */
const FULL: readonly (readonly [from: number, style: Style])[] = [[85, "error"], [70, "warning"]];

/** The names that a template may have, and what stands for them. */
const FIELDS: Readonly<Record<string, (state: SessionState, layout: Layout) => string>> = {
  project: ({ project }) => oneLine(project),
  mode: ({ mode }) => oneLine(mode ?? ""),
  model: ({ model }) => oneLine(model),
  window: ({ window }) => window === undefined ? "" : `${window.percent}%`,
  bar: (state, layout) => windowBar(state, layout),
  tokens: ({ window }) =>
    window === undefined ? "" : `${formatCount(window.tokens)}/${formatCount(window.size)}`,
  cost: ({ cost }) => cost === undefined ? "" : formatMoney(cost),
  speed: ({ speed }) => speed === undefined ? "" : `${Math.round(speed)} tok/s`,
  cache: ({ cached }) => cached === undefined ? "" : `${cached}% cached`,
  branch: ({ git }) => oneLine(git?.branch ?? ""),
  changes: ({ git }) => git?.changed ? `${git.changed}` : "",
  tasks: ({ tasks }) => tasks > 0 ? plural(tasks, "task") : "",
  queue: ({ queued }) => queued > 0 ? `${queued} queued` : "",
};

/** What a row begins with; what is named first is given up last. */
const KEPT = [
  "mode",
  "queue",
  "window",
  "tasks",
  "branch",
  "model",
  "bar",
  "cost",
  "changes",
  "cache",
  "speed",
];

/** The row, or none while there is nothing to say. */
export function statusRows(
  state: SessionState,
  { form, theme, columns }: Layout & { form: StatusForm },
): string[] {
  if (columns < 1 || (form.kind === "auto" && isQuiet(state))) return [];
  const text = form.kind === "auto" ? autoRow(state, { theme, columns }) : theme.paint(
    "dim",
    fit(textOf(form, state, { theme, columns }), columns, theme.glyphs.ellipsis),
  );
  return cellWidth(text) === 0 ? [] : [text];
}

/** Whether the model, which the session began by naming, is all there is. */
function isQuiet({ mode, window, git, tasks, queued }: SessionState): boolean {
  return !mode && window === undefined && git === undefined && tasks + queued === 0;
}

function textOf(
  form: Exclude<StatusForm, { kind: "auto" }>,
  state: SessionState,
  layout: Layout,
): string {
  if (form.kind === "given") return oneLine(form.text);
  const filled = form.text.replace(
    /\{(\w+)\}/g,
    (whole, name: string) => Object.hasOwn(FIELDS, name) ? FIELDS[name]!(state, layout) : whole,
  );
  return oneLine(filled);
}

/** Parts by what they are worth, until the rest fits. */
function autoRow(state: SessionState, layout: Layout): string {
  for (let count = KEPT.length; count > 0; count--) {
    const row = joinParts(state, { ...layout, kept: new Set(KEPT.slice(0, count)) });
    if (cellWidth(row) <= layout.columns) return row;
  }
  return fit(oneLine(state.mode ?? ""), layout.columns, layout.theme.glyphs.ellipsis);
}

function joinParts(
  state: SessionState,
  { kept, ...layout }: Layout & { kept: Set<string> },
): string {
  const { theme } = layout;
  const field = (name: string) => kept.has(name) ? FIELDS[name]!(state, layout) : "";
  const dim = (text: string) => text === "" ? "" : theme.paint("dim", text);
  const share = [field("bar"), field("window")].filter((text) => text !== "").join(" ");
  const full = FULL.find(([from]) => (state.window?.percent ?? 0) >= from)?.[1] ?? "dim";
  const parts = [
    theme.paint("warning", field("mode")),
    dim(field("model")),
    share === "" ? "" : theme.paint(full, share),
    dim(field("cost")),
    dim(field("speed")),
    dim(field("cache")),
    dim(branchPart(field("branch"), kept.has("changes") ? state.git?.changed : undefined)),
    theme.paint("accent", field("tasks")),
    theme.paint("accent", field("queue")),
  ];
  return parts.filter((text) => text !== "").join(dim(` ${theme.glyphs.dot} `));
}

/** "main, 3 changes" */
function branchPart(branch: string, changed: number | undefined): string {
  return branch !== "" && changed ? `${branch}, ${plural(changed, "change")}` : branch;
}

function windowBar({ window }: SessionState, { theme }: Layout): string {
  if (window === undefined) return "";
  const filled = Math.min(BAR_CELLS, Math.ceil((window.percent / 100) * BAR_CELLS));
  return theme.unicode
    ? "▰".repeat(filled) + "▱".repeat(BAR_CELLS - filled)
    : `[${"#".repeat(filled)}${".".repeat(BAR_CELLS - filled)}]`;
}
