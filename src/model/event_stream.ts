/**
 * The bytes of an answer -> server-sent events, wherever the network cut them. `npm:eventsource-parser`
 * does the grammar; this adds the limits of time and size, takes lines of bare JSON for events too, and
 * closes the socket when the reader stops reading.
 */
import { readWithin } from "../lib/bounded_body.ts";
import { parseJson } from "../lib/json_text.ts";
import { failureOf, RequestFailure } from "./failure.ts";

/** One event: its data and, if the server named it, its type. */
export interface StreamEvent {
  readonly type: string | undefined;
  readonly data: string;
}

/** Milliseconds. Comments that only keep a connection open are not events. */
export interface StreamLimits {
  /** Until the first event, and between two events. */
  readonly firstMs: number;
  /** Without a single byte, once the first has come. */
  readonly idleMs: number;
  /** For the whole stream. @default no limit */
  readonly totalMs?: number | undefined;
}

/** Bytes of one answer and characters of one event: more than any model's reply. */
const MAX_BYTES = 256_000_000;
const MAX_EVENT_CHARACTERS = 32_000_000;
/** Characters of JSON over many lines that are parsed before it is whole; then its end is that of the body. */
const MAX_VAIN_CHARACTERS = 100_000_000;
/** Ends the last event where the stream does not. */
const END = "\n\n";

/**
 * Yields the events of a body; a last event without its blank line counts. Ending the iteration early
 * closes the connection.
 * @throws {RequestFailure} lost: the connection broke, or nothing came for too long; endless: too much came
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  limits: StreamLimits,
): AsyncGenerator<StreamEvent> {
  const { createParser } = await import("eventsource-parser");
  const events: StreamEvent[] = [];
  let torn = false;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (!torn) events.push({ type: event, data });
    },
    onError: ({ field, value = "", line = "" }) => {
      // llama.cpp has reported errors this way.
      if (field === "error") events.push({ type: field, data: value });
      // The beginning of this part was lost: what follows does not continue what came before.
      else if (line.includes('"choices"')) torn = true;
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const deadlines = new Deadlines(limits);
  let feed: ((text: string) => void) | undefined;
  let received = 0;
  let pending = 0;
  try {
    for (;;) {
      const bytes = await readBefore(reader, deadlines.next());
      received += bytes?.length ?? 0;
      const text = bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode() + END;
      if (bytes) feed ??= createFeeder(text, (whole) => parser.feed(whole));
      feed?.(text);
      pending = events.length > 0 ? 0 : pending + text.length;
      if (events.length > 0) deadlines.event();
      yield* events.splice(0);
      if (torn) throw new RequestFailure("lost", "part of the stream is no event");
      if (!bytes) return;
      if (received > MAX_BYTES || pending > MAX_EVENT_CHARACTERS) throw endlessAnswer(received);
    }
  } finally {
    // It may be broken or at its end already.
    await reader.cancel().catch(() => {});
  }
}

interface Deadline {
  readonly kind: "lost" | "timeout";
  readonly ms: number;
  readonly why: string;
}

/** How long the next bytes may take. */
class Deadlines {
  readonly #limits: StreamLimits;
  readonly #start = performance.now();
  #lastEvent = this.#start;
  #begun = false;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  event(): void {
    this.#lastEvent = performance.now();
  }

  /** The nearest limit. @throws {RequestFailure} it has passed */
  next(): Deadline {
    const { firstMs, idleMs, totalMs = Infinity } = this.#limits;
    const now = performance.now();
    const silence = this.#begun ? idleMs : firstMs;
    this.#begun = true;
    const choices: Deadline[] = [
      { kind: "lost", ms: silence, why: `nothing arrived for ${silence / 1000} seconds` },
      {
        kind: "timeout",
        ms: this.#lastEvent + firstMs - now,
        why: `no part of the reply arrived for ${firstMs / 1000} seconds`,
      },
      {
        kind: "timeout",
        ms: this.#start + totalMs - now,
        why: `the reply was not whole after ${totalMs / 1000} seconds`,
      },
    ];
    const nearest = choices.reduce((least, one) => one.ms < least.ms ? one : least);
    if (nearest.ms <= 0) throw new RequestFailure(nearest.kind, nearest.why);
    return nearest;
  }
}

function endlessAnswer(received: number): RequestFailure {
  return new RequestFailure("endless", `over ${Math.floor(received / 1_000_000)} MB arrived`);
}

/** Feeds text to the parser: unchanged, or with each line of bare JSON turned into an event. */
function createFeeder(first: string, parse: (text: string) => void): (text: string) => void {
  if (!/^\ufeff?\s*[{[]/.test(first)) return parse;
  let line = "";
  let value = "";
  let vainCharacters = 0;
  return (text) => {
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = line + lines[0];
    line = lines.pop() ?? "";
    for (const [index, one] of lines.entries()) {
      value += one;
      // A value may span many lines, which are joined; what never becomes JSON is passed on at the end.
      const isEnd = text === END && index === lines.length - 1;
      const mayEnd = vainCharacters < MAX_VAIN_CHARACTERS && endsWithBracket(one);
      if (!isEnd && !mayEnd) continue;
      const whole = value.trim();
      if (whole === "") continue;
      if (!isEnd && parseJson(whole) === undefined) {
        vainCharacters += whole.length;
        continue;
      }
      parse(`data: ${whole}${END}`);
      value = "";
    }
  };
}

function endsWithBracket(line: string): boolean {
  const last = line.trimEnd().at(-1);
  return last === "}" || last === "]";
}

/** The next bytes, or undefined at the end. */
async function readBefore(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  { kind, ms, why }: Deadline,
): Promise<Uint8Array | undefined> {
  try {
    return await readWithin(reader, { ms, late: () => new RequestFailure(kind, why) });
  } catch (error) {
    throw failureOf(error);
  }
}
