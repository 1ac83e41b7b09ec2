/**
 * Markdown of what commands show: tables and code, from text that may hold anything.
 */

/** One row of a table; a cell is one line, and no cell ends early. */
function tableRow(cells: readonly (string | number)[]): string {
  const texts = cells.map((cell) =>
    String(cell).replace(/\s+/g, " ").trim().replace(/(?<!\\)\|/g, "\\|")
  );
  return `| ${texts.join(" | ")} |`;
}

/** The lines of a table. Columns whose indexes are in `numeric` are aligned to the right. */
export function markdownTable(
  head: readonly string[],
  { rows, numeric = [] }: {
    rows: readonly (readonly (string | number)[])[];
    /** @default none */
    numeric?: readonly number[];
  },
): string[] {
  const rule = head.map((_, index) => numeric.includes(index) ? "---:" : "---");
  return [tableRow(head), `| ${rule.join(" | ")} |`, ...rows.map(tableRow)];
}

/** Text as code on one line, backticks in it too. */
export function inlineCode(text: string): string {
  const line = text.replace(/\s+/g, " ");
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const pad = /^`|`$/.test(line) ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Words that Markdown leaves as they are. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>~|#]/g, (sign) => `\\${sign}`);
}
