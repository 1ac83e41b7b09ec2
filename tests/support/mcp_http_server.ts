/**
 * An MCP server over streamable HTTP on loopback that answers with plain JSON, forgets its sessions or leaves when it
 * is told to, and notes the headers it got.
 */
import { answers, createTestServer, listening, textOf } from "./mcp_answers.ts";

export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  /** Value of the header `authorization` of each request. */
  readonly authorizations: readonly (string | undefined)[];
  /** How many calls of tools were carried out. */
  readonly calls: number;
  /** Knows no session that it began before. */
  forget(): void;
}

/** How it goes wrong. */
interface HttpServerOptions {
  /** Forgets the session with each call of a tool, so that none is carried out. @default false */
  readonly forgetsAlways?: boolean;
  /** Does not answer a client that ends its session. @default false */
  readonly ignoresEnd?: boolean;
}

/** Starts it on a free port. */
export async function startHttpServer(
  { forgetsAlways = false, ignoresEnd = false }: HttpServerOptions = {},
): Promise<HttpServer> {
  let session = 1;
  let calls = 0;
  const authorizations: (string | undefined)[] = [];
  const server = createTestServer(async (request, response) => {
    authorizations.push(request.headers.authorization);
    if (request.method === "DELETE" && ignoresEnd) return;
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(await textOf(request));
    if (forgetsAlways && message.method === "tools/call") session++;
    const known = request.headers["mcp-session-id"];
    if (known !== undefined && known !== `session-${session}`) {
      return void response.writeHead(404).end("no such session");
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === "tools/call") calls++;
    const result = answer(message);
    response.writeHead(200, {
      "content-type": "application/json",
      "mcp-session-id": `session-${session}`,
    });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
  });
  const { origin, ...rest } = await listening(server);
  return {
    ...rest,
    url: `${origin}/mcp`,
    authorizations,
    get calls() {
      return calls;
    },
    forget: () => void session++,
  };
}

const answer = answers("http", {
  tool: { name: "echo", description: "Says it." },
  says: "over http",
});
