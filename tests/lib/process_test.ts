import assert from "node:assert/strict";
import { type ProcessOptions, runProcess, startProcess } from "../../src/lib/process.ts";
import { killGroup } from "../../src/lib/process_group.ts";
import { isRunning } from "../support/processes.ts";

const never = new AbortController().signal;
const env = { PATH: "/usr/local/bin:/usr/bin:/bin" };

function bash(text: string, options: Partial<ProcessOptions> = {}) {
  return runProcess(["bash", "--noprofile", "--norc", "-c", text], {
    cwd: "/",
    env,
    signal: never,
    ...options,
  });
}

Deno.test("runProcess() returns output and exit code", async () => {
  const result = await bash("echo out; exit 3");
  assert.equal(result.output, "out\n");
  assert.equal(result.code, 3);
  assert.equal(result.truncated, false);
  assert.equal(result.ended, undefined);
});

Deno.test("runProcess() keeps stdout and stderr in the order in which they were written", async () => {
  const result = await bash("for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done");
  const expected = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `out ${i}\nerr ${i}\n`).join("");
  assert.equal(result.output, expected);
});

Deno.test("runProcess() leaves the program's own messages and arguments untouched", async () => {
  const result = await bash("true\nno-such-program-here 'a b'");
  assert.equal(result.output, "bash: line 2: no-such-program-here: command not found\n");
  assert.equal(result.code, 127);
});

Deno.test("runProcess() gives the program a text as its standard input", async () => {
  const long = "a line of text\n".repeat(20_000);
  const result = await bash("cat", { input: long, maxOutput: long.length });
  assert.equal(result.output, long);
  assert.equal((await bash("cat", { input: "" })).output, "");
});

Deno.test("runProcess() lets a program end without reading its input", async () => {
  const result = await bash("exec true", { input: "x".repeat(1_000_000) });
  assert.deepEqual([result.code, result.ended], [0, undefined]);
});

Deno.test("runProcess() drops stderr on demand", async () => {
  const result = await bash("echo out; echo err >&2", { stderr: "drop" });
  assert.equal(result.output, "out\n");
});

Deno.test("runProcess() gives the child no standard input and a session of its own", async () => {
  const result = await bash("cat; echo done; : < /dev/tty");
  assert.match(result.output, /^done\n/);
  assert.match(result.output, /\/dev\/tty/);
});

Deno.test("runProcess() returns 128 plus the signal's number", async () => {
  assert.equal((await bash("kill -9 $$")).code, 137);
  assert.equal((await bash("kill -TERM $$")).code, 143);
});

Deno.test("runProcess() decodes characters that arrive in pieces", async () => {
  const chunks: string[] = [];
  const text =
    "printf '\\xf0\\x9f'; sleep 0.05; printf '\\x98\\x80 \\xc3'; sleep 0.05; printf '\\xa4'";
  const result = await bash(text, { onOutput: (chunk) => chunks.push(chunk) });
  assert.equal(result.output, "😀 ä");
  assert.equal(chunks.join(""), "😀 ä");
});

Deno.test("runProcess() turns bytes that are no text into replacement characters", async () => {
  const result = await bash("printf 'a\\xff\\x00b\\xc3'");
  assert.equal(result.output, "a\ufffd\0b\ufffd");
});

Deno.test("runProcess() streams output while the program runs", async () => {
  const controller = new AbortController();
  const result = await bash("echo first; sleep 100", {
    signal: controller.signal,
    onOutput: () => controller.abort(),
  });
  assert.equal(result.ended, "interrupted");
  assert.equal(result.output, "first\n");
});

Deno.test("runProcess() does not start anything once the signal is aborted", async () => {
  const file = await Deno.makeTempFile();
  await Deno.remove(file);
  const result = await bash(`touch ${file}`, { signal: AbortSignal.abort() });
  assert.deepEqual([result.ended, result.code], ["interrupted", 130]);
  await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
});

Deno.test("runProcess() ends the whole group when the time is up", async () => {
  const result = await bash("sleep 100 & echo $!; (sleep 100; true) & echo $!; wait", {
    timeoutMs: 150,
  });
  assert.equal(result.ended, "timeout");
  assert.equal(result.code, 143);
  const pids = result.output.trim().split("\n").map(Number);
  assert.equal(pids.length, 2);
  assert.deepEqual(pids.filter(isRunning), []);
});

Deno.test("runProcess() kills a group that ignores SIGTERM after two seconds", async () => {
  const controller = new AbortController();
  const result = await bash("trap '' TERM; sleep 100 & echo $!; wait; sleep 100", {
    signal: controller.signal,
    onOutput: () => controller.abort(),
  });
  assert.equal(result.ended, "interrupted");
  assert.equal(result.code, 137);
  assert.equal(isRunning(Number(result.output)), false);
  assert.ok(result.durationMs >= 2000, `${result.durationMs} ms`);
});

Deno.test("runProcess() lets a program clean up on SIGTERM and keeps what it says", async () => {
  const result = await bash("trap 'echo bye; exit 7' TERM; echo hi; sleep 100 & wait", {
    timeoutMs: 1000,
  });
  assert.equal(result.output, "hi\nbye\n");
  assert.equal(result.code, 7);
});

