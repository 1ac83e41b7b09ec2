/**
 * A tool that comes after the first request: the list of tools stays as it is, and the tool can be called.
 */
import assert from "node:assert/strict";
import { messagesOf } from "../support/by_content.ts";
import { addLateServer, LATE_FLAGS, lateToolScript } from "../support/late_tools.ts";
import { toolsOf } from "../support/mcp_place.ts";
import { makePlace, runAlly } from "../support/program.ts";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";

Deno.test("tools of a slow server are told of where they come, and called without a longer list", async () => {
  await using place = await makePlace();
  await using server = await startScriptedServer({ replies: lateToolScript(place) });
  await addLateServer(place);
  const env = { OPENAI_BASE_URL: server.url };
  const { code, stderr } = await runAlly(place, { args: LATE_FLAGS, env });
  assert.equal(code, 0, stderr);
  const at = { server, place, [Symbol.asyncDispose]: () => Promise.resolve() };
  assert.ok(toolsOf(at, 0).includes("mcp_call") && !toolsOf(at, 0).includes("s__echo"));
  for (const { body } of server.requests) {
    assert.deepEqual(body.tools, server.requests[0]!.body.tools);
  }
  for (const [index, { body }] of server.requests.slice(1).entries()) {
    const before = server.requests[index]!.body.messages as unknown[];
    assert.deepEqual((body.messages as unknown[]).slice(0, before.length), before);
  }
  const last = messagesOf(server.requests.at(-1)!).at(-1)!;
  assert.equal(last.role, "tool");
  assert.match(last.content, /echo: hi/);
});
