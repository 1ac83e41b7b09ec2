/**
 * Asks the terminal whether its background is light.
 */
import type { TypedInput } from "./key_decoder.ts";
import { parseBackground } from "./palettes.ts";
import { BACKGROUND_QUERY } from "./sequences.ts";
import type { Terminal } from "./terminal.ts";

/** Milliseconds for which an answer is waited for. */
const ANSWER_MS = 150;

/** Whether the background is light; undefined if that changes no colour, or the terminal does not say it soon. */
export async function askBackground(terminal: Terminal): Promise<boolean | undefined> {
  const isOfUse = terminal.depth === "256" || terminal.depth === "truecolor";
  if (!terminal.canRedraw || !isOfUse) return undefined;
  const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
  const typed: TypedInput[] = [];
  const release = terminal.listen({
    // Somebody has to listen, or the terminal would show its own answer.
    onInput: (inputs) => typed.push(...inputs),
    onEnd: () => resolve(undefined),
  });
  const stop = terminal.onReport((report) => {
    const isLight = report.kind === "reply" ? parseBackground(report.text) : undefined;
    if (isLight !== undefined) resolve(isLight);
  });
  terminal.control(BACKGROUND_QUERY);
  const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
  const answer = await promise;
  clearTimeout(timer);
  stop();
  release();
  terminal.unread(typed);
  return answer;
}
