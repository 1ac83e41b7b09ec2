/**
 * What the MCP servers of the tests over HTTP have in common: an address on loopback, and the answers of a server
 * with one tool.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that is not harmed by a client that leaves in the midst of its request. */
export function createTestServer(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Server {
  return createServer((request, response) => {
    answer(request, response).catch((error) => {
      if (error.code !== "ECONNRESET") throw error;
    });
  });
}

/** Starts a server on a free port; `origin` is its address without a path. */
export async function listening(server: Server): Promise<AsyncDisposable & { origin: string }> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The whole body of a request. */
export async function textOf(request: IncomingMessage): Promise<string> {
  request.setEncoding("utf8");
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

/** Answers the messages of a client by their methods: a server of this name with one tool, which says a text. */
export function answers(
  name: string,
  { tool, says }: { tool: Readonly<Record<string, unknown>>; says: string },
): (message: { method: string; params?: { protocolVersion?: string } }) => unknown {
  return ({ method, params }) => {
    switch (method) {
      case "initialize":
        return {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name, version: "1.0.0" },
        };
      case "tools/list":
        return { tools: [{ ...tool, inputSchema: { type: "object" } }] };
      case "tools/call":
        return { content: [{ type: "text", text: says }] };
      default:
        return {};
    }
  };
}
