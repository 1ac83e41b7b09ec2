import assert from "node:assert/strict";
import type { RunOptions, RunResult } from "../../src/core/shell.ts";
import type { ToolEntry } from "../../src/core/tool.ts";
import { runCalls } from "../../src/tools/scheduler.ts";
import { type Call, harness, type HarnessOptions, toolCall } from "../support/agent_harness.ts";

const signal = () => new AbortController().signal;

async function runAll(calls: readonly Call[], options: HarnessOptions) {
  const made = await harness(options);
  const outcome = await runCalls(calls.map(toolCall), { deps: made.deps, signal: signal() });
  return { ...made, outcome, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
}

/** A tool that reads nothing and tells when it begins and ends. */
function probe(
  name: string,
  run: () => Promise<void>,
  effects: ToolEntry["definition"]["effects"] = ["read"],
): ToolEntry {
  const definition = {
    name,
    description: "",
    effects,
    example: {},
    parameters: {
      type: "object",
      properties: { n: { type: "integer" } },
      additionalProperties: false,
    },
  } as const;
  return {
    definition,
    load: () =>
      Promise.resolve({
        definition,
        describe: () => "",
        async run() {
          await run();
          return { ok: true, data: {}, text: name };
        },
      }),
  };
}

Deno.test("runCalls() gives every call one result in source order, whatever becomes of each", async () => {
  const calls: Call[] = [
    ["read", { file_paths: ["a.txt"] }, "1"],
    ["nonsense", {}, "2"],
    ["read", "{not json", "3"],
    ["read", {}, "4"],
    ["write", { file_path: "b.txt", content: "b" }, "5"],
    ["read", { file_paths: ["missing.txt"] }, "6"],
    ["bash", { command: "exit 3" }, "7"],
  ];
  await using made = await runAll(calls, {
    files: { "a.txt": "alpha\n" },
    rules: { allowAll: true },
  });
  const { results } = made.outcome;
  assert.deepEqual(results.map((one) => one.call.id), ["1", "2", "3", "4", "5", "6", "7"]);
  assert.deepEqual(results.map((one) => one.record.success), [
    true,
    false,
    false,
    false,
    true,
    false,
    false,
  ]);
  assert.deepEqual(results.map((one) => one.record.error_type), [
    undefined,
    "validation_error",
    "validation_error",
    "validation_error",
    undefined,
    "user_error",
    "user_error",
  ]);
  const ends = made.facts.filter((fact) => fact.type === "tool_end");
  assert.equal(ends.length, 7);
});

Deno.test("runCalls() runs consecutive parallel-safe calls together and every other call alone", async () => {
  let running = 0;
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const meet = (name: string) => async () => {
    running++;
    seen.push(`${name} with ${running}`);
    // The two readers wait for each other: they only come through if they run at the same time.
    if (running === 2) gate.resolve();
    await gate.promise;
    running--;
  };
  const alone = (name: string) => () => {
    seen.push(`${name} with ${running}`);
    return Promise.resolve();
  };
  await using made = await runAll([["r1", {}], ["r2", {}], ["w", {}], ["r3", {}]], {
    tools: [
      probe("r1", meet("r1")),
      probe("r2", meet("r2")),
      probe("w", alone("w"), ["session"]),
      probe("r3", alone("r3")),
    ],
  });
  assert.deepEqual(seen, ["r1 with 1", "r2 with 2", "w with 0", "r3 with 0"]);
  assert.equal(made.outcome.results.length, 4);
});

Deno.test("runCalls() runs no more calls at once than maxParallel", async () => {
  let running = 0;
  let most = 0;
  const run = async () => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    await Promise.resolve();
    running--;
  };
  const calls: Call[] = Array.from({ length: 9 }, (_, n) => ["r", { n }]);
  await using made = await runAll(calls, { tools: [probe("r", run)], maxParallel: 3 });
  assert.equal(made.outcome.results.length, 9);
  assert.equal(most, 3);
});

Deno.test("runCalls() asks once for all calls of a reply that need it, with a preview of each", async () => {
  await using made = await runAll([
    ["write", { file_path: "new.txt", content: "hello\n" }],
    ["ls", { file_path: "." }],
    ["bash", { command: "touch hi" }],
  ], { answers: [{ kind: "allow" }, { kind: "allow" }] });
  assert.equal(made.questions.length, 1);
  const asked = made.questions[0]!;
  assert.deepEqual(asked.map((one) => one.tool), ["write", "bash"]);
  assert.deepEqual(asked[0]?.previews, [
    { kind: "new_file", path: "new.txt", content: "hello\n" },
  ]);
  assert.equal(asked[1]?.previews[0]?.kind, "command");
  assert.deepEqual(made.outcome.results.map((one) => one.record.success), [true, true, true]);
  assert.equal(await made.read("new.txt"), "hello\n");
});

