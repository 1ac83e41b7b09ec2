/**
 * Reads a line from a terminal that cannot move its cursor (TERM=dumb), where the system does the editing.
 */
import type { Terminal } from "./terminal.ts";

/** Writes the prompt and reads one line; undefined at the end of input or when aborted. */
export function readPlainLine(
  terminal: Terminal,
  options: { prompt: string; signal?: AbortSignal | undefined },
): Promise<string | undefined> {
  const { signal } = options;
  if (signal?.aborted) return Promise.resolve(undefined);
  terminal.write(options.prompt);
  return new Promise((resolve) => {
    let text = "";
    const finish = (line: string | undefined) => {
      release();
      signal?.removeEventListener("abort", onAbort);
      resolve(line);
    };
    const onAbort = () => finish(undefined);
    const release = terminal.listen({
      onText(chunk) {
        text += chunk;
        const end = text.search(/\r?\n/);
        if (end === -1) return;
        terminal.unread(text.slice(text.indexOf("\n", end) + 1));
        finish(text.slice(0, end));
      },
      onEnd: () => finish(undefined),
    });
    signal?.addEventListener("abort", onAbort);
  });
}
