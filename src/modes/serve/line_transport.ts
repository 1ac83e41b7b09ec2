/**
 * A transport for the official server over the streams of a run: a message a line. A line that is no message gets an
 * error as its answer, and the next one is read. What was asked before the input ended is still answered.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  CancelledNotificationSchema,
  ErrorCode,
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import type { InputStream } from "../../app/io.ts";
import { readChunks } from "../../app/standard_streams.ts";
import { splitStream } from "../../lib/line_splitter.ts";
import { formatBytes, jsonLine, messageOf } from "../../lib/text.ts";
import { MAX_MESSAGE_BYTES } from "../../mcp/stdio.ts";

/** The streams of a connection. */
interface LineStreams {
  readonly input: InputStream;
  /** Writes a line. */
  readonly writeLine: (line: string) => void;
}

/** Between two looks whether the client of an input that has ended still reads. */
const PING_MS = 1000;

/** One connection, until its input has ended and all requests are answered, or it is closed. */
export class LineTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onerror?: Transport["onerror"];
  onclose?: Transport["onclose"];
  readonly #streams: LineStreams;
  readonly #closed = Promise.withResolvers<void>();
  /** Requests of the client that have no answer yet. */
  readonly #unanswered = new Set<RequestId>();
  /** Requests to the client that it has not answered. */
  readonly #asked = new Set<RequestId>();
  #hasEnded = false;
  #pings: ReturnType<typeof setInterval> | undefined;

  constructor(streams: LineStreams) {
    this.#streams = streams;
  }

  /** Resolves once it is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  start(): Promise<void> {
    void this.#read().catch(() => {}).then(() => this.#end());
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.#streams.writeLine(jsonLine(message));
    if (isJSONRPCRequest(message)) {
      this.#asked.add(message.id);
      if (this.#hasEnded) queueMicrotask(() => this.#endAsked());
    } else if ("id" in message && message.id !== undefined) this.#settle(message.id);
    return Promise.resolve();
  }

  close(): Promise<void> {
    clearInterval(this.#pings);
    this.#closed.resolve();
    const { onclose } = this;
    delete this.onclose;
    onclose?.();
    return Promise.resolve();
  }

  /** No more is read: what was asked of the client gets no answer, and what it has asked still does. */
  #end(): void {
    this.#hasEnded = true;
    this.#endAsked();
    this.#closeOnceAnswered();
    if (this.#unanswered.size > 0) this.#pings = setInterval(() => this.#ping(), PING_MS);
  }

  /** A client that has left for good is known by its end of the output, which only a write shows. */
  #ping(): void {
    this.#streams.writeLine(jsonLine({ jsonrpc: "2.0", id: "still-there", method: "ping" }));
  }

  #endAsked(): void {
    const error = { code: ErrorCode.ConnectionClosed, message: "The client has left" };
    for (const id of this.#asked) this.onmessage?.({ jsonrpc: "2.0", id, error });
    this.#asked.clear();
  }

  #settle(id: RequestId): void {
    this.#unanswered.delete(id);
    this.#closeOnceAnswered();
  }

  #closeOnceAnswered(): void {
    if (this.#hasEnded && this.#unanswered.size === 0) void this.close();
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
    this.#note(data);
    this.onmessage?.(data);
  }

  /** Keeps count of who waits for an answer; a request that was cancelled gets none. */
  #note(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#unanswered.add(message.id);
    else if (!("method" in message)) {
      if (message.id !== undefined) this.#asked.delete(message.id);
    } else {
      const cancelled = CancelledNotificationSchema.safeParse(message).data?.params.requestId;
      if (cancelled !== undefined) this.#settle(cancelled);
    }
  }

  /** JSON-RPC answers what it cannot read with an error that has no id. */
  #refuse(code: ErrorCode, message: string): void {
    const answer = { jsonrpc: "2.0", id: null, error: { code, message } };
    this.#streams.writeLine(jsonLine(answer));
  }
}
