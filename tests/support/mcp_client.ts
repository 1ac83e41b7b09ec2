/**
 * Another agent in a test: the SDK's own client at the other end of `ally mcp serve`, in this process. Every line that
 * ally writes has to be a message of the protocol.
 */
import { Client } from "@modelcontextprotocol/sdk/client";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
  JSONRPCMessageSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import assert from "node:assert/strict";
import type { InputStream, Io, OutputStream } from "../../src/app/io.ts";
import { run } from "../../src/cli/run.ts";
import { LineSplitter } from "../../src/lib/line_splitter.ts";
import { createMemoryIo } from "./memory_io.ts";
import type { Place } from "./program.ts";

/** What the client can do. */
interface ClientOptions {
  /** What follows `ally`. @default mcp serve */
  readonly args?: readonly string[];
  /** Answers a question. @default it cannot ask anybody */
  readonly answer?: (params: ElicitRequest["params"]) => ElicitResult | Promise<ElicitResult>;
  /** Roots that it has. @default it has none */
  readonly roots?: readonly string[];
}

/** A client and the server behind it. */
export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  /** Every line that was written to standard output. */
  readonly lines: readonly string[];
  /** Standard error. */
  readonly errors: string;
  /** How often the server asked for the client's roots. */
  readonly rootsAsked: number;
  /** Calls a tool; the text of its result, and whether that is an error. */
  call(
    name: string,
    input?: Record<string, unknown>,
    options?: { signal?: AbortSignal; onProgress?: (message: string) => void },
  ): Promise<{ text: string; isError: boolean }>;
  /** Writes a line as it stands. */
  writeLine(line: string): void;
  /** Sends a signal to the server; resolves with the exit code. */
  signal(name: Deno.Signal): Promise<number>;
  /** Leaves; resolves with the exit code. */
  leave(): Promise<number>;
}

/** Starts `ally mcp serve`, and connects to it. */
export async function startMcpClient(
  { env, dir }: Pick<Place, "env" | "dir">,
  { args = ["mcp", "serve"], answer, roots }: ClientOptions = {},
): Promise<McpClient> {
  const input = createPipe();
  const lines: string[] = [];
  let rootsAsked = 0;
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: (message) => Promise.resolve(input.write(`${JSON.stringify(message)}\n`)),
    close: () => Promise.resolve(input.end()),
  };
  const splitter = new LineSplitter({
    maxBytes: Infinity,
    onLine(line) {
      lines.push(line);
      const { data } = JSONRPCMessageSchema.safeParse(JSON.parse(line));
      // JSON-RPC answers what it cannot read without an id, which the SDK's schema does not know.
      if (data !== undefined) transport.onmessage?.(data);
      else assert.equal(JSON.parse(line).id, null, line);
    },
  });
  const memory = createMemoryIo({ env, cwd: dir });
  const io: Io = { ...memory, stdin: input, stdout: outputTo(splitter) };
  const ended = run(args, io).finally(() => {
    memory.end();
    transport.onclose?.();
  });
  const client = new Client({ name: "test", version: "1" }, {
    capabilities: { ...answer && { elicitation: {} }, ...roots && { roots: {} } },
  });
  if (answer) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params));
  if (roots) {
    client.setRequestHandler(ListRootsRequestSchema, () => {
      rootsAsked++;
      return { roots: roots.map((path) => ({ uri: `file://${path}` })) };
    });
  }
  await client.connect(transport as never);
  const leave = async () => {
    await client.close();
    return await ended;
  };
  return {
    client,
    lines,
    get errors() {
      return memory.errors;
    },
    get rootsAsked() {
      return rootsAsked;
    },
    async call(name, input = {}, { signal, onProgress } = {}) {
      const { content, isError } = await client.callTool({ name, arguments: input }, undefined, {
        ...signal && { signal },
        ...onProgress && { onprogress: ({ message }) => onProgress(message ?? "") },
      });
      const [part] = content as { type: string; text: string }[];
      return { text: part?.text ?? "", isError: isError === true };
    },
    writeLine: (line) => input.write(`${line}\n`),
    async signal(name) {
      memory.signal(name);
      return await ended;
    },
    leave,
    async [Symbol.asyncDispose]() {
      await leave();
    },
  };
}

/** Standard input that a test writes to. */
function createPipe(): InputStream & { write(text: string): void; end(): void } {
  const chunks: Uint8Array[] = [];
  let ended = false;
  let more = Promise.withResolvers<void>();
  const wake = () => {
    more.resolve();
    more = Promise.withResolvers();
  };
  return {
    isTerminal: () => false,
    kind: () => "pipe",
    setRaw: () => {},
    write(text) {
      chunks.push(new TextEncoder().encode(text));
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async read(buffer) {
      while (chunks.length === 0 && !ended) await more.promise;
      const chunk = chunks.shift();
      if (chunk === undefined) return null;
      const part = chunk.subarray(0, buffer.length);
      buffer.set(part);
      if (part.length < chunk.length) chunks.unshift(chunk.subarray(part.length));
      return part.length;
    },
  };
}

function outputTo(splitter: LineSplitter): OutputStream {
  return {
    isTerminal: () => false,
    writeSync(bytes) {
      splitter.push(bytes.slice());
      return bytes.length;
    },
  };
}
