import assert from "node:assert/strict";
import { isAlive } from "../../src/lib/process.ts";
import { killGroup } from "../../src/lib/process_group.ts";
import { Standby } from "../../src/lib/standby.ts";
import { idsWith } from "../support/processes.ts";
import { until } from "../support/wait.ts";

const ignore = Deno.build.os !== "linux";

const HOW = {
  cwd: "/",
  env: {},
  clearEnv: true,
  stdin: "piped",
  stdout: "piped",
  stderr: "piped",
} as const;

/** A shell that runs what it reads, and that no other test has. */
function shell(): readonly [string, ...string[]] {
  return ["/bin/sh", "-s", crypto.randomUUID()];
}

/** Gives a shell its work; what it wrote. */
async function work(child: Deno.ChildProcess, text: string): Promise<string> {
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  const { stdout } = await child.output();
  return new TextDecoder().decode(stdout).trim();
}

/** Has a first shell do its work; the id of the one that waits then. */
async function waitingAfter(
  standby: Standby,
  argv: readonly [string, ...string[]],
): Promise<number> {
  const first = standby.spawn(argv, HOW);
  assert.equal(await work(first, "echo first"), "first");
  return await until("the next one", () => idsWith(argv[2]!)[0]);
}

function test(name: string, fn: (standby: Standby) => Promise<void>) {
  Deno.test({
    name,
    ignore,
    async fn() {
      const standby = new Standby();
      try {
        await fn(standby);
      } finally {
        standby.close();
      }
    },
  });
}

test("a program that was started before is taken when another of its kind is needed", async (standby) => {
  const argv = shell();
  const waiting = await waitingAfter(standby, argv);
  const second = standby.spawn(argv, HOW);
  assert.equal(second.pid, waiting);
  // It leads a session of its own, and begins where it is told to.
  const said = await work(second, "cut -d ' ' -f 5,6 /proc/$$/stat; pwd");
  assert.equal(said, `${waiting} ${waiting}\n/`);
});

test("a program of another kind is started anew, and then one of its kind waits", async (standby) => {
  const argv = shell();
  const waiting = await waitingAfter(standby, argv);
  const other = standby.spawn(argv, { ...HOW, env: { A: "1" } });
  assert.notEqual(other.pid, waiting);
  assert.equal(await work(other, "echo $A"), "1");
  assert.equal(await work(standby.spawn(shell(), HOW), "echo $A"), "");
  await until("the end of the first kind", () => idsWith(argv[2]!).length === 0);
});

test("a program that was ended while it waited is not taken", async (standby) => {
  const argv = shell();
  const waiting = await waitingAfter(standby, argv);
  assert.equal(killGroup(waiting, "SIGKILL"), true);
  // Deno collects what has ended when it tells of it.
  await until("its end", () => !isAlive(waiting));
  await new Promise(setImmediate);
  const next = standby.spawn(argv, HOW);
  assert.equal(await work(next, "echo next"), "next");
});

test("a program that began with other things than there are now is not taken", async (standby) => {
  const argv = shell();
  let seen: string | undefined = "one";
  const spawn = () => standby.spawn(argv, { ...HOW, stamp: () => seen });
  assert.equal(await work(spawn(), "echo first"), "first");
  const one = await until("the next one", () => idsWith(argv[2]!)[0]);
  seen = "two";
  const other = spawn();
  assert.notEqual(other.pid, one);
  assert.equal(await work(other, "echo other"), "other");
  const two = await until("the next one", () => idsWith(argv[2]!).find((pid) => pid !== one));
  await until("the end of the one before", () => !isAlive(one));
  const taken = spawn();
  assert.equal(taken.pid, two);
  // While it cannot be said, none begins that is to wait.
  seen = undefined;
  assert.equal(await work(taken, "sleep 0.1; echo taken"), "taken");
  assert.deepEqual(idsWith(argv[2]!), []);
});

test("a program waits that was asked for beside another, until it is discarded", async (standby) => {
  const [argv, other] = [shell(), shell()];
  let seen = "one";
  const isReady = (kind: readonly [string, ...string[]]) => standby.isReady(kind, () => seen);
  const how = { ...HOW, stamp: () => seen };
  assert.equal(isReady(argv), false);
  standby.prepare(argv, how);
  const waiting = await until("one that waits", () => idsWith(argv[2]!)[0]);
  assert.deepEqual([isReady(argv), isReady(other)], [true, false]);
  seen = "two";
  assert.equal(isReady(argv), false);
  standby.discard();
  seen = "one";
  assert.equal(isReady(argv), false);
  await until("its end", () => !isAlive(waiting));
  standby.renew();
  const next = await until("the next one", () => idsWith(argv[2]!)[0]);
  standby.discard();
  await until("its end", () => !isAlive(next));
  // Nobody has needed it since.
  standby.renew();
  assert.equal(await work(standby.spawn(other, HOW), "sleep 0.1; echo other"), "other");
  assert.deepEqual(idsWith(argv[2]!), []);
});

test("once it is closed, nothing waits", async (standby) => {
  const argv = shell();
  await waitingAfter(standby, argv);
  standby.close();
  await until("the end", () => idsWith(argv[2]!).length === 0);
  assert.equal(await work(standby.spawn(argv, HOW), "echo still"), "still");
  assert.deepEqual(idsWith(argv[2]!), []);
});

test("once it is closed, nothing waits of a program whose errors are dropped either", async (standby) => {
  const argv = shell();
  const { stdout } = standby.spawn(argv, { ...HOW, stderr: "null" });
  await stdout.cancel();
  await until("two", () => idsWith(argv[2]!).length === 2);
  standby.close();
  await until("the end of one", () => idsWith(argv[2]!).length === 1);
  for (const id of idsWith(argv[2]!)) killGroup(id, "SIGKILL");
});

test("a directory that is missing is told, although the program waits elsewhere", async (standby) => {
  const argv = shell();
  await waitingAfter(standby, argv);
  const spawn = (cwd: string) => () => standby.spawn(argv, { ...HOW, cwd });
  assert.throws(spawn("/nowhere/at/all"), Deno.errors.NotFound);
  assert.throws(spawn("/etc/passwd"), Deno.errors.NotADirectory);
});

for (const end of ["Deno.kill(Deno.pid, 'SIGKILL')", "Deno.exit()", ""]) {
  Deno.test({
    name: `what waits ends with who started it, by ${end || "itself"}`,
    ignore,
    async fn() {
      const source = (name: string) => JSON.stringify(new URL(`../../${name}`, import.meta.url));
      const argv = shell();
      const script = `
        import { Standby } from ${source("src/lib/standby.ts")};
        import { idsWith } from ${source("tests/support/processes.ts")};
        import { until } from ${source("tests/support/wait.ts")};
        const first = new Standby().spawn(${JSON.stringify(argv)}, ${JSON.stringify(HOW)});
        await first.stdin.close();
        await first.output();
        const ids = await until("the next one", () => idsWith("${
        argv[2]
      }").filter((id) => id !== first.pid)[0]);
        ${end}`;
      const { stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["eval", "--no-config", script.replaceAll("\n", " ")],
      }).output();
      assert.equal(new TextDecoder().decode(stderr), "");
      // The line of the script itself held the text, too.
      await until("its end", () => idsWith(argv[2]!).length === 0);
    },
  });
}