Deno.test("runCalls() runs after a denied call only what the person allowed, and ends the turn", async () => {
  await using made = await runAll([
    ["write", { file_path: "one.txt", content: "1" }],
    ["write", { file_path: "two.txt", content: "2" }],
    ["ls", { file_path: "." }],
    ["write", { file_path: "three.txt", content: "3" }],
  ], { answers: [{ kind: "allow" }, { kind: "deny" }, { kind: "allow" }] });
  const { results, stopped, denied } = made.outcome;
  assert.deepEqual(results.map((one) => one.record.success), [true, false, false, true]);
  assert.match(results[1]!.text, /The user denied this call/);
  assert.match(results[2]!.text, /Not run, because an earlier call of this reply was denied/);
  assert.equal(stopped, true);
  assert.equal(denied, 1);
  assert.equal(await made.read("one.txt"), "1");
  await assert.rejects(made.read("two.txt"));
  assert.equal(await made.read("three.txt"), "3");
});

Deno.test("runCalls() tells the model the user's words and lets the turn go on", async () => {
  await using made = await runAll([["bash", { command: "make" }]], {
    answers: [{ kind: "instead", text: "use ninja" }],
  });
  assert.match(made.outcome.results[0]!.text, /The user denied this call and says: use ninja/);
  assert.equal(made.outcome.stopped, false);
  assert.equal(made.outcome.denied, 0);
});

Deno.test("runCalls() does not ask again for what was always allowed", async () => {
  await using made = await harness({ answers: [{ kind: "always", scope: "session" }] });
  const run = (command: string) =>
    runCalls([toolCall(["bash", { command }])], { deps: made.deps, signal: signal() });
  await run("touch hi");
  const again = await run("touch hi");
  assert.equal(again.results[0]!.record.success, true);
  assert.equal(made.questions.length, 1);
  await run("touch other");
  assert.equal(made.questions.length, 2);
});

Deno.test("runCalls() denies without a person what no rule allows, and says which flag would", async () => {
  await using made = await runAll([["bash", { command: "touch hi" }]], { interactive: false });
  assert.equal(made.outcome.denied, 1);
  assert.equal(made.outcome.stopped, false);
  assert.match(made.outcome.results[0]!.text, /--allow-run/);
  assert.equal(made.questions.length, 0);
});

Deno.test("runCalls() plans a later edit of a reply on what an earlier one will have made", async () => {
  await using made = await runAll([
    ["write", { file_path: "a.txt", content: "one two\n" }],
    ["edit", { file_path: "a.txt", old_string: "one", new_string: "1" }],
    ["edit", { file_path: "a.txt", old_string: "two", new_string: "2" }],
  ], { answers: [{ kind: "allow" }, { kind: "allow" }, { kind: "allow" }] });
  assert.deepEqual(made.outcome.results.map((one) => one.record.error), ["", "", ""]);
  assert.equal(made.questions.length, 1);
  assert.equal(await made.read("a.txt"), "1 2\n");
});

Deno.test("runCalls() prepares a call anew that needs an earlier one to have run", async () => {
  await using made = await runAll([
    ["read", { file_paths: ["a.txt"] }],
    ["edit", { file_path: "a.txt", old_string: "old", new_string: "new" }],
  ], { files: { "a.txt": "old\n" }, answers: [{ kind: "allow" }] });
  assert.deepEqual(made.outcome.results.map((one) => one.record.error), ["", ""]);
  assert.equal(await made.read("a.txt"), "new\n");
  const starts = made.facts.filter((fact) => fact.type === "tool_start");
  assert.equal(starts.length, 2);
});

Deno.test("runCalls() refuses the repetition of a call within one reply", async () => {
  await using made = await runAll([
    ["read", { file_paths: ["a.txt"] }],
    ["read", { file_paths: ["a.txt"] }],
  ], { files: { "a.txt": "x\n" } });
  assert.equal(made.outcome.results[0]!.record.success, true);
  assert.match(made.outcome.results[1]!.record.error, /already holds the same call/);
});

Deno.test("runCalls() makes a call again behind one that may have changed what it gives", async () => {
  const read: Call = ["read", { file_paths: ["a.txt"] }];
  await using made = await runAll([
    read,
    ["edit", { file_path: "a.txt", old_string: "one", new_string: "two" }],
    read,
    read,
  ], { files: { "a.txt": "one\n" }, rules: { allowAll: true } });
  const [first, , second, third] = made.outcome.results.map(({ record }) => record);
  assert.match(JSON.stringify(first), /one/);
  assert.match(JSON.stringify(second), /two/);
  assert.match(third!.error, /already holds the same call/);
});

Deno.test("runCalls() refuses to change a file that was not read", async () => {
  await using made = await runAll([["write", { file_path: "a.txt", content: "new" }]], {
    files: { "a.txt": "old" },
    rules: { allowAll: true },
  });
  assert.equal(made.outcome.results[0]!.record.error_type, "validation_error");
  assert.match(String(made.outcome.results[0]!.record.suggestion), /read/i);
  assert.equal(await made.read("a.txt"), "old");
});

