/**
 * Agents that work for another one, through the front door: what each of them gets, what becomes of what it says,
 * what it costs, and how it ends.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { RecordedRequest, ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { byContent, messagesOf, type Script, toolsOf } from "../support/by_content.ts";
import { finish, type Place, runAlly, spawnAlly, type Stage, stage } from "../support/program.ts";
import { sandboxFlags } from "../support/sandbox.ts";
import { until } from "../support/wait.ts";

const delegate = (...agents: Record<string, unknown>[]): ScriptedReply => ({
  calls: [{ name: "agent", arguments: { agents } }],
});
const to = (task_prompt: string, agent_name?: string) => ({
  task_prompt,
  ...(agent_name !== undefined && { agent_name }),
});
const call = (name: string, args: Record<string, unknown>): ScriptedReply => ({
  calls: [{ name, arguments: args, id: "call_1" }],
});

async function withAgent(place: Place, name: string, text: string): Promise<void> {
  await Deno.mkdir(join(place.home, "agents"), { recursive: true });
  await Deno.writeTextFile(join(place.home, "agents", `${name}.md`), text);
}

async function staged(scripts: readonly Script[], files: Record<string, string> = {}) {
  return await stage(byContent(scripts), files);
}

async function events(place: Place, ...args: string[]): Promise<Record<string, unknown>[]> {
  const { stdout } = await runAlly(place, { args: ["--output-format", "stream-json", ...args] });
  return stdout.trim().split("\n").map((line) => JSON.parse(line));
}

async function result(place: Place, ...args: string[]) {
  const { stdout, code, stderr } = await runAlly(place, {
    args: ["--output-format", "json", ...args],
  });
  return { ...JSON.parse(stdout), code, stderr };
}

/** The last request of a conversation that began with these words. */
function last({ server }: Stage, task: string) {
  const found = server.requests.findLast((request) =>
    messagesOf(request).some(({ role, content }) => role === "user" && content.startsWith(task))
  );
  assert.ok(found, `no request about ${task}`);
  return found;
}

