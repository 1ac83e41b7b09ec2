import assert from "node:assert/strict";
import type { EventBody } from "../../src/core/event.ts";
import { createHeadlessSink, type OutputFormat } from "../../src/ui/headless.ts";

const MAIN = { id: "a1", name: "main", depth: 0 };
const TIME = "2026-01-01T00:00:00.000Z";
const USAGE = { prompt_tokens: 1, completion_tokens: 1 };

const TURN: EventBody[] = [
  { type: "turn_start", prompt: "p" },
  { type: "text_delta", text: "Let me" },
  { type: "message", message: { role: "assistant", content: "Let me see.", calls: [] } },
  { type: "tool_start", call_id: "c1", name: "bash", input: {}, description: "rm\n-rf \x1b[2Jx" },
  {
    type: "permission",
    call_id: "c1",
    class: "extreme",
    decision: "deny",
    why: "no flag allows it",
    by: "rule",
  },
  {
    type: "tool_end",
    call_id: "c1",
    name: "bash",
    duration_ms: 1200,
    result: { success: false, error: "Denied", suggestion: "Use --allow-run" },
    preview: [],
  },
  { type: "tool_start", call_id: "c2", name: "bash", input: {}, description: "make" },
  {
    type: "tool_end",
    call_id: "c2",
    name: "bash",
    duration_ms: 1200,
    result: { success: false, error: "No rule", suggestion: "Name a target" },
    preview: [],
  },
  { type: "notice", level: "warning", text: "careful" },
  { type: "message", message: { role: "assistant", content: "The \x1b[31manswer.\n", calls: [] } },
  {
    type: "turn_end",
    reason: "done",
    turns: 2,
    tool_calls: 1,
    denied: 1,
    duration_ms: 9,
    usage: USAGE,
  },
];

function run(format: OutputFormat, write: { stdout?: () => void } = {}) {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const sink = createHeadlessSink(format, {
    stdout(line) {
      write.stdout?.();
      stdout.push(line);
    },
    stderr: (line) => void stderr.push(line),
  });
  for (const fact of TURN) sink({ ...fact, time: TIME, agent: MAIN });
  return { stdout, stderr };
}

Deno.test("text: the last answer on standard output, progress on standard error, a denial once", () => {
  assert.deepEqual(run("text"), {
    stdout: ["The answer."],
    stderr: [
      "denied: bash rm -rf x (no flag allows it)",
      "failed: bash make (1.2s)",
      "  No rule",
      "  Name a target",
      "warning: careful",
    ],
  });
});

Deno.test("text: why a turn stopped is said where no error says it", () => {
  const stderr: string[] = [];
  const sink = createHeadlessSink("text", {
    stdout() {},
    stderr: (line) => void stderr.push(line),
  });
  const end = TURN.at(-1) as Extract<EventBody, { type: "turn_end" }>;
  for (const reason of ["turn_limit", "interrupted", "denied", "budget"] as const) {
    sink({ ...end, reason, time: TIME, agent: MAIN });
  }
  assert.match(
    stderr.join("\n"),
    /^stopped: at the limit of 2 requests; --max-turns N .*\ninterrupted\nally -p --continue goes on; .*another budget$/,
  );
});

Deno.test("json: standard output has nothing until the caller's result, standard error the warnings", () => {
  assert.deepEqual(run("json"), { stdout: [], stderr: ["warning: careful"] });
});

Deno.test("stream-json: every event is one line of JSON", () => {
  const { stdout, stderr } = run("stream-json");
  assert.deepEqual(stderr, []);
  assert.deepEqual(
    stdout.map((line) => JSON.parse(line)),
    TURN.map((fact) => ({ ...fact, time: TIME, agent: MAIN })),
  );
  for (const line of stdout) assert.equal(line.includes("\n"), false);
});

Deno.test("a closed standard output is written to once and never throws", () => {
  let writes = 0;
  const closed = () => {
    writes++;
    throw new Deno.errors.BrokenPipe("closed");
  };
  assert.deepEqual(run("stream-json", { stdout: closed }).stdout, []);
  assert.equal(writes, 1);
  assert.equal(run("text", { stdout: closed }).stderr.length, 5);
});

Deno.test("JSON has the preview of a result, and not all of its lines", () => {
  const out: string[] = [];
  const sink = createHeadlessSink("stream-json", { stdout: (line) => out.push(line), stderr() {} });
  const end = {
    type: "tool_end",
    call_id: "c1",
    name: "bash",
    duration_ms: 1,
    result: { success: true, error: "" },
    preview: ["1", "… +1 line", "3"],
  } as const;
  sink({ ...end, whole: ["1", "2", "3"], time: TIME, agent: MAIN });
  assert.deepEqual(out.map((line) => JSON.parse(line)), [{ ...end, time: TIME, agent: MAIN }]);
});
