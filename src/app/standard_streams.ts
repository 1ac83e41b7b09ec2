/**
 * Standard input as chunks, standard output and error as writers of lines. Whoever reads may leave at any time, which is no error; a disk
 * that is full is one. What is written may end on a terminal, also through a pipe, so control sequences never get
 * out; who wants a text to the byte asks for JSON, which escapes them.
 */
import { messageOf, stripControls } from "../lib/text.ts";
import type { InputStream, Io, OutputStream } from "./io.ts";

/** Writers of lines; a line has no end of its own. */
export interface StandardStreams {
  /** @throws {Error} standard output cannot be written, and no `onClosed` was given */
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** Writers for a run; `onClosed` is told once that standard output takes no more, and why. */
export function openStandardStreams(
  { stdout, stderr }: Pick<Io, "stdout" | "stderr">,
  { onClosed = throwFailure }: { onClosed?: (error: unknown) => void } = {},
): StandardStreams {
  return {
    out: createLineWriter(stdout, onClosed),
    err: createLineWriter(stderr, () => {}),
  };
}

/** What to say of an output that took no more for another reason than that its reader left, if it was one. */
export function describeWriteFailure(error: unknown): string | undefined {
  if (error instanceof Deno.errors.BrokenPipe) return undefined;
  return `Standard output cannot be written: ${messageOf(error)}`;
}

/** Cells of a line where a stream is a terminal that knows its size; undefined elsewhere. */
export function terminalWidth(io: Io, stream: "stdout" | "stderr"): number | undefined {
  try {
    const { columns } = io.windowSize();
    return io[stream].isTerminal() && columns > 20 ? columns : undefined;
  } catch {
    return undefined;
  }
}

/** A text for standard error with its lines wrapped where that is a terminal. */
export async function wrapForTerminal(text: string, io: Io): Promise<string> {
  const columns = terminalWidth(io, "stderr");
  if (columns === undefined) return text;
  const { wrapIndented } = await import("../ui/wrap.ts");
  return text.split("\n").flatMap((line) => wrapIndented(line, columns - 1)).join("\n");
}

/** The chunks of an input to its end. */
export async function* readChunks({ read }: Pick<InputStream, "read">): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(65_536);
  for (let n = await read(buffer); n !== null; n = await read(buffer)) yield buffer.slice(0, n);
}

function throwFailure(cause: unknown): void {
  const failure = describeWriteFailure(cause);
  if (failure !== undefined) throw new Error(failure, { cause });
}

function createLineWriter(
  stream: OutputStream,
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
