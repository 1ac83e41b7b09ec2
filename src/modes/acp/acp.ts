/**
 * `ally acp`: an agent of the Agent Client Protocol for the editor that started this process. Standard output carries
 * the protocol and nothing else; what there is to log goes to standard error.
 */
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { EXIT } from "../../app/exit_codes.ts";
import type { Io, OutputStream } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { watchSignals } from "../../app/signals.ts";
import { openStandardStreams, readChunks, writeBytes } from "../../app/standard_streams.ts";
import { splitStream } from "../../lib/line_splitter.ts";
import { formatBytes, jsonLine } from "../../lib/text.ts";
import { ClientAgent } from "./agent.ts";
import { AnsweredStream } from "./answered_stream.ts";

/** Bytes of a message: a prompt may bring images. */
const MAX_LINE_BYTES = 64_000_000;

/** Serves the client until it leaves or a signal comes; returns the exit code. */
export async function runAcp({ options }: { options: Options }, io: Io): Promise<number> {
  const { err } = openStandardStreams(io);
  if (io.stdin.isTerminal()) {
    err("ally: acp talks to an editor, which starts it by itself. ally help acp shows how.");
  }
  const agent = new ClientAgent({ options, io, log: err });
  const input = readBoundedLines(io);
  const stream = new AnsweredStream(ndJsonStream(writerOf(io.stdout), input), err);
  const connection = agent.createApp().connect(stream);
  using signals = watchSignals(io, {
    onSignal: () => connection.close(),
    onForced: () => agent.killAll(),
  });
  await connection.closed;
  stream.close();
  await agent.closeAll();
  return signals.exitCode ?? EXIT.done;
}

/** The lines of the client; one without an end is refused, as JSON-RPC refuses what it cannot read, and left out. */
function readBoundedLines(
  { stdin, stdout }: Pick<Io, "stdin" | "stdout">,
): ReadableStream<Uint8Array> {
  const message = `A line has more than ${formatBytes(MAX_LINE_BYTES)}`;
  const refusal = { jsonrpc: "2.0", id: null, error: { code: -32700, message } };
  const encoder = new TextEncoder();
  const lines = new TransformStream<Uint8Array, Uint8Array>();
  const writer = lines.writable.getWriter();
  const end = () => writer.close().catch(() => {});
  void splitStream(ReadableStream.from(readChunks(stdin)), {
    maxBytes: MAX_LINE_BYTES,
    onLine: (line) => void writer.write(encoder.encode(`${line}\n`)).catch(() => {}),
    onOverlong: () => writeBytes(stdout, encoder.encode(`${jsonLine(refusal)}\n`)),
  }).then(end, end);
  return lines.readable;
}

/** Writes what the protocol sends; a reader that has left ends the connection. */
function writerOf(stdout: OutputStream): WritableStream<Uint8Array> {
  return new WritableStream({ write: (bytes) => writeBytes(stdout, bytes) });
}
