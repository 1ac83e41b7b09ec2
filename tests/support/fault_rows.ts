/**
 * What else can go wrong in a run without a terminal, one row each, with the exit code that a script may rely on.
 */
import { bash, call, END, type FaultRow, FILES, part, READ, rows, WRITE } from "./fault_row.ts";

/** Calls that nobody allowed. */
export const DENIED = rows([
  { name: "write", replies: [WRITE, END] },
  {
    name: "write below a new directory",
    replies: [call("write", { file_path: "d/e", content: "x" }), END],
  },
  {
    name: "edit",
    replies: [
      READ,
      call("edit", { file_path: "a.txt", old_string: "alpha", new_string: "b" }),
      END,
    ],
  },
  {
    name: "line_edit",
    replies: [
      READ,
      call("line_edit", {
        file_path: "a.txt",
        edits: [{ start_line: 1, end_line: 1, new_content: ["b"] }],
      }),
      END,
    ],
  },
  {
    name: "ally_write",
    replies: [call("ally_write", { section: "Testing", content: "- x" }), END],
  },
  ...[
    "touch b",
    "rm -rf .",
    "echo x > b",
    "sh -c 'touch b'",
    "git commit -m x",
    "curl https://example.com",
    "sudo true",
    "mv a.txt b",
    "chmod 777 a.txt",
    "dd if=/dev/zero of=b",
    "$(cat a.txt)",
    "eval touch b",
    "find . -delete",
    "xargs rm < a.txt",
    'python3 -c \'open("b","w")\'',
    "cat /etc/shadow > b",
    "kill -9 1",
    "(touch b)",
    "true && touch b",
    "touch b &",
  ].map((command) => ({ name: `bash: ${command}`, replies: [bash(command), END] })),
  ...["../outside.txt", "/etc/passwd", "/"].map((path) => ({
    name: `read ${path}`,
    replies: [call("read", { file_paths: [path] }), END],
  })),
  ...["../outside.txt", "/etc/ally-test", "/tmp/ally-test"].map((path) => ({
    name: `write ${path}, with -A`,
    args: ["-A", "go"],
    replies: [call("write", { file_path: path, content: "x" }), END],
  })),
  { name: "a rule for another file", args: ["--allow-write=b.txt", "go"], replies: [WRITE, END] },
  {
    name: "a rule for another program",
    args: ["--allow-run=git", "go"],
    replies: [bash("touch b"), END],
  },
  { name: "deny beats allow: write", args: ["-A", "--deny-write", "go"], replies: [WRITE, END] },
  {
    name: "deny beats allow: one file",
    args: ["-A", "--deny-write=new.txt", "go"],
    replies: [WRITE, END],
  },
  {
    name: "deny beats allow: run",
    args: ["-A", "--deny-run", "go"],
    replies: [bash("touch b"), END],
  },
  {
    name: "deny beats allow: one program",
    args: ["-A", "--deny-run=touch", "go"],
    replies: [bash("touch b"), END],
  },
  { name: "deny a file that is read", args: ["--deny-read=a.txt", "go"], replies: [READ, END] },
  { name: "plan mode: write", args: ["-A", "--plan", "go"], replies: [WRITE, END] },
  { name: "plan mode: run", args: ["-A", "--plan", "go"], replies: [bash("touch b"), END] },
  {
    name: "a banned command, with -A",
    args: ["-A", "go"],
    config: { banned_commands: ["touch"] },
    replies: [bash("touch b"), END],
  },
  {
    name: "a call of an agent that works for this one",
    replies: [
      call("agent", { agents: [{ agent_name: "general", task_prompt: "Write." }] }),
      WRITE,
      END,
      END,
    ],
  },
  {
    name: "one of several calls",
    replies: [
      { calls: [...READ.calls!, ...WRITE.calls!] },
      END,
    ],
  },
  {
    name: "a denied call, with the answer by a schema",
    args: ["--output-schema", "{}", "go"],
    replies: [WRITE, { text: "{}" }],
  },
], { files: FILES, code: 3 });

