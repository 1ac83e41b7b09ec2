/**
 * bubblewrap that is started before its command is known, as the shell starts it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { SandboxPolicy } from "../../src/core/sandbox.ts";
import { exists } from "../../src/lib/fs.ts";
import { startProcess } from "../../src/lib/process.ts";
import type { ConfinedCommand } from "../../src/sandbox/sandbox.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { type Stage, stageSandbox } from "../support/confined.ts";
import { hasBubblewrap } from "../support/sandbox.ts";
import { waitingAfter, WHICH } from "../support/waiting_sandbox.ts";

const ignore = !hasBubblewrap();

const WORKSPACE: SandboxPolicy = { write: true, needs: [], sandboxRequired: true };
const CLOSED: SandboxPolicy = { ...WORKSPACE, write: false };

/** Runs commands, one after the other; what each wrote. */
async function runAll(
  at: Stage,
  commands: readonly { command: string; sandboxPolicy: SandboxPolicy; input?: string }[],
): Promise<string[]> {
  const shell = createShell({ cwd: at.root, env: at.env, logDir: at.home, sandbox: at.sandbox });
  const outputs: string[] = [];
  for (const one of commands) {
    const { output } = await shell.run({ ...one, signal: new AbortController().signal });
    outputs.push(output);
  }
  return outputs;
}

const ASKS = "env | sort; echo $$ $#; ls /proc/self/fd; ulimit -a; cat; pwd";

Deno.test({
  name: "a command that bubblewrap waited for finds what any other finds",
  ignore,
  async fn() {
    await using at = await stageSandbox();
    for (const sandboxPolicy of [CLOSED, WORKSPACE]) {
      const one = { command: ASKS, sandboxPolicy };
      const [first, second, third, given] = await runAll(at, [one, one, one, {
        ...one,
        input: "",
      }]);
      assert.equal(second, first);
      assert.equal(third, first);
      // With an input bubblewrap is told all as arguments.
      assert.equal(given, first);
      assert.doesNotMatch(first!, /_ally/);
      assert.ok(first!.endsWith(`${at.root}\n`), first);
    }
  },
});

Deno.test({
  name: "a command for which a whole sandbox waited finds what any other finds",
  ignore,
  async fn() {
    await using at = await stageSandbox();
    const run = async (command: string) =>
      (await runAll(at, [{ command, sandboxPolicy: CLOSED }]))[0]!;
    const first = await run(ASKS);
    const waiting = await waitingAfter(at, () => run("true"));
    assert.equal(await run(`${WHICH}${ASKS}`), `${waiting}\n${first}`);
    // What is in words may be anything, and as long as a pipe does not hold at once.
    const text = `'${"é'\"$x`\\\n".repeat(3000)}`;
    const next = await waitingAfter(at, () => run("true"));
    const words = `${WHICH}cat <<'EOF'\n${text}\nEOF\n`;
    assert.equal(await run(words), `${next}\n${text}\n`);
  },
});

Deno.test({
  name: "each command has what it was given, whatever was given to the one before",
  ignore,
  async fn() {
    await using at = await stageSandbox();
    const touch = (name: string, sandboxPolicy: SandboxPolicy) => ({
      command: `touch ${name} && echo "${name} 'made' \\$x"`,
      sandboxPolicy,
    });
    const outputs = await runAll(at, [
      touch("a", WORKSPACE),
      touch("b", CLOSED),
      touch("c", { ...WORKSPACE, unwritable: [at.root] }),
      touch("d", WORKSPACE),
    ]);
    assert.match(outputs[0]!, /^a 'made' \$x$/m);
    assert.match(outputs[1]!, /Read-only/);
    assert.match(outputs[2]!, /Read-only/);
    assert.match(outputs[3]!, /^d 'made' \$x$/m);
    const made = ["a", "b", "c", "d"].filter((name) => exists(join(at.root, name)));
    assert.deepEqual(made, ["a", "d"]);
  },
});

Deno.test({
  name: "a command of which bubblewrap reads only a part does not begin, wherever that ends",
  ignore,
  async fn() {
    await using at = await stageSandbox();
    const argv = ["/bin/sh", "-c", `echo ran >${at.root}/ran`] as const;
    const how = { policy: WORKSPACE, cwd: at.root, hasInput: false };
    const confined = (await at.sandbox.confine(argv, how))!;
    const { text } = confined.input!;
    const words = text.split("\0");
    const ends = words.map((_, index) => words.slice(0, index).join("\0").length)
      .filter((_, index) => index % 7 === 0 || index > words.length - 12);
    const script = text.lastIndexOf("(exec ");
    // After an argument, with and without its end, and within the script up to what runs the command.
    const within = Array.from({ length: 10 }, (_, at) => script - 20 * at);
    for (const end of [...ends, ...ends.map((one) => one + 1), ...within]) {
      if (end > script) continue;
      await runWith(at, { ...confined, input: { descriptor: 8, text: text.slice(0, end) } });
      assert.equal(exists(join(at.root, "ran")), false, text.slice(0, end));
    }
    assert.equal((await runWith(at, confined)).code, 0);
    assert.equal(exists(join(at.root, "ran")), true);
    await confined.finish();
  },
});

Deno.test({
  name: "a command of which the shell of a sandbox reads only a part does not begin either",
  ignore,
  async fn() {
    await using at = await stageSandbox();
    const argv = ["/bin/sh", "-c", "echo 'it'\\''s' ran; id -u"] as const;
    const how = { policy: CLOSED, cwd: at.root, hasInput: false };
    await waitingAfter(at, () => runAll(at, [{ command: "true", sandboxPolicy: CLOSED }]));
    const confined = (await at.sandbox.confine(argv, how))!;
    await confined.finish();
    const { text } = confined.input!;
    assert.match(text, /^\{ /);
    const run = (end: number) =>
      runWith(at, { ...confined, input: { descriptor: 8, text: text.slice(0, end) } });
    for (let end = 0; end < text.trimEnd().length; end += end < text.length - 30 ? 23 : 1) {
      const { output } = await run(end);
      assert.doesNotMatch(output, /it's|ran|\d/, text.slice(0, end));
    }
    assert.equal((await run(text.length)).output, `it's ran\n${Deno.uid()}\n`);
  },
});

async function runWith(
  at: Stage,
  { argv, inputs, input }: Pick<ConfinedCommand, "argv" | "inputs" | "input">,
) {
  const signal = new AbortController().signal;
  return await startProcess(argv, { cwd: at.root, env: at.env, signal, inputs, input }).finished;
}

Deno.test({
  name: "a command with a character that ends arguments is refused, and brings none of its own",
  ignore,
  async fn() {
    await using at = await stageSandbox();
    const shell = createShell({ cwd: at.root, env: at.env, logDir: at.home, sandbox: at.sandbox });
    const command = `true\0--bind\0${at.home}\0${at.home}\0--setenv\0_ally_script\0touch ~/out`;
    const running = shell.run({
      command,
      sandboxPolicy: CLOSED,
      signal: new AbortController().signal,
    });
    await assert.rejects(running, /Cannot run/);
    assert.equal(exists(join(at.home, "out")), false);
  },
});
