/**
 * Pages longer than the screen, in the pager that $PAGER names, else in `less`, which has the terminal meanwhile. Where
 * there is none, or the terminal cannot move its cursor, the page is written as it is.
 */
import { loadHighlight } from "./highlight.ts";
import { loadLexer } from "./markdown.ts";
import { renderBlocks } from "./markdown_blocks.ts";
import { programPath, type ProgramPlace } from "./program_path.ts";
import type { Terminal } from "./terminal.ts";
import { createTheme } from "./theme.ts";
import { cellWidth } from "./wrap.ts";

/** What `less` is told where $LESS does not say: colours as they are, no clearing, leave if all fits. */
const LESS = "-FRX";
/** The widest a page is drawn: longer lines are hard to read. */
const MAX_COLUMNS = 100;

/** Where a page is shown. */
interface PagerOptions extends ProgramPlace {
  /** Not read from, or paused. */
  readonly terminal: Terminal;
}

/** Shows Markdown as a page; returns when it has been read. */
export async function showPage(markdown: string, options: PagerOptions): Promise<void> {
  await showLines(await renderPage(markdown, options.terminal), options);
}

/** Shows lines as a page if they are longer than the screen, or if a pager is wanted in any case. */
export async function showLines(
  lines: readonly string[],
  { alwaysPaged = false, ...options }: PagerOptions & { alwaysPaged?: boolean },
): Promise<void> {
  const { terminal } = options;
  const text = `${lines.join("\n")}\n`;
  const rows = lines.reduce((sum, line) => sum + rowsOf(line, terminal.columns), 0);
  const isPaged = alwaysPaged || rows >= terminal.rows;
  if (terminal.canRedraw && isPaged && await runPager(text, options)) return;
  terminal.write(text);
}

/** Rows that a line takes where the terminal wraps it. */
function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(cellWidth(line) / Math.max(1, columns)));
}

async function renderPage(markdown: string, terminal: Terminal): Promise<string[]> {
  const theme = createTheme(terminal);
  const [lexer, highlight] = await Promise.all([loadLexer(), loadHighlight(theme)]);
  const columns = Math.min(terminal.columns - 1, MAX_COLUMNS);
  return renderBlocks(lexer(markdown), { theme, columns, highlight });
}

/** Whether the pager could be used. */
async function runPager(text: string, { terminal, env, roots }: PagerOptions): Promise<boolean> {
  const pager = env.get("PAGER") || "less";
  if (Deno.build.os === "windows" || pager === "cat") return false;
  const variables = { PATH: programPath({ env, roots }), LESS: env.get("LESS") ?? LESS };
  return await terminal.handOver(() => pipeThrough(pager, { text, variables }));
}

/** The value may be a command line, such as `less -S`: a shell reads it, as everywhere. */
async function pipeThrough(
  pager: string,
  { text, variables }: { text: string; variables: Readonly<Record<string, string>> },
): Promise<boolean> {
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", pager],
    env: { ...variables },
    stdin: "piped",
    stdout: "inherit",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  // A pager that is left before its end reads no further.
  await writer.write(new TextEncoder().encode(text)).then(() => writer.close()).catch(() => {});
  const { code } = await child.status;
  // As shells say that there is no such program, or that it cannot be run.
  return code !== 126 && code !== 127;
}
