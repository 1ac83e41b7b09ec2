/**
 * An answer -> its chunks, whatever its form: a stream, a stream that is badly framed, lines of bare JSON, or
 * one JSON text. It ends without an error only if the answer was complete.
 */
import { BodyLimitError, readText } from "../lib/bounded_body.ts";
import { parseJson } from "../lib/json_text.ts";
import { messageOf } from "../lib/text.ts";
import { readEvents, type StreamEvent, type StreamLimits } from "./event_stream.ts";
import { failureOf, RequestFailure } from "./failure.ts";
import { listOf, numberOf, objectOf } from "./fields.ts";

/** How long a stream may take, and when it counts as complete. */
interface ChunkOptions extends StreamLimits {
  /** Whether a chunk so far said why the server stopped. */
  readonly finished: () => boolean;
}

/** The chunks of an answer. @throws {RequestFailure} it is an error, is torn, or is no completion */
export async function* chunksOf(
  response: Response,
  options: ChunkOptions,
): AsyncGenerator<unknown> {
  const type = response.headers.get("content-type") ?? "";
  if (/html/.test(type) || response.body === null) {
    throw new RequestFailure("foreign", await readPage(response));
  }
  const isJson = /json/.test(type);
  let seen = false;
  let whole = false;
  try {
    for await (const event of readEvents(response.body, options)) {
      for (const data of dataOf(event)) {
        if (data === "[DONE]") return;
        const chunk = chunkOf({ type: event.type, data });
        if (isJson && !seen && !isCompletion(chunk)) throw new RequestFailure("foreign", data);
        seen = true;
        whole ||= isCompleteAnswer(chunk);
        yield chunk;
      }
    }
  } catch (error) {
    // After the finish reason only the usage is missing, and the reply is worth more than that.
    const isLost = error instanceof RequestFailure && error.kind === "lost";
    if (!options.finished() || !isLost) throw error;
  }
  if (isJson && !seen) throw new RequestFailure("foreign", "");
  if (!options.finished() && !whole) throw new RequestFailure("lost", "the stream ended early");
}

async function readPage(response: Response): Promise<string> {
  try {
    return await readText(response);
  } catch (error) {
    if (error instanceof BodyLimitError) return error.message;
    throw failureOf(error);
  }
}

/** The data of an event; of several, if a server separated them by one line end instead of two. */
function dataOf({ data }: StreamEvent): string[] {
  const parts = data.split("\n").map((part) => part.replace(/^\s*(?:data:\s*)*/, "").trim())
    .filter((part) => part !== "");
  if (parts.length < 2) return parts;
  return parts.every((part) => part === "[DONE]" || parseJson(part) !== undefined)
    ? parts
    : [data.trim()];
}

/** One chunk. @throws {RequestFailure} it reports an error, or is torn */
function chunkOf({ type, data }: StreamEvent): unknown {
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch (cause) {
    if (type === "error") throwIfError(data);
    const words = `part of the stream is not JSON: ${messageOf(cause)}`;
    throw new RequestFailure("lost", words, { cause });
  }
  const fields = objectOf(chunk);
  const isError = type === "error" || fields?.["object"] === "error";
  throwIfError(fields?.["error"] ?? (isError ? chunk : undefined));
  // OpenRouter reports a provider's failure where the text would be.
  throwIfError(objectOf(listOf(fields?.["choices"])[0])?.["error"]);
  return chunk;
}

function isCompletion(chunk: unknown): boolean {
  const fields = objectOf(chunk);
  return listOf(fields?.["choices"]).length > 0 || objectOf(fields?.["message"]) !== undefined;
}

/** Whether a chunk is a complete answer. */
function isCompleteAnswer(chunk: unknown): boolean {
  const choice = objectOf(listOf(objectOf(chunk)?.["choices"])[0]);
  return objectOf(choice?.["message"]) !== undefined;
}

/** @throws {RequestFailure} the server's error, with a status if it gave one for a code */
function throwIfError(error: unknown): void {
  if (error === undefined || error === null) return;
  const fields = objectOf(error);
  const code = numberOf(Number(fields?.["code"] ?? fields?.["status"]));
  const status = code !== undefined && code >= 400 && code < 600 ? code : undefined;
  throw new RequestFailure("answered", JSON.stringify(error), { status });
}
