import assert from "node:assert/strict";
import type { ImagePart } from "../../src/core/image.ts";
import type { Message, Reasoning } from "../../src/core/message.ts";
import type { ToolDefinition } from "../../src/core/tool.ts";
import { bodyOf, createToolEncoder, toWireMessages } from "../../src/model/wire.ts";

const READ: ToolDefinition = {
  name: "read",
  description: "Reads files",
  parameters: {
    type: "object",
    properties: {
      file_paths: { type: "array", items: { type: "string", format: "path" } },
      command: { type: "string", format: "command" },
      format: { type: "string", enum: ["path", "command"] },
      since: { type: "string", format: "date" },
    },
    required: ["file_paths"],
    additionalProperties: false,
  },
  effects: ["read"],
  example: { file_paths: ["a.ts"] },
};

const PLACES: readonly [Reasoning["place"], Record<string, unknown>][] = [
  [{ in: "fields", fields: { reasoning: " hm\n" } }, { content: "hello", reasoning: " hm\n" }],
  [
    { in: "fields", fields: { reasoning_details: [{ type: "t", signature: "s" }] } },
    { content: "hello", reasoning_details: [{ type: "t", signature: "s" }] },
  ],
  [{ in: "text", text: "<think>hm</think>\n\n" }, { content: "<think>hm</think>\n\nhello" }],
  [{ in: "part", text: "hm" }, {
    content: [
      { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
      { type: "text", text: "hello" },
    ],
  }],
];

Deno.test("toWireMessages() sends thinking where it stood, to the model that thought and no other", () => {
  for (const [place, sent] of PLACES) {
    const reply: Message = {
      role: "assistant",
      content: "hello",
      calls: [],
      thinking: "hm",
      reasoning: { model: "m", place },
    };
    const wired = (options: Parameters<typeof toWireMessages>[1]) =>
      toWireMessages([reply], options)[0];
    const bare = { role: "assistant", content: "hello" };
    assert.deepEqual(wired({ model: "m" }), { role: "assistant", ...sent });
    assert.deepEqual(wired({ model: "other" }), bare);
    assert.deepEqual(wired({ model: "m", omit: new Set(["reasoning"]) }), bare);
  }
});

Deno.test("toWireMessages() joins neighbouring user messages with a blank line", () => {
  const wire = toWireMessages([
    { role: "user", content: "one" },
    { role: "user", content: "two" },
    { role: "user", content: "three" },
  ]);
  assert.deepEqual(wire, [{ role: "user", content: "one\n\ntwo\n\nthree" }]);
});

Deno.test("toWireMessages() leaves out a reply that was cut off before its first word", () => {
  const wire = toWireMessages([
    { role: "user", content: "one" },
    { role: "assistant", content: "", calls: [], interrupted: true },
    { role: "user", content: "two" },
  ]);
  assert.deepEqual(wire, [{ role: "user", content: "one\n\ntwo" }]);
});

Deno.test('toWireMessages() sends calls with empty text as content "" and results by call id', () => {
  const wire = toWireMessages([
    {
      role: "assistant",
      content: "",
      calls: [{ id: "c1", name: "read", arguments: '{ "file_paths" : ["a"] }' }],
    },
    { role: "tool", call_id: "c1", name: "read", content: "text", success: true },
  ]);
  assert.deepEqual(wire, [
    {
      role: "assistant",
      content: "",
      tool_calls: [{
        id: "c1",
        type: "function",
        function: { name: "read", arguments: '{ "file_paths" : ["a"] }' },
      }],
    },
    { role: "tool", tool_call_id: "c1", content: "text" },
  ]);
});

for (const broken of ['{"path": "a', "[1]", "null", "read it", ""]) {
  Deno.test(`toWireMessages() wraps the arguments ${JSON.stringify(broken)}, which are no object`, () => {
    const calls = [{ id: "c1", name: "read", arguments: broken }];
    const [message] = toWireMessages([{ role: "assistant", content: "", calls }]);
    assert.ok(message?.role === "assistant");
    const [call] = message.tool_calls ?? [];
    assert.ok(call?.type === "function");
    assert.deepEqual(JSON.parse(call.function.arguments), { raw_args: broken });
  });
}

Deno.test("bodyOf() sends no half of a character, which servers refuse: not in texts, calls, tools", () => {
  const half = "\ud83d";
  const call = { id: "c1", name: "read", arguments: JSON.stringify({ a: half, b: "😀" }) };
  const messages: Message[] = [
    { role: "user", content: `${half} 😀` },
    { role: "assistant", content: "", calls: [call] },
    { role: "tool", call_id: "c1", name: "read", content: half, success: true },
  ];
  const tools = [createToolEncoder()({ ...READ, description: half })];
  const body = bodyOf({ model: "m", messages, tools: [] }, { tools, omit: new Set() });
  const text = JSON.stringify(body);
  assert.doesNotMatch(text, /\\ud83d/);
  assert.equal(text.split("\ufffd").length - 1, 4);
  assert.equal(text.split("😀").length - 1, 2);
});

Deno.test("createToolEncoder() strips the pipeline's marks and nothing else", () => {
  const { function: encoded } = createToolEncoder()(READ);
  assert.deepEqual(encoded, {
    name: "read",
    description: "Reads files",
    parameters: {
      type: "object",
      properties: {
        file_paths: { type: "array", items: { type: "string" } },
        command: { type: "string" },
        format: { type: "string", enum: ["path", "command"] },
        since: { type: "string", format: "date" },
      },
      required: ["file_paths"],
      additionalProperties: false,
    },
  });
});

Deno.test("createToolEncoder() works out a definition once", () => {
  const encode = createToolEncoder();
  assert.equal(encode(READ), encode(READ));
});

Deno.test("bodyOf() sends no tools key without tools, and no key for what is not set", () => {
  const request = { model: "m", messages: [{ role: "user", content: "hi" }], tools: [] } as const;
  assert.deepEqual(Object.keys(bodyOf(request, { tools: [], omit: new Set(["usage"]) })), [
    "model",
    "stream",
    "messages",
  ]);
});

Deno.test("bodyOf() has a request only read: llama-server by its own field, others by one token", () => {
  const request = { model: "m", messages: [], tools: [], maxTokens: 500, warms: true, slot: 2 };
  const sent = (kind: "llamacpp" | "ollama" | undefined, omit: readonly "features"[] = []) => {
    const features = kind &&
      { kind, lists_slots: true, template_caps: [], template_arguments: [] };
    const { max_tokens, n_predict, id_slot } = bodyOf(request, {
      tools: [],
      omit: new Set(omit),
      features,
    });
    return { max_tokens, n_predict, id_slot };
  };
  const plain = { max_tokens: 1, n_predict: undefined, id_slot: undefined };
  assert.deepEqual(sent("llamacpp"), { max_tokens: undefined, n_predict: 0, id_slot: 2 });
  assert.deepEqual(sent("llamacpp", ["features"]), plain);
  assert.deepEqual(sent("ollama"), plain);
  assert.deepEqual(sent(undefined), plain);
});

Deno.test("bodyOf() makes every body the beginning of the next, up to its closing characters", () => {
  const conversation: Message[] = [
    { role: "system", content: "You are ally." },
    { role: "user", content: "look" },
    { role: "assistant", content: "", calls: [], interrupted: true },
    { role: "user", content: "look at a" },
    {
      role: "assistant",
      content: "I read",
      calls: [{ id: "c1", name: "read", arguments: '{"file_paths":["a"]}' }],
    },
    { role: "tool", call_id: "c1", name: "read", content: "1 a", success: true },
    { role: "assistant", content: "done", calls: [], thinking: "hm" },
    { role: "user", content: "thanks" },
  ];
  const tools = [createToolEncoder()(READ)];
  const bodies = conversation.map((_, index) => {
    const messages = conversation.slice(0, index + 1);
    const request = { model: "m", messages, tools: [READ], maxTokens: 100, temperature: 0.5 };
    return JSON.stringify(bodyOf(request, { tools, omit: new Set() }));
  });
  for (const [index, body] of bodies.entries()) {
    const beginning = body.replace(/"?\}\]\}$/, "");
    assert.ok(body.length - beginning.length >= 3);
    assert.ok((bodies[index + 1] ?? body).startsWith(beginning), `body ${index} is no beginning`);
  }
});

const SHOT: ImagePart = {
  hash: "a".repeat(64),
  mime: "image/png",
  name: "shot.png",
  width: 64,
  height: 48,
  size: 120,
};
const URL_OF_SHOT = "data:image/png;base64,AAAA";
const PICTURE = { type: "image_url", image_url: { url: URL_OF_SHOT } };
const WITH_IMAGES: readonly Message[] = [
  { role: "user", content: "what is this?", images: [SHOT] },
  {
    role: "assistant",
    content: "",
    calls: ["c1", "c2"].map((id) => ({ id, name: "read", arguments: "{}" })),
  },
  {
    role: "tool",
    call_id: "c1",
    name: "read",
    content: "a picture",
    success: true,
    images: [SHOT],
  },
  { role: "tool", call_id: "c2", name: "read", content: "1 a", success: true },
  { role: "user", content: "go on" },
];

Deno.test("toWireMessages() sends pictures with the user's words, those of results behind all results of a reply", () => {
  const imageUrls = new Map([[SHOT.hash, URL_OF_SHOT]]);
  const wire = toWireMessages(WITH_IMAGES, { imageUrls });
  assert.deepEqual(wire[0], {
    role: "user",
    content: [{ type: "text", text: "what is this?" }, PICTURE],
  });
  assert.deepEqual(wire.slice(2).map(({ role }) => role), ["tool", "tool", "user"]);
  assert.deepEqual(wire[2], { role: "tool", tool_call_id: "c1", content: "a picture" });
  assert.deepEqual(wire[4]?.content, [
    { type: "text", text: "[Images of the results above: shot.png]" },
    PICTURE,
    { type: "text", text: "go on" },
  ]);
});

Deno.test("toWireMessages() puts words in the place of pictures that are gone, or that the model refused", () => {
  const imageUrls = new Map([[SHOT.hash, URL_OF_SHOT]]);
  const gone = toWireMessages(WITH_IMAGES, { imageUrls: new Map() });
  const refused = toWireMessages(WITH_IMAGES, { imageUrls, omit: new Set(["images"] as const) });
  for (const wire of [gone, refused, toWireMessages(WITH_IMAGES)]) {
    assert.equal(wire[0]?.content, "what is this?\n\n[Image shot.png, 64x48: not shown]");
    assert.ok(wire.every(({ content }) => typeof content === "string"));
  }
});
