/**
 * What another agent may send to `ally mcp serve`: calls that the flags deny or that nobody would allow, answers to
 * questions that were not offered, arguments, ids and lines that are none.
 */
import type { ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { type Attempt, command, fillValues } from "../support/attempts.ts";
import type { AgentAttempt } from "../support/client_attempts.ts";
import { COMMAND_ATTEMPTS } from "./command_attempts.ts";
import { SERVER_ATTEMPTS } from "./server_attempts.ts";
import { TOOL_ATTEMPTS } from "./tool_attempts.ts";

const every = <T>(all: readonly T[], count: number) => all.filter((_, at) => at % count === 0);

/** A few of each table, twenty calls a client. */
const KNOWN: readonly Attempt[] = [
  ...every(TOOL_ATTEMPTS, 13),
  ...every(COMMAND_ATTEMPTS, 29),
  ...every(SERVER_ATTEMPTS, 17),
];

const CALLS: readonly AgentAttempt[] = Array.from(
  { length: Math.ceil(KNOWN.length / 20) },
  (_, index) => {
    const calls = KNOWN.slice(index * 20, index * 20 + 20);
    return {
      name: `calls ${index * 20} to ${index * 20 + calls.length - 1}, at once`,
      act: (mcp, { values }) =>
        Promise.allSettled(
          calls.map((one) => mcp.call(one.tool, fillValues(one.arguments, values) as never)),
        ),
    };
  },
);

const OUT = command("echo x > @HOME@/planted.txt; cat @HOME@/notes.txt").arguments;

/** Answers to a question whose decisions are `allow`, perhaps `always`, and `deny`. */
const ANSWERS: readonly unknown[] = [
  { action: "accept" },
  { action: "accept", content: null },
  { action: "accept", content: {} },
  { action: "accept", content: { decision: "Allow" } },
  { action: "accept", content: { decision: "allow " } },
  { action: "accept", content: { decision: ["allow"] } },
  { action: "accept", content: { decision: true } },
  { action: "accept", content: { decision: "always" } },
  { action: "accept", content: { answer: "allow" } },
  { action: "accept", content: { __proto__: { decision: "allow" } } },
  { action: "accept", content: JSON.parse('{"__proto__":{"decision":"allow"}}') },
  { action: "decline", content: { decision: "allow" } },
  { action: "cancel", content: { decision: "allow" } },
  { action: "allow", content: { decision: "allow" } },
  { content: { decision: "allow" } },
  {},
  null,
  "allow",
];

const LIES: readonly AgentAttempt[] = ANSWERS.map((answer) => ({
  name: `it answers ${JSON.stringify(answer)}`,
  options: () => ({ answer: () => answer as ElicitResult }),
  act: (mcp, { values }) => mcp.call("bash", fillValues(OUT, values) as never),
}));

const FLAGS: readonly (readonly [string, Attempt["arguments"], readonly string[]])[] = [
  ["bash", { command: "touch planted" }, ["--deny-run"]],
  ["bash", { command: "cat @HOME@/notes.txt" }, ["--deny-read=@HOME@", "--allow-run"]],
  ["write", { file_path: "@HOME@/planted.txt", content: "x" }, ["--allow-write"]],
  ["write", { file_path: "@HOME@/planted.txt", content: "x" }, ["-A"]],
  ["write", { file_path: ".git/hooks/pre-commit", content: "x" }, ["--allow-write"]],
  ["read", { file_paths: ["@HOME@/notes.txt"] }, ["--allow-write"]],
  ["grep", { pattern: "canary", path: "linked" }, ["-A"]],
  ["bash", { command: "echo x > .git/config" }, ["--allow-write"]],
  ["undo", { count: 1e9 }, ["--allow-write"]],
  ["undo", { count: -1 }, ["--allow-write"]],
  ["undo", { path: "@HOME@/notes.txt" }, ["--allow-write"]],
  ["ask_ally", { task: "go", model: "@HOME@/notes.txt" }, []],
  ["ask_ally", { prompt: "go", agent: "../../../notes" }, []],
  ["agent", { prompt: "go" }, []],
  ["fetch", { url: "http://127.0.0.1:@PORT@/" }, ["--allow-net"]],
  ["fetch", { url: "http://127.0.0.1:@PORT@/" }, ["-A"]],
  ["todo_add", { task: "x" }, []],
];

const DENIED: readonly AgentAttempt[] = FLAGS.map(([tool, input, flags]) => ({
  name: `it calls ${tool} with ${JSON.stringify(input)} under ${flags.join(" ")}`,
  options: ({ values }) => ({
    args: ["mcp", "serve", ...fillValues(flags, values)],
  }),
  replies: ({ values }) => [
    { calls: [{ name: "bash", arguments: fillValues(OUT, values) }] },
    { text: "done" },
  ],
  act: (mcp, { values }) => mcp.call(tool, fillValues(input, values) as never),
}));

const NAMES = [
  "",
  " bash",
  "BASH",
  "../bash",
  "__proto__",
  "constructor",
  "toString",
  "bash\u0000",
  "bash\u202e",
  "b".repeat(100_000),
];

const CHOSEN: readonly AgentAttempt[] = NAMES.map((name) => ({
  name: `it calls ${JSON.stringify(name).slice(0, 30)} where only ls is served`,
  options: () => ({ args: ["mcp", "serve", "-A", "--tools", "ls"] }),
  act: (mcp, { values }) => mcp.call(name, fillValues(OUT, values) as never),
}));

const call = (params: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id: 77, method: "tools/call", params });

