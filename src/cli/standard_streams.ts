/**
 * Standard output and error as writers of lines that never throw: whoever reads may leave at any time. What is
 * written may end on a terminal, also through a pipe, so control sequences never get out; who wants a text to
 * the byte asks for JSON, which escapes them.
 */
import { stripControls } from "../lib/text.ts";

export interface StandardStreams {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** Writers for this process; `onClosed` is told once that standard output takes no more, and why. */
export function standardStreams(
  { onClosed = () => {} }: { onClosed?: (error: unknown) => void } = {},
): StandardStreams {
  return { out: lineWriter(Deno.stdout, onClosed), err: lineWriter(Deno.stderr, () => {}) };
}

function lineWriter(
  stream: { writeSync(bytes: Uint8Array): number },
  onClosed: (error: unknown) => void,
): (line: string) => void {
  const encoder = new TextEncoder();
  let closed = false;
  return (line) => {
    if (closed) return;
    try {
      let bytes = encoder.encode(`${stripControls(line)}\n`);
      while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
    } catch (error) {
      closed = true;
      onClosed(error);
    }
  };
}
