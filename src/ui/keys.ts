/**
 * The keyboard while a turn runs: Ctrl+C interrupts, what is typed is kept for the next prompt, the rest
 * is dropped. A question takes the keyboard over simply by listening; this watcher goes on after it.
 */
import { stripControls } from "../lib/text.ts";
import type { Terminal } from "./terminal.ts";

/** A running watch over the keyboard. */
export interface KeyWatch {
  /** What was typed so far, fit to start the next line with. */
  typed(): string;
  /** Gives the keyboard back. */
  release(): void;
}

const CTRL_C = "\x03";
const CTRL_U = "\x15";
const BACKSPACE = /[\x7f\b]/;
// deno-lint-ignore no-control-regex
const EDITING = /([\x03\x15\x7f\b])/;

/** Watches the keyboard; each Ctrl+C calls `onInterrupt`, the end of input `onEnd`. */
export function watchKeys(
  terminal: Terminal,
  options: { onInterrupt: () => void; onEnd?: () => void },
): KeyWatch {
  let typed = "";
  const release = terminal.listen({
    onText(text) {
      for (const piece of text.split(EDITING)) {
        if (piece === CTRL_C) options.onInterrupt();
        else if (piece === CTRL_U) typed = "";
        else if (BACKSPACE.test(piece)) typed = [...typed].slice(0, -1).join("");
        else typed += stripControls(piece).replace(/[\n\t\ufffd]/g, "");
      }
    },
    onEnd: () => options.onEnd?.(),
  });
  return { typed: () => typed, release };
}
