import assert from "node:assert/strict";
import { type ScriptedReply, startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { runningWith, uniqueDuration } from "../support/processes.ts";
import { makePlace, runAlly, spawnAlly, stage, startAlly } from "../support/program.ts";
import { until } from "../support/wait.ts";

const FIX: readonly ScriptedReply[] = [
  { text: "Reading.", calls: [{ name: "read", arguments: { file_paths: ["sum.sh"] } }] },
  {
    calls: [{
      name: "edit",
      arguments: { file_path: "sum.sh", old_string: "1 - 1", new_string: "1 + 1" },
    }],
  },
  { calls: [{ name: "bash", arguments: { command: "sh sum.sh" } }] },
  { text: "Fixed: it prints 2." },
];

Deno.test("ally -p reads, edits, runs a command and answers; exit code 0", async () => {
  await using at = await stage(FIX, { "sum.sh": "echo $((1 - 1))\n" });
  const done = await runAlly(at.place, {
    args: ["-p", "--allow-write", "--allow-run=sh", "fix it"],
  });
  assert.equal(done.stderr.includes("denied"), false);
  assert.equal(done.stdout, "Fixed: it prints 2.\n");
  assert.equal(done.code, 0);
  assert.equal(await at.place.read("sum.sh"), "echo $((1 + 1))\n");
  const last = at.server.requests.at(-1)!;
  const messages = last.body.messages as { role: string; content: string }[];
  assert.deepEqual(messages.map((message) => message.role), [
    "system",
    "user",
    "assistant",
    "tool",
    "assistant",
    "tool",
    "assistant",
    "tool",
  ]);
  assert.match(messages[3]!.content, /=== .*sum\.sh ===\n {5}1\techo \$\(\(1 - 1\)\)/);
  assert.equal(messages[7]!.content.trim(), "2");
});

Deno.test("the bytes of each request are the beginning of the next one's", async () => {
  await using at = await stage(FIX, { "sum.sh": "echo $((1 - 1))\n" });
  await runAlly(at.place, { args: ["-p", "-A", "fix it"] });
  const texts = at.server.requests.map((request) => request.text);
  assert.equal(texts.length, 4);
  for (const [index, text] of texts.entries()) {
    const before = texts[index - 1]?.replace(/\]\}$/, "");
    if (before !== undefined) assert.ok(text.startsWith(before), `request ${index}`);
  }
});

Deno.test("ally -p denies without flags, tells the model, and exits with 3", async () => {
  await using at = await stage(FIX, { "sum.sh": "echo $((1 - 1))\n" });
  const done = await runAlly(at.place, { args: ["-p", "fix it"] });
  assert.equal(done.code, 3);
  assert.equal(done.stdout, "Fixed: it prints 2.\n");
  assert.match(done.stderr, /denied.*--allow-write/);
  assert.equal(await at.place.read("sum.sh"), "echo $((1 - 1))\n");
});

Deno.test("ally -p exits with 2 for a flag it does not know, and says so", async () => {
  await using place = await makePlace();
  const done = await runAlly(place, { args: ["-p", "--no-such-flag", "x"] });
  assert.equal(done.code, 2);
  assert.match(done.stderr, /unknown option '--no-such-flag'/);
  assert.equal(done.stdout, "");
});

Deno.test("ally -p exits with 2 when there is no prompt", async () => {
  await using place = await makePlace();
  const done = await runAlly(place, { args: ["-p"] });
  assert.equal(done.code, 2);
  assert.match(done.stderr, /There is no prompt/);
});

Deno.test("ally -p exits with 2 for a broken configuration, names line and column, and keeps the file", async () => {
  await using place = await makePlace();
  await Deno.mkdir(place.home);
  await Deno.writeTextFile(`${place.home}/config.json`, '{\n  "model": oops\n}');
  const done = await runAlly(place, { args: ["-p", "x"] });
  assert.equal(done.code, 2);
  assert.match(done.stderr, /config\.json.*line 2 column \d+/);
  assert.equal(await Deno.readTextFile(`${place.home}/config.json`), '{\n  "model": oops\n}');
});

Deno.test("ally -p exits with 75 when nobody answers at the endpoint, and says what to do", async () => {
  const server = await startScriptedServer({ replies: [] });
  await server.close();
  await using place = await makePlace({ endpoint: server.url });
  const done = await runAlly(place, { args: ["-p", "x"] });
  assert.equal(done.code, 75);
  assert.ok(done.stderr.includes(server.url), done.stderr);
  assert.match(done.stderr, /running|start/i);
});

Deno.test("ally -p exits with 75 when the server answers with an error, in the server's words", async () => {
  await using at = await stage([{ status: 401, text: "bad key" }]);
  const done = await runAlly(at.place, { args: ["-p", "x"] });
  assert.equal(done.code, 75);
  assert.match(done.stderr, /401/);
  assert.match(done.stderr, /bad key/);
  assert.match(done.stderr, /OPENAI_API_KEY/);
});

