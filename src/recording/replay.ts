/**
 * A recording in the place of a model server: stands where `fetch` would, reaches no network, and answers each
 * request with what was answered to the same one. Requests of agents that run side by side are told apart by
 * what they say. The first request that was not recorded ends it with an error that shows the difference.
 */
import { parseJson } from "../lib/json_text.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import { type Difference, RecordingMismatch } from "../model/failure.ts";
import { type RequestTarget, targetOf } from "../model/endpoint.ts";
import { textOf } from "../model/fields.ts";
import {
  countCommonParts,
  describeDifference,
  diffParts,
  hasSameParts,
  partsOf,
} from "./compare.ts";
import { mapStreamText } from "./map_stream_text.ts";
import { CHAT, type Exchange, messagesOf, type Recording, type ResponseLine } from "./traffic.ts";
import { type RunEnvironment, VolatileFields } from "./volatile_fields.ts";

/** What a recording is replayed with. */
interface ReplayOptions {
  readonly recording: Recording;
  readonly environment: RunEnvironment;
  /** Base URLs that requests are made for, the one that the run begins with first. */
  readonly endpoints: readonly string[];
  /** Answers a request that differs as if it did not, and goes on. @default false */
  readonly lenient?: boolean | undefined;
}

/** One pass through a recording. */
export class Replay {
  readonly #recording: Recording;
  readonly #endpoints: readonly string[];
  readonly #volatileFields: VolatileFields;
  readonly #lenient: boolean;
  readonly #open: Exchange[];
  readonly #parts = new Map<Exchange, ReturnType<typeof partsOf>>();
  #asked = 0;
  #isTruncated = false;
  #difference: RecordingMismatch | undefined;
  /** Called where the person who recorded stopped a reply. */
  onCancelled: (() => void) | undefined;

  constructor({ recording, environment, endpoints, lenient = false }: ReplayOptions) {
    this.#lenient = lenient;
    this.#recording = recording;
    this.#endpoints = endpoints;
    this.#volatileFields = new VolatileFields(recording.header, environment);
    this.#open = [...recording.exchanges];
  }

  /** The first request that was not as recorded. */
  get difference(): RecordingMismatch | undefined {
    return this.#difference;
  }

  /** Whether the run went as far as the recording, which was cut off there. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** How many requests to the model were made, and were the same up to the first difference. */
  get requests(): number {
    return this.#asked;
  }

  /** The model that the next recorded request is for, and its endpoint if it is not the first one. */
  get nextModel(): { model: string; endpoint: string | undefined } | undefined {
    const next = this.#open.find(isChat);
    const model = textOf(next?.body["model"]);
    return model === undefined ? undefined : { model, endpoint: next?.endpoint };
  }

  /** Recorded text with the names of this run. */
  readonly localize = (text: string): string => this.#volatileFields.localize(text);

