import assert from "node:assert/strict";
import { MANIFEST } from "../../plugins/manifest.ts";
import type { Message } from "../../src/core/message.ts";
import type { Reply, Usage } from "../../src/core/model.ts";
import { ReplyAssembler, type TextDelta } from "../../src/model/assemble.ts";
import { DIALECTS } from "../support/dialect_rows.ts";

type Fields = Record<string, unknown>;

interface Case {
  readonly name: string;
  readonly chunks: readonly unknown[];
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly [id: string, name: string, args: string][];
  readonly usage?: Usage;
  readonly finishReason?: string;
}

const delta = (fields: Fields, finish: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const calls = (...entries: Fields[]) => delta({ tool_calls: entries });
const called = (name: string | undefined, args: unknown, rest: Fields = {}) => ({
  ...rest,
  function: { ...name !== undefined && { name }, arguments: args },
});

const CONVERSATION = { tools: [], messages: [] };

/** Ids that the assembly gives itself are "own_1", "own_2", ... */
async function assemble(chunks: readonly unknown[], messages: readonly Message[] = []) {
  let own = 0;
  const newId = () => `own_${++own}`;
  const assembly = new ReplyAssembler({ tools: [], messages, newId });
  const pieces: TextDelta[] = chunks.flatMap((chunk) => assembly.add(chunk));
  pieces.push(...await assembly.end());
  return { pieces, reply: await assembly.reply() };
}

function plainCalls(reply: Reply): [string, string, string][] {
  return reply.message.calls.map((call) => [call.id, call.name, call.arguments]);
}

const TEXTS: readonly Case[] = [
  {
    name: "text in pieces, with usage in a chunk without choices",
    chunks: [
      delta({ role: "assistant", content: "" }),
      delta({ content: "Hel" }),
      delta({ content: "lo" }),
      delta({}, "stop"),
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } },
    ],
    text: "Hello",
    usage: { promptTokens: 7, completionTokens: 2 },
    finishReason: "stop",
  },
  {
    name: "null content, null usage, unknown fields and chunks of no use",
    chunks: [
      { object: "ping" },
      null,
      17,
      { choices: null },
      { choices: [null] },
      delta({ content: null, audio: { id: "x" }, tool_calls: null, function_call: null }),
      { ...delta({ content: "ok" }), usage: null, error: null, nonsense: [1] },
    ],
    text: "ok",
  },
  {
    name: "thinking in reasoning_content",
    chunks: [
      delta({ reasoning_content: "hm " }),
      delta({ reasoning_content: "so\n" }),
      delta({
        content: "42",
      }),
    ],
    text: "42",
    thinking: "hm so",
  },
  {
    name: "thinking in reasoning",
    chunks: [delta({ reasoning: "hm", content: "" }), delta({ content: "42" })],
    text: "42",
    thinking: "hm",
  },
  {
    name: "thinking sent in both fields at once, only once",
    chunks: [delta({ reasoning: "hm", reasoning_content: "hm" }), delta({ content: "42" })],
    text: "42",
    thinking: "hm",
  },
  {
    name: "thinking between tags cut over chunks",
    chunks: ["<thi", "nk>\nhm", "</th", "ink>", "\n\n42"].map((content) => delta({ content })),
    text: "42",
    thinking: "hm",
  },
  {
    name: "a refusal as the text",
    chunks: [delta({ refusal: "I cannot" }), delta({}, "stop")],
    text: "I cannot",
    finishReason: "stop",
  },
  {
    name: "a whole answer in one piece",
    chunks: [{
      choices: [{
        message: {
          role: "assistant",
          content: "hi",
          tool_calls: [called("ls", "{}", { id: "a", type: "function" })],
        },
        finish_reason: "tool_calls",
      }],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    }],
    text: "hi",
    calls: [["a", "ls", "{}"]],
    usage: { promptTokens: 1, completionTokens: 1 },
    finishReason: "tool_calls",
  },
  { name: "nothing at all", chunks: [] },
];

