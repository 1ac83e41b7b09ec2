/**
 * Reads a line from a terminal that cannot move its cursor (TERM=dumb), where the system does the editing.
 */
import type { TypedInput } from "./key_decoder.ts";
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
      onInput(inputs) {
        const end = inputs.findIndex((input) => input.kind === "key" && input.name === "enter");
        text += inputs.slice(0, end === -1 ? inputs.length : end).map(textOf).join("");
        if (end === -1) return;
        terminal.unread(inputs.slice(end + 1));
        finish(text);
      },
      onEnd: () => finish(undefined),
    });
    signal?.addEventListener("abort", onAbort);
  });
}

function textOf(input: TypedInput): string {
  if (input.kind !== "key") return input.text;
  return input.name === "tab" ? "\t" : "";
}