Deno.test("ally -p exits with 1 when something fails that is nobody's usage, and says what", async () => {
  await using at = await stage([{ text: "One." }]);
  await runAlly(at.place, { args: ["-p", "x"] });
  const [project] = await Array.fromAsync(Deno.readDir(`${at.place.home}/projects`));
  const sessions = `${at.place.home}/projects/${project!.name}/sessions`;
  await Deno.remove(sessions, { recursive: true });
  await Deno.writeTextFile(sessions, "in the way");
  const done = await runAlly(at.place, { args: ["-p", "--continue", "x"] });
  assert.equal(done.code, 1);
  assert.match(done.stderr, /Cannot list the sessions in .*sessions: .* ALLY_HOME/);
});

Deno.test("ally -p exits with 4 at the limit of turns", async () => {
  const call = { calls: [{ name: "ls", arguments: { file_path: "." } }] };
  await using at = await stage([call, call, call]);
  const done = await runAlly(at.place, { args: ["-p", "--max-turns", "2", "x"] });
  assert.equal(done.code, 4);
  assert.equal(at.server.requests.length, 2);
});

for (
  const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const
) {
  Deno.test(`ally -p stops on ${signal}, ends its children, saves, and exits with ${code}`, async () => {
    const duration = uniqueDuration();
    await using at = await stage([
      { calls: [{ name: "bash", arguments: { command: `touch up; sleep ${duration}` } }] },
    ]);
    const { io, finished } = startAlly(at.place, { args: ["-p", "-A", "wait"] });
    await until("the command", () => at.place.read("up").then(() => true));
    io.signal(signal);
    assert.equal((await finished).code, code);
    assert.deepEqual(runningWith(duration), []);
    const lines = await at.place.session();
    assert.deepEqual(
      lines.map((line) => (line.message as { role: string } | undefined)?.role ?? line.type),
      ["session", "system_prompt", "user", "assistant", "call", "tool", "turn"],
    );
  });
}

Deno.test("ally -p closes the connection when it is interrupted while the model speaks", async () => {
  await using at = await stage([{ text: "so far", hang: true }]);
  const { io, finished } = startAlly(at.place, {
    args: ["-p", "--output-format", "stream-json", "talk"],
  });
  await until("the first words", () => io.output.includes("text_delta"));
  io.signal("SIGINT");
  await at.server.untilClosedEarly();
  const { code, stdout } = await finished;
  assert.equal(code, 130);
  const result = JSON.parse(stdout.trim().split("\n").at(-1)!);
  assert.equal(result.reason, "interrupted");
});

Deno.test("--output-format json prints one object with all its fields", async () => {
  await using at = await stage(FIX, { "sum.sh": "echo $((1 - 1))\n" });
  const done = await runAlly(at.place, { args: ["-p", "-A", "--output-format", "json", "fix it"] });
  const result = JSON.parse(done.stdout);
  assert.equal(done.stdout.trim().split("\n").length, 1);
  assert.equal(result.type, "result");
  assert.equal(result.text, "Fixed: it prints 2.");
  assert.equal(result.reason, "done");
  assert.equal(result.turns, 4);
  assert.equal(result.tool_calls, 3);
  assert.equal(result.denied, 0);
  assert.ok(result.usage.prompt_tokens > 0 && result.usage.completion_tokens > 0);
  assert.ok(result.duration_ms > 0);
  assert.match(result.session_id, /^\d{8}T\d{6}-[0-9a-f]+$/);
});

Deno.test("--output-format json reports a failure as an object too", async () => {
  await using at = await stage([{ status: 400, text: "no" }]);
  const done = await runAlly(at.place, { args: ["-p", "--output-format", "json", "x"] });
  assert.equal(done.code, 75);
  const result = JSON.parse(done.stdout);
  assert.equal(result.reason, "error");
  assert.match(result.error, /no/);
});

Deno.test("--output-format stream-json prints one event a line and the result last", async () => {
  await using at = await stage(FIX, { "sum.sh": "echo $((1 - 1))\n" });
  const args = ["-p", "-A", "--output-format", "stream-json", "fix it"];
  const done = await runAlly(at.place, { args });
  const lines = done.stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.equal(lines.at(-1).type, "result");
  assert.equal(lines.at(-2).type, "turn_end");
  for (const event of lines.slice(0, -1)) {
    assert.ok(!Number.isNaN(Date.parse(event.time)));
    assert.deepEqual(event.agent, { id: "main", name: "ally", depth: 0 });
  }
  const start = lines.find((line) => line.type === "tool_start");
  assert.equal(start.name, "read");
  assert.deepEqual(start.input, { file_paths: ["sum.sh"] });
  assert.equal(typeof start.description, "string");
  const end = lines.find((line) => line.type === "tool_end");
  assert.equal(end.call_id, start.call_id);
  assert.equal(end.result.success, true);
  assert.equal(end.result.error, "");
  const kinds = new Set(lines.map((line) => line.type));
  for (const kind of ["turn_start", "request_start", "text_delta", "message", "tool_state"]) {
    assert.ok(kinds.has(kind), kind);
  }
});

