/**
 * Answers as servers really send them, one row a dialect, with what ally must make of each: the calls it
 * runs, the text and the thinking it keeps. `tests/e2e/dialects_test.ts` sends each through the program.
 */
import {
  ARGS,
  call,
  calling,
  choice,
  CLEAR,
  type DialectRow,
  finished,
  one,
  pieces,
  READ,
  stream,
} from "./dialect_row.ts";
import { THINKING } from "./thinking_rows.ts";
import { WRITTEN } from "./written_rows.ts";

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
    name: "calls with their index as text",
    reply: calling(
      pieces(call("", { index: "0", id: "x" }), call("", { index: "1", id: "y" }, "todo_clear")),
      pieces({ index: "0", function: { arguments: ARGS } }),
      pieces({ index: "1", function: { arguments: "{}" } }),
    ),
    calls: [READ, CLEAR],
  },
  {
    name: "a name in pieces",
    reply: calling(
      pieces(call("", { index: 0, id: "x" }, "re")),
      pieces({ index: 0, function: { name: "ad", arguments: "" } }),
      pieces({ index: 0, function: { arguments: ARGS } }),
    ),
    calls: [READ],
  },
  {
    name: "an empty object before the arguments",
    reply: calling(
      pieces(call("{}")),
      ...[ARGS.slice(0, 5), ARGS.slice(5)].map((args) =>
        pieces({ index: 0, function: { arguments: args } })
      ),
    ),
    calls: [READ],
  },
  {
    name: "a line end after an empty object",
    reply: calling(
      pieces(call("{}", { index: 0, id: "c" }, "todo_clear")),
      pieces({ index: 0, function: { arguments: "\n" } }),
    ),
    calls: [CLEAR],
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
  {
    name: "arguments nested without measure",
    reply: one(`{"file_paths":${"[".repeat(200_000)}${"]".repeat(200_000)}}`),
    errors: [/nested over 100 levels deep/],
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

/** All rows, each with a name of its own. */
export const DIALECTS: readonly DialectRow[] = [
  ...THINKING,
  ...CALLS,
  ...NOT_RUN,
  ...FRAMES,
  ...WRITTEN,
];
