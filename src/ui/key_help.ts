/**
 * The keys of a line on one screen, as a line shows them that says `?`: in as many columns as there is room for, and
 * only as many as fit. Pure.
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
export function keyHelpLines({ theme, columns }: Layout, room: number): string[] {
  const entries = [
    ...BEGINNINGS,
    ...LINE_KEYS.map(({ keys: [key = ""], does }): Entry => [key, does.replaceAll("`", "")]),
  ];
  const count = Math.max(1, Math.floor(columns / LEAST_CELLS));
  const width = Math.floor(columns / count) - GAP_CELLS;
  const isCut = Math.ceil(entries.length / count) > room;
  const rows = isCut ? Math.max(0, room - 1) : Math.ceil(entries.length / count);
  const shown = entries.slice(0, rows * count);
  const longest = Math.max(...shown.map(([key]) => cellWidth(key)), 0);
  const keyCells = Math.min(longest + GAP_CELLS, Math.ceil(width / 2));
  const draw = (explain: (does: string, cells: number) => readonly string[]) =>
    Array.from({ length: rows }, (_, row) => {
      const cells = Array.from({ length: count }, (_, column) => shown[column * rows + row])
        .map((entry) => entry && { key: entry[0], texts: explain(entry[1], width - keyCells) });
      const height = Math.max(...cells.map((cell) => cell?.texts.length ?? 0), 1);
      return Array.from(
        { length: height },
        (_, line) =>
          cells.map((cell) => cell && { key: line === 0 ? cell.key : "", text: cell.texts[line] })
            .map((cell) => drawCell(cell, { theme, keyCells, width: width + GAP_CELLS }))
            .join("").trimEnd(),
      );
    }).flat();
  const whole = isCut ? [] : draw((does, cells) => wrapProse(does, Math.max(1, cells)));
  const lines = !isCut && whole.length <= room
    ? whole
    : draw((does, cells) => [fit(does, Math.max(1, cells))]);
  const rest = entries.length - shown.length;
  return isCut && room > 0
    ? [...lines, theme.paint("dim", fit(`and ${rest} more: /help keys`, columns))]
    : lines;
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
