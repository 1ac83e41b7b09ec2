/**
 * Draws what a call is about to do: a diff, a new file, a deletion, a command. Commands are shown in full and exactly;
 * long diffs and files are cut in the middle, with a line that says so.
 */
import type { Preview } from "../core/permission.ts";
import { oneLine, plural } from "../lib/text.ts";
import { countChanges, renderDiff } from "./diff_view.ts";
import { type Highlight, languageOf, plainCode } from "./highlight.ts";
import { withNumber } from "./numbered_items.ts";
import { escapeControls, safeLines } from "./safe_text.ts";
import type { Theme } from "./theme.ts";
import { wrapCode, wrapCommand } from "./wrap.ts";

/** What drawing a preview needs. */
interface PreviewOptions {
  readonly theme: Theme;
  readonly columns: number;
  /** Lines a diff or file may take. */
  readonly rows: number;
  readonly highlight: Highlight;
  /** Where commands run unless the preview says so. */
  readonly cwd: string;
  /** Gives a number to what is shown shortened. @default it gets none */
  readonly number?: ((preview: Preview) => number) | undefined;
}

/** Draws one preview. */
export function renderPreview(preview: Preview, options: PreviewOptions): string[] {
  const { theme, columns, rows } = options;
  switch (preview.kind) {
    case "diff": {
      const { added, removed } = countChanges(preview.diff);
      const counts = `${theme.paint("added", `+${added}`)} ${
        theme.paint("removed", `-${removed}`)
      }`;
      if (!theme.showsDiffs && rows !== Infinity) return hiddenBody(preview, counts, options);
      const diff = renderDiff(preview.diff, { ...options, language: languageOf(preview.path) });
      return [...title(preview.path, counts, options), ...cutMiddle(diff, preview, options)];
    }
    case "new_file":
      return renderNewFile(preview, options);
    case "deleted_file":
      return title(
        preview.path,
        theme.paint("removed", `deleted, ${plural(preview.lines, "line")}`),
        options,
      );
    case "other_change":
      return title(
        preview.path,
        theme.paint("dim", oneLine(escapeControls(preview.what))),
        options,
      );
    case "command": {
      // Where a line begins is marked: one that was broken must not look like two commands.
      const lines = escapeVisibly(preview.command, theme).split("\n").flatMap((line, index) =>
        wrapCommand(line, columns - 2).map((text, row) =>
          `${theme.paint("accent", row > 0 ? " " : index === 0 ? "$" : ">")} ${text}`
        )
      );
      if (preview.cwd === options.cwd) return lines;
      const where = wrapCode(`in ${oneLine(escapeControls(preview.cwd))}`, columns - 2);
      return [...lines, ...where.map((line) => `  ${theme.paint("dim", line)}`)];
    }
    case "sent": {
      const lines = escapeVisibly(preview.text, theme).split("\n")
        .flatMap((line) => wrapCode(line, columns - 4))
        .map((line, index) => index === 0 ? line : `  ${line}`);
      return [...cutMiddle(lines, preview, options)];
    }
  }
}

/** Draws previews, each within its share of a screen of so many rows. */
export function renderPreviews(
  previews: readonly Preview[],
  { screenRows, ...options }: Omit<PreviewOptions, "rows"> & { screenRows: number },
): string[] {
  const rows = previewRows(previews.length, screenRows);
  return previews.flatMap((preview) => renderPreview(preview, { ...options, rows }));
}

/** Whether these previews are cut on a screen of so many rows. */
export function isCut(
  previews: readonly Preview[],
  options: Omit<PreviewOptions, "rows" | "highlight"> & { screenRows: number },
): boolean {
  const rows = previewRows(previews.length, options.screenRows);
  const drawn = (most: number) =>
    previews.flatMap((one) => renderPreview(one, { ...options, rows: most, highlight: plainCode }))
      .length;
  return drawn(rows) < drawn(Infinity);
}

/** Rows that each of so many previews may take. */
function previewRows(previews: number, screenRows: number): number {
  return Math.max(4, Math.floor((screenRows - 12) / Math.max(1, previews)));
}

/** A text in which what stands for an invisible character can be told from the same words typed. */
function escapeVisibly(text: string, theme: Theme): string {
  const mark = (escaped: string) => theme.paint("error", escaped);
  return escapeControls(text, { ascii: !theme.unicode, mark });
}

function renderNewFile(
  preview: Extract<Preview, { kind: "new_file" }>,
  options: PreviewOptions,
): string[] {
  const { theme, columns, rows, highlight } = options;
  const { path } = preview;
  const lines = safeLines(escapeControls(preview.content));
  const digits = String(lines.length).length;
  const coloured = highlight(lines.join("\n"), languageOf(path)).split("\n");
  const numbered = lines.length === 0
    ? []
    : coloured.flatMap((line, index) =>
      wrapCode(line, columns - digits - 3).map((text, row) => {
        const number = row === 0 ? String(index + 1).padStart(digits) : " ".repeat(digits);
        return `${theme.paint("dim", number)} ${theme.paint("added", "+")} ${text}`;
      })
    );
  const note = theme.paint("added", `new, ${plural(lines.length, "line")}`);
  if (!theme.showsDiffs && rows !== Infinity) return hiddenBody(preview, note, options);
  return [...title(path, note, options), ...cutMiddle(numbered, preview, options)];
}

/** A preview of which no line is shown. */
function hiddenBody(
  preview: Extract<Preview, { path: string }>,
  note: string,
  options: PreviewOptions,
): string[] {
  const number = options.number?.(preview);
  const more = number === undefined ? "" : options.theme.paint("dim", `, /show ${number}`);
  return title(preview.path, note + more, options);
}

/** The path of a preview and a note; the path is wrapped, never cut. */
function title(path: string, note: string, { theme, columns }: PreviewOptions): string[] {
  const shown = oneLine(escapeControls(path));
  const name = shown === path ? theme.linkFile(path) : shown;
  return wrapCode(`${theme.paint("bold", name)} ${note}`, columns);
}

/** Keeps head and tail of what is longer than `rows`, with a line between that counts the rest. */
function cutMiddle(
  lines: readonly string[],
  preview: Preview,
  { rows, theme, columns, number }: PreviewOptions,
): readonly string[] {
  if (lines.length <= rows) return lines;
  const head = Math.max(1, Math.ceil((rows - 1) * 0.6));
  const tail = Math.max(0, rows - 1 - head);
  const left = `${theme.glyphs.ellipsis} ${plural(lines.length - head - tail, "more line")}`;
  return [
    ...lines.slice(0, head),
    theme.paint("dim", withNumber(left, { number: number?.(preview), columns })),
    ...lines.slice(lines.length - tail),
  ];
}
