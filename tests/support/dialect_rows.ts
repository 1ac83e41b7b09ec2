/**
 * Answers as servers really send them, one row a dialect, with what ally must make of each: the calls it
 * runs, the text and the thinking it keeps. `tests/e2e/dialects_test.ts` sends each through the program.
 */
import type { ScriptedReply } from "../../src/cli/demo/scripted_server.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface DialectRow {
  readonly name: string;
  /** What the server says first; "done" follows. */
  readonly reply: ScriptedReply;
  /** Calls that run with success, by tool and input. @default none */
  readonly calls?: readonly (readonly [name: string, input: Fields])[];
  /** Errors of calls that do not run. */
  readonly errors?: readonly RegExp[];
  /** @default empty */
  readonly text?: string;
  readonly thinking?: string;
  /** How the first calls are marked. */
  readonly mark?: "rescued" | "repaired";
}

const choice = (fields: Fields, finish: string | null = null) =>
  JSON.stringify({ choices: [{ index: 0, delta: fields, finish_reason: finish }] });
const finished = (reason: string) => choice({}, reason);
const stream = (...events: string[]): ScriptedReply => ({ sse: [...events, "[DONE]"] });
const texts = (...parts: string[]) =>
  stream(...parts.map((content) => choice({ content })), finished("stop"));
const pieces = (...entries: Fields[]) => choice({ tool_calls: entries });
const calling = (...events: string[]) => stream(...events, finished("tool_calls"));

const READ = ["read", { file_paths: ["a.txt"] }] as const;
const CLEAR = ["todo_clear", {}] as const;
const ARGS = '{"file_paths":["a.txt"]}';
const call = (args: unknown, rest: Fields = { index: 0, id: "c1" }, name = "read") => ({
  ...rest,
  type: "function",
  function: { name, arguments: args },
});
const one = (args: unknown, name = "read") =>
  calling(pieces(call(args, { index: 0, id: "c1" }, name)));

const THINKING: readonly DialectRow[] = [
  ...["reasoning_content", "reasoning", "thinking", "reasoning_text"].map((field) => ({
    name: `thinking in ${field}`,
    reply: stream(choice({ [field]: "hm" }), choice({ content: "42" }), finished("stop")),
    thinking: "hm",
    text: "42",
  })),
  {
    name: "thinking in reasoning_details",
    reply: stream(
      choice({ reasoning_details: [{ type: "reasoning.text", text: "hm" }] }),
      choice({ content: "42" }),
      finished("stop"),
    ),
    thinking: "hm",
    text: "42",
  },
  {
    name: "thinking as parts of the content",
    reply: stream(
      choice({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }),
      choice({ content: [{ type: "text", text: "42" }] }),
      finished("stop"),
    ),
    thinking: "hm",
    text: "42",
  },
  {
    name: "thinking between tags that are cut over chunks",
    reply: texts("<th", "ink>\nhm", "</thin", "k>\n\n4", "2"),
    thinking: "hm",
    text: "42",
  },
  {
    name: "a thought within a thought",
    reply: texts("<think>a<think>b</think>c</think>42"),
    thinking: "a<think>b</think>c",
    text: "42",
  },
  {
    name: "a thought that speaks of its own tag",
    reply: texts("<think>the <think> tag</think>42"),
    thinking: "the <think> tag</think>42",
    text: "42",
  },
  {
    name: "two thoughts in a row",
    reply: texts("<think>a</think>\n<think>b</think>42"),
    thinking: "ab",
    text: "42",
  },
  {
    name: "a thought whose beginning the template swallowed",
    reply: texts("hm\n</think>\n\n42"),
    thinking: "hm",
    text: "42",
  },
  {
    name: "channels of gpt-oss in the content",
    reply: texts(
      "<|channel|>analysis<|message|>hm<|end|>",
      "<|start|>assistant<|channel|>final<|message|>42",
    ),
    thinking: "hm",
    text: "42",
  },
];

