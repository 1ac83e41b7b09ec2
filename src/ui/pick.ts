/**
 * A question with a few given answers, for slash commands. Enter alone, Escape, Ctrl+C and a closed terminal choose
 * none of them.
 */
import { oneLine } from "../lib/text.ts";
import { choose, type Option } from "./question.ts";
import { type Suspend, withScreen } from "./suspend.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { cellWidth, fit, wrapProse } from "./wrap.ts";

/** One answer. */
interface PickChoice {
  readonly label: string;
  /** The letter or digit that chooses it at once; "" for none. */
  readonly key: string;
}

/** Asks; resolves with the index of the choice, or undefined for none. */
export async function pick(
  question: string,
  options: {
    choices: readonly PickChoice[];
    terminal: Terminal;
    theme: Theme;
    signal: AbortSignal;
    suspend: Suspend;
  },
): Promise<number | undefined> {
  const { terminal, theme } = options;
  const text = oneLine(question);
  const room = Math.max(20, terminal.columns - 8);
  const listed = options.choices.map(({ label, key }, value): Option<number | undefined> => ({
    key,
    label: fit(oneLine(label), room, theme.glyphs.ellipsis),
    value,
  }));
  return await withScreen(options.suspend, () =>
    choose<number | undefined>({
      lines: (columns) => ["", ...wrapProse(theme.paint("bold", text), columns)],
      options: [...listed, { key: "x", label: "Cancel", value: undefined }],
      fallback: undefined,
      renderAnswer: (value) => {
        const answer = value === undefined ? "cancelled" : listed[value]?.label ?? "";
        const columns = Math.max(1, terminal.columns - 1);
        const both = `${text} ${answer}`;
        return theme.paint("dim", fit(cellWidth(both) <= columns ? both : answer, columns));
      },
    }, options));
}
