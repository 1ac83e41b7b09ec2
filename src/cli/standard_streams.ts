/**
 * Standard output and error as writers of lines that never throw: whoever reads may leave at any time.
 */

export interface StandardStreams {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** Writers for this process. */
export function standardStreams(): StandardStreams {
  return { out: lineWriter(Deno.stdout), err: lineWriter(Deno.stderr) };
}

function lineWriter(stream: { writeSync(bytes: Uint8Array): number }): (line: string) => void {
  const encoder = new TextEncoder();
  let closed = false;
  return (line) => {
    if (closed) return;
    try {
      let bytes = encoder.encode(`${line}\n`);
      while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
    } catch {
      closed = true;
    }
  };
}