const CALLS: readonly DialectRow[] = [
  { name: "a whole call", reply: one(ARGS), calls: [READ] },
  {
    name: "a call in pieces",
    reply: calling(
      pieces(call("")),
      ...[...ARGS].map((letter) => pieces({ index: 0, function: { arguments: letter } })),
    ),
    calls: [READ],
  },
  {
    name: "calls without index",
    reply: calling(pieces(call(ARGS, { id: "x" })), pieces(call("{}", { id: "y" }, "todo_clear"))),
    calls: [READ, CLEAR],
  },
  {
    name: "calls that all have index 0",
    reply: calling(
      pieces(call(ARGS, { index: 0, id: "x" })),
      pieces(call("{}", { index: 0, id: "y" }, "todo_clear")),
    ),
    calls: [READ, CLEAR],
  },
  {
    name: "calls with a negative index",
    reply: calling(pieces(call(ARGS, { index: -1, id: "x" }))),
    calls: [READ],
  },
  {
    name: "calls without ids",
    reply: calling(pieces(call(ARGS, { index: 0 }), call("{}", { index: 1 }, "todo_clear"))),
    calls: [READ, CLEAR],
  },
  {
    name: "different calls with the same id",
    reply: calling(
      pieces(call(ARGS, { index: 0, id: "x" }), call("{}", { index: 1, id: "x" }, "todo_clear")),
    ),
    calls: [READ, CLEAR],
  },
  {
    name: "a call sent twice with the same id",
    reply: calling(pieces(call(ARGS)), pieces(call(ARGS))),
    calls: [READ],
  },
  { name: "arguments as an object", reply: one({ file_paths: ["a.txt"] }), calls: [READ] },
  {
    name: "empty arguments",
    reply: calling(pieces(call("", { index: 0, id: "c" }, "todo_clear"))),
    calls: [CLEAR],
  },
  {
    name: "arguments of null",
    reply: calling(pieces(call("null", { index: 0, id: "c" }, "todo_clear"))),
    calls: [CLEAR],
  },
  {
    name: "arguments encoded twice",
    reply: one(JSON.stringify(ARGS)),
    calls: [READ],
    mark: "repaired",
  },
  {
    name: "arguments with a trailing comma",
    reply: one('{"file_paths":["a.txt",],}'),
    calls: [READ],
    mark: "repaired",
  },
  {
    name: "arguments in single quotes",
    reply: one("{'file_paths': ['a.txt']}"),
    calls: [READ],
    mark: "repaired",
  },
  {
    name: "a line end within a string",
    reply: one('{"pattern":"x\ny"}', "grep"),
    calls: [["grep", { pattern: "x\ny" }]],
    mark: "repaired",
  },
  {
    name: "an escape that JSON does not know",
    reply: one('{"pattern":"\\d+"}', "grep"),
    calls: [["grep", { pattern: "\\d+" }]],
    mark: "repaired",
  },
  {
    name: "the legacy function_call",
    reply: stream(
      choice({ function_call: { name: "read", arguments: "" } }),
      choice({ function_call: { arguments: ARGS } }),
      finished("function_call"),
    ),
    calls: [READ],
  },
  {
    name: "calls in spite of finish_reason stop",
    reply: stream(pieces(call(ARGS)), finished("stop")),
    calls: [READ],
  },
  {
    name: "tool_calls that are no list",
    reply: stream(choice({ tool_calls: call(ARGS) }), finished("tool_calls")),
    calls: [READ],
  },
  ...[
    "functions.read",
    "default_api.read",
    "default_api:read",
    "Read",
    "functions.read:0",
    "<|channel|>commentary to=functions.read",
    "read<|channel|>commentary",
    "assistant<|channel|>read",
    '"read"',
  ].map((name) => ({ name: `the tool's name as ${name}`, reply: one(ARGS, name), calls: [READ] })),
  ...["todoClear", "todo-clear", "TodoClear"].map((name) => ({
    name: `the tool's name as ${name}`,
    reply: one("{}", name),
    calls: [["todo_clear", {}]] as const,
  })),
];

const NOT_RUN: readonly DialectRow[] = [
  {
    name: "arguments that are cut off",
    reply: one('{"file_paths":["a.t'),
    errors: [/arguments end in the middle/],
  },
  {
    name: "arguments cut off by the limit of tokens",
    reply: stream(pieces(call('{"file_paths":["a.txt"')), finished("length")),
    errors: [/reached its limit of tokens/],
  },
  {
    name: "a call cut off before its arguments",
    reply: stream(pieces(call("", { index: 0, id: "c" }, "todo_clear")), finished("length")),
    errors: [/reached its limit of tokens/],
  },
  {
    name: "arguments that name a key twice",
    reply: one('{"file_paths":["a.txt"],"file_paths":["b.txt"]}'),
    errors: [/gives? 'file_paths' twice/],
  },
  {
    name: "arguments of the wrong type",
    reply: one('{"file_paths":7}'),
    errors: [/file_paths|not found|No such|does not exist/i],
  },
  { name: "a list for arguments", reply: one('["a.txt"]'), errors: [/must be a JSON object/] },
  { name: "a tool that is none", reply: one("{}", "no.such"), errors: [/no tool named/] },
  {
    name: "arguments of ten megabytes",
    reply: one(`{"file_paths":["${"a".repeat(10_000_000)}"]}`),
    errors: [/more than 1,000,000 characters/],
  },
];

