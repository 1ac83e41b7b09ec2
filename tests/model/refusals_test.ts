import { CLIENT_LIMITS } from "../support/settings.ts";
import assert from "node:assert/strict";
import type { Message } from "../../src/core/message.ts";
import type { Delta, ModelRequest } from "../../src/core/model.ts";
import type { ToolDefinition } from "../../src/core/tool.ts";
import { createModel } from "../../src/model/client.ts";
import { parseFallback } from "../../src/model/dialects.ts";
import { isOverflow } from "../../src/model/overflow.ts";
import { type ReplyFunction, startScriptedServer } from "../../src/modes/demo/scripted_server.ts";

const LS: ToolDefinition = {
  name: "ls",
  description: "Lists",
  parameters: {
    type: "object",
    properties: { file_path: { type: "string" } },
    additionalProperties: false,
  },
  effects: ["read"],
  example: {},
};
const REQUEST: ModelRequest = {
  model: "m",
  messages: [{ role: "system", content: "Be brief." }, { role: "user", content: "hi" }],
  tools: [LS],
  maxTokens: 100,
  temperature: 0.2,
};

/** What a conversation looks like after a call. */
const AFTER_CALL: ModelRequest = {
  ...REQUEST,
  messages: [
    ...REQUEST.messages,
    {
      role: "assistant",
      content: "",
      thinking: "I list.",
      calls: [{ id: "c1", name: "ls", arguments: "{}", extra: { google: { signature: "s1" } } }],
    },
    { role: "tool", call_id: "c1", name: "ls", content: "a.txt", success: true },
    { role: "assistant", content: "There is a.txt.", calls: [] },
    { role: "user", content: "And now?" },
  ],
};

type Body = Record<string, unknown>;
const rolesIn = (body: Body) =>
  (body.messages as { role: string }[]).map((message) => message.role).join(" ");

const REFUSALS: readonly [words: string, status: number, met: (body: Body) => boolean][] = [
  ["registry.ollama.ai/library/gemma:2b does not support tools", 400, (body) => !("tools" in body)],
  [
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    400,
    (body) => !("tools" in body),
  ],
  ["tools param requires --jinja flag", 500, (body) => !("tools" in body)],
  ["No endpoints found that support tool use.", 404, (body) => !("tools" in body)],
  ["Function calling is not enabled for this model", 400, (body) => !("tools" in body)],
  ["`tool calling` is not supported with this model", 400, (body) => !("tools" in body)],
  ["This model does not support function calling", 400, (body) => !("tools" in body)],
  [
    "Conversation roles must alternate user/assistant/user/assistant/...",
    400,
    (body) => !("tools" in body),
  ],
  ["System role not supported", 400, (body) => rolesIn(body) === "user"],
  [
    "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    400,
    (body) => rolesIn(body) === "user",
  ],
  [
    "Developer instruction is not enabled for models/gemma-3",
    400,
    (body) => rolesIn(body) === "user",
  ],
  [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    400,
    (body) => body.max_completion_tokens === 100 && !("max_tokens" in body),
  ],
  [
    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    400,
    (body) => !("temperature" in body),
  ],
  ["`temperature` is deprecated for this model.", 400, (body) => !("temperature" in body)],
  ["Extra inputs are not permitted: stream_options", 422, (body) => !("stream_options" in body)],
  ["Streaming is not supported for this model", 400, (body) => body.stream === false],
];

for (const [words, status, met] of REFUSALS) {
  Deno.test(`a server that says "${words.slice(0, 60)}" is asked otherwise, from then on`, async () => {
    const answer: ReplyFunction = ({ body }) =>
      met(body) ? { text: "ok" } : { status, text: words };
    await using server = await startScriptedServer({ replies: [answer, answer, answer, answer] });
    const model = createModel({ ...CLIENT_LIMITS, url: server.url, retries: 0 });
    const deltas: Delta[] = [];
    for (let count = 0; count < 2; count++) {
      const signal = new AbortController().signal;
      const reply = await model.reply(REQUEST, {
        signal,
        onDelta: (delta) => void deltas.push(delta),
      });
      assert.equal(reply.message.content, "ok");
    }
    assert.deepEqual(server.requests.map(({ body }) => met(body)), [false, true, true]);
    assert.ok(deltas.filter((delta) => delta.kind === "fallback").length <= 1);
  });
}

const thoughtsIn = (body: Body) =>
  (body.messages as Body[]).filter(({ role }) => role === "assistant")
    .map(({ reasoning_content }) => reasoning_content);
const extrasIn = (body: Body) =>
  (body.messages as { tool_calls?: Body[] }[]).flatMap(({ tool_calls = [] }) => tool_calls)
    .map(({ extra_content }) => extra_content);

for (
  const words of [
    "Missing `reasoning_content` field in the assistant message at message index 2.",
    "The `reasoning_content` in the thinking mode must be passed back to the API.",
    "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
  ]
) {
  Deno.test(`a server that says "${words.slice(0, 50)}" gets the thoughts back`, async () => {
    await using server = await startScriptedServer({
      replies: [{ status: 400, text: words }, { text: "ok" }],
    });
    const model = createModel({ ...CLIENT_LIMITS, url: server.url, retries: 0 });
    await model.reply(AFTER_CALL, { signal: new AbortController().signal, onDelta: () => {} });
    const [first, second] = server.requests.map(({ body }) => thoughtsIn(body));
    assert.deepEqual([first, second], [[undefined, undefined], ["I list.", ""]]);
  });
}

