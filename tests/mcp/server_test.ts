import assert from "node:assert/strict";
import { Server } from "../../src/mcp/server.ts";
import { parseServerConfigs } from "../../src/mcp/server_config.ts";
import { scripted } from "../support/mcp_place.ts";

Deno.test("a server that is started again while it still ends stays up when that end comes", async () => {
  const directory = await Deno.makeTempDir();
  // The first process has to be killed, which takes longer than the second one takes to start.
  const text = JSON.stringify({ mcpServers: { s: scripted("ignores_shutdown") } });
  const { configs: [config] } = await parseServerConfigs(text, {
    file: "mcp.json",
    source: "user",
  });
  assert.ok(config);
  const server = new Server(config, {
    cwd: directory,
    env: {},
    childEnv: { HOME: directory },
    startMs: 60_000,
    version: "0.0.0",
    pathOutside: "/usr/bin:/bin",
    cacheDirectory: directory,
    blockReason: () => undefined,
    confine: () => Promise.reject(new Error("there is no sandbox")),
    review: () => Promise.resolve([]),
    onChange: () => {},
    notice: () => {},
  });
  const { signal } = new AbortController();
  try {
    await server.start(signal);
    const stopped = server.stop();
    await server.start(signal);
    await stopped;
    assert.deepEqual([server.state, server.error], ["ready", undefined]);
  } finally {
    server.kill();
    await server.stop();
    await Deno.remove(directory, { recursive: true });
  }
});
