/** Answers without end that are as long as their limits allow: megabytes each, in many pieces. */
import assert from "node:assert/strict";
import {
  MAX_SENT,
  MAX_SENT_COMPRESSED,
  runWithAnswers,
  startEndlessServer,
} from "../support/endless_server.ts";
import { mcpStage } from "../support/mcp_place.ts";
import { makePlace, runAlly } from "../support/program.ts";

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

for (const gzip of [false, true]) {
  Deno.test(`a ${gzip ? "compressed" : "plain"} archive of a package without end is broken off`, async () => {
    let origin = "";
    await using server = await startEndlessServer((path) => {
      if (path.endsWith(".tgz")) return { repeat: "\0", gzip };
      const dist = { tarball: `${origin}/tracker.tgz`, integrity: "sha512-x" };
      const versions = { "1.0.0": { dist } };
      return { begin: JSON.stringify({ "dist-tags": { latest: "1.0.0" }, versions }) };
    });
    origin = server.origin;
    await using place = await makePlace();
    const { code, stderr } = await runAlly(place, {
      args: ["plugin", "install", "npm:tracker", "--yes"],
      env: { npm_config_registry: origin },
    });
    assert.equal(code, 2);
    assert.match(stderr, /tracker\.tgz did not answer as it should: it sent more than 67\.1 MB/);
    assert.ok(await server.closed() < 67_108_864 + (gzip ? MAX_SENT_COMPRESSED : MAX_SENT));
  });
}