Deno.test("two agents work in their own contexts, and only their last words come back", async () => {
  await using at = await staged([
    ["main", delegate(to("task one"), to("task two")), { text: "All found." }],
    ["task one", { ...call("read", { file_paths: ["a.txt"] }), text: "Looking." }, {
      text: "a is alpha",
    }],
    ["task two", call("read", { file_paths: ["b.txt"] }), { text: "b is beta" }],
  ], { "a.txt": "alpha\n", "b.txt": "beta\n" });
  const { text, reason, tool_calls, usage, code } = await result(at.place, "-p", "main");
  assert.deepEqual({ text, reason, code }, { text: "All found.", reason: "done", code: 0 });
  assert.equal(tool_calls, 3);
  const told = messagesOf(last(at, "main")).at(-1)?.content ?? "";
  assert.match(told, /## 1\. general\n\na is alpha\n\n## 2\. general\n\nb is beta/);
  assert.doesNotMatch(told, /Looking/);
  const ofOne = messagesOf(last(at, "task one"));
  assert.ok(!JSON.stringify(ofOne).includes("main"));
  assert.ok(!toolsOf(last(at, "task one")).includes("agent"));
  assert.ok(toolsOf(last(at, "main")).includes("agent"));
  // Six requests, of which two are the main agent's.
  const all = at.server.requests.map(({ text }) => Math.ceil(text.length / 4));
  assert.equal(usage.prompt_tokens, all.reduce((sum, tokens) => sum + tokens, 0));
});

Deno.test("an agent's events carry who it is, and the call for which it works", async () => {
  await using at = await staged([
    ["main", delegate(to("task one"), to("task two")), { text: "Done." }],
    ["task one", call("ls", { path: "." }), { text: "one" }],
    ["task two", call("ls", { path: "." }), { text: "two" }],
  ]);
  const all = await events(at.place, "-p", "main");
  const start = all.find(({ type, name }) => type === "tool_start" && name === "agent");
  const agents = all.filter(({ type, name }) => type === "tool_end" && name === "ls")
    .map(({ agent }) => agent as Record<string, unknown>);
  assert.deepEqual(new Set(agents.map(({ name }) => name)), new Set(["general", "general 2"]));
  for (const agent of agents) {
    assert.equal(agent.depth, 1);
    assert.equal(agent.call_id, start?.call_id);
  }
  const end = all.findLast(({ type, agent }) =>
    type === "turn_end" && (agent as { depth: number }).depth === 0
  );
  assert.deepEqual(end?.delegated, {
    requests: 4,
    tool_calls: 2,
    denied: 0,
    usage: (end?.delegated as { usage: unknown }).usage,
  });
});

Deno.test("a profile gives an agent its model, temperature, tools, words and limit", async () => {
  await using at = await staged([
    ["main", delegate(to("look", "Reviewer")), { text: "Done." }],
    ["look", ...Array.from({ length: 5 }, (_, i) => call("read", { file_paths: [`f${i}`] }))],
  ]);
  await withAgent(
    at.place,
    "reviewer",
    "---\nname: reviewer\ndescription: Reviews diffs\nmodel: other\ntemperature: 0.25\n" +
      "tools: [Read, grep]\nmax_turns: 2\n---\n\nYou review with care.\n",
  );
  await result(at.place, "-p", "main");
  const { body } = last(at, "look");
  assert.deepEqual([body.model, body.temperature], ["other", 0.25]);
  assert.deepEqual(toolsOf(last(at, "look")), ["read", "grep"]);
  assert.match(messagesOf(last(at, "look"))[0]?.content ?? "", /You review with care\.$/);
  assert.match(last(at, "main").text, /general \(any task.*\); reviewer \(Reviews diffs\)/);
  const told = messagesOf(last(at, "main")).at(-1)?.content ?? "";
  assert.match(told, /stopped at its limit of 2 requests, before it was done/);
});

Deno.test("what a profile approves beforehand its agent does unasked, and nothing else", async () => {
  await using at = await staged([
    ["main", delegate(to("make it", "maker")), call("bash", { command: "mkdir mine" }), {
      text: "Done.",
    }],
    ["make it", call("bash", { command: "mkdir made" }), call("bash", { command: "touch other" }), {
      text: "Made.",
    }],
  ]);
  await withAgent(
    at.place,
    "maker",
    "---\ndescription: makes\nallowed-tools: bash(mkdir:*)\n---\nYou make.\n",
  );
  const { code } = await result(at.place, "-p", "main");
  assert.equal(code, 3);
  const names = (await Array.fromAsync(Deno.readDir(at.place.dir))).map(({ name }) => name);
  assert.deepEqual(names, ["made"]);
});

Deno.test("a broken profile is told with its line and left out, and the rest goes on", async () => {
  await using at = await staged([["main", delegate(to("x", "bad")), { text: "Done." }]]);
  await withAgent(at.place, "bad", "---\nname: bad\ntools: [read, teleport]\n---\nx\n");
  await withAgent(at.place, "worse", "---\nname: worse\n  model: [\n---\nx\n");
  await withAgent(at.place, "hot", "---\ndescription: x\n\ntemperature: 9\n---\nx\n");
  const { stderr } = await runAlly(at.place, { args: ["-p", "main"] });
  assert.match(stderr, /bad\.md:3: there is no tool 'teleport'/);
  assert.match(stderr, /worse\.md:2: Nested mappings/);
  assert.match(stderr, /hot\.md:4: temperature must be a number from 0 to 2, not 9/);
  const told = messagesOf(last(at, "main")).at(-1)?.content ?? "";
  assert.match(told, /There is no agent named 'bad'.*There are: general/);
});

Deno.test("an agent of the project acts once the project is trusted", async () => {
  await using at = await staged([
    ["main", delegate(to("x", "local")), { text: "Done." }],
    ["x", { text: "from the local agent" }],
  ]);
  await Deno.mkdir(join(at.place.dir, ".ally", "agents"), { recursive: true });
  await at.place.write(".ally/agents/local.md", "---\ndescription: Of the project\n---\nHere.\n");
  await runAlly(at.place, { args: ["-p", "main"] });
  assert.match(messagesOf(last(at, "main")).at(-1)?.content ?? "", /no agent named 'local'/);
  await runAlly(at.place, { args: ["--trust-project", "-p", "main"] });
  assert.equal(messagesOf(last(at, "main")).at(-1)?.content, "from the local agent");
});

Deno.test("a failing agent is its own result; when all fail the call has failed", async () => {
  await using at = await staged([
    ["main", delegate(to("good"), to("refused")), { text: "Half." }],
    ["alone", delegate(to("refused")), { text: "None." }],
    ["good", { text: "fine" }],
    ["refused", { status: 400, text: "no such thing" }],
  ]);
  const half = await result(at.place, "-p", "main");
  assert.deepEqual([half.text, half.code], ["Half.", 0]);
  const told = messagesOf(last(at, "main")).at(-1)?.content ?? "";
  assert.match(told, /## 1\. general\n\nfine\n\n## 2\. general: failed: .*no such thing/);
  await result(at.place, "-p", "alone");
  const record = JSON.parse(messagesOf(last(at, "alone")).at(-1)?.content ?? "");
  assert.equal(record.success, false);
  assert.match(record.error, /The agent failed: .*no such thing/);
  assert.equal(record.agents_failed, 1);
});

Deno.test("what is denied to an agent is denied by the rules of the run, and the exit code says so", async () => {
  await using at = await staged([
    ["main", delegate(to("write it")), { text: "Done." }],
    ["write it", call("write", { file_path: "x.txt", content: "x\n" }), { text: "could not" }],
  ]);
  const denied = await result(at.place, "-p", "main");
  assert.deepEqual([denied.code, denied.denied], [3, 1]);
  const allowed = await result(at.place, "--allow-write", "-p", "main");
  assert.deepEqual([allowed.code, await at.place.read("x.txt")], [0, "x\n"]);
});

Deno.test("what one agent has read the one above has not", async () => {
  await using at = await staged([
    ["main", delegate(to("look")), call("write", { file_path: "a.txt", content: "new\n" }), {
      text: "Done.",
    }],
    ["look", call("read", { file_paths: ["a.txt"] }), { text: "seen" }],
  ], { "a.txt": "old\n" });
  await result(at.place, "-A", "-p", "main");
  assert.equal(await at.place.read("a.txt"), "old\n");
  assert.match(messagesOf(last(at, "main")).at(-1)?.content ?? "", /has not been read/);
});

/** What the session keeps of agents. */
async function workOfAgents(at: Stage) {
  const records = await at.place.session();
  const of = (wanted: string) => records.filter(({ type }) => type === wanted);
  return {
    begun: of("agent").map(({ name, task }) => ({ name, task })),
    said: of("agent_message").map(({ message }) => (message as { role: string }).role),
    ended: of("agent_end").map(({ reason }) => reason),
  };
}

Deno.test("what an agent says is kept with the session, which goes on afterwards", async () => {
  await using at = await staged([
    ["main", delegate(to("look")), { text: "Done." }],
    ["look", call("ls", { path: "." }), { text: "nothing there" }],
    ["more", { text: "Going on." }],
  ]);
  await runAlly(at.place, { args: ["-p", "main"] });
  assert.deepEqual(await workOfAgents(at), {
    begun: [{ name: "general", task: "look" }],
    said: ["user", "assistant", "tool", "assistant"],
    ended: ["done"],
  });
  const { text, stderr } = await result(at.place, "--continue", "-p", "more");
  assert.equal(text, "Going on.");
  assert.equal(stderr, "");
  assert.equal(messagesOf(last(at, "more")).length, 6);
});

Deno.test("what an agent has said when ally is killed is kept too", async () => {
  await using at = await staged([
    ["main", delegate(to("look"))],
    ["look", call("ls", { path: "." }), { stall: true }],
    ["more", { text: "Going on." }],
  ]);
  const child = spawnAlly(at.place, { args: ["-p", "main"] });
  await until("the agent's second request", () => at.server.requests.length === 3);
  child.kill("SIGKILL");
  await finish(child);
  assert.deepEqual(await workOfAgents(at), {
    begun: [{ name: "general", task: "look" }],
    said: ["user", "assistant", "tool"],
    ended: [],
  });
  const { text, stderr } = await result(at.place, "--continue", "-p", "more");
  assert.deepEqual({ text, stderr }, { text: "Going on.", stderr: "" });
});

Deno.test("@name gives the line to that agent, whose answer is the turn's", async () => {
  await using at = await staged([
    ["what is here", call("ls", { path: "." }), { text: "It is empty." }],
    ['I gave the agent "general" this task:', { text: "I know." }],
  ]);
  const { text, tool_calls, code } = await result(at.place, "-p", "@general what is here");
  assert.deepEqual({ text, tool_calls, code }, { text: "It is empty.", tool_calls: 1, code: 0 });
  assert.ok(!toolsOf(last(at, "what is here")).includes("agent"));
  assert.equal((await result(at.place, "--continue", "-p", "and now")).text, "I know.");
  const [, first] = messagesOf(last(at, "I gave"));
  assert.match(
    first?.content ?? "",
    /this task:\n\nwhat is here\n\nIt answered:\n\nIt is empty\.\n\nand now$/,
  );
  const unknown = await result(at.place, "-p", "@nobody what is here");
  assert.equal(unknown.text, "(no script)");
});

Deno.test("long words of an agent are cut to what the one above has room for, and kept whole", async () => {
  const words = Array.from({ length: 4000 }, (_, i) => `word${i}`).join(" ");
  await using at = await staged([
    ["main", delegate(to("talk"), to("brief")), { text: "Done." }],
    ["talk", { text: words }],
    ["brief", { text: "short and whole" }],
  ]);
  await result(at.place, "-p", "main");
  const told = messagesOf(last(at, "main")).at(-1)?.content ?? "";
  assert.match(told, /short and whole/);
  const [, path] = /all of it is in (\S+?)\]/.exec(told) ?? [];
  assert.equal(await Deno.readTextFile(path ?? ""), words);
  assert.ok(told.length < 9000, `${told.length} characters`);
});

Deno.test("no more agents work at once than max_parallel says", async () => {
  await using at = await staged([
    ["main", delegate(to("one"), to("two"), to("three")), { text: "Done." }],
    ...["one", "two", "three"].map((task): Script => [task, call("ls", { path: "." }), {
      text: task,
    }]),
  ]);
  const env = { ALLY_MAX_PARALLEL: "1" };
  const { stdout } = await runAlly(at.place, {
    args: ["--output-format", "stream-json", "-p", "main"],
    env,
  });
  const turns = stdout.trim().split("\n").map((line) => JSON.parse(line))
    .filter(({ type, agent }) => agent?.depth === 1 && /^turn_/.test(type));
  assert.deepEqual(
    turns.map(({ type, agent }) => [type, agent.name]),
    ["general", "general 2", "general 3"].flatMap((name) => [
      ["turn_start", name],
      ["turn_end", name],
    ]),
  );
});

Deno.test("an agent whose window cannot hold its task says so, and the one above goes on", async () => {
  await using at = await staged([
    ["main", delegate(to("anything", "wordy")), { text: "Without it, then." }],
  ]);
  await withAgent(at.place, "wordy", `---\ndescription: x\n---\n${"many words ".repeat(9000)}`);
  const { text, code } = await result(at.place, "--context-size", "8192", "-p", "main");
  assert.deepEqual([text, code], ["Without it, then.", 0]);
  const record = JSON.parse(messagesOf(last(at, "main")).at(-1)?.content ?? "");
  assert.match(record.error, /The agent failed: .*window/);
});

Deno.test("an agent's full window is compacted as any other, and it comes to its end", async () => {
  const lines = Array.from({ length: 75 }, (_, i) => `line ${i} of this file\n`).join("");
  const names = Array.from({ length: 45 }, (_, i) => `f${i}.txt`);
  let read = 0;
  let compacted = 0;
  const answer = (request: RecordedRequest): ScriptedReply => {
    if (toolsOf(request).includes("agent")) {
      return messagesOf(request).at(-1)?.role === "tool"
        ? { text: "Done." }
        : delegate(to("read them all"));
    }
    if (messagesOf(request).at(-1)?.content.includes("Write only the summary")) {
      compacted++;
      return { text: "## Goal\nread them all" };
    }
    const name = names[read++];
    return name === undefined ? { text: "all read" } : call("read", { file_paths: [name] });
  };
  await using at = await stage(
    Array.from({ length: 100 }, () => answer),
    Object.fromEntries(names.map((name) => [name, `${name}\n${lines}`])),
  );
  const { reason } = await result(at.place, "--context-size", "8192", "-p", "main");
  assert.equal(reason, "done");
  assert.ok(compacted > 0);
  assert.equal(messagesOf(last(at, "main")).at(-1)?.content, "all read");
  const sizes = at.server.requests.map(({ text }) => text.length / 4);
  assert.ok(Math.max(...sizes) < 8192, `${Math.max(...sizes)}`);
});

Deno.test("what an agent reads is masked for it as for the one above", async () => {
  const token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
  await using at = await staged([
    ["main", delegate(to("look")), { text: "Done." }],
    ["look", call("read", { file_paths: [".env"] }), { text: `it is ${token}` }],
  ], { ".env": `GITHUB_TOKEN=${token}\n` });
  const { stdout } = await runAlly(at.place, {
    args: ["--output-format", "stream-json", "-p", "main"],
  });
  assert.match(last(at, "look").text, /secret:/);
  assert.match(last(at, "main").text, /secret:/);
  const session = JSON.stringify(await at.place.session());
  for (const text of [stdout, session, last(at, "look").text, last(at, "main").text]) {
    assert.ok(!text.includes(token));
  }
});

Deno.test("an agent that works for another one cannot hand its task on", async () => {
  await using at = await staged([
    ["main", delegate(to("deeper")), { text: "Done." }],
    ["deeper", delegate(to("deepest")), { text: "did it myself" }],
  ]);
  await result(at.place, "-p", "main");
  const asked = messagesOf(last(at, "deeper"));
  assert.match(asked.at(-1)?.content ?? "", /There is no tool named 'agent'/);
  assert.equal(messagesOf(last(at, "main")).at(-1)?.content, "did it myself");
});

Deno.test("a recorded run with agents, handed tasks and spoken to, runs again as it was", async () => {
  await using at = await staged([
    ["main", delegate(to("one"), to("two")), { text: "Done." }],
    ...["one", "two", "spoken to"].map((task): Script => [task, call("ls", { path: "." }), {
      text: task,
    }]),
  ]);
  for (const words of ["main", "@general spoken to"]) {
    await runAlly(at.place, { args: ["--record", "../run.jsonl", "-p", words] });
    const flags = sandboxFlags();
    const again = await runAlly(at.place, { args: ["replay", ...flags, "../run.jsonl"] });
    const told = flags.length > 0 ? /^--no-sandbox: [^\n]*\n$/ : /^$/;
    assert.equal(again.code, 0, again.stdout);
    assert.match(again.stderr, told);
    await Deno.remove(join(at.place.dir, "..", "run.jsonl"));
  }
});
