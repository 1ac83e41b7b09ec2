import assert from "node:assert/strict";
import { openSingleHostFetch } from "../../src/model/single_host_fetch.ts";

Deno.test("a request that is cancelled while its body is read is not sent", async () => {
  const received: string[] = [];
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    received.push(new URL(request.url).pathname);
    return new Response("ok");
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const host = openSingleHostFetch(url);
  try {
    const controller = new AbortController();
    const { signal } = controller;
    const cancelled = host.fetch(`${url}/cancelled`, { method: "POST", body: "words", signal });
    controller.abort(new Error("the user left"));
    await assert.rejects(cancelled, /the user left/);
    assert.equal(await (await host.fetch(`${url}/next`)).text(), "ok");
    assert.deepEqual(received, ["/next"]);
  } finally {
    host.close();
  }
});
