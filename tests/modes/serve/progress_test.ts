/**
 * What a client is told of a call while it runs.
 */
import assert from "node:assert/strict";
import type { Event } from "../../../src/core/event.ts";
import { CallProgress } from "../../../src/modes/serve/progress.ts";
import { until } from "../../support/wait.ts";

const MAIN = { id: "main", name: "ally", depth: 0 };
const output = (call_id: string, text: string): Event => ({
  type: "tool_output",
  call_id,
  text,
  time: "",
  agent: MAIN,
});

function watch(silenceMs = 3_600_000) {
  const told: [progress: number, message: string][] = [];
  const send = (progress: number, message: string) => void told.push([progress, message]);
  return { told, progress: new CallProgress({ callId: "one", send, silenceMs }) };
}

Deno.test("CallProgress joins the output of its own call, and tells the rest at the end", () => {
  const { told, progress } = watch();
  for (const text of ["a\n", "b\n"]) progress.take(output("one", text));
  progress.take(output("other", "no\n"));
  progress.end();
  assert.deepEqual(told, [[1, "a\nb\n"]]);
});

Deno.test("CallProgress tells output while the call runs, with numbers that grow", async () => {
  const { told, progress } = watch();
  progress.take(output("one", "a\n"));
  await until("the first", () => told.length === 1);
  progress.take(output("one", "b\n"));
  progress.end();
  assert.deepEqual(told, [[1, "a\n"], [2, "b\n"]]);
});

Deno.test("CallProgress tells of a flood only its end, without control sequences", () => {
  const { told, progress } = watch();
  progress.take(output("one", `${"x".repeat(100_000)}\x1b[2Jend`));
  progress.end();
  const [[, message] = [0, ""]] = told;
  assert.ok(message.length <= 4_000 && message.endsWith("end") && !message.includes("\x1b"));
});

Deno.test("CallProgress tells of a silent call that it still runs, until it ends", async () => {
  const { told, progress } = watch(5);
  await until("two signs", () => told.length >= 2);
  progress.end();
  assert.match(told[0]?.[1] ?? "", /^still running, /);
  assert.deepEqual(told.map(([count]) => count), told.map((_, index) => index + 1));
});

Deno.test("CallProgress tells what an agent of the call's does", () => {
  const { told, progress } = watch();
  const agent = { id: "agent_1", name: "general", depth: 1, call_id: "one" };
  const start = { type: "tool_start", call_id: "c", name: "read", input: {} } as const;
  progress.take({ ...start, description: "a.ts", time: "", agent });
  progress.take({ ...start, description: "b.ts", time: "", agent: { ...agent, call_id: "two" } });
  progress.end();
  assert.deepEqual(told, [[1, "general: read a.ts\n"]]);
});
