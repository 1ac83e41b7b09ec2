/**
 * A small query to a model server about itself: a GET or POST of JSON with the endpoint's key and a time limit,
 * which yields an answer or undefined.
 */
import { readText } from "../lib/bounded_body.ts";
import { parseJson } from "../lib/json_text.ts";
import { type Endpoint, requestHeaders, urlBelow } from "./endpoint.ts";
import { objectOf } from "./fields.ts";

/** A request to a path beside or below the base URL. */
interface JsonRequest {
  /** Whole URL. */
  readonly url: string;
  /** Sent as JSON; a GET without one. */
  readonly body?: unknown;
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The answer's fields; undefined for an error, too long an answer or anything but JSON. A bare list counts as `data`. */
export async function getJson(
  endpoint: Endpoint,
  { url, body, timeoutMs, signal }: JsonRequest,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const headers = requestHeaders(endpoint);
    if (body !== undefined) headers.set("content-type", "application/json");
    const response = await (endpoint.fetch ?? fetch)(url, {
      headers,
      // Never send the key to another host.
      redirect: "error",
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      ...body !== undefined && { method: "POST", body: JSON.stringify(body) },
    });
    if (!response.ok) {
      await response.body?.cancel();
      return undefined;
    }
    return parseAnswer(await readText(response));
  } catch {
    return undefined;
  }
}

/** The fields of an answer; a bare list, as some servers send, counts as its `data`. */
export function parseAnswer(body: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(body);
  return Array.isArray(value) ? { data: value } : objectOf(value);
}

/** The URL of a path beside the server's API: `http://localhost:11434/props` for `http://localhost:11434/v1`. */
export function urlBeside({ url: endpoint }: Endpoint, path: string): string {
  const url = URL.parse(endpoint);
  if (url === null) return endpoint + path;
  url.pathname = url.pathname.replace(/\/+$/, "").replace(/\/(api\/)?v\d+$/, "");
  return urlBelow(url.href, path);
}
