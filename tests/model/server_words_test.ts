import assert from "node:assert/strict";
import { serverWords } from "../../src/model/server_words.ts";

const PROVIDER = JSON.stringify({ error: { message: "tool_choice is not supported" } });
const BODIES: readonly [body: string, words: string][] = [
  ['{"error":{"message":"no such model","type":"x"}}', "no such model"],
  ['{"error":"overloaded"}', "overloaded"],
  ['{"object":"error","message":"too long"}', "too long"],
  ['{"detail":"Not Found"}', "Not Found"],
  ['{"detail":[{"msg":"extra"}]}', "extra"],
  [
    '{"detail":[{"loc":["body","tools"],"msg":"field required"},{"msg":"and more"}]}',
    "body.tools: field required; and more",
  ],
  ['{"errors":[{"message":"bad tools"},{"message":"bad model"}]}', "bad tools; bad model"],
  [
    JSON.stringify({ error: { message: "Provider returned error", metadata: { raw: PROVIDER } } }),
    "Provider returned error: tool_choice is not supported",
  ],
  [JSON.stringify({ error: { message: PROVIDER } }), "tool_choice is not supported"],
  ['{"error":{"code":500}}', '{"error":{"code":500}}'],
  ['{"error":{"message":"[1] is no list"}}', "[1] is no list"],
  [
    "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
    'an HTML page, "502 Bad Gateway"',
  ],
  ["upstream\n  timed out.", "upstream timed out"],
  ["<!DOCTYPE html><html><body>Hello</body></html>", "an HTML page"],
  ["", ""],
];
for (const [body, words] of BODIES) {
  Deno.test(`serverWords() reads ${JSON.stringify(words)} from ${JSON.stringify(body)}`, () => {
    assert.equal(serverWords(body), words);
  });
}

Deno.test("serverWords() cuts the middle of a long text and strips what controls a terminal", () => {
  const words = serverWords(`\x1b]0;owned\x07\x1b[2J${"a".repeat(5000)}`);
  assert.ok(words.length <= 500);
  assert.match(words, /^a+ … a+$/);
});

Deno.test("serverWords() is not led astray by an error as deep as it likes", () => {
  const deep = `${'{"error":'.repeat(2000)}"x"${"}".repeat(2000)}`;
  assert.ok(serverWords(deep).length <= 500);
});
