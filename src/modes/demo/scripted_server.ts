/**
 * An OpenAI-compatible server on loopback that follows a script, misbehaviour included: errors, torn connections,
 * silence. It is the model of `ally demo` and of all tests. It is built on `node:http` because that can tear a socket on purpose and see a client leave.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { messageOf } from "../../lib/text.ts";
import { SYSTEM_CLOCK } from "../../model/retry.ts";
import { chunksOf, type ScriptedReply } from "./scripted_reply.ts";

export type { ScriptedReply } from "./scripted_reply.ts";

/** One chat completion request as it arrived. */
export interface RecordedRequest {
  /** The parsed body. */
  readonly body: Record<string, unknown>;
  /** The body to the byte. */
  readonly text: string;
  readonly headers: Headers;
}

/** The next reply of a script, worked out from the request. */
export type ReplyFunction = (
  request: RecordedRequest,
  index: number,
) => ScriptedReply | Promise<ScriptedReply>;

/** What a scripted server answers. */
interface ScriptedServerOptions {
  /** Used in order; afterwards every request is answered with "(end of script)". */
  readonly replies: readonly (ScriptedReply | ReplyFunction)[];
  /** What `GET /v1/models` lists. @default ["scripted"] */
  readonly models?: readonly string[];
}

/** A model server that follows a script. */
export interface ScriptedServer extends AsyncDisposable {
  /** Base URL, ending in `/v1`. */
  readonly url: string;
  /** All chat completion requests, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** How many clients left before their answer was complete. */
  readonly closedEarly: number;
  /** Resolves once `count` clients have left early. @default 1 */
  untilClosedEarly(count?: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a scripted server on a free port of 127.0.0.1. */
export async function startScriptedServer(options: ScriptedServerOptions): Promise<ScriptedServer> {
  const script = new Script(options.replies);
  const requests: RecordedRequest[] = [];
  const departures = new EarlyCloses();
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error) => {
      // The client left while it was sending, or a reply function threw.
      if (response.headersSent) response.destroy();
      else sendJson(response, { error: { message: messageOf(error) } }, { status: 500 });
    });
  });
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.method === "GET" && incoming.url === "/v1/models") {
      return sendJson(response, { object: "list", data: modelList(options.models) });
    }
    if (incoming.method !== "POST" || incoming.url !== "/v1/chat/completions") {
      return sendJson(response, { error: { message: `no route ${incoming.url}` } }, {
        status: 404,
      });
    }
    const gone = new AbortController();
    let torn = false;
    response.on("close", () => {
      if (!response.writableFinished && !torn) departures.add();
      gone.abort();
    });
    const request = await readRequest(incoming);
    requests.push(request);
    const reply = await script.next(request, requests.length - 1);
    await sendReply(reply, { request, response, closed: gone.signal, onTear: () => torn = true });
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Cannot listen: no port");

  async function close() {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests,
    get closedEarly() {
      return departures.count;
    },
    untilClosedEarly: (count = 1) => departures.untilCount(count),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Hands out the replies in order, each as often as it says. */
class Script {
  readonly #replies: readonly (ScriptedReply | ReplyFunction)[];
  #position = 0;
  #used = 0;

  constructor(replies: readonly (ScriptedReply | ReplyFunction)[]) {
    this.#replies = replies;
  }

  async next(request: RecordedRequest, index: number): Promise<ScriptedReply> {
    const entry = this.#replies[this.#position];
    if (entry === undefined) return { text: "(end of script)" };
    this.#used++;
    if (typeof entry === "function" || this.#used >= (entry.repeat ?? 1)) {
      this.#position++;
      this.#used = 0;
    }
    return typeof entry === "function" ? await entry(request, index) : entry;
  }
}

/** Counts the clients that left early, and resolves promises that wait for that. */
class EarlyCloses {
  count = 0;
  #waiting: { count: number; resolve: () => void }[] = [];

  add(): void {
    this.count++;
    for (const waiter of this.#waiting) if (waiter.count <= this.count) waiter.resolve();
  }

  untilCount(count: number): Promise<void> {
    if (this.count >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }
}

interface ReplyContext {
  readonly request: RecordedRequest;
  readonly response: ServerResponse;
  /** Aborted when the connection is closed, by whomever. */
  readonly closed: AbortSignal;
  readonly onTear: () => void;
}

async function sendReply(reply: ScriptedReply, stage: ReplyContext): Promise<void> {
  const { response, closed } = stage;
  if (reply.stall) return;
  if (reply.breakAfter === -1) {
    stage.onTear();
    response.socket?.resetAndDestroy();
    return;
  }
  if (reply.body !== undefined) {
    response.writeHead(reply.status ?? 200, {
      "content-type": "application/json",
      ...reply.headers,
    });
    response.end(reply.body);
    return;
  }
  if (reply.status !== undefined && reply.status >= 400) {
    const error = { error: { message: reply.text ?? `scripted error ${reply.status}` } };
    return sendJson(response, error, reply);
  }
  response.writeHead(200, { "content-type": "text/event-stream", ...reply.headers });
  response.flushHeaders();
  const chunks = reply.raw ??
    chunksOf(reply, stage.request.text).map((chunk) => `data: ${chunk}\n\n`);
  for (const [index, chunk] of chunks.entries()) {
    if (index === reply.breakAfter) break;
    if (reply.delayMs !== undefined && index > 0) await SYSTEM_CLOCK.delay(reply.delayMs, closed);
    await reply.pause?.(index);
    if (closed.aborted) return;
    await new Promise((resolve) => response.write(chunk, resolve));
  }
  if (reply.hang) return;
  if (reply.breakAfter === undefined) {
    response.end();
  } else {
    stage.onTear();
    if (reply.reset) response.socket?.resetAndDestroy();
    else response.destroy();
  }
}

function sendJson(
  response: ServerResponse,
  value: unknown,
  { status = 200, headers = {} }: {
    status?: number | undefined;
    headers?: Readonly<Record<string, string>> | undefined;
  } = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}

function modelList(models: readonly string[] = ["scripted"]) {
  return models.map((id) => ({ id, object: "model" }));
}

async function readRequest(incoming: IncomingMessage): Promise<RecordedRequest> {
  incoming.setEncoding("utf8");
  let text = "";
  for await (const chunk of incoming) text += chunk;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    headers.set(name, Array.isArray(value) ? value.join(", ") : value ?? "");
  }
  return { body: JSON.parse(text), text, headers };
}
