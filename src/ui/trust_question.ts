/**
 * The question whether a project's own files take effect: what each would do, what changed since it was trusted,
 * and the answers. Enter alone, Escape, Ctrl+C and a closed terminal mean "not now".
 */
import type { AskTrust, TrustAnswer, TrustItem, TrustRequest } from "../core/project.ts";
import { plural } from "../lib/text.ts";
import { renderDiff } from "./diff_view.ts";
import { plainCode } from "./highlight.ts";
import { choose, type Option } from "./question.ts";
import { escapeControls, escapeLine, safeLines } from "./safe_text.ts";
import { type Suspend, withScreen } from "./suspend.ts";
import type { Terminal } from "./terminal.ts";
import type { Layout, Theme } from "./theme.ts";
import { fit, wrapCode, wrapProse } from "./wrap.ts";

/** Lines shown of one file's diff; the rest is counted. */
const DIFF_LINES = 40;
/** Lines shown of what one file would do; the rest is counted. */
const EFFECT_LINES = 20;

const ANSWERS: readonly Option<TrustAnswer>[] = [
  { value: "trust", key: "t", label: "Trust these files" },
  { value: "not_now", key: "n", label: "Not now: go on without them" },
  { value: "never", key: "v", label: "No, and ask again only when they change" },
];

/** Makes the port that asks a person at a terminal. */
export function createTrustAsk(options: {
  terminal: Terminal;
  theme: Theme;
  suspend: Suspend;
}): AskTrust {
  const { terminal, theme, suspend } = options;
  return (request) =>
    withScreen(suspend, () =>
      choose<TrustAnswer>({
        lines: (columns) => questionLines(request, { columns, theme }),
        options: ANSWERS,
        fallback: "not_now",
        renderAnswer: (answer) => answerLine(answer, { columns: terminal.columns, theme }),
      }, { terminal, theme, signal: new AbortController().signal }));
}

function questionLines({ directory, items }: TrustRequest, view: Layout): string[] {
  const { columns, theme } = view;
  const changed = items.every(({ state }) => state === "changed");
  const head = changed
    ? `Do you still trust this project? ${plural(items.length, "file")} changed since you did.`
    : `Do you trust this project? ${filesOfIt(items.length)} would affect ally.`;
  return [
    "",
    ...wrapProse(theme.paint("bold", head), columns),
    ...wrapCode(escapeLine(directory), columns - 2).map((line) => theme.paint("dim", `  ${line}`)),
    "",
    ...items.flatMap((item) => itemLines(item, view)),
  ];
}

function filesOfIt(count: number): string {
  return count === 1 ? "One of its files" : `${count} of its files`;
}

function itemLines({ path, state, effects, diff }: TrustItem, view: Layout): string[] {
  const { theme } = view;
  const columns = Math.max(1, view.columns - 4);
  const head = `${escapeLine(path)}${state === "changed" ? " (changed)" : ""}`;
  const what = effects.slice(0, EFFECT_LINES)
    .flatMap((effect) => effectLines(effect, columns));
  const more = effects.length - EFFECT_LINES;
  return [
    ...wrapCode(head, columns).map((line) => theme.paint("accent", `  ${line}`)),
    ...what.map((line) => `    ${line}`),
    ...(more > 0 ? [theme.paint("warning", `    and ${more} more: read ${escapeLine(path)}`)] : []),
    ...(diff === undefined ? [] : diffLines(diff, { path, view })),
  ];
}

/** An effect, wrapped at words with its indentation. */
function effectLines(effect: string, columns: number): string[] {
  const indent = /^ */.exec(effect)?.[0] ?? "";
  return wrapProse(escapeLine(effect), columns - indent.length).map((line) => indent + line);
}

function diffLines(diff: string, { path, view }: { path: string; view: Layout }): string[] {
  const { theme } = view;
  const lines = renderDiff(safeLines(escapeControls(diff)).join("\n"), {
    highlight: plainCode,
    language: "",
    theme,
    columns: Math.max(10, view.columns - 4),
  });
  const more = lines.length - DIFF_LINES;
  return [
    ...lines.slice(0, DIFF_LINES).map((line) => `    ${line}`),
    ...(more > 0
      ? [theme.paint("warning", `    and ${plural(more, "more line")}: read ${escapeLine(path)}`)]
      : []),
  ];
}

function answerLine(answer: TrustAnswer, { columns, theme }: Layout): string {
  const [mark, text] = answer === "trust"
    ? [theme.paint("success", theme.glyphs.granted), "Trusted this project's files"]
    : [theme.paint("warning", theme.glyphs.cancelled), "Going on without this project's files"];
  const fitted = fit(text, Math.max(1, columns - 3), theme.glyphs.ellipsis);
  return `${mark} ${theme.paint("dim", fitted)}`;
}
