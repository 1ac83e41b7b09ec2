/** Answers without end that are as long as their limits allow: megabytes each, in many pieces. */
import assert from "node:assert/strict";
import { MAX_SENT, runWithAnswers, startEndlessServer } from "../support/endless_server.ts";
import { mcpStage } from "../support/mcp_place.ts";
import { runAlly } from "../support/program.ts";

Deno.test("an event of an MCP server without end is broken off, in one line or in many", async () => {
  for (const repeat of ["x", "data: x\n", "data: x\r\n", ": x\r"]) {
    await using server = await startEndlessServer(() => ({
      type: "text/event-stream",
      begin: "data: ",
      repeat,
    }));
    await using at = await mcpStage({ m: { url: server.origin } }, [{ text: "Done." }]);
    const { stderr } = await runAlly(at.place, { args: ["-p", "go"] });
    assert.match(stderr, /MCP server m is off: it sent more than 16\.0 MB/, repeat);
    assert.ok(await server.closed() < MAX_SENT);
  }
});

Deno.test("JSON without end in place of a reply is broken off, in one line or in many", async () => {
  for (const repeat of ["1,", "[]\n"]) {
    const { stderr, sent } = await runWithAnswers(
      { "/chat/completions": { begin: "[", repeat } },
      { args: ["-p", "x"] },
    );
    assert.match(stderr, /did not end its reply: over 32 MB arrived/, repeat);
    assert.ok(sent < 2 * MAX_SENT, `${sent} bytes`);
  }
});
