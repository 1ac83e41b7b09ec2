/**
 * Sandboxes that cannot be made, because what they are to hide or show changes meanwhile: that is no reason to go on
 * without one. A program in the place of bubblewrap says what that would.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { SandboxPolicy } from "../../src/core/sandbox.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { SHAPES, type Stage, stageSandbox } from "../support/confined.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const ignore = !hasBubblewrap();
/** The system's programs by a name that does not come before all others. */
const SYSTEM = "/usr/bin/.";

/** A machine on which a line of `sh` comes before bubblewrap; there `$told` has all that this is told. */
async function stage(line: string): Promise<Stage> {
  const at = await stageSandbox({ env: (home) => ({ PATH: `${home}/first:${SYSTEM}` }) });
  const script = [
    "#!/bin/sh",
    `PATH=${Deno.env.get("PATH") ?? ""}`,
    `told=$(mktemp ${at.home}/told-XXXXXX); { cat <&8; } >"$told" 2>/dev/null; printf '%s\\n' "$@" >"$told.words"`,
    `gone() { echo "bwrap: Can't mkdir $1: No such file or directory" >&2; exit 1; }`,
    line,
    `[ -s "$told" ] && exec 8<"$told"`,
    `exec bwrap "$@"`,
  ].join("\n");
  await at.write("first/bwrap", `${script}\n`, 0o755);
  return at;
}

async function run(at: Stage, command: string, policy: Omit<SandboxPolicy, "sandboxRequired">) {
  const shell = createShell({ cwd: at.root, env: at.env, logDir: at.home, sandbox: at.sandbox });
  const sandboxPolicy = { ...policy, sandboxRequired: false };
  return await shell.run({ command, sandboxPolicy, signal: new AbortController().signal });
}

Deno.test({
  name: "a place that cannot be hidden keeps commands from running, not the sandbox from holding",
  ignore,
  async fn() {
    await using at = await stage(`grep -qs /.ssh "$told" "$told.words" && gone /home/.ssh`);
    await at.write(".ssh/id", "HUSH");
    const { state, gaps = [] } = await at.sandbox.status();
    assert.equal(state, "active");
    assert.equal(gaps.some((gap) => gap.includes("system call")), false);
    const { code, output, blocked } = await run(at, "cat ~/.ssh/id; echo ran", SHAPES.workspace);
    assert.notEqual(code, 0);
    assert.doesNotMatch(output, /HUSH|ran/);
    assert.equal(blocked?.why, "the sandbox could not be made: /home/.ssh was removed meanwhile");
  },
});

Deno.test({
  name: "a sandbox that fails once is made again: all of it at the start, and for each command",
  ignore,
  async fn() {
    await using at = await stage("[ -e $HOME/made ] || { : >$HOME/made; gone /x; }");
    const { state, gaps = [] } = await at.sandbox.status();
    assert.equal(state, "active");
    assert.equal(gaps.some((gap) => gap.includes("system call")), false);
    for (const policy of [SHAPES.workspace, SHAPES.closed]) {
      await Deno.remove(join(at.home, "made"));
      const { code, output } = await run(at, "echo ran; grep Seccomp: /proc/self/status", policy);
      assert.equal(code, 0, output);
      assert.match(output, /^ran\nSeccomp:\t2$/m);
    }
  },
});
