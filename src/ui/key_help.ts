/**
 * The keys of a line on one screen, as a line shows them that says `?`: in as many columns as there is room for, and
 * only as many as fit. Pure.
 */
import { LINE_KEYS } from "./key_bindings.ts";
import type { Layout } from "./theme.ts";
import { cellWidth, fit } from "./wrap.ts";

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
  const cell = ([key, does]: Entry) => {
    const name = fit(key, keyCells - 1);
    const text = fit(does, Math.max(1, width - keyCells));
    const blanks = " ".repeat(keyCells - cellWidth(name));
    const end = " ".repeat(Math.max(0, width + GAP_CELLS - keyCells - cellWidth(text)));
    return `${theme.paint("accent", name)}${blanks}${theme.paint("dim", text)}${end}`;
  };
  const lines = Array.from(
    { length: rows },
    (_, row) =>
      Array.from({ length: count }, (_, column) => shown[column * rows + row])
        .map((entry) => entry === undefined ? "" : cell(entry)).join("").trimEnd(),
  );
  const rest = entries.length - shown.length;
  return isCut && room > 0
    ? [...lines, theme.paint("dim", fit(`and ${rest} more: /help keys`, columns))]
    : lines;
}
