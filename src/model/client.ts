/**
 * The model client: streams replies from any OpenAI-compatible server, retries where that can help, falls back
 * where a server refuses part of a request, and never makes a reply out of half a stream, so that no call can
 * run twice. It implements the port `Model`.
 */
import type { ServerFeatures } from "../core/endpoint.ts";
import type { ImagePart } from "../core/image.ts";
import { type AssistantMessage, imagesOf } from "../core/message.ts";
import type { EffortDialect, Model, ModelRequest, Reply } from "../core/model.ts";
import { formatCount } from "../lib/text.ts";
import type { AnswerFields } from "./answer_format.ts";
import { ReplyAssembler, type TextDelta } from "./assemble.ts";
import { chunksOf } from "./chunks.ts";
import { connect, type Send } from "./connection.ts";
import { type Fallback, findRefusal, parseFallback } from "./dialects.ts";
import type { Endpoint } from "./endpoint.ts";
import { RequestFailure } from "./failure.ts";
import { objectOf, textOf } from "./fields.ts";
import { IdleNotice } from "./idle_notice.ts";
import { DeltaResumer } from "./resume_deltas.ts";
import { type Clock, LoadingWait, SYSTEM_CLOCK, waitBeforeRetry } from "./retry.ts";
import { promptProgressOf } from "./token_counts.ts";
import { bodyOf, createToolEncoder, partsOf, type WireBody } from "./wire.ts";

/** How a server is asked, and how long it may take. */
export interface ClientLimits {
  /** Whether replies are asked for in pieces as they come. */
  readonly stream: boolean;
  /** Further attempts after a failed one. */
  readonly retries: number;
  /** Milliseconds until an answer must have begun; local servers are slow. */
  readonly requestTimeoutMs: number;
  /** Milliseconds of silence within an answer that count as a broken stream. */
  readonly idleTimeoutMs: number;
  /** Milliseconds that one answer may take in all. */
  readonly replyTimeoutMs: number;
}

/** How a model is reached, and how patient the client is. */
export interface ModelOptions extends Endpoint, ClientLimits {
  /** Milliseconds of silence after which the user is told. @default 15 seconds */
  readonly idleNoticeMs?: number | undefined;
  /** Fallbacks known from earlier runs, by model. @default none */
  readonly knownFallbacks?: ((model: string) => readonly string[]) | undefined;
  /** What the server has shown that it knows, by model. @default nothing */
  readonly featuresOf?: ((model: string) => ServerFeatures | undefined) | undefined;
  /** How the server is told how much to think, by model. @default in OpenAI's field */
  readonly effortDialectOf?: ((model: string) => EffortDialect | undefined) | undefined;
  /** The data URL of a picture; undefined if its bytes are gone. @default no picture is sent */
  readonly imageUrlOf?: ((image: ImagePart) => Promise<string | undefined>) | undefined;
  /** Called for each new fallback. */
  readonly onFallback?: ((model: string, fallback: Fallback) => void) | undefined;
  /** @default the real one */
  readonly clock?: Clock | undefined;
}

type ReplyOptions = Parameters<Model["reply"]>[1];

/** Characters of text and thinking after which a reply is considered endless. */
const MAX_CHARACTERS = 2_000_000;

/** Makes a client for one endpoint; nothing is loaded or sent before the first request. */
export function createModel(options: ModelOptions): Model {
  return new ModelClient(options);
}

class ModelClient implements Model {
  readonly #endpoint: Endpoint;
  readonly #retries: number;
  readonly #limits: { firstMs: number; idleMs: number; totalMs: number };
  readonly #idleNoticeMs: number | undefined;
  readonly #clock: Clock;
  readonly #knownFallbacks: ModelOptions["knownFallbacks"];
  readonly #featuresOf: ModelOptions["featuresOf"];
  readonly #effortDialectOf: ModelOptions["effortDialectOf"];
  readonly #imageUrlOf: ModelOptions["imageUrlOf"];
  readonly #onFallback: ModelOptions["onFallback"];
  /** Fallbacks used in every request. */
  readonly #alwaysOmitted: readonly Fallback[];
  readonly #encodeTool = createToolEncoder();
  /** The fallbacks in use, by model. */
  readonly #fallbacks = new Map<string, Set<Fallback>>();
  #connection: Promise<Send> | undefined;

