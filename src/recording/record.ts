/**
 * Records the traffic with a model server: wraps `fetch`, passes everything on as it comes, and writes down requests
 * and answers. Of headers it records only those that a replay needs, so that no key can get in; texts are masked.
 */
import { mapStrings } from "../lib/json_strings.ts";
import { parseJson } from "../lib/json_text.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import { causeMessages } from "../lib/text.ts";
import { targetOf } from "../model/endpoint.ts";
import { mapStreamText } from "./map_stream_text.ts";
import {
  CHAT,
  FORMAT,
  messagesOf,
  type RecordingHeader,
  type RecordingLine,
  type ResponseLine,
  type RunLine,
  type TimedChunk,
  VERSION,
} from "./traffic.ts";

/** What a recorder writes to, and for which servers. */
interface RecorderOptions {
  /** Takes one line without its end; does not throw. */
  readonly write: (line: string) => void;
  /** Base URLs of the servers, the one that the run begins with first. */
  readonly endpoints: readonly string[];
  /** Hides secrets. */
  readonly mask: (text: string) => string;
  /** How the server is reached. */
  readonly fetch: typeof fetch;
}

/** Headers of an answer without which it would be read differently. */
const RECORDED_HEADERS = ["content-type", "retry-after", "retry-after-ms"];
/** How many earlier requests are searched for one that a request continues. */
const LOOK_BACK = 16;

interface SentRequest {
  readonly id: number;
  /** All of the body but its messages, as JSON. */
  readonly frame: string;
  readonly messages: readonly string[];
}

/** One recording, from its header to its end. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #started = performance.now();
  readonly #sent: SentRequest[] = [];
  #count = 0;
  #chats = 0;
  /** Lines from before the header, while the model is not yet known. */
  #early: string[] | undefined = [];

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** How many requests the conversation has made. */
  get requests(): number {
    return this.#chats;
  }

  /** Writes the first line. */
  begin(header: Omit<RecordingHeader, "type" | "format" | "version">): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#put({ type: "header", format: FORMAT, version: VERSION, ...header });
    early.forEach(this.#options.write);
  }

  /** Records what else belongs to the run. */
  note(line: RunLine): void {
    this.#put(line);
  }

  /** Records that the run came to its end. */
  end(): void {
    this.#put({ type: "end" });
  }

  /** The global `fetch`, recorded. */
  readonly fetch: typeof fetch = async (input, init) => {
    const id = this.#request(input, init);
    const sentAt = performance.now();
    const respond = (rest: Omit<ResponseLine, "type" | "id">) =>
      this.#put({ type: "response", id, ...rest });
    let response: Response;
    try {
      response = await this.#options.fetch(input, init);
    } catch (error) {
      const end = init?.signal?.aborted ? "cancelled" : "lost";
      respond({ chunks: [], end, status: 0, errors: this.#errors(error) });
      throw error;
    }
    const { status, statusText } = response;
    const known = { status, headers: recordedHeaders(response.headers) };
    if (response.body === null) {
      respond({ ...known, chunks: [], end: "done" });
      return response;
    }
    const body = this.#recordBody(response.body, {
      sentAt,
      signal: init?.signal,
      respond: (rest) => respond({ ...known, ...rest }),
    });
    return new Response(body, { status, statusText, headers: response.headers });
  };

  #request(input: RequestInfo | URL, init: RequestInit | undefined): number {
    const id = ++this.#count;
    const url = input instanceof Request ? input.url : String(input);
    const method = init?.method ?? (input instanceof Request ? input.method : "GET");
    const { path, endpoint } = targetOf(url, this.#options.endpoints);
    const request = {
      type: "request",
      id,
      at_ms: Math.round(performance.now() - this.#started),
      method,
      ...endpoint !== undefined && { endpoint },
      path,
    } as const;
    if (request.path === CHAT) this.#chats++;
    const sent = typeof init?.body === "string" ? parseJson(init.body) : undefined;
    if (!isObject(sent)) {
      this.#put(request);
      return id;
    }
    const body = mapStrings(sent, this.#options.mask);
    this.#put({ ...request, ...this.#withoutRepeats(body, id) });
    return id;
  }

  /** The body, or what it adds to that of an earlier request. */
  #withoutRepeats(body: JsonObject, id: number): { body: JsonObject; follows?: number } {
    const { messages: _, ...frame } = body;
    const all = messagesOf(body);
    const now = {
      id,
      frame: JSON.stringify(frame),
      messages: all.map((one) => JSON.stringify(one)),
    };
    const before = this.#sent.findLast((sent) =>
      sent.frame === now.frame && sent.messages.length > 0 &&
      sent.messages.every((message, index) => message === now.messages[index])
    );
    this.#sent.push(now);
    if (this.#sent.length > LOOK_BACK) this.#sent.shift();
    if (before === undefined) return { body };
    return { follows: before.id, body: { messages: all.slice(before.messages.length) } };
  }

  /** The bytes as they arrive; recorded once all have arrived. */
  #recordBody(
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    { sentAt, signal, respond }: {
      sentAt: number;
      signal: AbortSignal | null | undefined;
      respond: (rest: Pick<ResponseLine, "chunks" | "end" | "errors">) => void;
    },
  ): ReadableStream<Uint8Array<ArrayBuffer>> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const pieces: TimedChunk[] = [];
    let isRecorded = false;
    const add = (bytes?: Uint8Array) => {
      const text = bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
      if (text !== "") pieces.push([Math.round(performance.now() - sentAt), text]);
    };
    const finish = (end: ResponseLine["end"], error?: unknown) => {
      if (isRecorded) return;
      isRecorded = true;
      add();
      const errors = error === undefined ? {} : { errors: this.#errors(error) };
      respond({ chunks: this.#masked(pieces), end, ...errors });
    };
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) {
            finish("done");
            return controller.close();
          }
          add(value);
          controller.enqueue(value);
        } catch (error) {
          finish(signal?.aborted ? "cancelled" : "lost", error);
          controller.error(error);
        }
      },
      cancel: async (reason) => {
        finish(signal?.aborted ? "cancelled" : "done");
        await reader.cancel(reason);
      },
    }, { highWaterMark: 0 });
  }

  /** A secret may lie across pieces; then all becomes one piece. */
  #masked(pieces: readonly TimedChunk[]): readonly TimedChunk[] {
    const whole = pieces.map(([, text]) => text).join("");
    const masked = mapStreamText(whole, this.#options.mask);
    return masked === whole ? pieces : [[pieces.at(-1)?.[0] ?? 0, masked]];
  }

  #errors(error: unknown): string[] {
    return causeMessages(error).map((message) => this.#options.mask(message));
  }

  #put(line: RecordingLine): void {
    const text = JSON.stringify(line);
    if (this.#early && line.type !== "header") this.#early.push(text);
    else this.#options.write(text);
  }
}

function recordedHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(RECORDED_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  }));
}
