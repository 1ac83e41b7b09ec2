import assert from "node:assert/strict";
import { describeRetry, explainFailure } from "../../src/model/explain_failure.ts";
import { failureOf, RequestFailure } from "../../src/model/failure.ts";

const ENDPOINT = { url: "http://localhost:8080/v1" };
const answered = (status: number, body: string) => new RequestFailure("answered", body, { status });

Deno.test("who waits for another attempt reads what the server said", () => {
  const busy = answered(503, '{"error":{"message":"no slot for key sk-x"}}');
  assert.equal(
    describeRetry(busy, { ...ENDPOINT, apiKey: "sk-x" }),
    "the server answered 503: no slot for key [secret]",
  );
  const refused = new RequestFailure("refused", "tcp connect error");
  assert.equal(describeRetry(refused, ENDPOINT), "the connection was refused");
  const torn = new RequestFailure("lost", "part of the stream is not JSON", {
    cause: new SyntaxError("x"),
  });
  assert.match(describeRetry(torn, ENDPOINT), /^the reply could not be read: part of the stream/);
});

Deno.test("explain() never shows the key or a header's value", () => {
  const endpoint = { ...ENDPOINT, apiKey: "sk-secret", headers: { "x-key": "abc123" } };
  const body = '{"error":{"message":"bad key sk-secret and abc123"}}';
  const { message } = explainFailure(answered(401, body), { endpoint });
  assert.doesNotMatch(message, /sk-secret|abc123/);
  assert.match(message, /bad key \[secret\] and \[secret\]/);
});

Deno.test("explain() never shows a password or query of the base URL", () => {
  const endpoint = { url: "http://me:pass@host:1/v1/?token=t" };
  const { message } = explainFailure(answered(500, "x"), { endpoint });
  assert.ok(message.startsWith("http://host:1/v1 answered 500: x."), message);
});

const CONTEXT = "This model's maximum context length is 8192 tokens";
const MENDS: readonly [name: string, failure: RequestFailure, mend: RegExp][] = [
  ["401", answered(401, "no"), /Set OPENAI_API_KEY/],
  ["403", answered(403, "no"), /Set OPENAI_API_KEY/],
  ["404 without models", answered(404, "no"), /base URL/],
  ["a full context", answered(400, CONTEXT), /\/clear .* --context-size/],
  ["another 400", answered(400, "bad temperature"), /answered 400: bad temperature\.$/],
  ["429", answered(429, "slow down"), /wait a while/],
  ["no credit", answered(429, '{"error":{"code":"insufficient_quota"}}'), /no credit/],
  ["500", answered(500, "oops"), /server's log/],
  ["a refusal", new RequestFailure("refused", "x"), /`ollama serve`.*--endpoint URL/],
  ["an unknown host", new RequestFailure("unresolved", "x"), /cannot be found.*--endpoint URL/],
  ["no way there", new RequestFailure("unreachable", "bad TLS"), /reached: bad TLS.*--endpoint/],
  ["a broken stream", new RequestFailure("lost", "the stream ended early"), /broke off its reply/],
  [
    "a key that no request can carry",
    new RequestFailure("unsendable", "its key has characters that no request can carry"),
    /was not asked: its key .* Copy the key to OPENAI_API_KEY again/,
  ],
  ["silence", new RequestFailure("timeout", "x"), /did not answer in time/],
];
for (const [name, failure, mend] of MENDS) {
  Deno.test(`explain() names endpoint and mend for ${name}`, () => {
    const error = explainFailure(failure, { endpoint: ENDPOINT, model: "m" });
    assert.ok(error.message.startsWith("http://localhost:8080/v1 "));
    assert.match(error.message, mend);
    assert.equal(error.status, failure.status);
  });
}

Deno.test("explain() tells a refused key from a missing one", () => {
  const endpoint = { ...ENDPOINT, apiKey: "sk-1" };
  assert.match(explainFailure(answered(401, "no"), { endpoint }).message, /Check OPENAI_API_KEY/);
});

Deno.test("explain() suggests /v1 for a base URL without it", () => {
  const endpoint = { url: "http://localhost:11434" };
  const { message } = explainFailure(answered(404, "404 page not found"), { endpoint });
  assert.match(message, /try --endpoint http:\/\/localhost:11434\/v1\./);
});

Deno.test("explain() lists at most eight models", () => {
  const models = Array.from({ length: 20 }, (_, index) => `model-${index}`);
  const { message } = explainFailure(answered(404, "no"), {
    endpoint: ENDPOINT,
    model: "m",
    models,
  });
  assert.match(message, /model-7, \.\.\./);
  assert.doesNotMatch(message, /model-8/);
});

async function fetchFailure(url: string): Promise<RequestFailure> {
  try {
    await fetch(url);
  } catch (error) {
    return failureOf(error);
  }
  throw new Error(`${url} answered`);
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

Deno.test("failureOf() knows a refused connection", async () => {
  const failure = await fetchFailure(`http://127.0.0.1:${freePort()}/v1`);
  assert.equal(failure.kind, "refused");
  assert.match(failure.message, /^tcp connect error: Connection refused/);
});

Deno.test("failureOf() knows a name that leads nowhere", () => {
  const words = "dns error: failed to lookup address information: Name or service not known";
  const cause = new Error(
    `error sending request for url (http://x/v1): client error (Connect): ${words}`,
  );
  const failure = failureOf(new TypeError("fetch failed", { cause }));
  assert.equal(failure.kind, "unresolved");
  assert.equal(failure.message, words);
});

Deno.test("failureOf() knows an address that is none", async () => {
  assert.equal((await fetchFailure("http://localhost:port/v1")).kind, "unreachable");
});

Deno.test("failureOf() knows a connection that is closed before the answer", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const closing = listener.accept().then(async (connection) => {
    await connection.read(new Uint8Array(1024));
    connection.close();
  });
  assert.equal((await fetchFailure(`http://127.0.0.1:${listener.addr.port}/`)).kind, "lost");
  await closing;
});
