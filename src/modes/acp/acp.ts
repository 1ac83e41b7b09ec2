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
import { ClientAgent } from "./agent.ts";

/** Serves the client until it leaves or a signal comes; returns the exit code. */
export async function runAcp({ options }: { options: Options }, io: Io): Promise<number> {
  const { err } = openStandardStreams(io);
  if (io.stdin.isTerminal()) {
    err("ally: acp talks to an editor, which starts it by itself. ally help acp shows how.");
  }
  const agent = new ClientAgent({ options, io, log: err });
  const input = ReadableStream.from(readChunks(io.stdin));
  const connection = agent.createApp().connect(ndJsonStream(writerOf(io.stdout), input));
  using signals = watchSignals(io, {
    onSignal: () => connection.close(),
    onForced: () => agent.killAll(),
  });
  await connection.closed;
  await agent.closeAll();
  return signals.exitCode ?? EXIT.done;
}

/** Writes what the protocol sends; a reader that has left ends the connection. */
function writerOf(stdout: OutputStream): WritableStream<Uint8Array> {
  return new WritableStream({ write: (bytes) => writeBytes(stdout, bytes) });
}
