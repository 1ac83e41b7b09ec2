import assert from "node:assert/strict";
import { join } from "node:path";
import bash from "../../plugins/bash/mod.ts";
import { writeProgram } from "../../scripts/program_file.ts";
import { ToolError } from "../../src/api.ts";
import { createToolEncoder } from "../../src/model/wire.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { isRunning } from "../support/processes.ts";
import { dataOf, makeToolContext, type TestContext } from "../support/tool_context.ts";

function withShell(options: { signal?: AbortSignal; bashTimeout?: number } = {}) {
  const { signal, bashTimeout } = options;
  return makeToolContext({
    shell: (cwd) =>
      createShell({ cwd, env: Deno.env.toObject(), logDir: join(cwd, "..", "state", "logs") }),
    ...(signal && { signal }),
    ...(bashTimeout !== undefined && { limits: { bashTimeout } }),
  });
}

async function failed(test: TestContext, input: Parameters<typeof bash.run>[0]) {
  const result = await bash.run(input, test.context);
  assert.ok(!result.ok);
  return { ...result.error, data: result.data ?? {} };
}

Deno.test("bash returns the output and nothing else to the model", async () => {
  await using test = await withShell();
  const result = await bash.run({ command: "echo out; echo err >&2; pwd" }, test.context);
  const { output, return_code, log_path, truncated } = dataOf(result);
  assert.equal(output, `out\nerr\n${test.cwd}\n`);
  assert.deepEqual([return_code, log_path, truncated], [0, undefined, undefined]);
  assert.equal(result.ok && result.text, output);
});

Deno.test("bash says that there was no output", async () => {
  await using test = await withShell();
  const result = await bash.run({ command: "true" }, test.context);
  assert.equal(dataOf(result).output, "");
  assert.equal(result.ok && result.text, "(no output)");
});

Deno.test("bash reports output while the command runs", async () => {
  await using test = await withShell();
  await bash.run({ command: "echo one; echo two" }, test.context);
  assert.equal(test.reported.join(""), "one\ntwo\n");
});

Deno.test("bash shows a person only a part of a flood", async () => {
  await using test = await withShell();
  await bash.run({ command: "yes | head -c 20000000" }, test.context);
  const shown = test.reported.join("").length;
  assert.ok(shown >= 16_000 && shown < 5_000_000, `${shown} characters`);
});

Deno.test("bash fails with the exit code and keeps the output when a command fails", async () => {
  await using test = await withShell();
  const error = await failed(test, { command: "echo before; exit 2" });
  assert.equal(error.kind, "user");
  assert.equal(error.message, "Command exited with code 2");
  assert.equal(error.data.output, "before\n");
  assert.equal(error.data.return_code, 2);
});

Deno.test("bash runs in working_dir", async () => {
  await using test = await withShell();
  await Deno.mkdir(join(test.cwd, "sub"));
  const { output } = dataOf(await bash.run({ command: "pwd", working_dir: "sub" }, test.context));
  assert.equal(output, `${join(test.cwd, "sub")}\n`);
});

Deno.test("bash refuses a working_dir that is missing or a file", async () => {
  await using test = await withShell();
  await Deno.mkdir(join(test.cwd, "source"));
  await Deno.writeTextFile(join(test.cwd, "file"), "");
  const run = (working_dir: string) => bash.run({ command: "pwd", working_dir }, test.context);
  await assert.rejects(run("sorce"), (error) => {
    assert.ok(error instanceof ToolError);
    assert.equal(error.kind, "user");
    assert.equal(error.message, "Cannot run in sorce: it does not exist.");
    assert.match(error.suggestion ?? "", /source/);
    return true;
  });
  await assert.rejects(run("file"), { message: "Cannot run in file: it is not a directory." });
});

Deno.test("bash ends a command at its timeout, keeps the output and says how to raise it", async () => {
  await using test = await withShell();
  const error = await failed(test, { command: "echo start; exec sleep 100", timeout: 0.2 });
  assert.equal(error.kind, "system");
  assert.equal(error.message, "Command ended after its limit of 0.2 seconds.");
  assert.match(error.suggestion ?? "", /set timeout \(seconds, at most 600\)/);
  assert.equal(error.data.output, "start\n");
});

Deno.test("bash takes its default timeout from the limits", async () => {
  await using test = await withShell({ bashTimeout: 0.2 });
  const error = await failed(test, { command: "exec sleep 100" });
  assert.match(error.message, /limit of 0\.2 seconds/);
});

Deno.test("bash advises what to run instead of a command that waits for a person", async () => {
  await using test = await withShell({ bashTimeout: 0.2 });
  await writeProgram(join(test.cwd, "vim"), "#!/bin/sh\nexec sleep 100\n");
  const error = await failed(test, { command: "PATH=$PWD:$PATH\nvim notes.txt" });
  assert.equal(error.suggestion, "Change files with the edit or write tool.");
});

Deno.test("bash keeps the output of an interrupted command and leaves no process", async () => {
  const controller = new AbortController();
  await using test = await withShell({ signal: controller.signal });
  const context = { ...test.context, report: () => controller.abort() };
  const result = await bash.run({ command: "sleep 100 & echo $!; wait" }, context);
  assert.ok(!result.ok);
  assert.equal(result.error.kind, "interrupted");
  const pid = Number(result.data?.output);
  assert.ok(pid > 0);
  assert.equal(isRunning(pid), false);
});

Deno.test("bash cuts the middle of a long output and names the file with the whole", async () => {
  await using test = await withShell();
  const result = await bash.run({ command: "seq 30000" }, test.context);
  const { output, truncated, log_path } = dataOf(result);
  assert.equal(truncated, true);
  assert.ok(output.length <= 30_000);
  assert.ok(log_path !== undefined && output.includes(log_path));
  assert.ok(output.startsWith("1\n2\n") && output.endsWith("\n30000\n"));
  assert.equal((await Deno.readTextFile(log_path)).trimEnd().split("\n").length, 30_000);
});

Deno.test("bash describes a call by the first line of its command, how many follow, and what it is for", () => {
  assert.equal(bash.describe({ command: "ls", description: " List\nfiles" }), "ls # List files");
  assert.equal(bash.describe({ command: "\nls -la\npwd" }), "ls -la … +1 line");
});

Deno.test("bash has a definition that fits its share of a request", () => {
  const wire = JSON.stringify(createToolEncoder()(bash.definition));
  assert.ok(wire.length <= 620, `${wire.length} bytes`);
  assert.deepEqual(bash.definition.effects, ["exec"]);
});
