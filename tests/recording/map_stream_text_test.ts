import assert from "node:assert/strict";
import { chunksOf } from "../../src/modes/demo/scripted_reply.ts";
import { mapStreamText } from "../../src/recording/map_stream_text.ts";

function stream(reply: Parameters<typeof chunksOf>[0]): string {
  return chunksOf({ ...reply, chunkSize: 3 }, "").map((data) => `data: ${data}\n\n`).join("");
}

const hide = (text: string) => text.replaceAll("hunter22", "[x]");

Deno.test("mapStreamText() replaces a word that a stream cut into pieces, in every kind of text", () => {
  const answer = stream({
    text: "It is hunter22, said twice: hunter22!",
    thinking: "hunter22?",
    calls: [
      { id: "a", name: "bash", arguments: { command: "echo hunter22" } },
      { id: "b", name: "bash", arguments: { command: "echo other" } },
    ],
  });
  assert.ok(!answer.includes("hunter22"));
  const mapped = mapStreamText(answer, hide);
  const deltas = mapped.split("\n").filter((line) => /^data: \{/.test(line))
    .map((line) => JSON.parse(line.slice(6)).choices[0]?.delta ?? {});
  const text = (pick: (delta: Record<string, string>) => string | undefined) =>
    deltas.map((delta) => pick(delta) ?? "").join("");
  assert.equal(text((delta) => delta.content), "It is [x], said twice: [x]!");
  assert.equal(text((delta) => delta.reasoning_content), "[x]?");
  assert.match(mapped, /echo \[x\]/);
  const second = deltas.flatMap((delta) => delta.tool_calls ?? [])
    .filter(({ index }: { index: number }) => index === 1)
    .map((call: { function: { arguments: string } }) => call.function.arguments).join("");
  assert.equal(second, '{"command":"echo other"}');
  assert.ok(mapped.trimEnd().endsWith("data: [DONE]"));
});

Deno.test("mapStreamText() leaves every byte of an answer alone in which nothing is to be replaced", () => {
  for (
    const answer of [stream({ text: "plain" }), '{ "choices": [] }', ": ping\n\ndata: {bad", ""]
  ) assert.equal(mapStreamText(answer, hide), answer);
});

Deno.test("mapStreamText() replaces words in an answer that is one JSON text, or none", () => {
  assert.equal(mapStreamText('{"a":["hunter22"]}', hide), '{"a":["[x]"]}');
  assert.equal(mapStreamText("no json: hunter22", hide), "no json: [x]");
});

Deno.test("mapStreamText() replaces words in what a stream says beside the reply: errors, names, ids", () => {
  const events = [
    { choices: [{ delta: { content: "hunter" } }], model: "hunter22" },
    {
      choices: [{
        delta: {
          content: "22",
          tool_calls: [{ index: 0, id: "hunter22", function: { name: "hunter22" } }],
        },
      }],
    },
    { error: { message: "Wrong key: hunter22", details: ["hunter22"] } },
    "hunter22",
  ];
  const answer = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const mapped = mapStreamText(answer, hide).split("\n\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line.slice(6)));
  assert.deepEqual(mapped, [
    { choices: [{ delta: { content: "[x]" } }], model: "[x]" },
    {
      choices: [{
        delta: { content: "", tool_calls: [{ index: 0, id: "[x]", function: { name: "[x]" } }] },
      }],
    },
    { error: { message: "Wrong key: [x]", details: ["[x]"] } },
    "[x]",
  ]);
});
