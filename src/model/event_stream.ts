/**
 * The bytes of an answer -> server-sent events, wherever the network cut them. `npm:eventsource-parser`
 * does the grammar; this adds the time limits and closes the socket when the reader stops reading.
 */
import { failureOf, RequestFailure } from "./failure.ts";

/** One event: its data and, if the server named it, its type. */
export interface StreamEvent {
  readonly type: string | undefined;
  readonly data: string;
}

/**
 * Yields the events of a body; a last event without its blank line counts. Ending the iteration early
 * closes the connection.
 * @throws {RequestFailure} lost: the connection broke, or nothing came for too long
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  limits: { firstMs: number; idleMs: number },
): AsyncGenerator<StreamEvent> {
  const { createParser } = await import("eventsource-parser");
  const events: StreamEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => events.push({ type: event, data }),
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (let limitMs = limits.firstMs;; limitMs = limits.idleMs) {
      const bytes = await readWithin(reader, limitMs);
      parser.feed(bytes ? decoder.decode(bytes, { stream: true }) : `${decoder.decode()}\n\n`);
      yield* events.splice(0);
      if (!bytes) return;
    }
  } finally {
    // Already broken or at its end is as good as closed.
    await reader.cancel().catch(() => {});
  }
}

/** The next bytes, or undefined at the end. */
async function readWithin(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  limitMs: number,
): Promise<Uint8Array | undefined> {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    reader.cancel().catch(() => {});
  }, limitMs);
  try {
    const { value } = await reader.read();
    if (late) throw new RequestFailure("lost", `nothing arrived for ${limitMs / 1000} seconds`);
    return value;
  } catch (error) {
    throw failureOf(error);
  } finally {
    clearTimeout(timer);
  }
}
