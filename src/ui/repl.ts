/**
 * The loop of a session at a terminal: a banner, then prompt and line, again and again. What a line means is up to
 * the caller.
 */
import { type Banner, OpeningBanner } from "./banner.ts";
import { editLine, type EditLineOptions } from "./line_editor.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { userLines } from "./typing_view.ts";

/** A session at a terminal. */
interface ReplOptions {
  readonly terminal: Terminal;
  readonly theme: Theme;
  /** Its facts are known where a line waits, something is to be written first, or the cursor cannot be moved. */
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
  const banner = new OpeningBanner(options.banner, theme);
  banner.begin(terminal);
  await options.onBegin?.();
  for (;;) {
    const queued = options.queued();
    if (queued !== undefined) {
      const echo = userLines(queued, { theme, columns: Math.max(1, terminal.columns - 1) });
      terminal.write(echo.map((line) => `${line}\n`).join(""));
      if (await onLine(queued) === "exit") return;
      continue;
    }
    const entered = await editLine(terminal, { ...withBanner(options.prompt(), banner), theme });
    if (entered.kind !== "line") return;
    await banner.end(terminal);
    if (entered.text.trim() === "") continue;
    if (await onLine(entered.text) === "exit") return;
  }
}

/** A prompt below what is left of the banner. */
function withBanner(
  { standing, above, refresh, ...prompt }: Omit<EditLineOptions, "theme">,
  banner: OpeningBanner,
): Omit<EditLineOptions, "theme"> {
  return {
    ...prompt,
    standing(columns, when) {
      const lines = banner.takeStanding(columns, when);
      return banner.isOpen ? lines : [...lines, ...standing?.(columns, when) ?? []];
    },
    above: (columns) => [...banner.liveRows(columns), ...above?.(columns) ?? []],
    refresh(draw) {
      const ends = [refresh?.(draw), banner.onChange(draw)];
      return () => ends.forEach((end) => end?.());
    },
  };
}
