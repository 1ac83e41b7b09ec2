import assert from "node:assert/strict";
import { createModel } from "../../src/model/client.ts";
import type { Endpoint } from "../../src/model/endpoint.ts";
import { listModels } from "../../src/model/models.ts";
import { fetchWindow } from "../../src/model/window.ts";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { REQUEST } from "../support/scripted_model.ts";
import { CLIENT_LIMITS } from "../support/settings.ts";

const NEVER = new AbortController().signal;

function serve(handler: Deno.ServeHandler) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
  const endpoint = `http://127.0.0.1:${server.addr.port}/v1`;
  return { endpoint, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("listModels() names the server's models in its order", async () => {
  await using server = await startScriptedServer({ replies: [], models: ["b", "a"] });
  assert.deepEqual(await listModels({ url: server.url }, NEVER), ["b", "a"]);
  assert.deepEqual(await listModels({ url: `${server.url}/` }, NEVER), ["b", "a"]);
});

Deno.test("listModels() sends the key and accepts a list named models", async () => {
  let authorization: string | null = null;
  await using server = serve((request) => {
    authorization = request.headers.get("authorization");
    return Response.json({ models: [{ name: "x" }, { model: "?" }, null] });
  });
  const { endpoint: url } = server;
  assert.deepEqual(await listModels({ url, apiKey: "sk-1" }, NEVER), ["x"]);
  assert.equal(authorization, "Bearer sk-1");
});

Deno.test("a key or header that no request can carry is said to be wrong, never shown, and never tried", async () => {
  await using server = await startScriptedServer({ replies: [], models: ["a"] });
  const { url } = server;
  const rows: readonly [Partial<Endpoint>, RegExp][] = [
    [{ apiKey: "“sk-abc”" }, /was not asked: its key has characters .* OPENAI_API_KEY/],
    [{ apiKey: "sk-abc\nb", keyHint: "LAB" }, /Copy the key to LAB again/],
    [{ headers: { "x-team": "sk-abc ключ" } }, /its header "x-team" has characters .* headers/],
  ];
  for (const [wrong, said] of rows) {
    const endpoint = { url, ...wrong };
    const isSaid = (error: Error) => said.test(error.message) && !error.message.includes("sk-abc");
    await assert.rejects(listModels(endpoint, NEVER), isSaid);
    const model = createModel({ ...CLIENT_LIMITS, ...endpoint, retries: 3 });
    await assert.rejects(model.reply(REQUEST, { signal: NEVER, onDelta: () => {} }), isSaid);
    assert.deepEqual(await fetchWindow(endpoint, { model: "a" }), {});
  }
  assert.equal(server.requests.length, 0);
});

Deno.test("listModels() and fetchWindow() keep the query of a base URL at the end", async () => {
  const seen: string[] = [];
  await using server = serve((request) => {
    const { pathname, search } = new URL(request.url);
    seen.push(pathname + search);
    return Response.json({ data: [{ id: "m", context_length: 9000 }] });
  });
  const url = `${server.endpoint}?api-version=7`;
  assert.deepEqual(await listModels({ url }, NEVER), ["m"]);
  assert.equal((await fetchWindow({ url }, { model: "m" })).size, 9000);
  assert.ok(seen.includes("/v1/models?api-version=7"), `${seen}`);
  assert.ok(seen.includes("/props?api-version=7"), `${seen}`);
});

Deno.test("listModels() takes a list without an object around it", async () => {
  await using server = serve(() => Response.json([{ id: "x" }, { id: "y" }]));
  assert.deepEqual(await listModels({ url: server.endpoint }, NEVER), ["x", "y"]);
});

for (
  const [name, answer] of [
    ["404", () => new Response("404 page not found", { status: 404 })],
    ["405", () => new Response("", { status: 405 })],
    ["a page", () => new Response("<!doctype html>", { headers: { "content-type": "text/html" } })],
  ] as const
) {
  Deno.test(`listModels() says to name a model where the list is answered with ${name}`, async () => {
    await using server = serve(answer);
    await assert.rejects(listModels({ url: server.endpoint }, NEVER), {
      kind: "unlisted",
      message: /does not list its models: name one with --model NAME/,
    });
  });
}

Deno.test("listModels() names the base URL to which a server leads on", async () => {
  await using server = serve(() =>
    new Response(null, { status: 308, headers: { location: "/api/v1/models" } })
  );
  await assert.rejects(
    listModels({ url: server.endpoint }, NEVER),
    /leads on to http:\/\/127\.0\.0\.1:\d+\/api\/v1, where/,
  );
});

Deno.test("listModels() says so where a server leads on to what is no address of the web", async () => {
  for (const location of ["file:///etc/passwd", "data:,x", "http://"]) {
    await using server = serve(() => new Response(null, { status: 302, headers: { location } }));
    await assert.rejects(
      listModels({ url: server.endpoint }, NEVER),
      /leads on to no address of the web\. Check the address of the server/,
    );
  }
});

Deno.test("listModels() says so where https is spoken to a server of http", async () => {
  await using server = serve(() => Response.json([]));
  const url = server.endpoint.replace("http:", "https:");
  await assert.rejects(listModels({ url }, NEVER), /does not speak https: try http:\/\//);
});

Deno.test("listModels() explains a refusal", async () => {
  await using server = serve(() => Response.json({ error: "who?" }, { status: 401 }));
  const listing = listModels({ url: server.endpoint }, NEVER);
  await assert.rejects(listing, /answered 401: who\?\. Set OPENAI_API_KEY/);
});

Deno.test("listModels() explains an answer that is no list", async () => {
  await using server = serve(() => new Response("<html></html>"));
  const listing = listModels({ url: server.endpoint }, NEVER);
  await assert.rejects(listing, { name: "EndpointError", message: /an HTML page/ });
});

Deno.test("listModels() does not wait longer than its limit", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  await using server = serve(() => promise);
  const listing = listModels({ url: server.endpoint, timeoutMs: 50 }, NEVER);
  await assert.rejects(listing, /did not answer in time/);
  resolve(new Response());
});

Deno.test("listModels() throws the signal's reason when it is aborted", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const controller = new AbortController();
  await using server = serve(() => {
    controller.abort();
    return promise;
  });
  const listing = listModels({ url: server.endpoint }, controller.signal);
  await assert.rejects(listing, { name: "AbortError" });
  resolve(new Response());
});