/** Calls that cannot be run as they are written: the model is told, and goes on. */
export const BAD_CALLS = rows([
  ...[
    "{",
    "",
    "null",
    "[]",
    '"a.txt"',
    "7",
    "{'file_paths': 7}",
    '{"file_paths": [}',
    '{"file_paths"',
    "{}",
    '{"file_paths": {"a": 1}}',
    '{"file_paths": [null]}',
    '{"file_paths": []}',
    '{"file_paths": ["a.txt"], "file_paths": 7}',
    '{"file_paths": ["missing.txt"]}',
    '{"file_paths": ["a.txt"], "unknown": true}',
    '{"file_paths": ["a.txt"], "offset": -1}',
    '{"file_paths": ["a.txt"], "limit": "many"}',
    '{"__proto__": {"file_paths": ["a.txt"]}}',
    `{"file_paths": ["${"a".repeat(5000)}"]}`,
    '{"file_paths": ["a\\u0000b"]}',
    "[".repeat(3000),
    `${'{"a":'.repeat(3000)}1`,
  ].map((input) => ({
    name: `read ${
      input.length > 60 ? `${input.slice(0, 20)}... (${input.length} characters)` : input
    }`,
    replies: [call("read", input), END],
  })),
  ...[
    "",
    "no_such_tool",
    "constructor",
    "__proto__",
    "toString",
    "read\n",
    "functions.reed",
    "a".repeat(300),
  ].map((name) => ({
    name: `a tool called ${JSON.stringify(name.slice(0, 30))}`,
    replies: [call(name, {}), END],
  })),
  {
    name: "two calls with one id",
    replies: [{ calls: [{ id: "x", ...READ.calls![0]! }, { id: "x", ...READ.calls![0]! }] }, END],
  },
  {
    name: "sixty calls in one reply",
    replies: [{ calls: Array.from({ length: 60 }, () => READ.calls![0]!) }, END],
  },
  { name: "a grep with no regular expression", replies: [call("grep", { pattern: "(" }), END] },
  {
    name: "an edit of what nobody has read",
    args: ["-A", "go"],
    replies: [call("edit", { file_path: "a.txt", old_string: "alpha", new_string: "b" }), END],
  },
  {
    name: "an edit of what is not there",
    args: ["-A", "go"],
    replies: [READ, call("edit", { file_path: "a.txt", old_string: "beta", new_string: "b" }), END],
  },
  {
    name: "a stream without an end mark",
    replies: [{
      raw: [part("Done."), 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'],
    }],
  },
  {
    name: "chunks of no known shape among others",
    replies: [{
      raw: [
        "data: {}\n\n",
        'data: {"choices":[]}\n\n',
        part("Done."),
        'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
        "data: [DONE]\n\n",
      ],
    }],
  },
], { files: FILES, code: 0 });

const SCHEMA = JSON.stringify({
  type: "object",
  properties: { n: { type: "integer" }, why: { type: "string", maxLength: 5 } },
  required: ["n"],
  additionalProperties: false,
});

/** Answers that fit no schema, however often they are asked for. */
export const NO_FIT: readonly FaultRow[] = [
  ...[
    "Seven.",
    "{",
    "null",
    "[]",
    "{}",
    '{"n": "many"}',
    '{"n": 1.5}',
    '{"n": null}',
    '{"n": 7, "more": true}',
    '{"n": 7, "why": "because"}',
    '```json\n{"n": "x"}\n```',
    "[[7]]",
    '{"n": 7} {"n": 8}',
  ].map((text) => ({ name: text, schema: SCHEMA, text })),
  ...[
    ["no value at all", '{"not": {}}'],
    ["what contradicts itself", '{"allOf": [{"type": "string"}, {"type": "integer"}]}'],
    ["a number between two", '{"type": "integer", "minimum": 2, "maximum": 1}'],
  ].map(([name = "", schema = ""]) => ({ name: `a schema that fits ${name}`, schema, text: "7" })),
].map(({ name, schema, text }) => ({
  name,
  args: ["--output-schema", schema, "go"],
  replies: [{ text, repeat: 9 }],
  code: 6,
}));

const LOOKS = Array.from({ length: 99 }, (_, index) => call("glob", { pattern: `*.${index}` }));
const SAME = { ...call("ls", { file_path: "." }), repeat: 99 };
const PRICES = { input: 1_000_000, output: 1_000_000 };

/** Turns that go on for longer than they may. */
export const LIMITS = rows([
  { name: "one request", args: ["--max-turns", "1", "go"] },
  { name: "three requests", args: ["--max-turns", "3", "go"] },
  { name: "the setting of requests", config: { max_turns: 2 } },
  { name: "tokens", args: ["--max-tokens-total", "1", "go"] },
  { name: "tokens after a while", args: ["--max-tokens-total", "20000", "go"] },
  { name: "the setting of tokens", config: { max_tokens_total: 1 } },
  { name: "money", args: ["--max-cost", "0.01", "go"], config: { prices: PRICES } },
  { name: "the setting of money", config: { prices: PRICES, max_cost: 0.01 } },
  {
    name: "time, while the server is silent",
    args: ["--max-time", "1", "go"],
    config: { idle_timeout: 300 },
    replies: [{ text: "so far", hang: true }],
  },
  {
    name: "time, while nothing comes",
    args: ["--max-time", "1", "go"],
    replies: [{ stall: true }],
  },
  { name: "the same call again and again, which fails", replies: [SAME], code: 1 },
  {
    name: "requests, with an answer by a schema",
    args: ["--max-turns", "1", "--output-schema", SCHEMA, "go"],
  },
  {
    name: "requests of one that edits",
    args: ["-A", "--max-turns", "1", "go"],
    replies: [{ ...WRITE, repeat: 9 }],
  },
], { replies: LOOKS, code: 4 });

const OVERFLOW = JSON.stringify({
  error: {
    code: "context_length_exceeded",
    message: "This model's maximum context length is 4096 tokens.",
  },
});

/** Conversations that fit no window. */
export const NO_ROOM = rows([
  {
    name: "a server whose window is always full",
    replies: [{ status: 400, body: OVERFLOW, repeat: 99 }],
  },
  {
    name: "the same after a call",
    files: FILES,
    replies: [READ, { status: 400, body: OVERFLOW, repeat: 99 }],
  },
  {
    name: "piped input larger than the window",
    args: ["--context-size", "2048"],
    input: "word ".repeat(20_000),
    replies: [{ status: 400, body: OVERFLOW, repeat: 99 }],
  },
], { code: 5 });

/** What was typed or set up wrongly: nothing is asked. */
export const USAGE = rows([
  { name: "no prompt", args: [] },
  { name: "an empty prompt", args: [""] },
  ...[
    "--no-such-option",
    "--max-turns=0",
    "--max-turns=many",
    "--max-tokens=-1",
    "--temperature=3",
    "--context-size=7",
    "--effort=huge",
    "--output-format=xml",
    "--max-cost=free",
    "--max-time=0",
    "--max-tokens-total=1.5",
    "--resume=20200101T000000-abcdef",
    "--fork=20200101T000000-abcdef",
    "--cwd=missing",
    "--cwd=a.txt",
    "--output-schema={no json",
    "--output-schema=missing.json",
    "--output-schema=[]",
    '--output-schema={"type":"objekt"}',
    '--output-schema={"properties":7}',
    '--output-schema={"enum":[]}',
    "--output-schema=a.txt",
    "--replay=missing.jsonl",
    "--replay=a.txt",
    "--receipt=missing/dir/file.jsonl",
    "--plugin-dir=missing",
    "--endpoint=no url",
    "--endpoint=ftp://example.com",
  ].map((flag) => ({ name: flag, args: [flag, "go"] })),
  ...[
    "{",
    "[]",
    '{"max_turns": "many"}',
    '{"retries": 99}',
    '{"endpoint": 7}',
    '{"temperature": 9}',
    '{"endpoints": []}',
  ].map((config) => ({ name: `configuration ${config}`, config })),
  ...[
    ["OPENAI_BASE_URL", "no url"],
    ["ALLY_CONTEXT_SIZE", "many"],
    ["ALLY_MAX_PARALLEL", "0"],
  ].map(([name = "", value = ""]) => ({ name: `${name}=${value}`, env: { [name]: value } })),
  { name: "piped bytes that are no text", args: ["go"], input: "a\0b" },
], { files: FILES, code: 2 });

const HANGING = { text: "so far", hang: true } as const;

/** Signals and readers that leave. */
export const ENDED: readonly FaultRow[] = [
  ...(["turn_start", "request_start", "text_delta"] as const).flatMap((on) =>
    ([["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const).map(([name, code]) => ({
      name: `${name} with ${on}`,
      signal: { name, on },
      replies: [HANGING],
      code,
    }))
  ),
  ...([["tool_start", READ], ["tool_end", READ]] as const).map(([on, reply]) => ({
    name: `SIGINT with ${on}`,
    signal: { name: "SIGINT", on } as const,
    files: FILES,
    replies: [reply, HANGING],
    code: 130,
  })),
  { name: "standard output has no reader", output: "gone", code: 141 },
  {
    name: "standard output has no reader any more while the model speaks",
    output: "gone",
    args: ["--output-format", "stream-json", "go"],
    replies: [HANGING],
    code: 141,
  },
  { name: "standard output is a full disk", output: "full", code: 1 },
  {
    name: "standard output is a full disk while the model speaks",
    output: "full",
    args: ["--output-format", "stream-json", "go"],
    replies: [HANGING],
    code: 1,
  },
];

/** Directories and files that are not what they should be. */
export const DISK: readonly FaultRow[] = [
  { name: "the recording goes to a full disk", args: ["--record", "/dev/full", "go"], code: 2 },
  { name: "the receipt goes to a full disk", args: ["--receipt", "/dev/full", "go"], code: 2 },
  {
    name: "a file is where ally's home should be: the session stays in memory",
    before: (root) => Deno.writeTextFile(`${root}/home`, "in the way"),
    code: 0,
  },
  {
    name: "a directory is where the configuration should be",
    before: (root) => Deno.mkdir(`${root}/home/config.json`, { recursive: true }),
    code: 2,
  },
  {
    name: "the file of a call is a directory",
    args: ["-A", "go"],
    before: (root) => Deno.mkdir(`${root}/work/new.txt`),
    replies: [WRITE, END],
    code: 0,
  },
  { name: "the home is not known", env: { HOME: "", ALLY_HOME: "" }, code: 0 },
];
