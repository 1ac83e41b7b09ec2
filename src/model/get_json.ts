/**
 * A small question to a model server: a GET or POST of JSON, with the endpoint's key, a limit of time, and
 * nothing but an answer or undefined. What servers tell of themselves is asked through it.
 */
import { parseJson } from "../lib/json_text.ts";
import { type Endpoint, urlBelow } from "./endpoint.ts";
import { objectOf } from "./fields.ts";

/** Bytes of an answer that are looked at. */
const MAX_BYTES = 4_000_000;

/** A question to a path beside or below the base URL. */
export interface JsonRequest {
  /** Whole URL. */
  readonly url: string;
  /** Sent as JSON; a GET without one. */
  readonly body?: unknown;
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The answer's fields, or undefined if there is none, or an error, or no JSON. A bare list is its `data`. */
export async function getJson(
  endpoint: Endpoint,
  { url, body, timeoutMs, signal }: JsonRequest,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const limit = AbortSignal.timeout(timeoutMs);
  const headers = new Headers(endpoint.headers);
  headers.set("accept", "application/json");
  if (endpoint.apiKey) headers.set("authorization", `Bearer ${endpoint.apiKey}`);
  if (body !== undefined) headers.set("content-type", "application/json");
  try {
    const response = await (endpoint.fetch ?? fetch)(url, {
      headers,
      // What another host asks for is none of the key's affair.
      redirect: "error",
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      ...body !== undefined && { method: "POST", body: JSON.stringify(body) },
    });
    if (!response.ok) {
      await response.body?.cancel();
      return undefined;
    }
    const text = await response.text();
    return text.length > MAX_BYTES ? undefined : parseAnswer(text);
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
