import assert from "node:assert/strict";
import { createShell } from "../../src/workspace/shell.ts";
import { isRunning } from "../support/processes.ts";
import { until } from "../support/wait.ts";

const signal = new AbortController().signal;
const env = { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin" };

/** A shell in a directory of its own, with the means to start a task at once. */
async function place({ settledEnd }: { settledEnd?: (text: string) => number } = {}) {
  const dir = await Deno.realPath(await Deno.makeTempDir());
  const shell = createShell({ cwd: dir, env, logDir: `${dir}/logs`, settledEnd });
  return {
    dir,
    shell,
    tasks: shell.tasks,
    start: (command: string) =>
      shell.run({ command, signal, keepLog: true, background: { when: AbortSignal.abort() } }),
    async [Symbol.asyncDispose]() {
      await shell.tasks.stopAll();
      await Deno.remove(dir, { recursive: true });
    },
  };
}

Deno.test("run() returns an id at once and leaves the command running", async () => {
  await using at = await place();
  const result = await at.start("exec sleep 100");
  assert.equal(result.taskId, "task_1");
  assert.deepEqual(at.tasks.running().map(({ id, command }) => [id, command]), [
    ["task_1", "exec sleep 100"],
  ]);
  assert.equal((await at.start("exec  sleep\n100")).taskId, "task_2");
  assert.equal(at.tasks.running()[1]?.command, "exec sleep 100");
});

Deno.test("takeEnded() returns a task that ended by itself, once", async () => {
  await using at = await place();
  await at.start("exit 3");
  const ended = await until("the end", () => at.tasks.takeEnded()[0]);
  assert.deepEqual([ended.id, ended.code], ["task_1", 3]);
  assert.deepEqual(at.tasks.takeEnded(), []);
});

Deno.test("takeEnded() leaves out what a look or a stop has shown already", async () => {
  await using at = await place();
  await at.start("exit 3");
  await at.start("exec sleep 100");
  assert.equal((await at.tasks.readOutput("task_1", { wait: 20, signal })).code, 3);
  assert.equal((await at.tasks.stop("task_2")).ended, "stopped");
  assert.deepEqual(at.tasks.takeEnded(), []);
});

Deno.test("a look returns a bounded part of a long output and names the file with all of it", async () => {
  await using at = await place();
  await at.start("seq 1 100000");
  const look = await at.tasks.readOutput("task_1", { wait: 20, signal });
  assert.equal(look.truncated, true);
  assert.ok(look.output.length <= 30_000, `${look.output.length} characters`);
  assert.ok(look.output.startsWith("1\n2\n") && look.output.endsWith("\n100000\n"));
  assert.ok(look.logPath !== undefined && look.output.includes(look.logPath));
  assert.equal((await Deno.readTextFile(look.logPath)).split("\n").length, 100_001);
});

Deno.test("a task that ignores SIGTERM is killed two seconds later", async () => {
  await using at = await place();
  await at.start("trap '' TERM; touch ready; while :; do sleep 0.1; done");
  await until("the trap", () => Deno.stat(`${at.dir}/ready`));
  const look = await at.tasks.stop("task_1");
  assert.deepEqual([look.code, look.ended], [137, "stopped"]);
});

Deno.test("stopAll() and killAll() leave no task running", async () => {
  await using at = await place();
  for (const end of ["stopAll", "killAll"]) {
    await at.start("echo $$ > pid; exec sleep 100");
    const pid = Number(await until("the pid", () => Deno.readTextFile(`${at.dir}/pid`)));
    await Deno.remove(`${at.dir}/pid`);
    if (end === "stopAll") await at.tasks.stopAll();
    else at.shell.killAll();
    await until("its end", () => !isRunning(pid));
    await until("the news", () => at.tasks.running().length === 0);
  }
});

Deno.test("run() does not make a task of a command that is being ended", async () => {
  await using at = await place();
  const controller = new AbortController();
  const when = new AbortController();
  const result = await at.shell.run({
    command: "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.02; done",
    signal: controller.signal,
    onOutput: () => {
      controller.abort();
      when.abort();
    },
    background: { when: when.signal },
  });
  assert.deepEqual([result.ended, result.taskId], ["interrupted", undefined]);
  assert.deepEqual(at.tasks.running(), []);
});

Deno.test("run() starts nothing once the signal is aborted", async () => {
  await using at = await place();
  const result = await at.shell.run({ command: "touch made", signal: AbortSignal.abort() });
  assert.equal(result.ended, "interrupted");
  await assert.rejects(Deno.stat(`${at.dir}/made`), Deno.errors.NotFound);
});

Deno.test("a look holds back what may go on, but no lines for more than one look, and nothing of a task that has ended", async () => {
  const settledEnd = (text: string) => text.lastIndexOf("+\n") + 1;
  await using at = await place({ settledEnd });
  const look = () => at.tasks.readOutput("task_1", { signal });
  let { output: told, heldBack } = await at.start(
    "echo 1+; printf '2\\n3'; until [ -e go ]; do sleep 0.02; done; echo 4+; printf 5; " +
      "until [ -e end ]; do sleep 0.02; done",
  );
  await until("the first line", async () => {
    if (told === "") ({ output: told, heldBack } = await look());
    return told !== "";
  });
  assert.equal(told, "1+");
  assert.ok(heldBack);
  await until("all lines", async () => {
    told += (await look()).output;
    return told === "1+\n2\n";
  });
  await Deno.writeTextFile(`${at.dir}/go`, "");
  await until("the next line", async () => {
    told += (await look()).output;
    return told.endsWith("34+");
  });
  await Deno.writeTextFile(`${at.dir}/end`, "");
  const last = await at.tasks.readOutput("task_1", { wait: 20, signal });
  assert.deepEqual([last.output, last.heldBack, last.code], ["\n5", undefined, 0]);
});
