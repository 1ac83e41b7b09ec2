/**
 * Standard output and error as writers of lines. Whoever reads may leave at any time, which is no error; a disk
 * that is full is one. What is written may end on a terminal, also through a pipe, so control sequences never get
 * out; who wants a text to the byte asks for JSON, which escapes them.
 */
import { messageOf, stripControls } from "../lib/text.ts";

export interface StandardStreams {
  /** @throws {Error} standard output cannot be written, and no `onClosed` was given */
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** Writers for this process; `onClosed` is told once that standard output takes no more, and why. */
export function openStandardStreams(
  { onClosed = throwFailure }: { onClosed?: (error: unknown) => void } = {},
): StandardStreams {
  return {
    out: createLineWriter(Deno.stdout, onClosed),
    err: createLineWriter(Deno.stderr, () => {}),
  };
}

/** What to say of an output that took no more for another reason than that its reader left, if it was one. */
export function describeWriteFailure(error: unknown): string | undefined {
  if (error instanceof Deno.errors.BrokenPipe) return undefined;
  return `Standard output cannot be written: ${messageOf(error)}`;
}

/** Cells of a line where a stream is a terminal that knows its size; undefined elsewhere. */
export function terminalWidth(stream: "stdout" | "stderr"): number | undefined {
  try {
    const { columns } = Deno.consoleSize();
    return Deno[stream].isTerminal() && columns > 20 ? columns : undefined;
  } catch {
    return undefined;
  }
}

function throwFailure(cause: unknown): void {
  const failure = describeWriteFailure(cause);
  if (failure !== undefined) throw new Error(failure, { cause });
}

function createLineWriter(
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