Deno.test("piped input is appended to the prompt, or is the prompt", async () => {
  await using at = await stage([{ text: "a" }, { text: "b" }]);
  await runAlly(at.place, { args: ["-p", "review"], input: "the diff\n" });
  await runAlly(at.place, { args: [], input: "only this\n" });
  const prompts = at.server.requests.map((request) =>
    (request.body.messages as { content: string }[])[1]!.content
  );
  assert.deepEqual(prompts, ["review\n\nthe diff", "only this"]);
});

Deno.test("without a named model the server's first one is used", async () => {
  await using server = await startScriptedServer({
    replies: [{ text: "hi" }],
    models: ["m1", "m2"],
  });
  await using place = await makePlace({ endpoint: server.url });
  const done = await runAlly(place, { args: ["-p", "x"], env: { ALLY_MODEL: "" } });
  assert.equal(done.code, 0);
  assert.equal(server.requests[0]!.body.model, "m1");
});

Deno.test("flag, environment and configuration are asked in this order", async () => {
  await using at = await stage([{ text: "1" }, { text: "2" }, { text: "3" }]);
  await Deno.mkdir(at.place.home);
  const config = { model: "from-config", max_tokens: 77, temperature: 0.5 };
  await Deno.writeTextFile(`${at.place.home}/config.json`, JSON.stringify(config));
  await runAlly(at.place, { args: ["-p", "-m", "from-flag", "x"] });
  await runAlly(at.place, { args: ["-p", "x"], env: { ALLY_MODEL: "from-env" } });
  await runAlly(at.place, { args: ["-p", "x"], env: { ALLY_MODEL: "" } });
  const bodies = at.server.requests.map((request) => request.body);
  assert.deepEqual(bodies.map((body) => body.model), ["from-flag", "from-env", "from-config"]);
  assert.deepEqual(bodies.map((body) => body.max_tokens), [77, 77, 77]);
  assert.deepEqual(bodies.map((body) => body.temperature), [0.5, 0.5, 0.5]);
});

Deno.test("paths outside the workspace are denied, even with --allow-all, unless they are named", async () => {
  const read = { calls: [{ name: "read", arguments: { file_paths: ["../secret.txt"] } }] };
  const write = {
    calls: [{ name: "write", arguments: { file_path: "../new.txt", content: "x" } }],
  };
  await using at = await stage([read, write, { text: "1" }, read, { text: "2" }]);
  await at.place.write("../secret.txt", "hidden\n");
  const all = await runAlly(at.place, { args: ["-p", "-A", "x"] });
  assert.equal(all.code, 3);
  await assert.rejects(at.place.read("../new.txt"));
  assert.ok(!at.server.requests.some((request) => request.text.includes("hidden")));
  const named = await runAlly(at.place, { args: ["-p", "--allow-read=../secret.txt", "x"] });
  assert.equal(named.code, 0);
  assert.ok(at.server.requests.at(-1)!.text.includes("hidden"));
});

Deno.test("a rule for a program matches plain commands only", async () => {
  const bash = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });
  const commands = [
    "echo plain",
    "echo a; touch b",
    "echo $(touch b)",
    "ECHO=1 touch b",
    "touch b",
  ];
  await using at = await stage([...commands.map(bash), { text: "end" }]);
  const args = ["-p", "--allow-run=echo", "--output-format", "json", "x"];
  const done = await runAlly(at.place, { args });
  assert.equal(done.code, 3);
  assert.equal(JSON.parse(done.stdout).denied, 4);
  await assert.rejects(at.place.read("b"));
});

Deno.test("deny wins over allow", async () => {
  await using at = await stage(FIX, { "sum.sh": "echo $((1 - 1))\n" });
  const done = await runAlly(at.place, { args: ["-p", "-A", "--deny-write", "fix it"] });
  assert.equal(done.code, 3);
  assert.match(done.stderr, /--deny-write forbids it/);
  assert.equal(await at.place.read("sum.sh"), "echo $((1 - 1))\n");
});

Deno.test("a reader that leaves early does not make ally crash", async () => {
  await using at = await stage([{ text: "long\n".repeat(5_000) }]);
  const child = spawnAlly(at.place, { args: ["-p", "x"] });
  await child.stdout.cancel();
  const { code } = await child.status;
  const stderr = await new Response(child.stderr).text();
  assert.equal(code, 141);
  assert.ok(!stderr.includes("Uncaught"), stderr);
});

Deno.test("an answer that is cut off says so in the result object, and how a script goes on with it", async () => {
  const reply = { text: "The first half", finishReason: "length" };
  await using at = await stage([reply, reply, { ...reply, finishReason: "content_filter" }]);
  const text = await runAlly(at.place, { args: ["-p", "tell"] });
  assert.match(text.stderr, /reached its limit of tokens and is cut off\./);
  assert.match(text.stderr, /^To continue the answer: ally -p --continue "go on"$/m);
  assert.doesNotMatch(text.stderr, /Say "go on"/);
  const json = async () => {
    const { stdout } = await runAlly(at.place, { args: ["-p", "--output-format=json", "tell"] });
    return JSON.parse(stdout);
  };
  assert.equal((await json()).cut, "length");
  assert.equal((await json()).cut, "content_filter");
});
