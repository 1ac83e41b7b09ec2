/**
 * A server on loopback whose answers have no end: plain or compressed, in the body or in the headers. It counts what
 * it could send before the client closed the connection.
 */
import type { ServerResponse } from "node:http";
import { constants, createDeflateRaw } from "node:zlib";
import { createTestServer, listening } from "./mcp_answers.ts";
import { makePlace, runAlly } from "./program.ts";
import { until } from "./wait.ts";

/** One answer; what is absent is left out. */
export interface EndlessAnswer {
  /** @default 200 */
  readonly status?: number;
  /** @default application/json */
  readonly type?: string;
  /** Sent first. */
  readonly begin?: string;
  /** Sent again and again. @default nothing: the answer is `begin` and ends */
  readonly repeat?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the body is compressed: a kilobyte for each megabyte. */
  readonly gzip?: boolean;
  /** Sends a header without end, and no body. */
  readonly inHeader?: boolean;
}

/** A running server. */
export interface EndlessServer extends AsyncDisposable {
  readonly origin: string;
  /** The paths asked for. */
  readonly asked: readonly string[];
  /** Waits until every answer was closed by the client; the bytes that the longest one had sent by then. */
  closed(): Promise<number>;
}

/** Bytes written at once. */
const PIECE_BYTES = 65_536;
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3);

/** Starts it; a path without an answer is answered with 404. */
export async function startEndlessServer(
  answerTo: (path: string) => EndlessAnswer | undefined,
): Promise<EndlessServer> {
  const asked: string[] = [];
  let open = 0;
  let longest = 0;
  const server = createTestServer(async (request, response) => {
    const path = request.url ?? "/";
    asked.push(path);
    request.resume();
    const answer = answerTo(path);
    if (answer === undefined) return void response.writeHead(404).end("{}");
    open++;
    const piece = await pieceOf(answer);
    response.on("close", () => open--);
    begin(response, answer);
    if (piece === undefined) return void response.end(answer.begin ?? "");
    const to = answer.inHeader ? response.socket! : response;
    let sent = 0;
    const go = () => {
      while (!response.destroyed && !to.destroyed) {
        sent += piece.length;
        longest = Math.max(longest, sent);
        if (!to.write(piece)) return void to.once("drain", go);
      }
    };
    go();
  });
  // A client that goes away is what is awaited.
  server.on("connection", (socket) => socket.on("error", () => {}));
  const { origin, ...rest } = await listening(server);
  return {
    ...rest,
    origin,
    asked,
    async closed() {
      await until("the client to close the connection", () => open === 0);
      return longest;
    },
  };
}

function begin(response: ServerResponse, answer: EndlessAnswer): void {
  const { status = 200, type = "application/json", gzip, inHeader, headers } = answer;
  if (inHeader) return void response.socket!.write(`HTTP/1.1 ${status} OK\r\nx-endless: `);
  response.writeHead(status, {
    "content-type": type,
    ...gzip && { "content-encoding": "gzip" },
    ...headers,
  });
  if (answer.repeat === undefined) return;
  if (gzip) response.write(GZIP_HEADER);
  else response.write(answer.begin ?? "");
}

async function pieceOf(
  { repeat, gzip, inHeader }: EndlessAnswer,
): Promise<Uint8Array | undefined> {
  if (inHeader) return new Uint8Array(PIECE_BYTES).fill("x".charCodeAt(0));
  if (repeat === undefined) return undefined;
  const bytes = new TextEncoder().encode(
    repeat.repeat(Math.ceil((gzip ? 16 : 1) * PIECE_BYTES / repeat.length)),
  );
  return gzip ? await deflatedBlock(bytes) : bytes;
}

/** Compressed bytes that can follow any others, and themselves. */
async function deflatedBlock(bytes: Uint8Array): Promise<Uint8Array> {
  const deflate = createDeflateRaw({ level: 9 });
  const parts: Uint8Array<ArrayBuffer>[] = [];
  deflate.on("data", (part) => parts.push(new Uint8Array(part)));
  await new Promise<void>((resolve) => {
    deflate.write(bytes);
    deflate.flush(constants.Z_FULL_FLUSH, resolve);
  });
  deflate.destroy();
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** More than the largest limit and all buffers on the way; an answer without a limit sends many times as much. */
export const MAX_SENT = 64_000_000;
/** The same for compressed answers, of which a kilobyte is a megabyte: the buffers on the way are what counts. */
export const MAX_SENT_COMPRESSED = 16_000_000;

/** Runs ally with a model server whose answers below `/v1` are these. */
export async function runWithAnswers(
  answers: Readonly<Record<string, EndlessAnswer>>,
  { args, env = {} }: { args: readonly string[]; env?: Readonly<Record<string, string>> },
) {
  await using server = await startEndlessServer((path) => answers[path.replace(/^\/v1/, "")]);
  await using place = await makePlace({ endpoint: `${server.origin}/v1` });
  await Deno.mkdir(place.home);
  await Deno.writeTextFile(`${place.home}/config.json`, '{"retries":1}');
  const done = await runAlly(place, { args, env });
  const sent = await server.closed();
  return { ...done, sent, asked: server.asked };
}
