/**
 * The transports to remote servers: streamable HTTP or, for older servers, HTTP with server-sent events. They are the
 * official ones, with a limit on the size of a message. Headers are the entry's; a redirect to another origin is not
 * followed.
 */
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { formatBytes } from "../lib/text.ts";
import type { HttpConfig } from "./server_config.ts";
import { MAX_MESSAGE_BYTES } from "./stdio.ts";

const NEWLINE = 10;

/** What a transport is made with. */
interface HttpTransportOptions {
  /** Of the saved login, if there is one. */
  readonly authProvider?: OAuthClientProvider | undefined;
}

/** Makes the transport; nothing is sent before it is started. @throws {TypeError} the URL is invalid */
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

/** The same for the older transport, whose module is loaded only when needed. */
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

/** Whether a server answered like one that supports only the older transport. */
export function requiresSse(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === 400 || code === 404 || code === 405 || code === 406 || code === 415;
}

/** Fetches; the response fails where a message exceeds its size limit. */
export async function boundedFetch(address: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(address, init);
  // In a stream of events each line counts by itself, anything else as a whole.
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
