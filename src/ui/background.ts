/**
 * Asks the terminal whether its background is light.
 */
import { parseBackground } from "./palettes.ts";
import { BACKGROUND_QUERY } from "./sequences.ts";
import type { Terminal } from "./terminal.ts";

/** Whether the background is light; undefined if it is not asked, or the terminal does not say it soon. */
export async function askBackground(terminal: Terminal): Promise<boolean | undefined> {
  // A console of 16 colours that knows no titles may show the question as text.
  const mayShow = terminal.depth === "basic" && !terminal.kind.features.has("title");
  if (!terminal.canRedraw || terminal.depth === "none" || mayShow) return undefined;
  const release = terminal.listen({
    // Somebody has to listen, or the terminal would show its own answer. What is typed is for who listens next.
    onInput: (inputs) => terminal.unread(inputs),
    onEnd: () => {},
  });
  const answer = await terminal.ask({ sequence: BACKGROUND_QUERY, parse: parseBackground });
  release();
  return answer;
}
