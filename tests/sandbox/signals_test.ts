/**
 * How commands in the sandbox are told to end: what they started may clean up, the sandbox itself stays until then.
 */
import assert from "node:assert/strict";
import type { PartedScript, SandboxPolicy } from "../../src/core/sandbox.ts";
import type { RunOptions, RunResult } from "../../src/core/shell.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { stageSandbox } from "../support/confined.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const WORKSPACE: SandboxPolicy = { write: true, needs: [], sandboxRequired: true };
const CLOSED: SandboxPolicy = { ...WORKSPACE, write: false };

/** A script that says that it is up, waits, and says so when it is told to end. */
const waits = (name: string) =>
  `trap 'echo ${name} ends; exit 7' TERM; echo ${name} up; while :; do sleep 0.02; done`;

/** Runs a command, and tells it to end once its output fits. */
async function runAndEnd(options: Omit<RunOptions, "signal">, when: RegExp): Promise<RunResult> {
  await using at = await stageSandbox();
  const shell = createShell({ cwd: at.root, env: at.env, logDir: at.home, sandbox: at.sandbox });
  const ending = new AbortController();
  let output = "";
  return await shell.run({
    ...options,
    signal: ending.signal,
    onOutput(chunk) {
      output += chunk;
      if (when.test(output)) ending.abort();
    },
  });
}

const script = (text: string): PartedScript => ({
  kind: "script",
  text,
  policy: WORKSPACE,
  readsStatus: false,
  span: { pos: 0, end: 0 },
  setup: "",
});

for (
  const [what, options, up, said] of [
    [
      "a command cleans up",
      { command: waits("it"), sandboxPolicy: WORKSPACE },
      /it up/,
      /^it up\n[^]*it ends\n$/,
    ],
    [
      "a command with input cleans up",
      { command: `cat; ${waits("it")}`, input: "text\n", sandboxPolicy: WORKSPACE },
      /it up/,
      /^text\nit up\n[^]*it ends\n$/,
    ],
    [
      "what leads a group of its own cleans up",
      {
        command: `trap 'wait; exit 7' TERM; timeout 50 bash -c "${waits("inner")}" & wait`,
        sandboxPolicy: WORKSPACE,
      },
      /inner up/,
      /inner ends/,
    ],
    [
      "a part of a list cleans up, and no other begins",
      {
        command: "a; b",
        sandboxPolicy: WORKSPACE,
        parted: {
          kind: "chain",
          items: [script(waits("first")), script("echo second")],
          operators: [";"],
          negated: false,
        },
      },
      /first up/,
      /^first up\n(?![^]*second)[^]*first ends\n$/,
    ],
    [
      "both ends of a pipe clean up",
      {
        command: "a | b",
        sandboxPolicy: WORKSPACE,
        parted: {
          kind: "chain",
          items: [script(`${waits("left")} >&2`), script(`cat; ${waits("right")}`)],
          operators: ["|"],
          negated: false,
        },
      },
      /left up/,
      /left ends/,
    ],
    [
      "a closed command cleans up",
      { command: waits("it"), sandboxPolicy: CLOSED },
      /it up/,
      /^it up\n[^]*it ends\n$/,
    ],
  ] as const satisfies readonly (readonly [
    string,
    Omit<RunOptions, "signal">,
    RegExp,
    RegExp,
  ])[]
) {
  Deno.test({
    name: `told to end, ${what}`,
    ignore: !hasBubblewrap(),
    async fn() {
      const { output, ended } = await runAndEnd(options, up);
      assert.match(output, said);
      assert.equal(ended, "interrupted");
    },
  });
}
