import assert from "node:assert/strict";
import { join } from "node:path";
import bash from "../../../plugins/bash/mod.ts";
import { ToolError } from "../../../src/api.ts";
import { createShell, type ProcessShell } from "../../../src/workspace/shell.ts";
import { isRunning } from "../../support/processes.ts";
import { dataOf, makeToolContext, type TestContext } from "../../support/tool_context.ts";
import { until } from "../../support/wait.ts";

type Input = Parameters<typeof bash.run>[0];

/** A context whose background tasks are gone before its directory is. */
async function background(options: { signal?: AbortSignal } = {}) {
  let shell: ProcessShell | undefined;
  const test: TestContext = await makeToolContext({
    shell: (cwd) =>
      shell = createShell({ cwd, env: Deno.env.toObject(), logDir: join(cwd, "..", "logs") }),
    ...options,
  });
  return {
    cwd: test.cwd,
    context: test.context,
    run: (input: Input) => bash.run(input, test.context),
    async [Symbol.asyncDispose]() {
      await shell?.tasks.stopAll();
      await test[Symbol.asyncDispose]();
    },
  };
}

const HELD = "echo up; until [ -e go ]; do sleep 0.02; done; echo end; exit 4";

Deno.test("bash starts a command in the background and returns its first output", async () => {
  await using test = await background();
  const result = await test.run({ command: HELD, run_in_background: true });
  const data = dataOf(result);
  assert.deepEqual([data.output, data.task_id, data.running], ["up\n", "task_1", true]);
  assert.equal(data.return_code, undefined);
  assert.match(
    result.ok && result.text || "",
    /^\[It keeps running in the background as task_1\. New output: .*bash_output="task_1".*bash_kill="task_1".*\]\nup\n$/,
  );
});

Deno.test("bash_output returns what is new, then waits for the end and its exit code", async () => {
  await using test = await background();
  await test.run({ command: HELD, run_in_background: true });
  const first = await test.run({ bash_output: "task_1" });
  assert.match(
    first.ok && first.text || "",
    /^\[task_1 has been running for [\d.]+ s: echo up;.*\]\n\(no new output\)$/,
  );
  assert.equal(dataOf(first).running, true);
  await Deno.writeTextFile(join(test.cwd, "go"), "");
  const last = await test.run({ bash_output: "task_1", timeout: 20 });
  const data = dataOf(last);
  assert.deepEqual([data.output, data.return_code, data.running], ["end\n", 4, false]);
  assert.match(last.ok && last.text || "", /^\[task_1 ended with exit code 4 after .*\]\nend\n$/);
  assert.equal(dataOf(await test.run({ bash_output: "task_1" })).output, "");
});

Deno.test("bash_output waits no longer than it was told", async () => {
  await using test = await background();
  await test.run({ command: "exec sleep 100", run_in_background: true });
  const data = dataOf(await test.run({ bash_output: "task_1", timeout: 0.05 }));
  assert.equal(data.running, true);
});

Deno.test("bash_kill ends the whole group and returns what was not seen yet", async () => {
  await using test = await background();
  const command = "sleep 100 & echo $!; trap 'echo bye; exit 0' TERM; wait";
  const started = dataOf(await test.run({ command, run_in_background: true }));
  const killed = await test.run({ bash_kill: "task_1" });
  const data = dataOf(killed);
  assert.deepEqual([data.output, data.running, data.return_code], ["bye\n", false, 0]);
  assert.match(killed.ok && killed.text || "", /task_1 was stopped after/);
  assert.equal(isRunning(Number(started.output)), false);
  assert.equal(dataOf(await test.run({ bash_kill: "task_1" })).running, false);
});

for (const form of ["bash_output", "bash_kill"] as const) {
  Deno.test(`${form} names the tasks there are when it is given another one`, async () => {
    await using test = await background();
    const refused = (suggestion: RegExp) => (error: unknown) => {
      assert.ok(error instanceof ToolError);
      assert.deepEqual([error.kind, error.message], [
        "user",
        "There is no background task 'task_7'.",
      ]);
      assert.match(error.suggestion ?? "", suggestion);
      return true;
    };
    await assert.rejects(test.run({ [form]: "task_7" }), refused(/run_in_background/));
    await test.run({ command: "exec sleep 100", run_in_background: true });
    await assert.rejects(test.run({ [form]: "task_7" }), refused(/task_1 \(exec sleep 100\)/));
  });
}

Deno.test("a command that ends at once needs no task", async () => {
  await using test = await background();
  const good = await test.run({ command: "echo hi", run_in_background: true });
  assert.deepEqual([dataOf(good).output, dataOf(good).task_id], ["hi\n", undefined]);
  assert.match(good.ok && good.text || "", /ended at once, so there is no background task/);
  const bad = await test.run({ command: "exit 3", run_in_background: true });
  assert.equal(!bad.ok && bad.error.message, "Command exited with code 3");
  const missing = test.run({ bash_output: "task_1" });
  await assert.rejects(missing, { message: "There is no background task 'task_1'." });
});