const THOUGHTFUL: ModelRequest = {
  ...AFTER_CALL,
  messages: AFTER_CALL.messages.map((message) =>
    message.role !== "assistant" || message.thinking === undefined ? message : {
      ...message,
      reasoning: { model: "m", place: { in: "fields", fields: { reasoning_content: "I list." } } },
    }
  ),
};

for (
  const words of [
    "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
    '{"type":"extra_forbidden","loc":["body","messages",2,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted"}',
    "Unrecognized request argument supplied: messages[2].reasoning_content",
    "messages.1.content.0: Invalid `signature` in `thinking` block",
  ]
) {
  Deno.test(`a server that says "${words.slice(0, 50)}" gets no thoughts, now and later`, async () => {
    await using server = await startScriptedServer({
      replies: [{ status: 400, text: words }, { text: "ok" }, { text: "ok" }],
    });
    const learnt: string[] = [];
    const model = createModel({
      ...CLIENT_LIMITS,
      url: server.url,
      retries: 0,
      onFallback: (_model, fallback) => void learnt.push(fallback),
    });
    for (let count = 0; count < 2; count++) {
      await model.reply(THOUGHTFUL, { signal: new AbortController().signal, onDelta: () => {} });
    }
    const none = [undefined, undefined];
    assert.deepEqual(server.requests.map(({ body }) => thoughtsIn(body)), [
      ["I list.", undefined],
      none,
      none,
    ]);
    assert.deepEqual(learnt, ["reasoning"]);
  });
}

Deno.test("what a server puts beside a call goes back with it, unless the server takes it ill", async () => {
  await using server = await startScriptedServer({
    replies: [
      { status: 400, text: "Unknown parameter: 'messages[2].tool_calls[0].extra_content'" },
      {
        text: "ok",
      },
    ],
  });
  const model = createModel({ ...CLIENT_LIMITS, url: server.url, retries: 0 });
  await model.reply(AFTER_CALL, { signal: new AbortController().signal, onDelta: () => {} });
  const [first, second] = server.requests.map(({ body }) => extrasIn(body));
  assert.deepEqual([first, second], [[{ google: { signature: "s1" } }], [undefined]]);
});

for (
  const words of [
    "Tool call id was call_86b88476ddfd but must be a-z, A-Z, 0-9, with a length of 9.",
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, code string_above_max_length",
  ]
) {
  Deno.test(`a server that says "${words.slice(0, 40)}" gets ids that it takes`, async () => {
    await using server = await startScriptedServer({
      replies: [{ status: 400, text: words }, { text: "ok" }],
    });
    const model = createModel({ ...CLIENT_LIMITS, url: server.url, retries: 0 });
    await model.reply(AFTER_CALL, { signal: new AbortController().signal, onDelta: () => {} });
    const sent = server.requests[1]!.body.messages as {
      tool_call_id?: string;
      tool_calls?: { id: string }[];
    }[];
    const [made] = sent.flatMap(({ tool_calls = [] }) => tool_calls);
    const [answered] = sent.flatMap(({ tool_call_id = [] }) => tool_call_id);
    assert.match(made?.id ?? "", /^[a-z0-9]{9}$/);
    assert.equal(answered, made?.id);
  });
}

for (
  const words of [
    "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
    "Invalid content type. image_url is only supported by certain models.",
    "this model is missing data required for image input",
    "No endpoints found that support image input",
    "Failed to deserialize the JSON body: messages[1]: unknown variant `image_url`, expected `text`",
    "At most 0 image(s) may be provided in one prompt.",
    "'messages.1' : for 'role:user' the following must be satisfied: content must be a string",
    "Model does not support images. Please use a model that does.",
    "Image input is not enabled for this model",
  ]
) {
  Deno.test(`a server that says "${words.slice(0, 40)}" gets no images, now and later`, async () => {
    await using server = await startScriptedServer({
      replies: [{ status: 400, text: words }, { text: "ok" }, { text: "ok" }],
    });
    const learnt: string[] = [];
    const model = createModel({
      ...CLIENT_LIMITS,
      url: server.url,
      retries: 0,
      imageUrlOf: () => Promise.resolve("data:image/png;base64,AA"),
      onFallback: (_model, fallback) => void learnt.push(fallback),
    });
    const image = { hash: "0", mime: "image/png", name: "a.png", width: 9, height: 9, size: 1 };
    const asked = { role: "user", content: "what?", images: [image] } as const;
    const request = { ...REQUEST, messages: [asked as Message] };
    for (let count = 0; count < 2; count++) {
      await model.reply(request, { signal: new AbortController().signal, onDelta: () => {} });
    }
    assert.deepEqual(
      server.requests.map(({ body }) => typeof (body.messages as Message[])[0]?.content),
      ["object", "string", "string"],
    );
    assert.deepEqual(learnt, ["images"]);
  });
}

