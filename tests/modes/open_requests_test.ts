import assert from "node:assert/strict";
import { OpenRequests } from "../../src/modes/open_requests.ts";

const request = (id: unknown) => ({ jsonrpc: "2.0", id, method: "tools/list" });
const answer = (id: unknown) => ({ jsonrpc: "2.0", id, result: {} });

function stage(graceMs?: number) {
  const refused: unknown[] = [];
  const lines: string[] = [];
  const requests = new OpenRequests({
    answer: ({ id, error }) => refused.push([id, error.message]),
    log: (line) => lines.push(line),
    ...graceMs !== undefined && { graceMs },
  });
  return { requests, refused, lines };
}

Deno.test("an input that ends is waited for until its last request is answered, one that came twice too", async () => {
  const { requests, lines } = stage();
  for (const id of [1, "one", 1]) requests.receive(request(id));
  const ended = requests.end().then(() => "ended");
  for (const id of [1, "one"]) requests.send(answer(id));
  assert.equal(await Promise.race([ended, Promise.resolve("open")]), "open");
  requests.send(answer(1));
  assert.equal(await ended, "ended");
  assert.deepEqual(lines, []);
});

Deno.test("nothing is waited for that nobody answers", async () => {
  const { requests, lines } = stage();
  const foreign = [
    { jsonrpc: "2.0", method: "notifications/initialized" },
    ...[null, {}, undefined, true].map(request),
    { id: 1, method: "tools/list" },
    answer(77),
    [request(1)],
    null,
    "tools/list",
  ];
  for (const message of foreign) requests.receive(message);
  requests.receive(request(5));
  requests.forget(5);
  await requests.end();
  assert.deepEqual(lines, []);
});

Deno.test("what the client was asked is refused once it sends nothing more, before the end and after", async () => {
  const { requests, refused } = stage();
  requests.receive(request("call"));
  for (const id of [0, 1]) requests.send(request(id));
  requests.receive(answer(0));
  const ended = requests.end();
  requests.send(request(2));
  const told = "The client sends nothing more";
  assert.deepEqual(refused, [[1, told], [2, told]]);
  requests.send(answer("call"));
  await ended;
});

Deno.test("requests that take too long are named and given up, and a closed connection waits for none", async () => {
  const late = stage(1);
  for (const id of [3, "four"]) late.requests.receive(request(id));
  await late.requests.end();
  assert.match(late.lines.join(), /^ally: the input ended .* without an answer: 3, four$/);
  const closed = stage();
  closed.requests.receive(request(1));
  const ended = closed.requests.end();
  closed.requests.close();
  await ended;
  assert.deepEqual(closed.lines, []);
});
