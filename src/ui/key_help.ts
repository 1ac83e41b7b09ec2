/**
 * The keys of a line on one screen, as a line shows them that says `?`: in as many columns as there is room for, and
 * only as many as fit with all of their words. Pure.
 */
import { LINE_KEYS } from "./key_bindings.ts";
import type { Layout, Theme } from "./theme.ts";
import { cellWidth, fit, wrapProse } from "./wrap.ts";

type Entry = readonly [key: string, does: string];

/** What a line may begin with. */
const BEGINNINGS: readonly Entry[] = [
  ["/", "a command of ally"],
  ["!", "a command of the shell, run as you"],
  ["@", "a file, a directory or an agent"],
  ["#", "words for the project's instructions"],
];
/** Cells that an entry takes at least, so that it says something. */
const LEAST_CELLS = 48;
const GAP_CELLS = 2;

/** The rows, of which there are at most `room`. */
export function keyHelpLines(layout: Layout, room: number): string[] {
  const entries = [
    ...BEGINNINGS,
    ...LINE_KEYS.map(({ keys: [key = ""], does }): Entry => [key, does.replaceAll("`", "")]),
  ];
  const most = Math.max(1, Math.floor(layout.columns / LEAST_CELLS));
  const draw = (count: number, limit: number) =>
    Array.from({ length: most }, (_, index) => most - index)
      .map((beside) => drawEntries(entries.slice(0, count), { ...layout, beside }))
      .find((lines) => lines.length <= limit);
  const whole = draw(entries.length, room);
  if (whole) return whole;
  for (let count = entries.length - 1; room > 0; count--) {
    const lines = draw(count, room - 1);
    if (lines === undefined) continue;
    const rest = fit(`and ${entries.length - count} more: /help keys`, layout.columns);
    return [...lines, layout.theme.paint("dim", rest)];
  }
  return [];
}

/** All of these, each with all of its explanation, so many beside one another. */
function drawEntries(
  entries: readonly Entry[],
  { theme, columns, beside }: Layout & { readonly beside: number },
): string[] {
  const width = Math.floor(columns / beside) - GAP_CELLS;
  const rows = Math.ceil(entries.length / beside);
  const longest = Math.max(...entries.map(([key]) => cellWidth(key)), 0);
  const keyCells = Math.min(longest + GAP_CELLS, Math.ceil(width / 2));
  return Array.from({ length: rows }, (_, row) => {
    const cells = Array.from({ length: beside }, (_, column) => entries[column * rows + row])
      .map((entry) =>
        entry && { key: entry[0], texts: wrapProse(entry[1], Math.max(1, width - keyCells)) }
      );
    const height = Math.max(...cells.map((cell) => cell?.texts.length ?? 0), 1);
    return Array.from(
      { length: height },
      (_, line) =>
        cells.map((cell) => cell && { key: line === 0 ? cell.key : "", text: cell.texts[line] })
          .map((cell) => drawCell(cell, { theme, keyCells, width: width + GAP_CELLS }))
          .join("").trimEnd(),
    );
  }).flat();
}

/** One row of an entry: its key, and what there is of its explanation. */
function drawCell(
  { key = "", text = "" }: { key?: string; text?: string | undefined } = {},
  { theme, keyCells, width }: { theme: Theme; keyCells: number; width: number },
): string {
  const name = fit(key, keyCells - 1);
  const blanks = " ".repeat(keyCells - cellWidth(name));
  const end = " ".repeat(Math.max(0, width - keyCells - cellWidth(text)));
  return `${theme.paint("accent", name)}${blanks}${theme.paint("dim", text)}${end}`;
}
