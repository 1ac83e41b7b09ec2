/**
 * A yes-or-no question, for commands that the user typed. Enter alone, Escape, Ctrl+C and a closed
 * terminal mean No.
 */
import { oneLine } from "../lib/text.ts";
import { choose } from "./question.ts";
import { type Suspend, withScreen } from "./suspend.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { fit, wrapProse } from "./wrap.ts";

/** Asks; resolves with true only if the person says Yes. */
export async function confirm(
  question: string,
  options: {
    terminal: Terminal;
    theme: Theme;
    signal: AbortSignal;
    /** Takes the screen from the renderer until the returned function is called. @default there is none */
    suspend?: Suspend;
  },
): Promise<boolean> {
  const { terminal, theme } = options;
  const text = oneLine(question);
  const answer = await withScreen(options.suspend, () =>
    choose<"yes" | "no">({
      lines: (columns) => ["", ...wrapProse(theme.paint("bold", text), columns)],
      options: [{ value: "yes", key: "y", label: "Yes" }, { value: "no", key: "n", label: "No" }],
      fallback: "no",
      renderAnswer: (value) => theme.paint("dim", fit(`${text} ${value}`, terminal.columns - 1)),
    }, options));
  return answer === "yes";
}
