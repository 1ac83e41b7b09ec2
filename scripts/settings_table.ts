/**
 * Prints the settings as the table that stands in `src/help/settings.md`, made from the rows of the program.
 */
import { type Setting, SETTING_TABLE } from "../src/store/settings_table.ts";

/** The table as Markdown, laid out as the formatter leaves it. */
export function settingsTable(): string {
  const head = ["setting", "default", "flag, variable", "project", "meaning"];
  const rows = [...SETTING_TABLE].map(([key, setting]) =>
    [
      `\`${key}\``,
      formatDefault(setting),
      formatOtherWays(setting),
      setting.project,
      setting.help,
    ].map((cell) => cell.replaceAll("|", "\\|"))
  );
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0))
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function formatDefault({ default: value, otherwise }: Setting): string {
  return otherwise ?? (value === undefined ? "none" : `\`${value}\``);
}

function formatOtherWays({ flags = [], variable }: Setting): string {
  const ways = [...flags.map(({ term }) => term), ...variable === undefined ? [] : [variable]];
  return ways.map((way) => `\`${way}\``).join(", ");
}

if (import.meta.main) {
  await Deno.stdout.write(new TextEncoder().encode(`${settingsTable()}\n`));
}