const CALLS: readonly Case[] = [
  {
    name: "two calls in pieces by index, interleaved",
    chunks: [
      calls(called("read", "", { index: 0, id: "a" })),
      calls(called("ls", "", { index: 1, id: "b" })),
      calls(called(undefined, '{"x"', { index: 0 }), called(undefined, "{", { index: 1 })),
      calls(called(undefined, ":1}", { index: 0 }), called(undefined, "}", { index: 1 })),
      delta({}, "tool_calls"),
    ],
    calls: [["a", "read", '{"x":1}'], ["b", "ls", "{}"]],
    finishReason: "tool_calls",
  },
  {
    name: "two calls in pieces by id, without index",
    chunks: [
      calls(called("read", "{", { id: "a" })),
      calls(called("ls", "{", { id: "b" })),
      calls(called(undefined, "}", { id: "a" }), called(undefined, "}", { id: "b" })),
    ],
    calls: [["a", "read", "{}"], ["b", "ls", "{}"]],
  },
  {
    name: "pieces without index and id, which go on with the last call",
    chunks: [
      calls(called("read", '{"x"', { id: "a" })),
      calls(called(undefined, ":1}")),
      calls(called("ls", "{}", { id: "b" })),
    ],
    calls: [["a", "read", '{"x":1}'], ["b", "ls", "{}"]],
  },
  {
    name: "whole calls that all have index 0, with ids",
    chunks: [
      calls(called("read", '{"x":1}', { index: 0, id: "a" })),
      calls(called("read", '{"x":2}', { index: 0, id: "b" })),
    ],
    calls: [["a", "read", '{"x":1}'], ["b", "read", '{"x":2}']],
  },
  {
    name: "whole calls without index and id",
    chunks: [calls(called("read", { x: 1 }), called("read", { x: 2 })), calls(called("ls", {}))],
    calls: [["own_1", "read", '{"x":1}'], ["own_2", "read", '{"x":2}'], ["own_3", "ls", "{}"]],
  },
  {
    name: "calls with the same id, of which only the first keeps it",
    chunks: [
      calls(called("read", "{}", { index: 0, id: "call_0" })),
      calls(called("ls", "{}", { index: 1, id: "call_0" })),
    ],
    calls: [["call_0", "read", "{}"], ["own_1", "ls", "{}"]],
  },
  {
    name: "whole calls with the same id and no index",
    chunks: [
      calls(called("read", '{"x":1}', { id: "x" })),
      calls(called("read", '{"x":2}', { id: "x" })),
    ],
    calls: [["x", "read", '{"x":1}'], ["own_1", "read", '{"x":2}']],
  },
  {
    name: "id and name repeated with every piece",
    chunks: ['{"x"', ":", "1}", ""].map((args) =>
      calls(called("read", args, { index: 0, id: "a" }))
    ),
    calls: [["a", "read", '{"x":1}']],
  },
  {
    name: "a new id with every piece, the name only with the first",
    chunks: [
      calls(called("read", '{"x"', { index: 0, id: "a1" })),
      calls(called(undefined, ":1}", { index: 0, id: "a2" })),
    ],
    calls: [["a1", "read", '{"x":1}']],
  },
  {
    name: "empty ids and null arguments",
    chunks: [calls(called("ls", null, { index: 0, id: "" })), delta({}, "tool_calls")],
    calls: [["own_1", "ls", "{}"]],
    finishReason: "tool_calls",
  },
  {
    name: "the id and the name after the arguments began",
    chunks: [
      calls(called(undefined, '{"x"', { index: 0 })),
      calls(called("read", ":1}", { index: 0, id: "a" })),
    ],
    calls: [["a", "read", '{"x":1}']],
  },
  {
    name: "calls without the function level",
    chunks: [calls({ id: "a", name: "ls", arguments: "{}" })],
    calls: [["a", "ls", "{}"]],
  },
  {
    name: "the legacy function_call in pieces",
    chunks: [
      delta({ function_call: { name: "read", arguments: "" } }),
      delta({ function_call: { arguments: '{"x"' } }),
      delta({ function_call: { arguments: ":1}" } }, "function_call"),
    ],
    calls: [["own_1", "read", '{"x":1}']],
    finishReason: "function_call",
  },
  {
    name: "calls in spite of finish_reason stop",
    chunks: [calls(called("ls", "{}", { index: 0, id: "a" })), delta({}, "stop")],
    calls: [["a", "ls", "{}"]],
    finishReason: "stop",
  },
  {
    name: "arguments that are not JSON, kept to the byte",
    chunks: [calls(called("ls", "{ path: 'a'", { index: 0, id: "a" })), delta({}, "length")],
    calls: [["a", "ls", "{ path: 'a'"]],
    finishReason: "length",
  },
  {
    name: "blank text before a call, which is no text",
    chunks: [delta({ content: "\n\n" }), calls(called("ls", "{}", { index: 0, id: "a" }))],
    calls: [["a", "ls", "{}"]],
  },
  {
    name: "entries that are no calls",
    chunks: [calls({}), delta({ tool_calls: [null, 3, "x"] }), delta({ tool_calls: "none" })],
  },
];

