/**
 * The questions of `ally init`: a list, a line, a secret, Yes or No. Leaving one of them cancels the setup.
 */
import { readBaseUrl } from "../../app/endpoints.ts";
import type { Io } from "../../app/io.ts";
import { watchSignals } from "../../app/signals.ts";
import { displayUrl } from "../../model/endpoint.ts";
import { confirm } from "../../ui/confirm.ts";
import { editLine } from "../../ui/line_editor.ts";
import { pickFromList } from "../../ui/pick_list.ts";
import { choose } from "../../ui/question.ts";
import { readSecret } from "../../ui/secret_line.ts";
import type { Terminal } from "../../ui/terminal.ts";
import { createTheme } from "../../ui/theme.ts";
import { wrapProse } from "../../ui/wrap.ts";

/** The person left: nothing may be written. */
export class InitCancelled extends Error {
  override name = "InitCancelled";
}

/** Each throws `InitCancelled` if the person leaves. */
export interface InitQuestions {
  /** Index of the label chosen. */
  pick(question: string, labels: readonly string[]): Promise<number>;
  /** The same where the URL of a server may be typed into the list, which it is then. */
  pickOrUrl(question: string, labels: readonly string[]): Promise<number | string>;
  /** What was typed, without blanks around it; "" if the person goes back by Esc. `before` stands in the line. */
  line(question: string, before?: string): Promise<string>;
  secret(question: string): Promise<string>;
  confirm(question: string): Promise<boolean>;
  /** Yes or No in their own words; `initial` is what Enter alone means. */
  decide(
    question: string,
    words: { readonly yes: string; readonly no: string; readonly initial: boolean },
  ): Promise<boolean>;
}

/** The questions, at the terminal. */
interface InitPrompter {
  readonly questions: InitQuestions;
  /** Aborted when the process gets a signal. */
  readonly signal: AbortSignal;
  close(): void;
}

/** Opens the questions; undefined if the terminal is not interactive. */
export function openInitPrompter(terminal: Terminal, io: Io): InitPrompter | undefined {
  if (!terminal.isInteractive) return undefined;
  const theme = createTheme(terminal);
  const leaving = new AbortController();
  const signals = watchSignals(io, {
    onSignal: () => leaving.abort(),
    onForced: () => terminal.restore(),
  });
  const { signal } = leaving;
  const parts = { terminal, theme, signal };
  return {
    signal,
    questions: {
      async pick(question, labels) {
        const entries = labels.map((label, value) => ({ value, label }));
        return requireAnswer(await pickFromList(question, { ...parts, entries }));
      },
      async pickOrUrl(question, labels) {
        const entries = labels.map((label, value) => ({ value, label }));
        const offer = (typed: string) => {
          const url = readBaseUrl(typed.trim());
          return url === undefined ? undefined : { value: url, label: `use ${displayUrl(url)}` };
        };
        const how = { ...parts, entries, offer };
        return requireAnswer(await pickFromList<number | string>(question, how));
      },
      async line(question, before = "") {
        const lines = wrapProse(theme.paint("bold", question), terminal.columns - 1);
        terminal.write(`\n${lines.join("\n")}\n`);
        const options = { theme, signal, initialText: before, canGoBack: true };
        const entered = await editLine(terminal, options);
        if (entered.kind === "back") return "";
        return requireAnswer(entered.kind === "line" ? entered.text.trim() : undefined);
      },
      async secret(question) {
        return requireAnswer(await readSecret(question, parts));
      },
      confirm: (question) => confirm(question, parts),
      decide: (question, { yes, no, initial }) =>
        choose<boolean>({
          lines: (columns) => ["", ...wrapProse(theme.paint("bold", question), columns)],
          options: [
            { key: "y", label: yes, value: true },
            { key: "n", label: no, value: false },
          ],
          fallback: false,
          initial,
          renderAnswer: (value) =>
            wrapProse(theme.paint("dim", `${question} ${value ? yes : no}`), terminal.columns - 1)
              .join("\n"),
        }, parts),
    },
    close() {
      signals[Symbol.dispose]();
      terminal.restore();
    },
  };
}

function requireAnswer<T>(answer: T | undefined): T {
  if (answer === undefined) throw new InitCancelled();
  return answer;
}