const FRAMES: readonly DialectRow[] = [
  {
    name: "comments that keep the connection open",
    reply: {
      raw: [
        ": OPENROUTER PROCESSING\n\n",
        ": ping\n\n",
        `data: ${choice({ content: "ok" }, "stop")}\n\n`,
      ],
    },
    text: "ok",
  },
  {
    name: "lines ended by CRLF",
    reply: { raw: [`data: ${choice({ content: "ok" }, "stop")}\r\n\r\ndata: [DONE]\r\n\r\n`] },
    text: "ok",
  },
  {
    name: "lines ended by CR",
    reply: { raw: [`data: ${choice({ content: "ok" }, "stop")}\r\rdata: [DONE]\r\r`] },
    text: "ok",
  },
  {
    name: "a byte order mark",
    reply: { raw: [`\ufeffdata: ${choice({ content: "ok" }, "stop")}\n\n`] },
    text: "ok",
  },
  {
    name: "bytes cut within a character",
    reply: {
      raw: [...new TextEncoder().encode(`data: ${choice({ content: "ä😀" }, "stop")}\n\n`)]
        .map((byte) => Uint8Array.of(byte)),
    },
    text: "ä😀",
  },
  {
    name: "events set apart by one line end",
    reply: {
      raw: [`data: ${choice({ content: "o" })}\ndata: ${choice({ content: "k" }, "stop")}\n\n`],
    },
    text: "ok",
  },
  {
    name: "events with the prefix twice",
    reply: { raw: [`data: data: ${choice({ content: "ok" }, "stop")}\n\n`] },
    text: "ok",
  },
  {
    name: "lines of bare JSON",
    reply: { raw: [`${choice({ content: "o" })}\n`, `${choice({ content: "k" }, "stop")}\n`] },
    text: "ok",
  },
  {
    name: "Ollama's own lines",
    reply: {
      raw: [
        '{"message":{"role":"assistant","content":"o"},"done":false}\n',
        '{"message":{"role":"assistant","content":"k"},"done":true,"done_reason":"stop"}\n',
      ],
    },
    text: "ok",
  },
  {
    name: "a stream without [DONE]",
    reply: { sse: [choice({ content: "ok" }, "stop")] },
    text: "ok",
  },
  {
    name: "a stream without a finish reason",
    reply: { sse: [choice({ content: "ok" }), "[DONE]"] },
    text: "ok",
  },
  {
    name: "events after [DONE]",
    reply: { sse: [choice({ content: "ok" }, "stop"), "[DONE]", choice({ content: "no" })] },
    text: "ok",
  },
  {
    name: "plain JSON in answer to a stream request",
    reply: {
      body: JSON.stringify({
        choices: [{ message: { content: null, tool_calls: [call(ARGS)] }, finish_reason: "stop" }],
      }),
    },
    calls: [READ],
  },
  {
    name: "JSON over many lines with the type of a stream",
    reply: { raw: [JSON.stringify({ choices: [{ message: { content: "ok" } }] }, null, 2)] },
    text: "ok",
  },
  {
    name: "usage without choices, null content, no role, unknown fields",
    reply: stream(
      JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } }),
      JSON.stringify({ object: "ping", choices: null }),
      choice({ content: null, audio: null, nonsense: [1] }),
      choice({ content: "ok" }, "stop"),
    ),
    text: "ok",
  },
  {
    name: "a second choice beside the first",
    reply: stream(
      JSON.stringify({ choices: [{ index: 1, delta: { content: "no" } }] }),
      choice({ content: "ok" }, "stop"),
    ),
    text: "ok",
  },
  { name: "a refusal", reply: stream(choice({ refusal: "no" }), finished("stop")), text: "no" },
  {
    name: "text of the legacy completions",
    reply: stream(JSON.stringify({ choices: [{ index: 0, text: "ok", finish_reason: "stop" }] })),
    text: "ok",
  },
];

const JSON_CALL = `{"name": "read", "arguments": ${ARGS}}`;
const written = (name: string, text: string, calls: DialectRow["calls"] = [READ]) => ({
  name: `a call written ${name}`,
  reply: texts(...text.match(/[^]{1,7}/g) ?? []),
  calls,
  mark: "rescued" as const,
});

