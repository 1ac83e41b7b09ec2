/**
 * Reads a secret from a person: what is typed or pasted is shown as dots and kept nowhere. A terminal that cannot
 * redraw would echo it, so nothing is asked there.
 */
import { askLine } from "./ask_line.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";

/** Where a secret is asked for. */
interface SecretOptions {
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly signal: AbortSignal;
}

/** Asks; "" if nothing was typed, undefined if the person left or the input cannot be hidden. */
export function readSecret(question: string, options: SecretOptions): Promise<string | undefined> {
  return askLine(question, { ...options, isHidden: true });
}
