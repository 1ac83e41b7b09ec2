/**
 * The loop of a session at a terminal: a banner, then prompt and line, again and again. What a line means is up to
 * the caller.
 */
import { oneLine } from "../lib/text.ts";
import { editLine, type EditLineOptions } from "./line_editor.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { userLines } from "./typing_view.ts";
import { wrapCode, wrapProse } from "./wrap.ts";

/** What the banner says. */
interface Banner {
  readonly version: string;
  readonly model: string;
  readonly endpoint: string;
  readonly cwd: string;
  /** Further facts about the session, a line each. */
  readonly notes: readonly string[];
  /** What a person may like to know. */
  readonly tip?: string | undefined;
}

/** A session at a terminal. */
interface ReplOptions {
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly banner: Banner;
  /** Called once the banner is written, before the first prompt. */
  readonly onBegin?: () => Promise<void>;
  /** Takes one message or command, and resolves when the next may be typed. */
  readonly onLine: (text: string) => Promise<"continue" | "exit">;
  /** The options of the next prompt. */
  readonly prompt: () => Omit<EditLineOptions, "theme">;
  /** The next line that was given on the command line or typed ahead. */
  readonly queued: () => string | undefined;
}

/** Runs until the person leaves. */
export async function runRepl(options: ReplOptions): Promise<void> {
  const { terminal, theme, onLine } = options;
  terminal.write(bannerLines(options).map((line) => `${line}\n`).join(""));
  await options.onBegin?.();
  for (;;) {
    const queued = options.queued();
    if (queued !== undefined) {
      const echo = userLines(queued, { theme, columns: Math.max(1, terminal.columns - 1) });
      terminal.write(echo.map((line) => `${line}\n`).join(""));
      if (await onLine(queued) === "exit") return;
      continue;
    }
    const entered = await editLine(terminal, { ...options.prompt(), theme });
    if (entered.kind !== "line") return;
    if (entered.text.trim() === "") continue;
    if (await onLine(entered.text) === "exit") return;
  }
}

function bannerLines({ banner, theme, terminal }: ReplOptions): string[] {
  const columns = Math.max(1, terminal.columns - 1);
  const dot = ` ${theme.glyphs.dot} `;
  const name = theme.paint("accent", theme.paint("bold", "ally"));
  const dim = (text: string, lines = wrapProse) =>
    lines(text, columns).map((line) => theme.paint("dim", line));
  return [
    ...wrapProse(`${name} ${banner.version}${dot}${oneLine(banner.model)}`, columns),
    ...dim(oneLine(banner.endpoint), wrapCode),
    ...dim(oneLine(banner.cwd), wrapCode),
    ...banner.notes.flatMap((note) => dim(oneLine(note))),
    "",
    ...dim(["? shows the keys", "/help", "!command", "Ctrl+C stops"].join(dot)),
    ...banner.tip === undefined ? [] : ["", ...dim(banner.tip)],
    "",
  ];
}