Deno.test("a time limit that was asked for holds for a task too", async () => {
  await using test = await background();
  await test.run({ command: "exec sleep 100", run_in_background: true, timeout: 0.7 });
  const result = await test.run({ bash_output: "task_1", timeout: 20 });
  assert.match(result.ok && result.text || "", /task_1 reached its time limit after 0\.\d s/);
});

Deno.test("a task outlives the signal of the call that started it", async () => {
  const controller = new AbortController();
  await using test = await background({ signal: controller.signal });
  await test.run({ command: HELD, run_in_background: true });
  controller.abort();
  await Deno.writeTextFile(join(test.cwd, "go"), "");
  const { tasks } = test.context.shell;
  const signal = new AbortController().signal;
  assert.equal((await tasks.readOutput("task_1", { wait: 20, signal })).code, 4);
});

Deno.test("an abort ends waiting for a task, not the task, and loses none of its output", async () => {
  const controller = new AbortController();
  await using test = await background({ signal: controller.signal });
  const command = "until [ -e go ]; do sleep 0.02; done; echo up; exec sleep 100";
  await test.run({ command, run_in_background: true });
  const waiting = test.run({ bash_output: "task_1", timeout: 60 });
  controller.abort();
  await assert.rejects(waiting, { message: "Interrupted while waiting; task_1 goes on." });
  await Deno.writeTextFile(join(test.cwd, "go"), "");
  const { tasks } = test.context.shell;
  const signal = new AbortController().signal;
  const seen = await until(
    "the output",
    async () => (await tasks.readOutput("task_1", { signal })).output,
  );
  assert.equal(seen, "up\n");
});

Deno.test("a server that says it is ready is moved to the background instead of hanging", async () => {
  await using test = await background();
  const result = await test.run({
    command: "echo 'Listening on http://localhost:1/'; exec sleep 100",
  });
  const data = dataOf(result);
  assert.deepEqual([data.task_id, data.running], ["task_1", true]);
  assert.match(
    result.ok && result.text || "",
    /It is ready and keeps running in the background as/,
  );
  assert.ok(data.duration_seconds >= 3 && data.duration_seconds < 10);
});

Deno.test("a command that says it is ready and ends is an ordinary one", async () => {
  await using test = await background();
  const data = dataOf(await test.run({ command: "echo Listening on port 1; sleep 0.2" }));
  assert.deepEqual([data.return_code, data.task_id], [0, undefined]);
});

Deno.test("Ctrl+C kills a server that is not yet moved", async () => {
  const controller = new AbortController();
  await using test = await background({ signal: controller.signal });
  const context = { ...test.context, report: () => controller.abort() };
  const command = "echo Listening on port 1; exec sleep 100";
  const result = await bash.run({ command }, context);
  assert.equal(!result.ok && result.error.kind, "interrupted");
  assert.deepEqual(test.context.shell.tasks.running(), []);
});

Deno.test("what a command leaves running with & is ended, and the result says so", async () => {
  await using test = await background();
  const result = await test.run({ command: "sleep 100 & echo $!" });
  assert.match(
    result.ok && result.text || "",
    /^\[What the command left running was ended.*\]\n\d+\n$/,
  );
  assert.equal(isRunning(Number(dataOf(result).output)), false);
  const other = await test.run({ command: "true && echo done 2>&1" });
  assert.equal(other.ok && other.text, "done\n");
});

Deno.test("a person sees the output first and what became of the task", async () => {
  await using test = await background();
  const started = await test.run({ command: `seq 9; ${HELD}`, run_in_background: true });
  assert.deepEqual(bash.preview?.(dataOf(started), 3), [
    "1",
    "… +9 lines",
    "task_1 runs in the background",
  ]);
  const killed = await test.run({ bash_kill: "task_1" });
  assert.deepEqual(bash.preview?.(dataOf(killed), 3), ["task_1 has ended with exit code 143"]);
  const plain = await test.run({ command: "seq 9" });
  assert.deepEqual(bash.preview?.(dataOf(plain), 3), ["1", "… +7 lines", "9"]);
  // Of a long output only both ends are kept, and all its lines count.
  const long = dataOf(await test.run({ command: "seq 100000" }));
  assert.deepEqual(bash.preview?.(long, 3), ["1", "… +99998 lines", "100000"]);
  const open = dataOf(await test.run({ command: "seq 100000; printf end" }));
  assert.deepEqual(bash.preview?.(open, 3), ["1", "… +99999 lines", "end"]);
  assert.deepEqual(bash.preview?.(dataOf(await test.run({ command: "true" })), 3), ["(no output)"]);
});
