/** Certificates, which Deno reads when a process starts. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { makePlace, runAllyProcess } from "../support/program.ts";

Deno.test("a server with a certificate of one's own authority is reached once that is named", async () => {
  const file = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
  await using server = await startScriptedServer({ replies: [{ text: "safely" }] });
  const tls = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen() {},
    cert: await Deno.readTextFile(file("cert.pem")),
    key: await Deno.readTextFile(file("key.pem")),
  }, async (request) => {
    const { method, headers } = request;
    const body = request.body && await request.text();
    return await fetch(new URL(new URL(request.url).pathname, server.url), {
      method,
      headers,
      body,
    });
  });
  await using place = await makePlace({ endpoint: `https://localhost:${tls.addr.port}/v1` });
  const args = ["-p", "hi"];
  const refused = await runAllyProcess(place, { args });
  assert.equal(refused.code, 75);
  assert.match(refused.stderr, /certificate.*DENO_CERT/s);
  for (const variable of ["DENO_CERT", "NODE_EXTRA_CA_CERTS"]) {
    const { code, stderr } = await runAllyProcess(place, {
      args,
      env: { [variable]: file("ca.pem") },
    });
    assert.equal(code, 0, `${variable}: ${stderr}`);
  }
  await tls.shutdown();
});