Deno.test("runCalls() starts nothing after an abort and still answers every call", async () => {
  const controller = new AbortController();
  await using made = await harness({
    tools: [
      probe("stop", () => Promise.resolve(controller.abort()), ["session"]),
      probe("later", () => Promise.reject(new Error("it ran")), ["session"]),
    ],
  });
  const outcome = await runCalls(
    [toolCall(["stop", {}], 1), toolCall(["later", {}], 2)],
    { deps: made.deps, signal: controller.signal },
  );
  assert.equal(outcome.results.length, 2);
  assert.equal(outcome.results[1]!.record.error_type, "interrupted");
});

Deno.test("runCalls() tells each state of a call in order", async () => {
  await using made = await runAll([["bash", { command: "touch hi" }]], {
    answers: [{ kind: "allow" }],
  });
  const states = made.facts.flatMap((fact) => fact.type === "tool_state" ? [fact.state] : []);
  assert.deepEqual(states, [
    "validating",
    "awaiting_approval",
    "scheduled",
    "executing",
    "success",
  ]);
});

Deno.test("runCalls() turns a tool that throws into a result of kind system", async () => {
  await using made = await runAll([["broken", {}]], {
    tools: [probe("broken", () => Promise.reject(new Error("boom")))],
  });
  assert.equal(made.outcome.results[0]!.record.error_type, "system_error");
  assert.match(made.outcome.results[0]!.record.error, /boom/);
});

Deno.test("runCalls() has a call that ends with its signal cancelled, and no error of the system's", async () => {
  const stop = new AbortController();
  const slow = probe("slow", () => {
    stop.abort(new DOMException("Interrupted by the user", "AbortError"));
    stop.signal.throwIfAborted();
    return Promise.resolve();
  });
  await using made = await harness({ tools: [slow] });
  const calls = [toolCall(["slow", {}])];
  const { results } = await runCalls(calls, { deps: made.deps, signal: stop.signal });
  assert.equal(results[0]!.record.error_type, "interrupted");
  const states = made.facts.flatMap((fact) => fact.type === "tool_state" ? [fact.state] : []);
  assert.equal(states.at(-1), "cancelled");
});

Deno.test("runCalls() asks about a way out of the sandbox as what it is, and offers neither Always nor an edit", async () => {
  await using made = await harness({ answers: [{ kind: "allow" }, { kind: "allow" }] });
  const policies: unknown[] = [];
  const shell = {
    ...made.deps.shell,
    run({ sandboxPolicy }: RunOptions): Promise<RunResult> {
      policies.push(sandboxPolicy?.write);
      const ended = { output: "", truncated: false, durationMs: 1 };
      return Promise.resolve(
        sandboxPolicy
          ? { ...ended, code: 1, blocked: { why: "the sandbox has no network" } }
          : { ...ended, code: 0 },
      );
    },
  };
  const calls = [toolCall(["bash", { command: "touch hi" }])];
  const outcome = await runCalls(calls, { deps: { ...made.deps, shell }, signal: signal() });
  const [first, second] = made.questions.map(([question]) => question);
  assert.equal(first?.outsideSandbox, undefined);
  assert.equal(first?.editable?.kind, "command");
  assert.equal(second?.outsideSandbox, true);
  assert.equal(second?.risk, "extreme");
  assert.deepEqual(second?.offers, []);
  assert.equal(second?.editable, undefined);
  assert.deepEqual(policies, [true, undefined]);
  assert.match(String(outcome.results[0]?.record.sandbox), /ran outside/);
});

Deno.test("runCalls() turns changes that cannot be tracked into the call's result", async () => {
  await using made = await harness({ rules: { allowAll: true } });
  const deps = {
    ...made.deps,
    watchCommands: () => Promise.resolve(() => Promise.reject(new Error("the disk is gone"))),
  };
  const calls = [toolCall(["bash", { command: "touch hi" }])];
  const { results } = await runCalls(calls, { deps, signal: signal() });
  assert.equal(results[0]?.record.error_type, "system_error");
  assert.match(String(results[0]?.record.error), /the disk is gone/);
});

Deno.test("a tool that fails to say what a person is to see has its result all the same", async () => {
  const { definition, load } = probe("own", () => Promise.resolve());
  const preview = () => {
    throw new Error("no lines");
  };
  const entry = { definition, load: async () => ({ ...await load(), preview }) };
  await using made = await runAll([["own", {}]], { tools: [entry] });
  assert.deepEqual(made.outcome.results.map(({ text }) => text), ["own"]);
  const end = made.facts.find((fact) => fact.type === "tool_end");
  assert.deepEqual(end?.preview, ["own"]);
});
