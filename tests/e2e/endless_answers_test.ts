/**
 * Answers without end from every server that ally asks for something: each is broken off early, whether it is
 * compressed or not, and the person is told.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { logIn } from "../../src/mcp/login.ts";
import { LoginFile } from "../../src/mcp/login_file.ts";
import {
  MAX_SENT,
  MAX_SENT_COMPRESSED,
  runWithAnswers,
  startEndlessServer,
} from "../support/endless_server.ts";
import { answers } from "../support/mcp_answers.ts";
import { mcpStage } from "../support/mcp_place.ts";
import { makePlace, runAlly } from "../support/program.ts";

const LIST = '{"data":[{"id":"m';
const END = { text: "Done." };

for (const gzip of [false, true]) {
  const how = gzip ? "compressed" : "plain";
  const most = gzip ? MAX_SENT_COMPRESSED : MAX_SENT;

  for (const status of [400, 500]) {
    Deno.test(`a ${how} error ${status} without end is broken off, and told with its status`, async () => {
      const answer = { status, repeat: "x", gzip };
      const { code, stderr, sent, asked } = await runWithAnswers(
        { "/chat/completions": answer },
        { args: ["-p", "x"] },
      );
      assert.equal(code, 75, stderr);
      const words = "it sent more than 1\\.0 MB, so the rest was not read; check that the address";
      assert.match(stderr, new RegExp(`answered ${status}: ${words}`));
      assert.ok(sent < most, `${sent} bytes`);
      // An error of the server is worth another attempt, one of the request is not.
      const attempts = asked.filter((path) => path.endsWith("/chat/completions")).length;
      assert.equal(attempts, status === 500 ? 2 : 1);
    });
  }

  Deno.test(`a ${how} page without end in place of a reply is broken off`, async () => {
    const answer = { type: "text/html", begin: "<html>", repeat: "<p>", gzip };
    const { stderr, sent } = await runWithAnswers(
      { "/chat/completions": answer },
      { args: ["-p", "x"] },
    );
    assert.match(stderr, /not answer like a chat completion endpoint: it sent more than 1\.0 MB/);
    assert.ok(sent < most, `${sent} bytes`);
  });

  Deno.test(`a ${how} list of models without end is broken off, and a model asked for`, async () => {
    const { stderr, sent } = await runWithAnswers(
      { "/models": { begin: LIST, repeat: "m", gzip } },
      { args: ["-p", "x"], env: { ALLY_MODEL: "" } },
    );
    assert.match(stderr, /it sent more than 1\.0 MB, .*name one with --model NAME/);
    assert.ok(sent < most, `${sent} bytes`);
  });

  Deno.test(`${how} answers without end to all of doctor's questions are broken off`, async () => {
    const answer = { begin: "{", repeat: " ", gzip };
    const paths = ["/models", "/props", "/api/ps", "/api/show", "/api/v0/models", "/api/version"];
    const { stdout, sent, asked } = await runWithAnswers(
      Object.fromEntries(paths.map((path) => [path, answer])),
      { args: ["doctor"] },
    );
    assert.match(stdout, /a model server, which does not list its models/);
    assert.ok(asked.length >= 4, `${asked}`);
    assert.ok(sent < most, `${sent} bytes`);
  });

  Deno.test(`a ${how} description of a package without end is broken off`, async () => {
    await using server = await startEndlessServer(() => ({ begin: "{", repeat: " ", gzip }));
    await using place = await makePlace();
    const { code, stderr } = await runAlly(place, {
      args: ["plugin", "install", "npm:tracker", "--yes"],
      env: { npm_config_registry: server.origin },
    });
    assert.equal(code, 2);
    assert.match(stderr, /it sent more than 1\.0 MB, so the rest was not read\. Install a packed/);
    assert.ok(await server.closed() < most);
  });

  Deno.test(`a ${how} error and a ${how} message of an MCP server without end are broken off`, async () => {
    await using server = await startEndlessServer((path) =>
      path === "/error" ? { status: 500, repeat: "x", gzip } : { begin: "{", repeat: " ", gzip }
    );
    const { origin } = server;
    const servers = { e: { url: `${origin}/error` }, m: { url: `${origin}/message` } };
    await using at = await mcpStage(servers, [END]);
    const { stderr } = await runAlly(at.place, { args: ["-p", "go"] });
    assert.match(stderr, /MCP server e is off: it answered 500: it sent more than 1\.0 MB/);
    assert.match(stderr, /MCP server m is off: it sent more than 16\.0 MB/);
    assert.ok(await server.closed() < most);
  });

  Deno.test(`${how} answers without end to a login are broken off`, async () => {
    let origin = "";
    await using server = await startEndlessServer((path) =>
      path === "/mcp"
        ? {
          status: 401,
          begin: "{}",
          headers: { "www-authenticate": `Bearer resource_metadata="${origin}/about"` },
        }
        : { begin: "{", repeat: " ", gzip }
    );
    origin = server.origin;
    await using place = await makePlace();
    const url = `${origin}/mcp`;
    const entry = { name: "h", slug: "h", file: join(place.home, "mcp.json") };
    const file = new LoginFile(entry, { url, directory: join(place.home, "mcp") });
    const onPage = () => assert.fail("a page was opened");
    const { signal } = new AbortController();
    await assert.rejects(
      logIn({ kind: "http", url, headers: {} }, { file, onPage, signal }),
      /it sent more than 1\.0 MB, so the rest was not read/,
    );
    assert.ok(await server.closed() < most);
  });
}

Deno.test("a list of an MCP server without end is broken off, in many pages or in one", async () => {
  const describe = (page: readonly unknown[], next?: string) => (message: { method: string }) =>
    message.method === "tools/list" ? { tools: page, nextCursor: next } : answer(message);
  const answer = answers("m", { tool: { name: "t" }, says: "" });
  const long = [{ name: "t", description: "x".repeat(5_000_000), inputSchema: {} }];
  const lists = {
    "/pages": describe(long, "more"),
    "/many": describe(Array<unknown>(1_000_000).fill(0)),
  };
  let asked = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const message = await request.json();
      if (message.id === undefined) return new Response(null, { status: 202 });
      if (message.method === "tools/list") asked++;
      const { pathname } = new URL(request.url);
      const result = lists[pathname as keyof typeof lists](message);
      return Response.json({ jsonrpc: "2.0", id: message.id, result });
    },
  );
  try {
    const origin = `http://127.0.0.1:${server.addr.port}`;
    const servers = { p: { url: `${origin}/pages` }, n: { url: `${origin}/many` } };
    await using at = await mcpStage(servers, [END]);
    const { stderr } = await runAlly(at.place, { args: ["-p", "go"] });
    assert.match(stderr, /MCP server p is off: its list of tools is longer than 16\.0 MB/);
    assert.doesNotMatch(stderr, /MCP server n is off/);
    // Four pages, and the list with a million entries.
    assert.equal(asked, 5);
  } finally {
    await server.shutdown();
  }
});

Deno.test("a line of a reply without end is broken off", async () => {
  for (const gzip of [false, true]) {
    const answer = { type: "text/event-stream", begin: "data: ", repeat: "x", gzip };
    const { stderr, sent } = await runWithAnswers(
      { "/chat/completions": answer },
      { args: ["-p", "x"] },
    );
    assert.match(stderr, /did not end its reply: over 32 MB arrived/);
    assert.ok(sent < (gzip ? MAX_SENT_COMPRESSED : 2 * MAX_SENT), `${sent} bytes`);
  }
});

Deno.test("headers without end are broken off, and the request is not sent again", async () => {
  const endless = { inHeader: true };
  const chat = await runWithAnswers({ "/chat/completions": endless }, { args: ["-p", "x"] });
  assert.match(chat.stderr, /message head is too large/);
  assert.equal(chat.asked.filter((path) => path.endsWith("/chat/completions")).length, 1);
  const list = await runWithAnswers({ "/models": endless }, {
    args: ["-p", "x"],
    env: { ALLY_MODEL: "" },
  });
  assert.match(list.stderr, /message head is too large/);
  assert.ok(Math.max(chat.sent, list.sent) < MAX_SENT);
});
