/**
 * Writes the tables of `src/help/settings.md` anew, from the rows of the program: every setting, the flags and
 * variables, and what a project may set.
 */
import type { ProjectRule, Setting } from "../src/store/setting.ts";
import { SETTING_TABLE } from "../src/store/settings_table.ts";

const PAGE = new URL("../src/help/settings.md", import.meta.url);
const BEGIN = "<!-- settings:begin -->\n";
const END = "<!-- settings:end -->";

/** A page with its tables as the program's rows are now. @throws {Error} the page has no place for them */
export function withSettings(page: string): string {
  const [head, rest] = page.split(BEGIN);
  const [, tail] = rest?.split(END) ?? [];
  if (head === undefined || tail === undefined) {
    throw new Error(`Cannot write the settings: the page lacks ${BEGIN.trim()} and ${END}`);
  }
  return `${head}${BEGIN}\n${settingTables()}\n\n${END}${tail}`;
}

function settingTables(): string {
  const settings = [...SETTING_TABLE];
  const withFlags = settings.filter(([, { flags = [], variable }]) =>
    flags.length > 0 || variable !== undefined
  );
  return [
    "## All settings",
    table(
      ["setting", "default", "meaning"],
      settings.map(([key, setting]) => [`\`${key}\``, describeDefault(setting), setting.help]),
    ),
    "## Flags and variables",
    table(
      ["setting", "flag", "variable"],
      withFlags.map(([key, { flags = [], variable }]) => [
        `\`${key}\``,
        flags.map(({ term }) => `\`${term}\``).join(", "),
        variable === undefined ? "" : `\`${variable}\``,
      ]),
    ),
    "## What a project may set",
    table(
      ["a trusted project", "settings"],
      RULES.map(([rule, words]) => [words, listKeys(settings, rule)]),
    ),
  ].join("\n\n");
}

const RULES: readonly (readonly [rule: ProjectRule, words: string])[] = [
  ["free", "may set"],
  ["tighten", "may make stricter"],
  ["never", "never sets"],
];

function listKeys(
  settings: readonly (readonly [key: string, setting: Setting])[],
  rule: ProjectRule,
): string {
  return settings.filter(([, { project }]) => project === rule).map(([key]) => `\`${key}\``)
    .join(", ");
}

function describeDefault({ default: value, otherwise }: Setting): string {
  return otherwise ?? (value === undefined ? "none" : `\`${value}\``);
}

/** A Markdown table, laid out as the formatter leaves it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0))
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...cells.map(line)]
    .join("\n");
}

if (import.meta.main) {
  await Deno.writeTextFile(PAGE, withSettings(await Deno.readTextFile(PAGE)));
}