const LINES: readonly string[] = [
  "",
  "{",
  "null",
  "[]",
  "[".repeat(100_000),
  "x".repeat(20_000_000),
  "\u0000",
  call(null),
  call([]),
  call({}),
  call({ name: "bash" }),
  call({ name: ["bash"], arguments: { command: "ls" } }),
  call({ name: "bash", arguments: "ls" }),
  call({ name: "bash", arguments: ["ls"] }),
  call({ name: "bash", arguments: { command: "echo x > @HOME@/planted.txt" }, _meta: null }),
  call({ name: "bash", arguments: { command: "ls" }, _meta: { progressToken: {} } }),
  call({ name: "bash", arguments: { command: "ls" }, _meta: { progressToken: "x".repeat(1e6) } }),
  '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":78,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}',
  '{"jsonrpc":"2.0","id":78,"method":"resources/read","params":{"uri":"file://@HOME@/notes.txt"}}',
  '{"jsonrpc":"2.0","id":78,"method":"completion/complete","params":{}}',
  '{"jsonrpc":"2.0","id":78,"method":"logging/setLevel","params":{"level":"debug"}}',
  '{"jsonrpc":"2.0","id":78,"method":"initialize","params":{}}',
  '{"jsonrpc":"2.0","id":78,"method":"__proto__"}',
  '{"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":{"decision":"allow"}}}',
  '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody"}}',
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"x"}}',
];

const NO_MESSAGES: readonly AgentAttempt[] = LINES.map((line) => ({
  name: `it writes ${line.slice(0, 90)} (${line.length})`,
  act: (mcp, { values }) =>
    Promise.resolve(mcp.writeLine(line.replaceAll("@HOME@", values.HOME ?? ""))),
}));

const ROOTS: readonly AgentAttempt[] = [["/"], ["@HOME@"], ["@HOME@/other", "/etc"]].map((
  roots,
) => ({
  name: `its roots are ${roots.join(" ")}`,
  options: ({ values }) => ({
    args: ["mcp", "serve", "-A"],
    roots: fillValues(roots, values),
  }),
  act: (mcp, { values }) =>
    Promise.allSettled([
      mcp.call("read", fillValues({ file_paths: ["@HOME@/notes.txt"] }, values)),
      mcp.call("ls", fillValues({ file_path: "@HOME@/other" }, values)),
      mcp.call("write", fillValues({ file_path: "@HOME@/planted.txt", content: "x" }, values)),
    ]),
}));

/** Every attempt by an agent; each of the calls in a row counts. */
export const AGENT_ATTEMPTS: readonly AgentAttempt[] = [
  ...CALLS,
  ...LIES,
  ...DENIED,
  ...CHOSEN,
  ...NO_MESSAGES,
  ...ROOTS,
];

/** How many calls the rows hold. */
export const AGENT_CALLS = KNOWN.length + AGENT_ATTEMPTS.length - CALLS.length;
