/**
 * A server somewhere, over streamable HTTP: the official transport with bounds on what one answer may send. Headers are
 * the entry's; a redirect to another origin is not followed. `connection.ts` makes it.
 */
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { formatBytes } from "../lib/text.ts";
import type { HttpEntry } from "./entry.ts";
import { MOST_MESSAGE_BYTES } from "./stdio.ts";

const NEWLINE = 10;

/** Makes the transport; nothing is sent before it is started. @throws {TypeError} the address is none */
export function httpTransport({ url, headers }: HttpEntry): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: async (address, init) => bounded(await fetch(address, init)),
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 10_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 5,
    },
  });
}

/** The response, broken off where a line has more bytes than a message may have. */
function bounded(response: Response): Response {
  if (response.body === null) return response;
  let line = 0;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        const end = chunk.lastIndexOf(NEWLINE);
        line = end < 0 ? line + chunk.length : chunk.length - end - 1;
        if (line > MOST_MESSAGE_BYTES) {
          const most = formatBytes(MOST_MESSAGE_BYTES);
          return controller.error(new Error(`The server sent a line of more than ${most}.`));
        }
        controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