Deno.test("runProcess() returns although a grandchild holds the pipe, and ends the grandchild", async () => {
  const result = await bash("sleep 100 & echo $!");
  assert.equal(result.code, 0);
  assert.equal(result.ended, undefined);
  assert.equal(result.leftBehind, true);
  assert.equal(isRunning(Number(result.output)), false);
});

Deno.test("runProcess() returns although a process outside the group holds the pipe", async () => {
  const result = await bash("setsid sleep 100 & echo $!");
  const pid = Number(result.output);
  assert.equal(isRunning(pid), true);
  killGroup(pid, "SIGKILL");
});

Deno.test("runProcess() keeps what a process substitution writes after the command's end", async () => {
  const result = await bash("echo late > >(sleep 0.02; cat)");
  assert.equal(result.output, "late\n");
});

Deno.test("runProcess() bounds 50 MB of output without a line end", async () => {
  let length = 0;
  const result = await bash("head -c 50000000 /dev/zero | tr '\\0' x", {
    onOutput: (chunk) => length += chunk.length,
  });
  assert.equal(length, 50_000_000);
  assert.equal(result.truncated, true);
  assert.ok(result.output.length <= 30_000);
  assert.match(result.output, /^x+\n\[\.\.\. [\d,]+ characters cut here \.\.\.\]\nx+$/);
});

Deno.test("runProcess() stops a program that never stops writing", async () => {
  const result = await bash("yes", { timeoutMs: 200 });
  assert.equal(result.ended, "timeout");
  assert.ok(result.output.startsWith("y\ny\n"));
});

Deno.test("runProcess() keeps the whole of a long output in a private file", async () => {
  const dir = await Deno.makeTempDir();
  const logPath = `${dir}/logs/run.log`;
  const result = await bash("seq 1 20000; printf '\\xff'", { logPath });
  assert.equal(result.logPath, logPath);
  assert.ok(result.output.includes(`; the whole output is in ${logPath} ...]`));
  const seq = Array.from({ length: 20000 }, (_, i) => `${i + 1}\n`).join("");
  assert.deepEqual(
    await Deno.readFile(logPath),
    new Uint8Array([...new TextEncoder().encode(seq), 255]),
  );
  assert.equal((await Deno.stat(logPath)).mode! & 0o777, 0o600);
  assert.equal((await Deno.stat(`${dir}/logs`)).mode! & 0o777, 0o700);
  await Deno.remove(dir, { recursive: true });
});

Deno.test("runProcess() makes no log for output that fits", async () => {
  const dir = await Deno.makeTempDir();
  const result = await bash("echo short", { logPath: `${dir}/logs/run.log` });
  assert.equal(result.logPath, undefined);
  await assert.rejects(Deno.stat(`${dir}/logs`), Deno.errors.NotFound);
  await Deno.remove(dir, { recursive: true });
});

Deno.test("runProcess() goes on and says why when the log cannot be written", async () => {
  const file = await Deno.makeTempFile();
  const result = await bash("seq 1 20000", { logPath: `${file}/run.log` });
  assert.equal(result.code, 0);
  assert.equal(result.logPath, undefined);
  assert.match(result.output, /; the whole could not be kept: .+ \.\.\.\]/);
  await Deno.remove(file);
});

Deno.test("runProcess() passes on an error of the receiver and leaves no process", async () => {
  const process = startProcess(["bash", "-c", "echo x; exec sleep 100"], {
    cwd: "/",
    env,
    signal: never,
    onOutput: () => {
      throw new RangeError("no more");
    },
  });
  await assert.rejects(process.finished, { message: "no more" });
  assert.equal(isRunning(process.pid), false);
});

Deno.test("runProcess() throws when the directory or the program is missing", async () => {
  await assert.rejects(bash("true", { cwd: "/no/such/place" }), Deno.errors.NotFound);
  await assert.rejects(
    runProcess(["no-such-program"], { cwd: "/", env, signal: never, stderr: "drop" }),
    Deno.errors.NotFound,
  );
});

Deno.test("startProcess() frees a program from its signal and its time limit", async () => {
  const controller = new AbortController();
  const process = startProcess(["bash", "-c", "echo up; sleep 0.3; echo end"], {
    cwd: "/",
    env,
    signal: controller.signal,
    timeoutMs: 100,
  });
  assert.equal(process.release(), true);
  controller.abort();
  const result = await process.finished;
  assert.deepEqual([result.output, result.ended], ["up\nend\n", undefined]);
  assert.equal(process.release(), false);
});

Deno.test("startProcess() shows what was written so far and stops a program on demand", async () => {
  const wrote = Promise.withResolvers<void>();
  const process = startProcess(["bash", "-c", "echo up; exec sleep 100"], {
    cwd: "/",
    env,
    signal: never,
    onOutput: () => wrote.resolve(),
  });
  await wrote.promise;
  assert.deepEqual(process.outputSoFar(), { output: "up\n", truncated: false });
  process.stop();
  assert.equal(process.release(), false);
  assert.equal((await process.finished).ended, "interrupted");
});

Deno.test("runProcess() tells whether a program left processes behind", async () => {
  assert.equal((await bash("sleep 100 &")).leftBehind, true);
  assert.equal((await bash("echo x")).leftBehind, undefined);
});
