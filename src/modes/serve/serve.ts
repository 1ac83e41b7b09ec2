/**
 * `ally mcp serve`: serves ally's tools to the agent that started this process. Standard output carries the protocol
 * and nothing else; what there is to log goes to standard error.
 */
import { EXIT, exitCodeOfError } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { watchSignals } from "../../app/signals.ts";
import { openStandardStreams } from "../../app/standard_streams.ts";
import { messageOf } from "../../lib/text.ts";
import { LineTransport } from "./line_transport.ts";
import { chooseTools } from "./served_tools.ts";
import { ToolServer } from "./tool_server.ts";

/** What `ally mcp serve` is to do. */
export interface ServeRequest {
  /** Names of the tools to serve. @default all that can be served */
  readonly tools?: readonly string[];
}

/** Serves the client until it leaves or a signal comes; returns the exit code. @throws {UsageError} there is no such tool */
export async function runServe(
  { request, options }: { request: ServeRequest; options: Options },
  io: Io,
): Promise<number> {
  const { out, err } = openStandardStreams(io, { onClosed: () => transport.close() });
  const tools = chooseTools(request.tools);
  if (io.stdin.isTerminal()) {
    err("ally: this talks to another agent, which starts it by itself. ally help mcp shows how.");
  }
  const transport = new LineTransport({ input: io.stdin, writeLine: out, log: err });
  const server = new ToolServer({ tools, options, io, log: err });
  using signals = watchSignals(io, {
    onSignal: () => transport.close(),
    onForced: () => server.kill(),
  });
  await server.connect(transport);
  await transport.closed;
  await server.close();
  if (server.failure === undefined) return signals.exitCode ?? EXIT.done;
  err(`ally: ${messageOf(server.failure)}`);
  return exitCodeOfError(server.failure);
}
