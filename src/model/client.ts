/**
 * The model client: streams replies from any OpenAI-compatible server, tries again where that can help, does
 * without what a server refuses, and never makes a reply of half a stream, so that no call in it can be run
 * twice. Made once by the composition root; the loop knows it as the port `Model`.
 */
import type { AssistantMessage } from "../core/message.ts";
import type { Model, ModelRequest, Reply } from "../core/model.ts";
import { type Piece, ReplyAssembly } from "./assemble.ts";
import { chunksOf } from "./chunks.ts";
import { connect, type Send } from "./connection.ts";
import { type Concession, isConcession, refusalIn } from "./dialects.ts";
import type { Endpoint } from "./endpoint.ts";
import { explain } from "./explain.ts";
import { RequestFailure } from "./failure.ts";
import { Quiet } from "./idle_notice.ts";
import { listModels } from "./models.ts";
import { Retelling } from "./resume_deltas.ts";
import { type Clock, describeFailure, SYSTEM_CLOCK, waitBeforeRetry } from "./retry.ts";
import { bodyOf, toolEncoder } from "./wire.ts";

export interface ModelOptions extends Endpoint {
  /** Whether replies are asked for in pieces as they come. @default true */
  readonly stream?: boolean | undefined;
  /** Further attempts after a failed one. @default 4 */
  readonly retries?: number | undefined;
  /** Milliseconds until an answer must have begun; local servers are slow. @default 30 minutes */
  readonly requestTimeoutMs?: number | undefined;
  /** Milliseconds of silence within an answer that count as a broken stream. @default 5 minutes */
  readonly idleTimeoutMs?: number | undefined;
  /** Milliseconds that one answer may take in all. @default 2 hours */
  readonly replyTimeoutMs?: number | undefined;
  /** Milliseconds of silence after which that is told. @default 15 seconds */
  readonly quietMs?: number | undefined;
  /** What is known of a model's refusals before it was asked. @default nothing */
  readonly refusals?: ((model: string) => readonly string[]) | undefined;
  /** Told of each refusal that was met. */
  readonly onRefusal?: ((model: string, concession: Concession) => void) | undefined;
  /** @default the real one */
  readonly clock?: Clock | undefined;
}

type ReplyOptions = Parameters<Model["reply"]>[1];

/** Characters of text and thinking after which a reply will not end any more. */
const MOST_CHARACTERS = 2_000_000;

/** Makes a client for one endpoint; nothing is loaded or sent before the first request. */
export function createModel(options: ModelOptions): Model {
  return new ModelClient(options);
}

class ModelClient implements Model {
  readonly #endpoint: Endpoint;
  readonly #retries: number;
  readonly #limits: { firstMs: number; idleMs: number; totalMs: number };
  readonly #quietMs: number | undefined;
  readonly #clock: Clock;
  readonly #refusals: ModelOptions["refusals"];
  readonly #onRefusal: ModelOptions["onRefusal"];
  /** What is left out of every request. */
  readonly #unwanted: readonly Concession[];
  readonly #encodeTool = toolEncoder();
  /** What the server refused, by model. */
  readonly #conceded = new Map<string, Set<Concession>>();
  #connection: Promise<Send> | undefined;

