/**
 * A place whose user has MCP servers: scripted ones, each in a behaviour, named by `~/.ally/mcp.json`.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ReplyFunction, ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { type Stage, stage } from "./program.ts";

const SERVER = fileURLToPath(new URL("./hostile_mcp_server.ts", import.meta.url));

/** An entry of a scripted server; `extra` goes into the entry as it is. */
export function scripted(
  behaviour: string,
  { note, ...extra }: { note?: string; [key: string]: unknown } = {},
): Record<string, unknown> {
  const args = ["run", "-A", "--no-config", SERVER, behaviour, ...(note ? [note] : [])];
  return { command: Deno.execPath(), args, ...extra };
}

/** Writes the user's file of servers. */
export async function writeServers(
  home: string,
  servers: Readonly<Record<string, unknown>>,
): Promise<void> {
  await Deno.mkdir(home, { recursive: true });
  await Deno.writeTextFile(
    join(home, "mcp.json"),
    JSON.stringify({ mcpServers: servers }, null, 2),
  );
}

/** A stage whose user has these servers. */
export async function mcpStage(
  servers: Readonly<Record<string, unknown>>,
  replies: readonly (ScriptedReply | ReplyFunction)[],
): Promise<Stage> {
  const at = await stage(replies);
  await writeServers(at.place.home, servers);
  return at;
}

/** A reply that calls one tool. */
export function calling(name: string, input: Record<string, unknown> = {}): ScriptedReply {
  return { calls: [{ name, arguments: input }] };
}

/** The result that the model got with its last request. */
export function lastResult({ server }: Stage): string {
  const messages = server.requests.at(-1)?.body.messages as { role: string; content: string }[];
  return messages.filter(({ role }) => role === "tool").at(-1)?.content ?? "";
}

/** Names of the tools that a request lists. */
export function toolsOf({ server }: Stage, index = -1): string[] {
  const tools = server.requests.at(index)?.body.tools as { function: { name: string } }[];
  return tools.map((tool) => tool.function.name);
}