const RESCUED: readonly DialectRow[] = [
  written("in Hermes tags", `<tool_call>\n${JSON_CALL}\n</tool_call>`),
  { ...written("after text", `I look.\n\n<tool_call>${JSON_CALL}</tool_call>`), text: "I look." },
  written("in tags that were not closed", `<tool_call>\n${JSON_CALL}`),
  written(
    "twice in tags",
    `<tool_call>${JSON_CALL}</tool_call>\n<tool_call>{"name":"todo_clear","arguments":{}}</tool_call>`,
    [READ, CLEAR],
  ),
  written(
    "with single quotes in tags",
    `<tool_call>{'name': 'todo_clear', 'arguments': {}}</tool_call>`,
    [
      CLEAR,
    ],
  ),
  written(
    "as XML of Qwen-Coder",
    "<tool_call>\n<function=read>\n<parameter=file_paths>\n" +
      '["a.txt"]\n</parameter>\n</function>\n</tool_call>',
  ),
  written("as a bare function tag", `<function=read>${ARGS}</function>`),
  written(
    "with keys and values of GLM",
    "<tool_call>read\n<arg_key>file_paths</arg_key>\n<arg_value>a.txt</arg_value>\n</tool_call>",
  ),
  written(
    "as an invocation",
    '<function_calls>\n<invoke name="read">\n<parameter name="file_paths">["a.txt"]</parameter>\n' +
      "</invoke>\n</function_calls>",
  ),
  written("in fenced JSON", "```json\n" + JSON_CALL + "\n```"),
  written("as bare JSON", JSON_CALL),
  written("as JSON with parameters", `{"name": "read", "parameters": ${ARGS}}`),
  written("as a list of JSON", `[${JSON_CALL}]`),
  written("after [TOOL_CALLS] as a list", `[TOOL_CALLS] [${JSON_CALL}]`),
  written("after [TOOL_CALLS] with a name", `[TOOL_CALLS]read${ARGS}`),
  written("after [TOOL_CALLS] with [ARGS]", `[TOOL_CALLS]read[ARGS]${ARGS}`),
  written("in Python", `[read(file_paths=["a.txt"]), todo_clear()]`, [READ, CLEAR]),
  written("in Python's quotes", `[read(file_paths=['a.txt'])]`),
  written("after <|python_tag|>", `<|python_tag|>${JSON_CALL}<|eom_id|>`),
  written("in tool_code", "```tool_code\nread(file_paths=['a.txt'])\n```"),
  written("after <|tool_call|>", `<|tool_call|>[${JSON_CALL}]<|/tool_call|>`),
  written(
    "in sections of Kimi",
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>" +
      `${ARGS}<|tool_call_end|><|tool_calls_section_end|>`,
  ),
  written(
    "in marks of DeepSeek",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n" +
      `${ARGS}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  ),
  written(
    "in channels of gpt-oss",
    `<|channel|>commentary to=functions.read <|constrain|>json<|message|>${ARGS}<|call|>`,
  ),
];

const kept = (name: string, text: string): DialectRow => ({ name, reply: texts(text), text });
const CLEAR_CALL = '{"name": "todo_clear", "arguments": {}}';

const TEXT: readonly DialectRow[] = [
  kept("a call of a tool that is none", '<tool_call>{"name":"nope","arguments":{}}</tool_call>'),
  kept("a call that breaks its schema", '<tool_call>{"name":"read","arguments":{}}</tool_call>'),
  kept("a call in the middle of text", `<tool_call>${CLEAR_CALL}</tool_call>\nand so on`),
  kept("a call within a line", `write <tool_call>${CLEAR_CALL}</tool_call>`),
  kept("a quoted call", `> <tool_call>${CLEAR_CALL}</tool_call>`),
  kept("a fenced call in tags", `As said:\n\`\`\`\n<tool_call>${CLEAR_CALL}</tool_call>\n\`\`\``),
  kept("fenced JSON after text", `Use this:\n\`\`\`json\n${CLEAR_CALL}\n\`\`\``),
  kept("an example", `It would look like this:\n<tool_call>${CLEAR_CALL}</tool_call>`),
  kept("a call cut off", '<tool_call>{"name":"todo_clear","arguments":{'),
  kept("JSON that is an answer", '{"name": "ls", "size": 3}'),
  kept("Python that is an answer", "[x for x in range(3)]"),
  kept("a list of numbers", "[1, 2, 3]"),
  kept("a fenced answer", "```json\n[1, 2]\n```"),
];

/** All rows, each with a name of its own. */
export const DIALECTS: readonly DialectRow[] = [
  ...THINKING,
  ...CALLS,
  ...NOT_RUN,
  ...FRAMES,
  ...RESCUED,
  ...TEXT,
];
