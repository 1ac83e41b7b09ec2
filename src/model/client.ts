/**
 * The model client: streams replies from any OpenAI-compatible server, tries again where that can help,
 * and never makes a reply of half a stream, so that no call in it can be run twice. Made once by the
 * composition root; the loop knows it as the port `Model`.
 */
import type { Model, ModelRequest, Reply } from "../core/model.ts";
import { messageOf } from "../lib/text.ts";
import { ReplyAssembly } from "./assemble.ts";
import { connect, type Send } from "./connection.ts";
import type { Endpoint } from "./endpoint.ts";
import { readEvents, type StreamEvent } from "./event_stream.ts";
import { explain } from "./explain.ts";
import { failureOf, RequestFailure } from "./failure.ts";
import { listOf, numberOf, objectOf, parseJson } from "./fields.ts";
import { listModels } from "./models.ts";
import { type Clock, describeFailure, SYSTEM_CLOCK, waitBeforeRetry } from "./retry.ts";
import { bodyOf, toolEncoder } from "./wire.ts";

export interface ModelOptions extends Endpoint {
  /** Further attempts after a failed one. @default 4 */
  readonly retries?: number | undefined;
  /** Milliseconds until an answer must have begun; local servers are slow. @default 30 minutes */
  readonly requestTimeoutMs?: number | undefined;
  /** Milliseconds of silence within an answer that count as a broken stream. @default 5 minutes */
  readonly idleTimeoutMs?: number | undefined;
  /** @default the real one */
  readonly clock?: Clock | undefined;
}

type ReplyOptions = Parameters<Model["reply"]>[1];

/** Makes a client for one endpoint; nothing is loaded or sent before the first request. */
export function createModel(options: ModelOptions): Model {
  return new ModelClient(options);
}

class ModelClient implements Model {
  readonly #endpoint: Endpoint;
  readonly #retries: number;
  readonly #requestTimeoutMs: number;
  readonly #idleTimeoutMs: number;
  readonly #clock: Clock;
  readonly #encodeTool = toolEncoder();
  #connection: Promise<Send> | undefined;
  /** False once the server has refused to be asked for token counts. */
  #streamUsage = true;

  constructor(options: ModelOptions) {
    this.#endpoint = options;
    this.#retries = options.retries ?? 4;
    this.#requestTimeoutMs = options.requestTimeoutMs ?? 30 * 60_000;
    this.#idleTimeoutMs = options.idleTimeoutMs ?? 5 * 60_000;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
  }

  async reply(request: ModelRequest, options: ReplyOptions): Promise<Reply> {
    const { signal, onDelta } = options;
    const takenIds = callIdsIn(request);
    for (let attempt = 1;; attempt++) {
      const assembly = new ReplyAssembly({ takenIds });
      try {
        signal.throwIfAborted();
        return await this.#attempt(request, { assembly, ...options });
      } catch (error) {
        if (signal.aborted) {
          assembly.end().forEach(onDelta);
          return assembly.interrupted();
        }
        if (!(error instanceof RequestFailure)) throw error;
        const limits = { attempt, retries: this.#retries, clock: this.#clock };
        const waitMs = waitBeforeRetry(error, limits);
        if (waitMs === undefined) throw await this.#explain(error, { request, attempt, signal });
        onDelta({ kind: "retry", why: describeFailure(error), waitMs });
        await this.#clock.delay(waitMs, signal);
      }
    }
  }

  async #attempt(
    request: ModelRequest,
    { assembly, signal, onDelta }: ReplyOptions & { assembly: ReplyAssembly },
  ): Promise<Reply> {
    const response = await this.#send(request, signal);
    for await (const chunk of this.#chunks(response, assembly)) {
      signal.throwIfAborted();
      assembly.add(chunk).forEach(onDelta);
    }
    assembly.end().forEach(onDelta);
    return assembly.reply();
  }

  /** Sends the request; without the wish for token counts if the server refuses just that. */
  async #send(request: ModelRequest, signal: AbortSignal): Promise<Response> {
    this.#connection ??= connect({ ...this.#endpoint, requestTimeoutMs: this.#requestTimeoutMs });
    const send = await this.#connection;
    const tools = request.tools.map(this.#encodeTool);
    const streamUsage = this.#streamUsage;
    try {
      return await send(bodyOf(request, { tools, streamUsage }), signal);
    } catch (error) {
      if (!streamUsage || !refusesStreamOptions(error)) throw error;
      const response = await send(bodyOf(request, { tools, streamUsage: false }), signal);
      this.#streamUsage = false;
      return response;
    }
  }

  /** The chunks of an answer; returns only if the answer was whole. */
  async *#chunks(response: Response, assembly: ReplyAssembly): AsyncGenerator<unknown> {
    const type = response.headers.get("content-type") ?? "";
    if (/json|html/.test(type) || response.body === null) {
      yield wholeAnswer(await readText(response));
      return;
    }
    const limits = { firstMs: this.#requestTimeoutMs, idleMs: this.#idleTimeoutMs };
    try {
      for await (const event of readEvents(response.body, limits)) {
        if (event.data.trim() === "[DONE]") return;
        yield chunkOf(event);
      }
    } catch (error) {
      // After the reason to stop only usage is missing, and a reply is worth more than a count.
      const isLost = error instanceof RequestFailure && error.kind === "lost";
      if (!assembly.finished || !isLost) throw error;
    }
    if (!assembly.finished) throw new RequestFailure("lost", "the stream ended early");
  }

  async #explain(
    failure: RequestFailure,
    { request, attempt, signal }: { request: ModelRequest; attempt: number; signal: AbortSignal },
  ) {
    const endpoint = this.#endpoint;
    const models = failure.status === 404
      ? await listModels(endpoint, signal).catch(() => undefined)
      : undefined;
    return explain(failure, { endpoint, model: request.model, models, attempts: attempt });
  }
}

async function readText(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw failureOf(error);
  }
}

/** One event as a chunk. @throws {RequestFailure} it reports an error, or is torn */
function chunkOf({ type, data }: StreamEvent): unknown {
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch (cause) {
    throw new RequestFailure("lost", `part of the stream is not JSON: ${messageOf(cause)}`);
  }
  throwIfError(type === "error" ? objectOf(chunk)?.["error"] ?? chunk : objectOf(chunk)?.["error"]);
  return chunk;
}

/** An answer that is no stream, as one chunk. @throws {RequestFailure} it is no completion */
function wholeAnswer(text: string): unknown {
  const answer = objectOf(parseJson(text));
  throwIfError(answer?.["error"]);
  if (listOf(answer?.["choices"]).length === 0) throw new RequestFailure("foreign", text);
  return answer;
}

/** @throws {RequestFailure} the server's error, with a status if it gave one for a code */
function throwIfError(error: unknown): void {
  if (error === undefined || error === null) return;
  const fields = objectOf(error);
  const code = numberOf(Number(fields?.["code"] ?? fields?.["status"]));
  const status = code !== undefined && code >= 400 && code < 600 ? code : undefined;
  throw new RequestFailure("answered", JSON.stringify(error), { status });
}

function refusesStreamOptions(error: unknown): boolean {
  return error instanceof RequestFailure && (error.status === 400 || error.status === 422) &&
    /stream_options|include_usage/.test(error.message);
}

function callIdsIn({ messages }: ModelRequest): ReadonlySet<string> {
  return new Set(
    messages.flatMap((message) =>
      message.role === "assistant" ? message.calls.map((call) => call.id) : []
    ),
  );
}
