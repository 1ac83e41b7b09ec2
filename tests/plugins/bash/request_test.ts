import assert from "node:assert/strict";
import bash from "../../../plugins/bash/mod.ts";
import { readRequest } from "../../../plugins/bash/request.ts";
import { ToolError } from "../../../src/api.ts";

type Input = Parameters<typeof readRequest>[0];

Deno.test("readRequest() reads a command with all that belongs to it", () => {
  const input = { command: "ls", description: "List", timeout: 5, working_dir: "src" };
  assert.deepEqual(readRequest(input), {
    kind: "run",
    command: "ls",
    background: false,
    timeout: 5,
    directory: "src",
  });
  const request = readRequest({ command: "serve", run_in_background: true });
  assert.equal(request.kind === "run" && request.background, true);
});

Deno.test("readRequest() reads a look at a task and its end", () => {
  assert.deepEqual(readRequest({ bash_output: "task_1" }), { kind: "look", id: "task_1", wait: 0 });
  assert.deepEqual(readRequest({ bash_output: " task_1 ", timeout: 9, description: "x" }), {
    kind: "look",
    id: "task_1",
    wait: 9,
  });
  assert.deepEqual(readRequest({ bash_kill: "task_2" }), { kind: "stop", id: "task_2" });
});

Deno.test("readRequest() counts empty texts as left out, as models send them", () => {
  const request = readRequest({ command: "ls", bash_output: "", bash_kill: " ", working_dir: "" });
  assert.deepEqual([request.kind, request.kind === "run" && request.directory], ["run", undefined]);
});

const wrong: readonly (readonly [input: Input, message: string, suggestion?: RegExp])[] = [
  [{}, "Missing parameter 'command' for bash", /Example: bash\(command=/],
  [{ command: "" }, "Empty parameter 'command' for bash", /Example/],
  [{ command: " \n" }, "Empty parameter 'command' for bash", /Example/],
  [
    { command: "ls", bash_kill: "task_1" },
    "Cannot do command and bash_kill in one call: bash takes just one of command, bash_output, bash_kill",
    /a call for each/,
  ],
  [
    { bash_output: "task_1", bash_kill: "task_1" },
    "Cannot do bash_output and bash_kill in one call: bash takes just one of command, bash_output, bash_kill",
    /a call for each/,
  ],
  [{ command: "ls", timeout: 0 }, "Invalid 'timeout': it must be more than 0 seconds"],
  [{ command: "ls", timeout: -1 }, "Invalid 'timeout': it must be more than 0 seconds"],
  [{ bash_output: "task_1", timeout: -1 }, "Invalid 'timeout': it must not be negative"],
  [
    { bash_output: "task_1", working_dir: "src" },
    "Cannot use working_dir with bash_output",
    /bash_output="task_1"/,
  ],
  [
    { bash_kill: "task_1", run_in_background: true, timeout: 5 },
    "Cannot use run_in_background and timeout with bash_kill",
    /bash_kill="task_1"/,
  ],
];

for (const [input, message, suggestion] of wrong) {
  Deno.test(`bash refuses ${JSON.stringify(input)}: ${message}`, () => {
    assert.throws(() => bash.check?.(input), (error) => {
      assert.ok(error instanceof ToolError);
      assert.equal(error.kind, "validation");
      assert.equal(error.message, message);
      if (suggestion) assert.match(error.suggestion ?? "", suggestion);
      return true;
    });
  });
}

Deno.test("only running a command has effects that are asked about", () => {
  assert.deepEqual(bash.effectsOf?.({ command: "ls" }), ["exec"]);
  assert.deepEqual(bash.effectsOf?.({ command: "ls", run_in_background: true }), [
    "exec",
    "session",
  ]);
  assert.deepEqual(bash.effectsOf?.({ bash_output: "task_1" }), []);
  assert.deepEqual(bash.effectsOf?.({ bash_kill: "task_1" }), ["session"]);
});

Deno.test("bash describes what it does with a task", () => {
  assert.equal(bash.describe({ bash_output: "task_1" }), "output of task_1");
  assert.equal(bash.describe({ bash_kill: "task_1" }), "stop task_1");
  const input = { command: "npm run dev", run_in_background: true };
  assert.equal(bash.describe(input), "npm run dev (in the background)");
});
