/**
 * The one file that uses `npm:openai`: it sends a request's body and returns the raw response. The library is
 * loaded on the first request, so that starting ally does not wait for it. Its retries and its stream reader
 * stay unused: the client must distinguish a broken stream from a complete one.
 */
import { MAX_TIMER_MS } from "../lib/async.ts";
import { settleError } from "../lib/bounded_body.ts";
import { baseUrl, type Endpoint, requestHeaders } from "./endpoint.ts";
import { failureOf, RecordingMismatch, RequestFailure } from "./failure.ts";
import type { WireBody } from "./wire.ts";

/**
 * Sends a chat completion request; resolves when the headers of a successful answer are there.
 * @throws {RequestFailure} what went wrong, with the error body as its message
 */
export type Send = (body: WireBody, signal: AbortSignal) => Promise<Response>;

/** Loads the library and makes it ready for one endpoint. */
export async function connect(endpoint: Endpoint & { requestTimeoutMs: number }): Promise<Send> {
  const { OpenAI, APIConnectionError, APIConnectionTimeoutError } = await import("openai");

  /** Keeps the whole body of an error: many servers put their message elsewhere than OpenAI does. */
  class Client extends OpenAI {
    protected override makeStatusError(
      status: number,
      body: object,
      text: string | undefined,
      headers: Headers,
    ) {
      return super.makeStatusError(status, { error: text ?? JSON.stringify(body) }, text, headers);
    }
  }

  const client = new Client({
    baseURL: baseUrl(endpoint),
    // The library insists on a key; the header below is what counts.
    apiKey: endpoint.apiKey || "none",
    adminAPIKey: null,
    maxRetries: 0,
    timeout: Math.min(endpoint.requestTimeoutMs, MAX_TIMER_MS),
    logLevel: "off",
    // Key and conversation are for this server, not for one that it redirects to.
    fetchOptions: { redirect: "manual" },
    // The library would read an error to its end, however long it is.
    fetch: async (input, init) => {
      const response = await (endpoint.fetch ?? fetch)(input, init);
      return response.ok ? response : await settleError(response);
    },
    defaultHeaders: {
      "user-agent": "ally",
      ...!endpoint.apiKey && { authorization: null },
      ...endpoint.headers,
    },
  });
  return async (body, signal) => {
    try {
      // The library would say of a wrong one that the connection failed.
      requestHeaders(endpoint);
      return await client.chat.completions.create(body, { signal }).asResponse();
    } catch (error) {
      if (error instanceof APIConnectionTimeoutError && !signal.aborted) {
        const minutes = endpoint.requestTimeoutMs / 60_000;
        throw new RequestFailure("timeout", `no answer within ${minutes} minutes`);
      }
      if (error instanceof OpenAI.APIError && error.status !== undefined) {
        const { status, headers } = error;
        throw new RequestFailure("answered", String(error.error ?? ""), { status, headers });
      }
      const cause = error instanceof APIConnectionError ? error.cause : error;
      throw cause instanceof RecordingMismatch ? cause : failureOf(cause);
    }
  };
}
