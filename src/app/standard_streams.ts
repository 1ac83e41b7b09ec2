/**
 * Standard input as chunks, standard output and error as writers of lines. A reader may leave at any time, which is
 * no error; a full disk is one. Output may end on a terminal, even through a pipe, so control sequences are removed;
 * JSON output keeps every character, escaped.
 */
import { messageOf, stripControls } from "../lib/text.ts";
import type { InputStream, Io, OutputStream } from "./io.ts";

/** Writers of lines; a line has no end of its own. */
interface StandardStreams {
  /** @throws {Error} standard output cannot be written, and no `onClosed` was given */
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** A terminal that says it is narrower does not know its size. */
const MIN_COLUMNS = 10;

/** Opens the writers; `onClosed` is called once when standard output cannot be written any more. */
export function openStandardStreams(
  { stdout, stderr }: Pick<Io, "stdout" | "stderr">,
  { onClosed = throwFailure }: { onClosed?: (error: unknown) => void } = {},
): StandardStreams {
  return {
    out: createLineWriter(stdout, onClosed),
    err: createLineWriter(stderr, () => {}),
  };
}

/** The message for standard output that cannot be written; undefined if its reader just left. */
export function describeWriteFailure(error: unknown): string | undefined {
  if (error instanceof Deno.errors.BrokenPipe) return undefined;
  return `Standard output cannot be written: ${messageOf(error)}`;
}

/** Columns of the terminal that a stream is; undefined if it is none, or its size is not known. */
export function terminalWidth(io: Io, stream: "stdout" | "stderr"): number | undefined {
  try {
    const { columns } = io.windowSize();
    return io[stream].isTerminal() && columns >= MIN_COLUMNS ? columns : undefined;
  } catch {
    return undefined;
  }
}

/** Wraps a text that people read, if the stream is a terminal. */
export async function wrapForTerminal(
  text: string,
  { io, stream }: { io: Io; stream: "stdout" | "stderr" },
): Promise<string> {
  const columns = terminalWidth(io, stream);
  if (columns === undefined) return text;
  const { wrapRows } = await import("../ui/wrap_rows.ts");
  return wrapRows(text, columns - 1).join("\n");
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
      writeBytes(stream, encoder.encode(`${stripControls(line)}\n`));
    } catch (error) {
      closed = true;
      onClosed(error);
    }
  };
}

/** Writes all of it, in as many pieces as the stream takes. @throws {Error} nobody reads it any more */
export function writeBytes(stream: OutputStream, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(stream.writeSync(rest));
}