  constructor(options: ModelOptions) {
    this.#endpoint = options;
    this.#alwaysOmitted = options.stream ? [] : ["stream"];
    this.#retries = options.retries;
    this.#limits = {
      firstMs: options.requestTimeoutMs,
      idleMs: options.idleTimeoutMs,
      totalMs: options.replyTimeoutMs,
    };
    this.#idleNoticeMs = options.idleNoticeMs;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#knownFallbacks = options.knownFallbacks;
    this.#featuresOf = options.featuresOf;
    this.#effortDialectOf = options.effortDialectOf;
    this.#imageUrlOf = options.imageUrlOf;
    this.#onFallback = options.onFallback;
  }

  async reply(asked: ModelRequest, options: ReplyOptions): Promise<Reply> {
    const { signal, onDelta } = options;
    let request = asked;
    const resumer = new DeltaResumer();
    const loading = new LoadingWait({ limitMs: this.#limits.firstMs, clock: this.#clock });
    const onLoading = (ms: number) => onDelta({ kind: "loading", ms });
    for (let attempt = 1;;) {
      const format = request.answer && await import("./answer_format.ts");
      const shaped = format?.withAnswerTool(request, this.#fallbacksFor(request)) ?? request;
      const assembly = new ReplyAssembler(shaped);
      try {
        signal.throwIfAborted();
        const answer = format?.answerFields(shaped, this.#fallbacksFor(shaped));
        const reply = await this.#attempt(shaped, { ...options, resumer, assembly, answer });
        return format?.readAnswer(reply, shaped) ?? reply;
      } catch (error) {
        if (signal.aborted) return { message: interruptedMessage(resumer, assembly) };
        if (error instanceof ThinkingCut) {
          request = { ...asked, effort: "none" };
          resumer.restart().forEach(onDelta);
          continue;
        }
        if (!(error instanceof RequestFailure)) throw error;
        if (await loading.wait(error, { signal, onLoading })) continue;
        const context = { request, attempt, signal, resumer };
        if (this.#fallBack(error, { request: shaped, onDelta })) {
          resumer.restart().forEach(onDelta);
          continue;
        }
        const retries = request.warms ? 0 : this.#retries;
        const limits = { attempt, retries, clock: this.#clock };
        const waitMs = waitBeforeRetry(error, limits);
        if (waitMs === undefined) throw await this.#explain(error, context);
        const { describeRetry } = await import("./explain_failure.ts");
        onDelta({ kind: "retry", why: describeRetry(error, this.#endpoint), waitMs });
        resumer.restart().forEach(onDelta);
        await this.#clock.delay(waitMs, signal);
        attempt++;
      }
    }
  }

  async #attempt(
    request: ModelRequest,
    { signal, onDelta, answerNow, resumer, assembly, answer }: ReplyOptions & {
      resumer: DeltaResumer;
      assembly: ReplyAssembler;
      answer: AnswerFields | undefined;
    },
  ): Promise<Reply> {
    const show = (pieces: readonly TextDelta[]) =>
      pieces.flatMap((piece) => resumer.push(piece)).forEach(onDelta);
    let begun = false;
    let isTold = request.effort === "none";
    let sent: Reply["sent"];
    using idleNotice = new IdleNotice({
      notify: (ms) => signal.aborted || onDelta({ kind: "idle", ms, begun }),
      firstMs: this.#idleNoticeMs,
    });
    try {
      const tools = request.tools.map(this.#encodeTool);
      const body = bodyOf(request, {
        tools,
        omit: this.#fallbacksFor(request),
        features: this.#featuresOf?.(request.model),
        effortBy: this.#effortDialectOf?.(request.model),
        controlsThinking: answerNow !== undefined,
        answer,
        imageUrls: await this.#imageUrls(request),
      });
      sent = partsOf(body);
      const response = await this.#send(body, signal);
      const options = { ...this.#limits, finished: () => assembly.finished };
      for await (const chunk of chunksOf(response, options)) {
        signal.throwIfAborted();
        idleNotice.reset();
        const progress = promptProgressOf(objectOf(chunk));
        if (progress !== undefined) onDelta({ kind: "reading", ...progress });
        begun ||= progress === undefined;
        const pieces = assembly.add(chunk);
        show(pieces);
        if (answerNow?.aborted && !isTold && pieces.at(-1)?.kind === "thinking") {
          isTold = true;
          const id = textOf(objectOf(chunk)?.["id"]);
          await this.#answerNow(request, { id, signal, onDelta });
        }
        if (assembly.length > MAX_CHARACTERS) throw endlessReply();
      }
    } catch (error) {
      // The model had written the held-back text too.
      show(assembly.flush());
      throw error;
    }
    show(await assembly.end());
    resumer.end().forEach(onDelta);
    return { ...await assembly.reply(), sent };
  }

  /** Ends the thinking. @throws {ThinkingCut} the request is to be made again, without thinking */
  async #answerNow(
    request: ModelRequest,
    { id, signal, onDelta }: { id: string | undefined } & Omit<ReplyOptions, "answerNow">,
  ): Promise<void> {
    const { model } = request;
    const isControlled = this.#featuresOf?.(model)?.kind === "llamacpp" && id !== undefined;
    if (isControlled) {
      const { endThinking } = await import("./end_thinking.ts");
      if (await endThinking(this.#endpoint, { id, model, signal })) {
        return onDelta({ kind: "answer_now", how: "told" });
      }
    }
    const isRefused = this.#fallbacksFor(request).has("effort");
    if (isRefused || this.#effortDialectOf?.(model) === undefined) {
      return onDelta({ kind: "answer_now", how: "cannot" });
    }
    onDelta({ kind: "answer_now", how: "asked_again" });
    throw new ThinkingCut();
  }

  /** The pictures of a request, unless the model takes none. */
  async #imageUrls(request: ModelRequest): Promise<ReadonlyMap<string, string> | undefined> {
    const images = request.messages.flatMap(imagesOf);
    if (images.length === 0 || this.#fallbacksFor(request).has("images")) return undefined;
    const urls = new Map<string, string>();
    for (const image of images) {
      const url = urls.get(image.hash) ?? await this.#imageUrlOf?.(image);
      if (url !== undefined) urls.set(image.hash, url);
    }
    return urls;
  }

  async #send(body: WireBody, signal: AbortSignal): Promise<Response> {
    const requestTimeoutMs = this.#limits.firstMs;
    this.#connection ??= connect({ ...this.#endpoint, requestTimeoutMs });
    const send = await this.#connection;
    return await send(body, signal);
  }

  #fallbacksFor({ model }: ModelRequest): Set<Fallback> {
    const known = this.#fallbacks.get(model) ??
      new Set([
        ...this.#alwaysOmitted,
        ...(this.#knownFallbacks?.(model) ?? []).flatMap((name) => parseFallback(name) ?? []),
      ]);
    this.#fallbacks.set(model, known);
    return known;
  }

  /** Whether the failure was a refusal for which a fallback is used from now on. */
  #fallBack(
    failure: RequestFailure,
    { request, onDelta }: { request: ModelRequest } & Pick<ReplyOptions, "onDelta">,
  ): boolean {
    const active = this.#fallbacksFor(request);
    const refusal = findRefusal(failure, { request, active });
    if (refusal === undefined) return false;
    active.add(refusal.fallback);
    this.#onFallback?.(request.model, refusal.fallback);
    if (refusal.notice) onDelta({ kind: "fallback", text: `${request.model} ${refusal.notice}` });
    return true;
  }

  async #explain(
    failure: RequestFailure,
    { request, attempt, signal, resumer }: {
      request: ModelRequest;
      attempt: number;
      signal: AbortSignal;
      resumer: DeltaResumer;
    },
  ) {
    const endpoint = this.#endpoint;
    const models = failure.status === 404
      ? await import("./models.ts")
        .then(({ listModels }) => listModels(endpoint, signal)).catch(() => undefined)
      : undefined;
    const { text, thinking } = resumer.shown;
    const partial = text === "" && thinking === "" ? undefined : { text, thinking };
    const context = { endpoint, model: request.model, models, attempts: attempt, partial };
    const { explainFailure } = await import("./explain_failure.ts");
    return explainFailure(failure, context);
  }
}

/** The request is cut, to be made again without thinking. */
class ThinkingCut extends Error {
  override name = "ThinkingCut";
}

/** What was shown of a reply that the user interrupted; incomplete calls are dropped. */
function interruptedMessage(
  resumer: DeltaResumer,
  { reasoning }: ReplyAssembler,
): AssistantMessage {
  const { text, thinking } = resumer.shown;
  const thought = thinking.trim();
  // Details are signed at their end.
  const isWhole = reasoning?.place.in !== "fields" ||
    !("reasoning_details" in reasoning.place.fields);
  return {
    role: "assistant",
    content: text,
    calls: [],
    ...thought && { thinking: thought },
    ...thought && reasoning && isWhole && { reasoning },
    interrupted: true,
  };
}

function endlessReply(): RequestFailure {
  const most = formatCount(MAX_CHARACTERS);
  return new RequestFailure("endless", `it was stopped after ${most} characters`);
}