for (const wanted of [...TEXTS, ...CALLS]) {
  Deno.test(`ReplyAssembly takes ${wanted.name}`, async () => {
    const { reply, pieces } = await assemble(wanted.chunks);
    assert.equal(reply.message.content, wanted.text ?? "");
    assert.equal(reply.message.thinking, wanted.thinking);
    assert.deepEqual(plainCalls(reply), wanted.calls ?? []);
    assert.deepEqual(reply.usage, wanted.usage);
    assert.equal(reply.finishReason, wanted.finishReason);
    const shown = pieces.filter((piece) => piece.kind === "text").map((piece) => piece.text);
    assert.equal(shown.join(""), reply.message.content);
  });
}

Deno.test("ReplyAssembly replaces an id that an earlier call of the conversation has", async () => {
  const earlier = [{ id: "call_0", name: "ls", arguments: "{}" }];
  const { reply } = await assemble(
    [calls(called("ls", "{}", { index: 0, id: "call_0" }))],
    [{ role: "assistant", content: "", calls: earlier }],
  );
  assert.deepEqual(plainCalls(reply), [["own_1", "ls", "{}"]]);
});

Deno.test("ReplyAssembly makes ids of its own that differ", async () => {
  const assembly = new ReplyAssembler(CONVERSATION);
  assembly.add(calls(called("ls", {}), called("ls", {})));
  const [first, second] = (await assembly.reply()).message.calls;
  assert.match(first?.id ?? "", /^call_[0-9a-f]{12}$/);
  assert.match(second?.id ?? "", /^call_[0-9a-f]{12}$/);
  assert.notEqual(first?.id, second?.id);
});

Deno.test("ReplyAssembly knows that it is finished once the server says why it stopped", () => {
  const assembly = new ReplyAssembler(CONVERSATION);
  assembly.add(delta({ content: "a" }));
  assert.equal(assembly.finished, false);
  assembly.add(delta({}, "stop"));
  assert.equal(assembly.finished, true);
});

/** The texts of all rows that consist of text. */
const WRITTEN = DIALECTS.map(({ name, reply }) => {
  const contents = (reply.sse ?? []).filter((data) => data !== "[DONE]" && data.length < 100_000)
    .map((data) => JSON.parse(data).choices?.[0]?.delta?.content);
  return { name, text: contents.filter((content) => typeof content === "string").join("") };
}).filter(({ text }) => text !== "");

/** The reply that pieces of content come to, with what people saw of it. */
async function spoken(pieces: readonly string[]) {
  const tools = MANIFEST.map(({ definition }) => definition);
  const assembly = new ReplyAssembler({ tools, messages: [], newId: () => "own" });
  const shown: Record<TextDelta["kind"], string> = { thinking: "", text: "" };
  const show = (all: readonly TextDelta[]) => all.forEach(({ kind, text }) => shown[kind] += text);
  for (const content of pieces) show(assembly.add(delta({ content })));
  show(assembly.add(delta({}, "stop")));
  show(await assembly.end());
  return { shown, reply: await assembly.reply() };
}

for (const { name, text } of WRITTEN) {
  Deno.test(`ReplyAssembly makes the same of ${name}, however it is cut`, async () => {
    const whole = await spoken([text]);
    assert.deepEqual(await spoken([...text]), whole);
    for (let cut = 1; cut < text.length; cut++) {
      assert.deepEqual(await spoken([text.slice(0, cut), text.slice(cut)]), whole);
    }
  });
}

