/**
 * A transport for the official server over the streams of a run: a message a line. A line that is no message gets an
 * error as its answer, and the next one is read. What was asked before the input ended is still answered.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  ErrorCode,
  InitializeRequestSchema,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import type { InputStream } from "../../app/io.ts";
import { readChunks } from "../../app/standard_streams.ts";
import { splitStream } from "../../lib/line_splitter.ts";
import { formatBytes, jsonLine, messageOf } from "../../lib/text.ts";
import { describeIssues } from "../../mcp/schema_issues.ts";
import { MAX_MESSAGE_BYTES } from "../../mcp/stdio.ts";
import { OpenRequests } from "../open_requests.ts";

/** The streams of a connection. */
interface LineStreams {
  readonly input: InputStream;
  /** Writes a line. */
  readonly writeLine: (line: string) => void;
  /** Writes a line to the log that clients keep of a server. */
  readonly log: (line: string) => void;
}

/** One connection, until its input has ended and its requests are answered, or it is closed. */
export class LineTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onerror?: Transport["onerror"];
  onclose?: Transport["onclose"];
  readonly #streams: LineStreams;
  readonly #closed = Promise.withResolvers<void>();
  readonly #requests: OpenRequests;

  constructor(streams: LineStreams) {
    this.#streams = streams;
    this.#requests = new OpenRequests({
      // The SDK waits for the answer once it has sent the request.
      answer: (refusal) => queueMicrotask(() => this.onmessage?.(refusal)),
      log: streams.log,
    });
  }

  /** Resolves once it is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  start(): Promise<void> {
    void this.#read().catch(() => {}).then(() => this.#requests.end()).then(() => this.close());
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.#streams.writeLine(jsonLine(message));
    this.#requests.send(message);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#requests.close();
    this.#closed.resolve();
    const { onclose } = this;
    delete this.onclose;
    onclose?.();
    return Promise.resolve();
  }

  async #read(): Promise<void> {
    await splitStream(readChunks(this.#streams.input), {
      maxBytes: MAX_MESSAGE_BYTES,
      onLine: (line) => line.trim() !== "" && this.#receive(line),
      onOverlong: () =>
        this.#refuse(
          ErrorCode.ParseError,
          `A line has more than ${formatBytes(MAX_MESSAGE_BYTES)}`,
        ),
    });
  }

  #receive(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      return this.#refuse(ErrorCode.ParseError, messageOf(error));
    }
    const { data } = JSONRPCMessageSchema.safeParse(value);
    if (data === undefined) {
      return this.#refuse(ErrorCode.InvalidRequest, "This is no message of JSON-RPC");
    }
    const problem = findProblem(data);
    if (problem !== undefined) {
      return this.#refuse(ErrorCode.InvalidParams, problem, "id" in data ? data.id : undefined);
    }
    this.#requests.receive(data);
    this.onmessage?.(data);
    const cancelled = CancelledNotificationSchema.safeParse(data).data?.params.requestId;
    // MCP answers no request that was cancelled.
    if (cancelled !== undefined) this.#requests.forget(cancelled);
  }

  /** JSON-RPC answers what it cannot read with an error that has no id. */
  #refuse(code: ErrorCode, message: string, id: RequestId | null = null): void {
    const answer = { jsonrpc: "2.0", id, error: { code, message } };
    this.#streams.writeLine(jsonLine(answer));
  }
}

/** Checks a request by a schema of the SDK. */
interface RequestCheck {
  safeParse(request: unknown): { readonly error?: Error | undefined };
}

/** Requests that the server answers, which would otherwise be refused in words that are not for people. */
const REQUESTS: ReadonlyMap<string, RequestCheck> = new Map<string, RequestCheck>([
  ["initialize", InitializeRequestSchema],
  ["tools/list", ListToolsRequestSchema],
  ["tools/call", CallToolRequestSchema],
]);

/** What is wrong with a request; undefined if nothing is. */
function findProblem(message: JSONRPCMessage): string | undefined {
  if (!("method" in message) || !("id" in message)) return undefined;
  const error = REQUESTS.get(message.method)?.safeParse(message).error;
  return error && `This is no valid ${message.method}: ${describeIssues(error)}`;
}
