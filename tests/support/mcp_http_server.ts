/**
 * An MCP server over streamable HTTP on loopback that answers with plain JSON, forgets its sessions or leaves when it
 * is told to, and notes the headers it got.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  /** Value of the header `authorization` of each request. */
  readonly authorizations: readonly (string | undefined)[];
  /** How many calls of tools were carried out. */
  readonly calls: number;
  /** Knows no session that it began before. */
  forget(): void;
}

/** Starts it on a free port. */
export async function startHttpServer(): Promise<HttpServer> {
  let session = 1;
  let calls = 0;
  const authorizations: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    authorizations.push(request.headers.authorization);
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(await textOf(request));
    const known = request.headers["mcp-session-id"];
    if (known !== undefined && known !== `session-${session}`) {
      return void response.writeHead(404).end("no such session");
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === "tools/call") calls++;
    const result = RESULTS[message.method as keyof typeof RESULTS]?.(message.params) ?? {};
    response.writeHead(200, {
      "content-type": "application/json",
      "mcp-session-id": `session-${session}`,
    });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    authorizations,
    get calls() {
      return calls;
    },
    forget: () => void session++,
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
    serverInfo: { name: "http", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: [{ name: "echo", description: "Says it.", inputSchema: { type: "object" } }],
  }),
  "tools/call": () => ({ content: [{ type: "text", text: "over http" }] }),
};

async function textOf(request: IncomingMessage): Promise<string> {
  request.setEncoding("utf8");
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
