/**
 * The MCP servers that a client brings, in the format of `mcp.json`.
 */
import type { McpServer } from "@agentclientprotocol/sdk";

/** The text of the file that would list them; undefined if there are none. */
export function toServerFile(servers: readonly McpServer[]): string | undefined {
  if (servers.length === 0) return undefined;
  const named = servers.map((server) => [server.name, toEntry(server)] as const);
  return JSON.stringify({ mcpServers: Object.fromEntries(named) }, null, 2);
}

function toEntry(server: McpServer): Record<string, unknown> {
  if ("url" in server) {
    return { type: server.type, url: server.url, headers: toRecord(server.headers) };
  }
  return { command: server.command, args: server.args, env: toRecord(server.env) };
}

function toRecord(pairs: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
