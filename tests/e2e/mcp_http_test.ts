/**
 * MCP servers over streamable HTTP through the front door: headers from variables, a session that the server forgot, a
 * server that is gone.
 */
import assert from "node:assert/strict";
import { run } from "../../src/cli/run.ts";
import { startEventsServer } from "../support/mcp_events_server.ts";
import { createMemoryIo } from "../support/memory_io.ts";
import { startHttpServer } from "../support/mcp_http_server.ts";
import { calling, lastResult, mcpStage, writeServers } from "../support/mcp_place.ts";
import { runAlly } from "../support/program.ts";
import { until } from "../support/wait.ts";

const FLAGS = ["--context-size", "200000", "--allow-net=mcp:h"];
const ECHO = calling("h__echo");
const END = { text: "Done." };

Deno.test("a server over HTTP gets the headers of its entry, with variables put in", async () => {
  await using server = await startHttpServer();
  const headers = { Authorization: "Bearer ${TRACKER}" };
  await using at = await mcpStage({ h: { url: server.url, headers } }, [ECHO, END]);
  const env = { TRACKER: "abc" };
  const { code } = await runAlly(at.place, { args: [...FLAGS, "-p", "go"], env });
  assert.equal(code, 0);
  assert.match(lastResult(at), /over http/);
  assert.ok(server.authorizations.every((value) => value === "Bearer abc"));
});

Deno.test("a session that the server forgot is begun anew, and the call carried out once", async () => {
  await using server = await startHttpServer();
  const forgetting = () => {
    server.forget();
    return calling("h__echo", { again: true });
  };
  await using at = await mcpStage({ h: { url: server.url } }, [ECHO, forgetting, END]);
  await runAlly(at.place, { args: [...FLAGS, "-p", "go"] });
  assert.match(lastResult(at), /over http/);
  assert.equal(server.calls, 2);
});

Deno.test("a server that forgets each session is told to the model as what failed", async () => {
  await using server = await startHttpServer({ forgetsAlways: true });
  await using at = await mcpStage({ h: { url: server.url } }, [ECHO, END]);
  await runAlly(at.place, { args: [...FLAGS, "-p", "go"] });
  assert.match(lastResult(at), /MCP server h: it answered 404/);
  assert.equal(server.calls, 0);
});

Deno.test("a run does not wait for a server that does not answer that its session ends", async () => {
  await using server = await startHttpServer({ ignoresEnd: true });
  await using at = await mcpStage({ h: { url: server.url } }, [ECHO, END]);
  const io = createMemoryIo({ env: at.place.env, cwd: at.place.dir });
  let code: number | undefined;
  void run([...FLAGS, "-p", "go"], io).then((ended) => code = ended);
  await until("the end of the run", () => code !== undefined);
  assert.equal(code, 0, io.errors);
});

for (const type of ["sse", undefined]) {
  const how = type === undefined ? "is found out" : "stands in its entry";
  Deno.test(`a server that speaks the older way over HTTP is used: that it does ${how}`, async () => {
    await using server = await startEventsServer();
    await using at = await mcpStage({ h: { type, url: server.url } }, [ECHO, END]);
    const { code, stderr } = await runAlly(at.place, { args: [...FLAGS, "-p", "go"] });
    assert.equal(code, 0, stderr);
    assert.match(lastResult(at), /over events/);
  });
}

Deno.test("a server over HTTP that is gone costs its call, and the reason is told", async () => {
  await using at = await mcpStage({}, [ECHO, END, ECHO, END]);
  {
    await using server = await startHttpServer();
    await writeServers(at.place.home, { h: { url: server.url } });
    await runAlly(at.place, { args: [...FLAGS, "-p", "go"] });
  }
  const { code } = await runAlly(at.place, { args: [...FLAGS, "-p", "go"] });
  assert.equal(code, 0);
  assert.match(lastResult(at), /MCP server h: .*(refused|connect|error sending)/i);
});

Deno.test("an answer without end is broken off, and one that is no message is told", async () => {
  const lines = new TextEncoder().encode(" \n".repeat(50_000));
  const endless = () =>
    new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(lines) });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const json = { "content-type": "application/json" };
    return new URL(request.url).pathname === "/endless"
      ? new Response(endless(), { headers: json })
      : new Response("<html>Bad Gateway</html>", { status: 502 });
  });
  try {
    const url = `http://127.0.0.1:${server.addr.port}`;
    const servers = { e: { url: `${url}/endless` }, b: { url: `${url}/bad` } };
    await using at = await mcpStage(servers, [END]);
    const { stderr } = await runAlly(at.place, { args: ["-p", "go"] });
    assert.match(
      stderr,
      /MCP server e is off: it sent more than 16\.0 MB, so the rest was not read/,
    );
    assert.match(
      stderr,
      /MCP server b is off: it answered 502: an HTML page; is its address right/,
    );
  } finally {
    await server.shutdown();
  }
});

Deno.test("--deny-net keeps ally from every server, and a missing variable is named", async () => {
  await using server = await startHttpServer();
  const entry = { url: server.url, headers: { Authorization: "Bearer ${NOT_THERE}" } };
  await using at = await mcpStage({ h: entry }, [END, END]);
  await runAlly(at.place, { args: ["--deny-net", "-p", "go"] });
  assert.equal(server.authorizations.length, 0);
  const { stderr } = await runAlly(at.place, { args: ["-p", "go"] });
  assert.match(
    stderr,
    /It needs the environment variable NOT_THERE, which is not set\. ally mcp test h /,
  );
});

Deno.test("a server that cannot be reached is told with what to do, in no words of the system", async () => {
  const html = "<!DOCTYPE html>\n<title>No such page</title>";
  await using page = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(html, { status: 501 }),
  );
  const served = `127.0.0.1:${page.addr.port}`;
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const refusing = `127.0.0.1:${closed.addr.port}`;
  closed.close();
  const servers = {
    dead: { url: `http://${refusing}/mcp?key=k` },
    tls: { url: `https://${served}/mcp` },
    page: { url: `http://${served}/mcp` },
  };
  await using at = await mcpStage(servers, []);
  const told = {
    dead: `http://${refusing} refuses connections: start the server, or correct its address.`,
    tls: `https://${served} does not speak https: use http:// in its address.`,
    page: 'it answered 501: an HTML page, "No such page"; is its address right?.',
  };
  for (const [name, words] of Object.entries(told)) {
    const { code, stderr } = await runAlly(at.place, { args: ["mcp", "test", name] });
    assert.equal(code, 1);
    assert.equal(
      stderr.trim().split("\n").slice(1).join("\n"),
      `ally: MCP server ${name}: ${words}`,
    );
  }
});
