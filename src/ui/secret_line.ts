/**
 * Reads a secret from the person: what is typed shows as dots and is kept nowhere. `ally init` asks for keys
 * with it. A terminal that cannot redraw would echo, so there nothing is asked.
 */
import { openStreams } from "./streams.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";

/** Asks; "" if nothing was typed, undefined if the person left or cannot be asked in secret. */
export async function readSecret(
  question: string,
  { terminal, theme, signal }: { terminal: Terminal; theme: Theme; signal: AbortSignal },
): Promise<string | undefined> {
  if (signal.aborted || !terminal.canRedraw) return undefined;
  const { isCancel, PasswordPrompt } = await import("@clack/core");
  const streams = openStreams(terminal);
  const prompt = new PasswordPrompt({
    input: streams.input,
    output: streams.output,
    mask: theme.glyphs.dot,
    render() {
      if (this.state === "cancel") return theme.paint("dim", `${question} -`);
      if (this.state === "submit") {
        return theme.paint("dim", `${question} ${this.value ? "given" : "none"}`);
      }
      return `\n${
        theme.paint("bold", question)
      }\n${theme.glyphs.prompt} ${this.userInputWithCursor}`;
    },
  });
  const cancel = () => streams.type("\x03");
  const release = terminal.listen({ onText: (text) => streams.type(text), onEnd: cancel });
  signal.addEventListener("abort", cancel);
  const value = await prompt.prompt();
  signal.removeEventListener("abort", cancel);
  release();
  streams.close();
  if (isCancel(value)) return undefined;
  return typeof value === "string" ? value.trim() : "";
}