Deno.test("a model without tools gets them in words, and calls them in its text", async () => {
  await using server = await startScriptedServer({
    replies: [
      { status: 400, text: "m does not support tools" },
      { text: 'I look.\n<tool_call>{"name": "ls", "arguments": {"file_path": "."}}</tool_call>' },
      { text: "done" },
    ],
  });
  const model = createModel({ ...CLIENT_LIMITS, url: server.url, retries: 0 });
  const options = { signal: new AbortController().signal, onDelta: () => {} };
  const { message } = await model.reply(REQUEST, options);
  assert.equal(message.content, "I look.");
  const [call] = message.calls;
  assert.deepEqual(call && { ...call, id: "" }, {
    id: "",
    name: "ls",
    arguments: '{"file_path":"."}',
    rescued: true,
  });
  const result = { role: "tool", call_id: call!.id, name: "ls", content: "a.txt", success: true };
  const messages = [...REQUEST.messages, message, result as typeof result & { role: "tool" }];
  await model.reply({ ...REQUEST, messages }, options);
  const sent = server.requests.at(-1)!.body.messages as { role: string; content: string }[];
  assert.deepEqual(sent.map(({ role }) => role), ["system", "user", "assistant", "user"]);
  assert.match(sent[0]!.content, /"name":"ls","description":"Lists"/);
  assert.match(sent[2]!.content, /^I look\.\n<tool_call>/);
  assert.match(sent[3]!.content, /<tool_response name="ls">\na\.txt/);
});

const OVERFLOWS: readonly [server: string, words: string][] = [
  [
    "OpenAI",
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
  ],
  [
    "OpenAI's code",
    '{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}',
  ],
  [
    "vLLM",
    "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens",
  ],
  [
    "vLLM's chat endpoint",
    "This model's maximum context length is 4096 tokens. However, you requested 4200 tokens (4100 in the messages, 100 in the completion).",
  ],
  [
    "llama.cpp",
    '{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error"}}',
  ],
  ["llama.cpp within a stream", "Context size has been exceeded."],
  ["Ollama", "input length exceeds the context length"],
  ["Ollama's runner", "the input length exceeds maximum context length"],
  [
    "LM Studio",
    "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
  ],
  [
    "LM Studio's newer words",
    "The number of tokens to keep from the initial prompt is greater than the context length.",
  ],
  ["Anthropic", "prompt is too long: 210000 tokens > 200000 maximum"],
  [
    "Anthropic with max_tokens",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
  ],
  [
    "Mistral",
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
  ],
  ["Groq", "Please reduce the length of the messages or completion."],
  [
    "Together",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`",
  ],
  [
    "DeepSeek",
    "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens",
  ],
  [
    "TGI",
    "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
  ],
  [
    "SGLang",
    "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
  ],
  [
    "Gemini",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  ],
  [
    "xAI",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  ],
  ["Cohere", "too many tokens: size limit exceeded by 100 tokens"],
  [
    "GitHub Copilot",
    "prompt token count of 70000 exceeds the limit; model_max_prompt_tokens_exceeded",
  ],
  ["OpenAI's newer words", "Your input exceeds the context window of this model."],
  ["Moonshot", "Invalid request: Your request exceeded model token limit: 8192"],
  ["Z.ai", "Prompt exceeds max length"],
  ["MiniMax", "invalid params, context window exceeds limit (2013)"],
  ["Alibaba", "InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"],
  ["Cerebras", "Please reduce your prompt. Current length is 9000 while limit is 8192"],
  ["llama-cpp-python", "Requested tokens (5000) exceed context window of 4096"],
  ["Ollama's newer words", "prompt too long; exceeded max context length by 120 tokens"],
  ["LiteLLM", "litellm.ContextWindowExceededError: ContextWindowExceededError: ..."],
  ["TensorRT-LLM", "Prompt length (5000) exceeds maximum input length (4096)."],
];

for (const [server, words] of OVERFLOWS) {
  Deno.test(`the words of ${server} for a conversation that is too long are known`, async () => {
    await using scripted = await startScriptedServer({ replies: [{ status: 400, text: words }] });
    const model = createModel({ ...CLIENT_LIMITS, url: scripted.url });
    const options = { signal: new AbortController().signal, onDelta: () => {} };
    await assert.rejects(model.reply(REQUEST, options), { name: "EndpointError", kind: "context" });
    assert.equal(scripted.requests.length, 1);
  });
}

for (
  const words of [
    "Rate limit reached for tokens per min (TPM): Limit 30000",
    "model not found",
    "Invalid schema for function 'read'",
    "max_tokens must be at least 1",
    "too many requests",
  ]
) {
  Deno.test(`"${words}" is no overflow`, () => assert.equal(isOverflow(words), false));
}

Deno.test("parseFallback() reads what models.json and recordings call a fallback", () => {
  assert.equal(parseFallback("usage"), "usage");
  assert.equal(parseFallback("reasoning_echo"), "reasoning_echo");
  assert.equal(parseFallback("unthought"), "reasoning_echo");
  assert.equal(parseFallback("toString"), undefined);
});