  /** Says that the run is over; what was recorded and not asked again is a difference too. */
  async end(): Promise<void> {
    const left = this.#open.filter((exchange) => isChat(exchange) && exchange.response);
    const [next] = left;
    if (this.#difference || this.#isTruncated || next === undefined) return;
    await this.#reportDifference({
      turn: next.turn,
      request: this.#asked + 1,
      line: next.line,
      what: `was not made: the run ended ${left.length} request${left.length > 1 ? "s" : ""} early`,
      parts: [],
    });
  }

  /** Answers from the recording. @throws {RecordingMismatch} the request was not recorded */
  readonly fetch: typeof fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const method = init?.method ?? "GET";
    const target = targetOf(url, this.#endpoints);
    const signal = init?.signal ?? undefined;
    signal?.throwIfAborted();
    if (target.path !== CHAT) return this.#answerSideRequest({ method, ...target });
    const body = typeof init?.body === "string" ? parseJson(init.body) : undefined;
    const exchange = await this.#match({
      endpoint: target.endpoint,
      body: isObject(body) ? body : {},
    });
    if (exchange.response === undefined) throw await this.#recordingEnded(exchange);
    return await this.#serve(exchange.response, signal);
  };

  /** Questions about the server: the recorded answer, else "not found". */
  #answerSideRequest({ method, endpoint, path }: RequestTarget & { method: string }): Response {
    const known = this.#recording.exchanges.find((one) =>
      one.method === method && one.endpoint === endpoint && one.path === path
    );
    const text = known?.response?.chunks.map(([, piece]) => piece).join("");
    const { status, headers } = known?.response ?? {};
    if (text === undefined || !status) {
      const error = { message: "the recording that is replayed holds no answer to this" };
      return Response.json({ error }, { status: 404 });
    }
    return new Response(text, { status, headers: headers ?? {} });
  }

  async #match(request: { endpoint: string | undefined; body: JsonObject }): Promise<Exchange> {
    const now = partsOf(request, this.#volatileFields);
    const open = this.#open.filter(isChat);
    const same = open.find((exchange) => hasSameParts(this.#partsOf(exchange), now));
    const found = same ?? await this.#nearest(open, now);
    this.#asked++;
    this.#open.splice(this.#open.indexOf(found), 1);
    this.#volatileFields.learn(
      JSON.stringify(messagesOf(found.body)),
      JSON.stringify(messagesOf(request.body)),
    );
    return found;
  }

  #partsOf(exchange: Exchange): ReturnType<typeof partsOf> {
    const known = this.#parts.get(exchange) ?? partsOf(exchange, this.#volatileFields);
    this.#parts.set(exchange, known);
    return known;
  }

  /** The request that this one should have been, if the difference is no matter. @throws {RecordingMismatch} */
  async #nearest(
    open: readonly Exchange[],
    now: ReturnType<typeof partsOf>,
  ): Promise<Exchange> {
    const shared = (one: Exchange) => countCommonParts(this.#partsOf(one), now);
    const nearest = open.reduce<Exchange | undefined>(
      (best, one) => best === undefined || shared(one) > shared(best) ? one : best,
      undefined,
    );
    const request = this.#asked + 1;
    if (nearest === undefined) {
      if (!this.#recording.isComplete) throw await this.#recordingEnded(undefined);
      const turn = this.#recording.exchanges.at(-1)?.turn ?? 0;
      const what = "is one more than was recorded";
      throw await this.#reportDifference({ turn, request, what, parts: [] });
    }
    const { turn, line } = nearest;
    const parts = diffParts(this.#partsOf(nearest), now);
    const differs = await this.#reportDifference({
      turn,
      request,
      line,
      what: "is not as recorded",
      parts,
    });
    if (!this.#lenient) throw differs;
    return nearest;
  }

  async #recordingEnded(exchange: Exchange | undefined): Promise<RecordingMismatch> {
    this.#isTruncated = true;
    const last = this.#recording.exchanges.at(-1);
    const where = exchange ?? last;
    const what = "has no recorded answer: the recording was cut off there";
    const facts = { turn: where?.turn ?? 0, request: this.#asked, what, parts: [] };
    return new RecordingMismatch(await describeDifference(facts, this.#recording.name), facts);
  }

  async #reportDifference(difference: Difference): Promise<RecordingMismatch> {
    const message = await describeDifference(difference, this.#recording.name);
    this.#difference ??= new RecordingMismatch(message, difference);
    return this.#difference;
  }

  async #serve(response: ResponseLine, signal: AbortSignal | undefined): Promise<Response> {
    const { status = 0, headers = {}, end } = response;
    const abort = () => signal?.reason ?? new DOMException("Aborted", "AbortError");
    if (status === 0 && end === "cancelled") await this.#repeatCancel(signal);
    if (status === 0) throw lostConnection(response);
    const body = response.chunks.map(([, text]) => text).join("");
    const mapped = mapStreamText(body, this.localize);
    const texts = mapped === body ? response.chunks.map(([, text]) => text) : [mapped];
    const pieces = texts.map((text) => new TextEncoder().encode(text));
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        if (signal?.aborted) return controller.error(abort());
        const piece = pieces.shift();
        if (piece !== undefined) return controller.enqueue(piece);
        if (end === "done") return controller.close();
        if (end === "lost") return controller.error(lostConnection(response));
        await this.#repeatCancel(signal).catch((error) => controller.error(error));
      },
    }, { highWaterMark: 0 });
    return new Response(stream, { status, headers: withoutRetryHeaders(headers) });
  }

  /** The person who recorded stopped it here; so it is stopped again. @throws always */
  async #repeatCancel(signal: AbortSignal | undefined): Promise<never> {
    this.onCancelled?.();
    if (this.onCancelled && signal && !signal.aborted) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    }
    throw signal?.aborted
      ? signal.reason
      : new TypeError("the recorded reply was interrupted here");
  }
}

function isChat({ path }: Exchange): boolean {
  return path === CHAT;
}

/** The recorded error, with its causes. */
function lostConnection({ errors = [] }: ResponseLine): Error {
  const build = (index: number): Error | undefined =>
    index < errors.length ? new TypeError(errors[index], { cause: build(index + 1) }) : undefined;
  return build(0) ?? new TypeError("the connection was lost");
}

/** A replay retries at once: there is no server to spare. */
function withoutRetryHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith("retry-after")),
  );
}