Deno.test("what stands beside a call stays with it", async () => {
  const extra_content = { google: { thought_signature: "CpcD" } };
  const { reply } = await assemble([
    calls(
      called("read", "{}", { index: 0, id: "a", extra_content }),
      called("ls", "{}", { index: 1, id: "b" }),
    ),
    delta({}, "tool_calls"),
  ]);
  assert.deepEqual(reply.message.calls.map(({ extra }) => extra), [extra_content, undefined]);
});

const PLACES: readonly [name: string, chunks: Fields[], place: unknown, text?: string][] = [
  [
    "the field that is shown, to the byte",
    [{ reasoning: "hm", reasoning_content: "hm" }, { reasoning_content: "\n" }, { content: "42" }],
    { in: "fields", fields: { reasoning_content: "hm\n" } },
  ],
  [
    "details with their signatures, put together, rather than their text alone",
    [
      { reasoning: "h", reasoning_details: [{ type: "reasoning.text", text: "h", index: 0 }] },
      { reasoning: "m", reasoning_details: [{ type: "reasoning.text", text: "m", index: 0 }] },
      { reasoning_details: [{ type: "reasoning.text", signature: "s", text: null, index: 0 }] },
      { reasoning_details: [{ type: "reasoning.encrypted", data: "xyz", index: 1 }] },
      { content: "42" },
    ],
    {
      in: "fields",
      fields: {
        reasoning_details: [
          { type: "reasoning.text", text: "hm", index: 0, signature: "s" },
          { type: "reasoning.encrypted", data: "xyz", index: 1 },
        ],
      },
    },
  ],
  [
    "tags and the blanks around them",
    [{ content: "\n<think>\nhm\n</th" }, { content: "ink>\n\n4" }, { content: "2" }],
    { in: "text", text: "\n<think>\nhm\n</think>\n\n" },
  ],
  ["tags before nothing", [{ content: "<think>hm</think>\n\n" }], {
    in: "text",
    text: "<think>hm</think>\n\n",
  }, ""],
  ["a thought whose beginning the template had", [{ content: "hm\n</think>\n\n42" }], {
    in: "text",
    text: "hm\n</think>\n\n",
  }],
  ["a part of the content", [
    { content: [{ type: "thinking", thinking: [{ type: "text", text: "h" }] }] },
    { content: [{ type: "thinking", thinking: [{ type: "text", text: "m" }] }] },
    { content: [{ type: "text", text: "42" }] },
  ], { in: "part", text: "hm" }],
  ["a thought that did not end", [{ content: "<think>hm" }], undefined, ""],
  ["no thought", [{ reasoning_content: "", content: "42" }], undefined],
];

for (const [name, fields, place, text = "42"] of PLACES) {
  Deno.test(`thinking is kept as it goes back: ${name}`, async () => {
    const { reply } = await assemble([...fields.map((one) => delta(one)), delta({}, "stop")]);
    assert.equal(reply.message.content, text);
    assert.deepEqual(reply.message.reasoning?.place, place);
  });
}

const nested = (levels: number) => JSON.parse('{"a":'.repeat(levels) + "1" + "}".repeat(levels));

Deno.test("what is kept of a call to be sent back is bounded", async () => {
  const signed = (extra: unknown, id = "c1") =>
    calls(called("read", "{}", { index: 0, id, extra_content: extra }));
  const keptOf = async (chunk: unknown) =>
    (await assemble([chunk, delta({}, "stop")])).reply.message;
  const small = { google: { thought_signature: "s" } };
  assert.deepEqual((await keptOf(signed(small))).calls[0]?.extra, small);
  assert.equal((await keptOf(signed(nested(100_000)))).calls[0]?.extra, undefined);
  assert.equal((await keptOf(signed({ x: "y".repeat(2_000_000) }))).calls[0]?.extra, undefined);
  assert.equal((await keptOf(signed(small, "i".repeat(1_000)))).calls[0]?.id, "own_1");
  const named = await keptOf(calls(called("n".repeat(5_000_000), "{}", { index: 0, id: "c1" })));
  assert.equal(named.calls[0]?.name.length, 512);
  const details = [{ type: "x", data: nested(100_000) }];
  const thought = await keptOf(delta({ reasoning_details: details, content: "42" }));
  assert.equal(thought.reasoning, undefined);
});
