/**
 * Commands through the front door: what a real ally does with a server, a flood, an interrupt, a banned
 * program and its own end.
 */
import assert from "node:assert/strict";
import {
  type RecordedRequest,
  type ReplyFunction,
  type ScriptedReply,
  startScriptedServer,
} from "../../src/modes/demo/scripted_server.ts";
import { startInTmux } from "../support/ally_terminal.ts";
import { runningWith, starterOf, uniqueDuration } from "../support/processes.ts";
import { finish, makePlace, runAlly, spawnAlly, startAlly } from "../support/program.ts";
import { hasTmux } from "../support/tmux.ts";
import { until } from "../support/wait.ts";

async function stage(replies: readonly (ScriptedReply | ReplyFunction)[]) {
  const server = await startScriptedServer({ replies });
  const place = await makePlace({ endpoint: server.url });
  return {
    server,
    place,
    /** What the model has read of its calls by the last request. */
    results: () => toolTexts(server.requests.at(-1)),
    async [Symbol.asyncDispose]() {
      await server.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

function toolTexts(request: RecordedRequest | undefined): string[] {
  const messages = (request?.body.messages ?? []) as { role: string; content: string }[];
  return messages.filter((one) => one.role === "tool").map((one) => one.content);
}

const bash = (input: Record<string, unknown>) => ({ calls: [{ name: "bash", arguments: input }] });

const MARK = crypto.randomUUID();
const SERVER = `exec '${Deno.execPath()}' eval ` +
  `'Deno.serve({ port: 0, hostname: "127.0.0.1" }, () => new Response("hello from the task"))' ${MARK}`;

Deno.test("a server is moved to the background, answers, is looked at and killed", async () => {
  const ask: ReplyFunction = (request) => {
    const port = /Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(request.text)?.[1];
    const get = "printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3";
    return bash({ command: `exec 3<>/dev/tcp/127.0.0.1/${port}; ${get}` });
  };
  await using at = await stage([
    bash({ command: SERVER }),
    ask,
    bash({ bash_output: "task_1" }),
    bash({ bash_kill: "task_1" }),
    { text: "It works." },
  ]);
  const done = await runAlly(at.place, { args: ["-p", "-A", "try the server"] });
  assert.equal(done.code, 0, done.stderr);
  const [started, answer, look, killed] = at.results();
  assert.match(started!, /It is ready and keeps running.*task_1.*\n[^]*Listening on/);
  assert.match(answer!, /hello from the task/);
  assert.match(look!, /task_1 has been running for/);
  assert.match(killed!, /task_1 was stopped after/);
  assert.deepEqual(runningWith(MARK), []);
  assert.ok(!done.stderr.includes("Stopping"), done.stderr);
});

Deno.test("looking at a task and ending it need no permission, starting one does", async () => {
  await using at = await stage([
    bash({ command: "sleep 100", run_in_background: true }),
    bash({ bash_output: "task_1" }),
    bash({ bash_kill: "task_1" }),
    bash({ command: "touch a | touch b", run_in_background: true }),
    { text: "end" },
  ]);
  const done = await runAlly(at.place, { args: ["-p", "--allow-run=sleep", "x"] });
  assert.equal(done.code, 3);
  const [started, look, killed, refused] = at.results();
  assert.match(started!, /as task_1/);
  assert.match(look!, /task_1 has been running/);
  assert.match(killed!, /task_1 was stopped/);
  assert.match(refused!, /"error_type":"permission_error"/);
});

Deno.test("tasks that run when ally ends are named and gone", async () => {
  const duration = uniqueDuration();
  const command = `exec sleep ${duration}`;
  await using at = await stage([bash({ command, run_in_background: true }), { text: "end" }]);
  const args = ["-p", "-A", "--output-format", "stream-json", "x"];
  const done = await runAlly(at.place, { args });
  assert.equal(done.code, 0);
  assert.deepEqual(runningWith(duration), []);
  const events = done.stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.equal(events.at(-1).type, "result");
  const notices = events.filter((event) => event.type === "notice").map(({ text }) => text);
  assert.ok(
    notices.includes(`Stopping 1 background task: task_1 (${command})`),
    notices.join("\n"),
  );
});

Deno.test("what a task did until ally ended it is recorded, and taken back by the receipt", async () => {
  const command =
    "trap 'echo 3 > b; exit' TERM; echo 1 > up; sleep 1; echo 2 > a; sleep 100 & wait";
  await using at = await stage([
    bash({ command, run_in_background: true }),
    bash({ command: "until [ -e a ]; do sleep 0.02; done" }),
    { text: "end" },
  ]);
  const done = await runAlly(at.place, { args: ["-p", "-A", "--receipt", "r.jsonl", "x"] });
  assert.equal(done.code, 0, done.stderr);
  assert.deepEqual([await at.place.read("a"), await at.place.read("b")], ["2\n", "3\n"]);
  const undone = await runAlly(at.place, { args: ["undo", "--receipt", "r.jsonl"] });
  assert.equal(undone.code, 0, undone.stderr);
  for (const name of ["a", "b", "up"]) await assert.rejects(at.place.read(name), name);
});

for (const [signal, code] of [["SIGTERM", 143], ["SIGHUP", 129], ["SIGINT", 130]] as const) {
  Deno.test(`${signal} ends ally with all its background tasks`, async () => {
    const duration = uniqueDuration();
    const command = `trap '' HUP; sleep ${duration} & sleep ${duration}`;
    await using at = await stage([
      bash({ command, run_in_background: true }),
      { text: "so far", hang: true },
    ]);
    const { io, finished } = startAlly(at.place, { args: ["-p", "-A", "x"] });
    await until("the second request", () => at.server.requests.length === 2);
    await until("the task", () => runningWith(duration).length > 0);
    io.signal(signal);
    assert.equal((await finished).code, code);
    assert.deepEqual(runningWith(duration), []);
  });
}

Deno.test("the model is told once, with a later result, that a task has ended", async () => {
  const wait = "touch go; while [ -e pid ]; do sleep 0.02; done; sleep 0.5";
  await using at = await stage([
    bash({
      command: "touch pid; until [ -e go ]; do sleep 0.02; done; rm pid; exit 7",
      run_in_background: true,
    }),
    bash({ command: wait }),
    bash({ command: "true" }),
    { text: "end" },
  ]);
  await runAlly(at.place, { args: ["-p", "-A", "x"] });
  const told = at.results().filter((text) => text.includes("has ended with exit code 7"));
  assert.equal(told.length, 1);
  assert.match(told[0]!, /\n\n\[task_1 \(touch pid; .*\) has ended with exit code 7\]$/);
});

Deno.test("an interrupted command's output so far is kept for the model", async () => {
  await using at = await stage([bash({ command: "echo half; touch up; sleep 1000" })]);
  const { io, finished } = startAlly(at.place, { args: ["-p", "-A", "x"] });
  await until("the command", () => at.place.read("up").then(() => true));
  io.signal("SIGINT");
  assert.equal((await finished).code, 130);
  const last = (await at.place.messages()).at(-1)!;
  const record = JSON.parse(last.content);
  assert.deepEqual([record.error_type, record.output], ["interrupted", "half\n"]);
});

Deno.test("a command that takes too long leaves its output and advice", async () => {
  await using at = await stage([
    bash({ command: "echo half; sleep 1000", timeout: 0.3 }),
    { text: "end" },
  ]);
  await runAlly(at.place, { args: ["-p", "-A", "x"] });
  const record = JSON.parse(at.results()[0]!);
  assert.deepEqual([record.error_type, record.output], ["system_error", "half\n"]);
  assert.match(record.error, /Command ended after its limit of 0\.3 seconds/);
  assert.match(record.suggestion, /set timeout .* use run_in_background/);
});

Deno.test("commands see no secret of ally's, a dumb terminal and no pager", async () => {
  await using at = await stage([bash({ command: "env" }), { text: "end" }]);
  await runAlly(at.place, {
    args: ["-p", "-A", "x"],
    env: { OPENAI_API_KEY: "hush-1", GITHUB_TOKEN: "hush-2", TERM: "xterm", PAGER: "less" },
  });
  const [output] = at.results();
  assert.doesNotMatch(output!, /hush|OPENAI|ALLY_/);
  for (const line of ["TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_EDITOR=true", "NO_COLOR=1"]) {
    assert.ok(output!.split("\n").includes(line), line);
  }
});

Deno.test("output is shown while a command runs", async () => {
  await using at = await stage([
    bash({ command: "echo first; until [ -e go ]; do sleep 0.02; done; echo last" }),
    { text: "end" },
  ]);
  const args = ["-p", "-A", "--output-format", "stream-json", "x"];
  const { io, finished } = startAlly(at.place, { args });
  await until("the first output", () => /"tool_output"[^\n]*first/.test(io.output));
  // Only now the command goes on.
  await at.place.write("go", "");
  const { code, stdout } = await finished;
  assert.equal(code, 0);
  assert.match(stdout, /"tool_output"[^\n]*last/);
});

if (Deno.build.os === "linux") {
  Deno.test("50 MB of output fit into bounded memory and a bounded result", async () => {
    let peak = 0;
    let pid = 0;
    const measure: ReplyFunction = async () => {
      const status = await Deno.readTextFile(`/proc/${pid}/status`);
      peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
      return { text: "end" };
    };
    await using at = await stage([
      bash({ command: "yes 'a line of some length' | head -c 50000000" }),
      measure,
    ]);
    const child = spawnAlly(at.place, { args: ["-p", "-A", "x"] });
    pid = child.pid;
    assert.equal((await finish(child)).code, 0);
    assert.ok(peak > 0 && peak < 200, `${peak} MiB`);
    assert.ok(at.results()[0]!.length <= 31_000);
  });
}

Deno.test("a banned program is refused above --allow-all, without ending the turn", async () => {
  await using at = await stage([bash({ command: "ls; sudo ls" }), { text: "end" }]);
  const done = await runAlly(at.place, { args: ["-p", "-A", "x"] });
  assert.equal(done.code, 3);
  assert.equal(done.stdout, "end\n");
  const record = JSON.parse(at.results()[0]!);
  assert.equal(record.error_type, "security_error");
  assert.match(record.error, /Not allowed: sudo is banned: it gains privilege/);
  assert.match(record.suggestion, /"banned_commands" in ~\/\.ally\/config\.json/);
});

Deno.test("banned_commands in the configuration stands instead of the built-in list", async () => {
  const touch = bash({ command: "touch made" });
  await using at = await stage([touch, { text: "1" }, touch, { text: "2" }]);
  const configure = async (banned: unknown) => {
    await Deno.mkdir(at.place.home, { recursive: true });
    await Deno.writeTextFile(
      `${at.place.home}/config.json`,
      JSON.stringify({ banned_commands: banned }),
    );
    return await runAlly(at.place, { args: ["-p", "-A", "x"] });
  };
  assert.equal((await configure(["touch"])).code, 3);
  await assert.rejects(at.place.read("made"));
  assert.equal((await configure([])).code, 0);
  assert.equal(await at.place.read("made"), "");
  const wrong = await configure("touch");
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /'banned_commands'/);
});

for (const how of ["SIGTERM at the prompt", "a closed terminal", "Ctrl+D"] as const) {
  Deno.test({
    name: `a session's tasks outlive its turns, and ${how} ends them`,
    ignore: !hasTmux(),
    fn: async () => {
      const duration = uniqueDuration();
      await using at = await stage([
        bash({ command: `exec sleep ${duration}`, run_in_background: true }),
        { text: "It runs." },
      ]);
      const session = await startInTmux(at.place, { args: ["-A"], rows: 20 });
      await session.shows(/^all allowed ›$/m);
      await session.keys("go", "Enter");
      await session.shows(/It runs\.[^]*^all allowed ›$/m);
      assert.ok(runningWith(duration).length > 0);
      if (how === "SIGTERM at the prompt") {
        Deno.kill(starterOf(duration), "SIGTERM");
        await session.shows(/Stopping 1 background task: task_1[^]*left 143/);
      } else if (how === "Ctrl+D") {
        await session.keys("C-d");
        await session.shows(/Stopping 1 background task: task_1[^]*left 0/);
      }
      await session[Symbol.asyncDispose]();
      await until("the task's end", () => runningWith(duration).length === 0);
    },
  });
}
