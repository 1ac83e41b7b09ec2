/**
 * An MCP server that knows the older way over HTTP only: one stream of events, and messages posted to the address
 * that the stream names.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface EventsServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts it on a free port. */
export async function startEventsServer(): Promise<EventsServer> {
  let stream: ServerResponse | undefined;
  const server = createServer(async (request, response) => {
    if (request.url === "/sse" && request.method === "GET") {
      stream = response;
      response.writeHead(200, { "content-type": "text/event-stream" });
      return void response.write("event: endpoint\ndata: /messages\n\n");
    }
    if (request.url !== "/messages") return void response.writeHead(405).end();
    let text = "";
    request.setEncoding("utf8");
    for await (const chunk of request) text += chunk;
    response.writeHead(202).end("Accepted");
    const { id, method, params } = JSON.parse(text);
    const result = RESULTS[method as keyof typeof RESULTS]?.(params) ?? {};
    if (id !== undefined) {
      stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const RESULTS = {
  initialize: ({ protocolVersion }: { protocolVersion: string }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "older", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "over events" }] }),
};
