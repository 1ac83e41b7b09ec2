/**
 * An MCP server that answers a call with what its arguments hold: a result as it is, the answer of its client to a
 * request of its own, or the environment that it was started with.
 */
import { TextLineStream } from "./text_lines.ts";

const encoder = new TextEncoder();

function send(message: Record<string, unknown>): void {
  const bytes = encoder.encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

/** The call that waits for the client's answer to a request. */
let waiting: unknown;

for await (const line of Deno.stdin.readable.pipeThrough(new TextLineStream())) {
  if (line.trim() !== "") answer(JSON.parse(line));
}
Deno.exit(0);

function text(value: unknown) {
  return { content: [{ type: "text", text: JSON.stringify(value) }] };
}

function answer(
  message: { id?: unknown; method?: string; params?: Record<string, unknown> },
): void {
  const { id, method, params = {} } = message;
  if (method === undefined) return send({ id: waiting, result: text(message) });
  switch (method) {
    case "initialize":
      return send({
        id,
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {}, resources: {}, prompts: {} },
          serverInfo: { name: "obedient", version: "1" },
        },
      });
    case "tools/list": {
      const inputSchema = { type: "object" };
      const tools = ["say", ...Deno.args].map((name) => ({ name, description: "x", inputSchema }));
      return send({ id, result: { tools } });
    }
    case "tools/call": {
      const given = (params.arguments ?? {}) as Record<string, unknown>;
      if (given.environment) return send({ id, result: text(Deno.env.toObject()) });
      if (given.request) {
        waiting = id;
        return send({ id: "asked", ...given.request as Record<string, unknown> });
      }
      return send({ id, result: given.result });
    }
    default:
      if (id !== undefined) send({ id, result: {} });
  }
}
