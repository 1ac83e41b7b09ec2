/**
 * A transport for the official client: a server as a child process in a group of its own, which exchanges JSON lines
 * and is ended with everything it started. Output that is not a message is skipped up to a limit, and so are lines
 * that are too long.
 */
import { safeStart } from "../lib/excerpt.ts";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
// @ts-types="@modelcontextprotocol/sdk/types"
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { reasonOf } from "../lib/fs.ts";
import { splitStream } from "../lib/line_splitter.ts";
import { killGroup, spawnPiped } from "../lib/process_group.ts";
import { isObject } from "../lib/schema.ts";
import { formatBytes } from "../lib/text.ts";

/** Bytes one message may have. */
export const MAX_MESSAGE_BYTES = 16_000_000;
/** Bytes of other output after which the server is given up. */
const MAX_NOISE_BYTES = 1_000_000;
/** Milliseconds for a server to end by itself after its input has ended, and again after SIGTERM. */
const GRACE = 500;
/** Bytes of a line of standard error that is passed on, and characters of a line of output that is not a message. */
const MAX_LINE = 2000;
/** JSON-RPC's code for an error inside a server. */
const INTERNAL_ERROR = -32603;

/** What to start. */
export interface StdioOptions {
  readonly argv: readonly [program: string, ...args: string[]];
  readonly cwd: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Gets each line of its standard error, and of its standard output where that is not a message. */
  readonly onLine: (line: string) => void;
  /** Called once it has ended. */
  readonly onExit?: (() => Promise<void>) | undefined;
}

/** One child, from its start to its end. */
export class StdioTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onerror?: Transport["onerror"];
  onclose?: Transport["onclose"];
  readonly #options: StdioOptions;
  #child: Deno.ChildProcess | undefined;
  #writer: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #exited = false;
  #cleaned: Promise<void> | undefined;
  #noiseBytes = 0;
  #closing = false;
  /** Why it ended, if that is known. */
  failure: string | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** @throws {Error} the program or its directory is missing or may not be run */
  start(): Promise<void> {
    const { argv, cwd, env } = this.#options;
    try {
      this.#child = spawnPiped(argv, { cwd, env });
    } catch (error) {
      return Promise.reject(
        new Error(`Cannot start ${argv[0]}: ${reasonOf(error)}`, { cause: error }),
      );
    }
    const child = this.#child;
    this.#writer = child.stdin.getWriter();
    this.#writer.closed.catch(() => {});
    this.#read(child.stdout).catch(() => {});
    this.#readErrors(child.stderr).catch(() => {});
    child.status.then(({ code, signal }) => {
      const end = signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`;
      // close() already knows the reason.
      if (!this.#closing) this.failure ??= end;
      // End whatever it started.
      killGroup(child.pid, "SIGKILL");
      void this.#handleExit();
    });
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#exited || !this.#writer) throw new Error("The server has ended.");
    await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  }

  /** Ends it: by the end of its input, else by SIGTERM, else by SIGKILL. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child || this.#exited) return await this.#handleExit();
    this.#closing = true;
    this.#writer?.close().catch(() => {});
    if (!await exitsWithin(child, GRACE)) {
      killGroup(child.pid, "SIGTERM");
      if (!await exitsWithin(child, GRACE)) killGroup(child.pid, "SIGKILL");
    }
    await child.status;
    await this.#handleExit();
  }

  /** Ends it at once, without waiting. */
  kill(why = "it was ended"): void {
    this.failure ??= why;
    if (this.#child && !this.#exited) killGroup(this.#child.pid, "SIGKILL");
  }

  /** Resolves once `onExit` has. */
  async #handleExit(): Promise<void> {
    if (!this.#exited) {
      this.#exited = true;
      this.#cleaned = this.#options.onExit?.();
      this.onclose?.();
    }
    await this.#cleaned;
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    await splitStream(stream, {
      maxBytes: MAX_MESSAGE_BYTES,
      onLine: (line) => this.#receive(line),
      onOverlong: () => {
        this.kill(`it wrote a line of more than ${formatBytes(MAX_MESSAGE_BYTES)}`);
        throw new RangeError(this.failure);
      },
    });
  }

  async #readErrors(stream: ReadableStream<Uint8Array>): Promise<void> {
    await splitStream(stream, {
      maxBytes: MAX_LINE,
      onLine: (line) => line !== "" && this.#options.onLine(line),
    });
  }

  #receive(line: string): void {
    if (line.trim() === "") return;
    const message = parseMessage(line);
    if (message) return this.onmessage?.(message);
    this.#noiseBytes += line.length;
    this.#options.onLine(safeStart(line, MAX_LINE));
    if (this.#noiseBytes > MAX_NOISE_BYTES) {
      this.kill(`it wrote ${formatBytes(this.#noiseBytes)} that is not MCP`);
    }
  }
}

/** Parses a message; an invalid response becomes a JSON-RPC error, so that its request ends. */
function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const { data } = JSONRPCMessageSchema.safeParse(value);
    if (data || !isObject(value) || typeof value.id !== "number" || "method" in value) return data;
    const error = { code: INTERNAL_ERROR, message: "its answer is not a valid message" };
    return { jsonrpc: "2.0", id: value.id, error };
  } catch {
    return undefined;
  }
}

async function exitsWithin(child: Deno.ChildProcess, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), ms);
  const ended = await Promise.race([child.status.then(() => true), late.promise]);
  clearTimeout(timer);
  return ended;
}
