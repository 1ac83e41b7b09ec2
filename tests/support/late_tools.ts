/**
 * A turn in which an MCP server has its tools only after the first request: the script looks on until it is told of
 * them, then calls one.
 */
import { join } from "node:path";
import type { ReplyFunction, ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { messagesOf } from "./by_content.ts";
import { scripted, writeServers } from "./mcp_place.ts";
import type { Place } from "./program.ts";

/** Replies for a turn; the second last calls the late tool. */
export function lateToolScript(place: Place): readonly ReplyFunction[] {
  const go = join(place.dir, "note.go");
  const look: ScriptedReply = {
    calls: [{ name: "bash", arguments: { command: `touch ${go}; sleep 0.2` } }],
  };
  const call: ScriptedReply = {
    calls: [{
      id: "late",
      name: "mcp_call",
      arguments: { name: "s__echo", arguments: { text: "hi" } },
    }],
  };
  return Array.from({ length: 100 }, () => (request) => {
    const messages = messagesOf(request);
    if (messages.some(({ content }) => content.includes("echo: hi"))) return { text: "Done." };
    return messages.some(({ content }) => content.includes("mcp_call can call")) ? call : look;
  });
}

/** Gives the user a server whose tools come late. */
export async function addLateServer({ home, dir }: Place): Promise<void> {
  await writeServers(home, { s: scripted("late", { note: join(dir, "note") }) });
}

/** What a run that does not wait for it is started with. */
export const LATE_FLAGS: readonly string[] = [
  "-p",
  "-A",
  "--allow-net=mcp:s",
  "--mcp-timeout=0",
  "go",
];
