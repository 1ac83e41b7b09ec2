/**
 * The transports to remote servers: streamable HTTP or, for older servers, HTTP with server-sent events. They are the
 * official ones, with limits on what an answer may take. Headers are the entry's; a redirect to another origin is not
 * followed.
 */
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ANSWER_LIMITS,
  BodyLimitError,
  type BodyLimits,
  boundBody,
  oversizedBody,
  settleError,
} from "../lib/bounded_body.ts";
import { createLoginReach, type LoginReach } from "./login_reach.ts";
import type { HttpConfig } from "./server_config.ts";
import { MAX_MESSAGE_BYTES } from "./stdio.ts";

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const EVENTS = "text/event-stream";

/**
 * One message, as large as on standard output. Each call has a shorter time of its own; these end the connection that
 * a call has given up.
 */
const MESSAGE_LIMITS: BodyLimits = {
  maxBytes: MAX_MESSAGE_BYTES,
  idleMs: 600_000,
  totalMs: 3_600_000,
};

/** What a transport is made with. */
interface HttpTransportOptions {
  /** Of the saved login, if there is one. */
  readonly authProvider?: OAuthClientProvider | undefined;
  /**
   * Called when an event is too long: the official transport would only log that, and its requests would wait for
   * their time to pass.
   */
  readonly onOversized: (why: string) => void;
}

/** Makes the transport; nothing is sent before it is started. @throws {TypeError} the URL is invalid */
export function httpTransport(
  { url, headers }: HttpConfig,
  { authProvider, onOversized }: HttpTransportOptions,
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    ...(authProvider && { authProvider }),
    fetch: bindFetch(createLoginReach(url), { onOversized }),
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 10_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 5,
    },
  });
}

/** The same for the older transport, whose module is loaded only when needed. */
export async function sseTransport(
  { url, headers }: HttpConfig,
  { authProvider, onOversized }: HttpTransportOptions,
): Promise<Transport> {
  const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
  return new SSEClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    ...(authProvider && { authProvider }),
    fetch: bindFetch(createLoginReach(url), { onOversized }),
  });
}

/** Whether a server answered like one that supports only the older transport. */
export function requiresSse(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === 400 || code === 404 || code === 405 || code === 406 || code === 415;
}

/** `boundedFetch()` as the official code calls it for a server: where the login leads is checked before each request. */
export function bindFetch(
  reach: LoginReach,
  options: Partial<Pick<HttpTransportOptions, "onOversized">> = {},
) {
  return async (address: string | URL, init?: RequestInit) => {
    await reach.require(address);
    return await boundedFetch(address, init, options);
  };
}

/**
 * Fetches; the body fails where it breaks a limit. Only requests that may be answered with events are answered with
 * messages; all others belong to a login.
 */
export async function boundedFetch(
  address: string | URL,
  init?: RequestInit,
  { onOversized }: Partial<Pick<HttpTransportOptions, "onOversized">> = {},
): Promise<Response> {
  const isForMessages = new Headers(init?.headers).get("accept")?.includes(EVENTS) ?? false;
  const response = isForMessages ? await fetch(address, init) : await fetchInTime(address, init);
  if (!response.ok) return await settleError(response);
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  const isEvents = headers.get("content-type")?.includes(EVENTS) ?? false;
  const body = isEvents
    ? response.body.pipeThrough(limitEvents({ maxBytes: MAX_MESSAGE_BYTES, onOversized }))
    : boundBody(response.body, isForMessages ? MESSAGE_LIMITS : ANSWER_LIMITS);
  return new Response(body, { status, statusText, headers });
}

/** @throws {BodyLimitError} no answer began in time */
async function fetchInTime(address: string | URL, init: RequestInit = {}): Promise<Response> {
  const { totalMs } = ANSWER_LIMITS;
  const limit = AbortSignal.timeout(totalMs);
  try {
    return await fetch(address, {
      ...init,
      signal: init.signal ? AbortSignal.any([init.signal, limit]) : limit,
    });
  } catch (error) {
    if (!limit.aborted || init.signal?.aborted) throw error;
    throw new BodyLimitError("time", `it did not answer within ${totalMs / 1000} seconds`);
  }
}

/** Fails where an event, from one blank line to the next, is longer than it may be: its lines are put together. */
function limitEvents(
  { maxBytes, onOversized }: {
    maxBytes: number;
    onOversized?: ((why: string) => void) | undefined;
  },
) {
  let bytes = 0;
  let isLineEmpty = false;
  let previous = 0;
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      for (const byte of chunk) {
        bytes++;
        const isLineEnd = byte === CARRIAGE_RETURN || byte === NEWLINE;
        // The second half of a line end is none of its own.
        if (!(byte === NEWLINE && previous === CARRIAGE_RETURN)) {
          if (isLineEnd && isLineEmpty) bytes = 0;
          isLineEmpty = isLineEnd;
        }
        previous = byte;
        if (bytes > maxBytes) {
          const error = oversizedBody(maxBytes);
          controller.error(error);
          return onOversized?.(error.message);
        }
      }
      controller.enqueue(chunk);
    },
  });
}
