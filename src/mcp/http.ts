/**
 * A server somewhere, over streamable HTTP or, where it knows nothing newer, over HTTP with server-sent events: the
 * official transports with bounds on what one answer may send. Headers are the entry's; a redirect to another origin
 * is not followed. `connection.ts` makes it.
 */
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { formatBytes } from "../lib/text.ts";
import type { HttpConfig } from "./server_config.ts";
import { MAX_MESSAGE_BYTES } from "./stdio.ts";

const NEWLINE = 10;

/** What a server is spoken to with. */
export interface HttpTransportOptions {
  /** Of a login; absent where there is none. */
  readonly authProvider?: OAuthClientProvider | undefined;
}

/** Makes the transport; nothing is sent before it is started. @throws {TypeError} the address is none */
export function httpTransport(
  { url, headers }: HttpConfig,
  { authProvider }: HttpTransportOptions,
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    ...(authProvider && { authProvider }),
    fetch: boundedFetch,
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 10_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 5,
    },
  });
}

/** The same for the older way, whose module is loaded for it alone. */
export async function sseTransport(
  { url, headers }: HttpConfig,
  { authProvider }: HttpTransportOptions,
): Promise<Transport> {
  const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
  return new SSEClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    ...(authProvider && { authProvider }),
    fetch: boundedFetch,
  });
}

/** Whether a server answered as those do that know the older way only. */
export function requiresSse(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === 400 || code === 404 || code === 405 || code === 406 || code === 415;
}

/** Fetches; the response is broken off where a message has more bytes than it may have. */
export async function boundedFetch(address: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(address, init);
  // Of a stream of events each line is taken by itself, anything else as a whole.
  const isEvents = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
  if (response.body === null) return response;
  let line = 0;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        const end = isEvents ? chunk.lastIndexOf(NEWLINE) : -1;
        line = end < 0 ? line + chunk.length : chunk.length - end - 1;
        if (line > MAX_MESSAGE_BYTES) {
          const most = formatBytes(MAX_MESSAGE_BYTES);
          return controller.error(new Error(`it sent more than ${most} at once`));
        }
        controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