  constructor(options: ModelOptions) {
    this.#endpoint = options;
    this.#unwanted = options.stream === false ? ["stream"] : [];
    this.#retries = options.retries ?? 4;
    this.#limits = {
      firstMs: options.requestTimeoutMs ?? 30 * 60_000,
      idleMs: options.idleTimeoutMs ?? 5 * 60_000,
      totalMs: options.replyTimeoutMs ?? 120 * 60_000,
    };
    this.#quietMs = options.quietMs;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#refusals = options.refusals;
    this.#onRefusal = options.onRefusal;
  }

  async reply(request: ModelRequest, options: ReplyOptions): Promise<Reply> {
    const { signal, onDelta } = options;
    const retelling = new Retelling();
    for (let attempt = 1;;) {
      try {
        signal.throwIfAborted();
        return await this.#attempt(request, { ...options, retelling });
      } catch (error) {
        if (signal.aborted) return { message: interrupted(retelling) };
        if (!(error instanceof RequestFailure)) throw error;
        const circumstances = { request, attempt, signal, retelling };
        if (this.#concede(error, { request, onDelta })) {
          retelling.again().forEach(onDelta);
          continue;
        }
        const limits = { attempt, retries: this.#retries, clock: this.#clock };
        const waitMs = waitBeforeRetry(error, limits);
        if (waitMs === undefined) throw await this.#explain(error, circumstances);
        onDelta({ kind: "retry", why: describeFailure(error), waitMs });
        retelling.again().forEach(onDelta);
        await this.#clock.delay(waitMs, signal);
        attempt++;
      }
    }
  }

  async #attempt(
    request: ModelRequest,
    { signal, onDelta, retelling }: ReplyOptions & { retelling: Retelling },
  ): Promise<Reply> {
    const assembly = new ReplyAssembly(request);
    const show = (pieces: readonly Piece[]) =>
      pieces.flatMap((piece) => retelling.push(piece)).forEach(onDelta);
    let begun = false;
    using quiet = new Quiet({
      tell: (ms) => signal.aborted || onDelta({ kind: "quiet", ms, begun }),
      firstMs: this.#quietMs,
    });
    try {
      const response = await this.#send(request, signal);
      const options = { ...this.#limits, finished: () => assembly.finished };
      for await (const chunk of chunksOf(response, options)) {
        signal.throwIfAborted();
        quiet.heard();
        begun = true;
        show(assembly.add(chunk));
        if (assembly.length > MOST_CHARACTERS) throw tooLong();
      }
    } catch (error) {
      // What was held back was said too.
      show(assembly.breakOff());
      throw error;
    }
    show(await assembly.end());
    retelling.end().forEach(onDelta);
    return await assembly.reply();
  }

  async #send(request: ModelRequest, signal: AbortSignal): Promise<Response> {
    const requestTimeoutMs = this.#limits.firstMs;
    this.#connection ??= connect({ ...this.#endpoint, requestTimeoutMs });
    const send = await this.#connection;
    const tools = request.tools.map(this.#encodeTool);
    return await send(bodyOf(request, { tools, without: this.#without(request) }), signal);
  }

  #without({ model }: ModelRequest): Set<Concession> {
    const known = this.#conceded.get(model) ??
      new Set([...this.#unwanted, ...this.#refusals?.(model).filter(isConcession) ?? []]);
    this.#conceded.set(model, known);
    return known;
  }

  /** Whether the failure was a refusal that can be met by asking in another way. */
  #concede(
    failure: RequestFailure,
    { request, onDelta }: { request: ModelRequest } & Pick<ReplyOptions, "onDelta">,
  ): boolean {
    const made = this.#without(request);
    const refusal = refusalIn(failure, { request, made });
    if (refusal === undefined) return false;
    made.add(refusal.concession);
    this.#onRefusal?.(request.model, refusal.concession);
    if (refusal.notice) onDelta({ kind: "conceded", text: `${request.model} ${refusal.notice}` });
    return true;
  }

  async #explain(
    failure: RequestFailure,
    { request, attempt, signal, retelling }: {
      request: ModelRequest;
      attempt: number;
      signal: AbortSignal;
      retelling: Retelling;
    },
  ) {
    const endpoint = this.#endpoint;
    const models = failure.status === 404
      ? await listModels(endpoint, signal).catch(() => undefined)
      : undefined;
    const { text, thinking } = retelling.shown;
    const partial = text === "" && thinking === "" ? undefined : { text, thinking };
    const circumstances = { endpoint, model: request.model, models, attempts: attempt, partial };
    return explain(failure, circumstances);
  }
}

/** What was shown of a reply that the user cut off; a call that may be half is none. */
function interrupted(retelling: Retelling): AssistantMessage {
  const { text, thinking } = retelling.shown;
  const thought = thinking.trim();
  return {
    role: "assistant",
    content: text,
    calls: [],
    ...thought && { thinking: thought },
    interrupted: true,
  };
}

function tooLong(): RequestFailure {
  const most = MOST_CHARACTERS.toLocaleString("en-US");
  return new RequestFailure("endless", `it was stopped after ${most} characters`);
}
