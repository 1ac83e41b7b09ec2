/**
 * An MCP server that knows the older way over HTTP only: one stream of events, and messages posted to the address
 * that the stream names.
 */
import type { ServerResponse } from "node:http";
import { answers, createTestServer, listening, textOf } from "./mcp_answers.ts";

export interface EventsServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts it on a free port. */
export async function startEventsServer(): Promise<EventsServer> {
  let stream: ServerResponse | undefined;
  const server = createTestServer(async (request, response) => {
    if (request.url === "/sse" && request.method === "GET") {
      stream = response;
      response.writeHead(200, { "content-type": "text/event-stream" });
      return void response.write("event: endpoint\ndata: /messages\n\n");
    }
    if (request.url !== "/messages") return void response.writeHead(405).end();
    const message = JSON.parse(await textOf(request));
    response.writeHead(202).end("Accepted");
    if (message.id === undefined) return;
    const reply = { jsonrpc: "2.0", id: message.id, result: answer(message) };
    stream?.write(`event: message\ndata: ${JSON.stringify(reply)}\n\n`);
  });
  const { origin, ...rest } = await listening(server);
  return { ...rest, url: `${origin}/sse` };
}

const answer = answers("older", { tool: { name: "echo" }, says: "over events" });
