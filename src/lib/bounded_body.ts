/**
 * Reads answers from the network within limits of size and time. Bytes are counted as they come out of
 * decompression, so that a small compressed answer cannot fill the memory, and the connection is closed as soon as
 * a limit is passed.
 */
import { MAX_TIMER_MS } from "./async.ts";
import { formatBytes, messageOf } from "./text.ts";

/** What the body of an answer may take. */
export interface BodyLimits {
  /** Bytes, decompressed. */
  readonly maxBytes: number;
  /** Milliseconds without a single byte. */
  readonly idleMs: number;
  /** Milliseconds for the whole body. */
  readonly totalMs: number;
}

/**
 * For an answer that is read whole and is no message: an error, a list, metadata. The longest real one is the list of
 * some hundred models, with about 600 kB; the times are those of a slow network, not of a model that thinks.
 */
export const ANSWER_LIMITS: BodyLimits = {
  maxBytes: 1024 * 1024,
  idleMs: 30_000,
  totalMs: 60_000,
};

type Bytes = Uint8Array<ArrayBuffer>;

/** A body broke a limit. */
export class BodyLimitError extends Error {
  override name = "BodyLimitError";
  /** Whether too much came, or too slowly. */
  readonly limit: "size" | "time";

  constructor(limit: "size" | "time", message: string) {
    super(message);
    this.limit = limit;
  }
}

/** The error for a body that is longer than it may be. */
export function oversizedBody(maxBytes: number): BodyLimitError {
  const most = formatBytes(maxBytes);
  return new BodyLimitError("size", `it sent more than ${most}, so the rest was not read`);
}

/** A body that fails with a `BodyLimitError`, and closes its connection, once it breaks a limit. */
export function boundBody(
  body: ReadableStream<Bytes>,
  { maxBytes, idleMs, totalMs }: BodyLimits,
): ReadableStream<Bytes> {
  const reader = body.getReader();
  const start = performance.now();
  let received = 0;
  const readNext = () => {
    const leftMs = start + totalMs - performance.now();
    const late = () =>
      new BodyLimitError(
        "time",
        idleMs < leftMs
          ? `it sent nothing for ${idleMs / 1000} seconds`
          : `its answer was not complete after ${totalMs / 1000} seconds`,
      );
    // What is there already would win against any timer.
    if (leftMs <= 0) throw late();
    return readWithin(reader, { ms: Math.min(idleMs, leftMs), late });
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const bytes = await readNext();
        if (bytes === undefined) return controller.close();
        received += bytes.length;
        if (received > maxBytes) throw oversizedBody(maxBytes);
        controller.enqueue(bytes);
      } catch (error) {
        // The connection may be broken already.
        reader.cancel().catch(() => {});
        throw error;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

/** The whole body of an answer. @throws {BodyLimitError} it breaks a limit */
export async function readBytes(response: Response, limits: BodyLimits): Promise<Bytes> {
  if (response.body === null) return new Uint8Array();
  return new Uint8Array(await new Response(boundBody(response.body, limits)).arrayBuffer());
}

/** The whole body of an answer as text. @throws {BodyLimitError} it breaks a limit */
export async function readText(
  response: Response,
  limits: BodyLimits = ANSWER_LIMITS,
): Promise<string> {
  return new TextDecoder().decode(await readBytes(response, limits));
}

/** The body of an error as text; one that cannot be read is replaced by the reason. */
export async function readErrorText(response: Response): Promise<string> {
  return await readText(response).catch((error) => {
    const why = messageOf(error);
    return error instanceof BodyLimitError ? `${why}; check that the address is right` : why;
  });
}

/**
 * The same answer with its body read as `readErrorText()` reads it: for libraries that read errors without a limit.
 */
export async function settleError(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(await readErrorText(response), { status, statusText, headers });
}

/**
 * The next bytes, or undefined at the end; closes the connection if they take too long.
 * @throws {Error} what `late` makes, after `ms` milliseconds
 */
export async function readWithin(
  reader: ReadableStreamDefaultReader<Bytes>,
  { ms, late }: { ms: number; late: () => Error },
): Promise<Bytes | undefined> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reader.cancel().catch(() => {});
  }, Math.min(ms, MAX_TIMER_MS));
  try {
    const { value } = await reader.read();
    if (isLate) throw late();
    return value;
  } finally {
    clearTimeout(timer);
  }
}
