/**
 * `ally mcp serve`: ally's tools for another agent, called by the SDK's own client.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { makePng } from "../support/images.ts";
import { startMcpClient } from "../support/mcp_client.ts";
import { makePlace, type Place, runAlly, stage } from "../support/program.ts";
import { receiptLines } from "../support/receipt.ts";
import { until } from "../support/wait.ts";

const ALL = [
  "bash",
  "read",
  "write",
  "edit",
  "glob",
  "grep",
  "ls",
  "lint",
  "format",
  "undo",
  "ask_ally",
];
const WRITE = ["mcp", "serve", "--allow-write"];
const HERE = { file_path: "." };
const EDIT = { file_path: "a.txt", old_string: "one", new_string: "two" };

const place = (files: Record<string, string> = { "a.txt": "one\n" }) => makePlace({ files });
const read = (at: Place) => at.read("a.txt");

Deno.test("the tools are listed with schemas and annotations that are true", async () => {
  await using at = await place();
  await using mcp = await startMcpClient(at);
  const { tools } = await mcp.client.listTools();
  assert.deepEqual(tools.map(({ name }) => name), ALL);
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
  for (const name of ["read", "glob", "ls"]) {
    assert.deepEqual(hints[name], { readOnlyHint: true, openWorldHint: false });
  }
  for (const name of ["write", "edit", "grep", "format", "undo"]) {
    const expected = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };
    assert.deepEqual(hints[name], expected, name);
  }
  for (const name of ["bash", "ask_ally"]) {
    const expected = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };
    assert.deepEqual(hints[name], expected, name);
  }
  const expected = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
  assert.deepEqual(hints.lint, expected);
  const schemas = JSON.stringify(tools.map(({ inputSchema }) => inputSchema));
  assert.ok(!/"format":"(path|command)"/.test(schemas), "the pipeline's own marks stay here");
  assert.equal(mcp.client.getServerVersion()?.name, "ally");
});

Deno.test("--tools serves what it names and nothing else; a name that is none is refused", async () => {
  await using at = await place();
  await using mcp = await startMcpClient(at, { args: ["mcp", "serve", "--tools", "read, ls"] });
  const { tools } = await mcp.client.listTools();
  assert.deepEqual(tools.map(({ name }) => name), ["read", "ls"]);
  await assert.rejects(
    mcp.call("bash", { command: "ls" }),
    /There is no tool 'bash', only read, ls/,
  );
  const { code, stderr } = await runAlly(at, { args: ["mcp", "serve", "--tools", "raed"] });
  assert.deepEqual([code, /no tool 'raed' to serve.*read/.test(stderr)], [2, true], stderr);
});

Deno.test("--plan serves the tools that look, and no call changes anything", async () => {
  await using at = await place();
  await using mcp = await startMcpClient(at, { args: ["mcp", "serve", "--plan"] });
  const { tools } = await mcp.client.listTools();
  const names = tools.map(({ name }) => name);
  assert.deepEqual(names, ["read", "glob", "grep", "ls", "ask_ally"]);
  const { isError } = await mcp.call("write", { file_path: "b.txt", content: "x" });
  assert.equal(isError, true);
  await assert.rejects(at.read("b.txt"));
});

Deno.test("no model server is needed, and a file is read, changed and put back", async () => {
  await using at = await place();
  await using mcp = await startMcpClient(at, { args: WRITE });
  const unread = await mcp.call("edit", EDIT);
  assert.equal(unread.isError, true);
  assert.match(unread.text, /read/);
  assert.match((await mcp.call("read", { file_paths: ["a.txt"] })).text, /1\tone/);
  const edited = await mcp.call("edit", EDIT);
  assert.deepEqual([edited.isError, await read(at)], [false, "two\n"], edited.text);
  const undone = await mcp.call("undo");
  assert.deepEqual([undone.isError, await read(at)], [false, "one\n"], undone.text);
  assert.match((await mcp.call("undo")).text, /made before this server began|no change is left/);
});

Deno.test("undo takes back no change of before the server began", async () => {
  await using at = await place();
  {
    await using earlier = await startMcpClient(at, { args: WRITE });
    await earlier.call("read", { file_paths: ["a.txt"] });
    assert.equal((await earlier.call("edit", EDIT)).isError, false);
  }
  await using mcp = await startMcpClient(at, { args: WRITE });
  for (const input of [{}, { patch_number: 1 }]) {
    const { text, isError } = await mcp.call("undo", input);
    assert.deepEqual([isError, /before this server began/.test(text)], [true, true], text);
  }
  assert.equal(await read(at), "two\n");
});

Deno.test("undo takes back what changed while a task ran by its number alone", async () => {
  await using at = await place();
  await using mcp = await startMcpClient(at, { args: ["-A", "mcp", "serve"] });
  const command = "until [ -e go ]; do sleep 0.02; done; echo two > a.txt; sleep 100";
  const started = await mcp.call("bash", { command, run_in_background: true });
  assert.equal(started.isError, false, started.text);
  await at.write("go", "");
  await until("the task's change", async () => await read(at) === "two\n");
  const last = await mcp.call("undo");
  assert.deepEqual([last.isError, await read(at)], [true, "two\n"]);
  const number = Number(/give patch_number (\d+)/.exec(last.text)?.[1]);
  const undone = await mcp.call("undo", { patch_number: number });
  assert.deepEqual([undone.isError, await read(at)], [false, "one\n"], undone.text);
});

Deno.test("what no flag allows is denied, and says which one would allow it", async () => {
  await using at = await place();
  await using mcp = await startMcpClient(at);
  await mcp.call("read", { file_paths: ["a.txt"] });
  const edited = await mcp.call("edit", EDIT);
  assert.equal(edited.isError, true);
  assert.match(edited.text, /--allow-write/);
  assert.match((await mcp.call("bash", { command: "rm a.txt" })).text, /--allow-run/);
  assert.match((await mcp.call("undo")).text, /no change is left/);
  assert.equal(await read(at), "one\n");
});

Deno.test("a person at the client is asked with the difference, and allows, always or not", async () => {
  await using at = await place();
  const asked: string[] = [];
  const decisions = ["deny", "allow", "always"];
  await using mcp = await startMcpClient(at, {
    answer(params) {
      asked.push(params.message);
      return { action: "accept", content: { decision: decisions.shift() ?? "deny" } };
    },
  });
  await mcp.call("read", { file_paths: ["a.txt"] });
  const denied = await mcp.call("edit", EDIT);
  assert.match(denied.text, /The user denied this call/);
  assert.equal(await read(at), "one\n");
  assert.equal((await mcp.call("edit", EDIT)).isError, false);
  assert.equal(await read(at), "two\n");
  assert.match(asked[0] ?? "", /edit a\.txt[^]*-one\n\+two/);
  const again = { ...EDIT, old_string: "two", new_string: "three" };
  assert.equal((await mcp.call("edit", again)).isError, false);
  const third = { ...EDIT, old_string: "three", new_string: "four" };
  assert.equal((await mcp.call("edit", third)).isError, false);
  assert.equal(asked.length, 3);
  assert.equal(await read(at), "four\n");
});

Deno.test("a question that is declined, left or answered wrongly denies the call", async () => {
  for (
    const answer of [
      { action: "decline" },
      { action: "cancel" },
      { action: "accept", content: { decision: "perhaps" } },
      { action: "accept" },
    ] as const
  ) {
    await using at = await place();
    await using mcp = await startMcpClient(at, { answer: () => answer });
    await mcp.call("read", { file_paths: ["a.txt"] });
    assert.equal((await mcp.call("edit", EDIT)).isError, true);
    assert.equal(await read(at), "one\n");
  }
});

Deno.test("a command's output comes as progress while it runs, and a cancelled call ends it", async () => {
  await using at = await place();
  await Deno.mkdir(at.home, { recursive: true });
  // The next call begins only once the one before it has ended.
  await Deno.writeTextFile(join(at.home, "config.json"), JSON.stringify({ max_parallel: 1 }));
  await using mcp = await startMcpClient(at, { args: ["mcp", "serve", "-A"] });
  const messages: string[] = [];
  const stop = new AbortController();
  const ended = assert.rejects(mcp.call("bash", { command: "echo begun; sleep 600" }, {
    signal: stop.signal,
    onProgress: (message) => messages.push(message),
  }));
  await until("the output", () => messages.join("").includes("begun"));
  stop.abort();
  await ended;
  assert.match((await mcp.call("bash", { command: "echo next" })).text, /next/);
});

Deno.test("a signal ends the server and what runs, with the code of the signal", async () => {
  await using at = await place();
  const mcp = await startMcpClient(at, { args: ["mcp", "serve", "-A"] });
  const messages: string[] = [];
  const call = assert.rejects(mcp.call("bash", { command: "echo begun; sleep 600" }, {
    onProgress: (message) => messages.push(message),
  }));
  await until("the output", () => messages.join("").includes("begun"));
  assert.equal(await mcp.signal("SIGTERM"), 143);
  await call;
});

Deno.test("--max-time ends a call, which says so", async () => {
  await using at = await place();
  await using mcp = await startMcpClient(at, { args: ["mcp", "serve", "-A", "--max-time", "1"] });
  const { isError, text } = await mcp.call("bash", { command: "sleep 600" });
  assert.equal(isError, true);
  assert.match(text, /: The budget of this run is spent: 1 of 1 seconds\."/);
});

Deno.test("a very long result is cut and names the file that has all of it", async () => {
  await using at = await place();
  await using mcp = await startMcpClient(at, { args: ["mcp", "serve", "-A"] });
  const { text } = await mcp.call("bash", { command: "seq 1 200000" });
  assert.ok(text.length < 100_000);
  const [file = ""] = new RegExp(`${at.home}\\S+\\.log`).exec(text) ?? [];
  assert.match(await Deno.readTextFile(file), /\n200000\n/);
});

Deno.test("an image is an image for the client, too", async () => {
  await using at = await place();
  await Deno.writeFile(join(at.dir, "shot.png"), makePng({ width: 4, height: 3 }));
  await using mcp = await startMcpClient(at);
  const input = { name: "read", arguments: { file_paths: ["shot.png"] } };
  const { content } = await mcp.client.callTool(input);
  const [, image] = content as { type: string; mimeType: string; data: string }[];
  assert.deepEqual([image?.type, image?.mimeType], ["image", "image/png"]);
  assert.ok(Uint8Array.fromBase64(image?.data ?? "").length > 0);
});

Deno.test("secrets reach neither results, progress nor questions", async () => {
  const secret = "ghp_7Qm2xZ81kPw0b91bVt6Ls3dYc4h2Kd8s9AbC";
  await using at = await place({ "a.txt": `token = ${secret}\n` });
  const asked: string[] = [];
  const messages: string[] = [];
  await using mcp = await startMcpClient(at, {
    answer(params) {
      asked.push(params.message);
      return { action: "accept", content: { decision: "allow" } };
    },
  });
  await mcp.call("read", { file_paths: ["a.txt"] });
  const changed = { ...EDIT, old_string: "token =", new_string: "key =" };
  assert.equal((await mcp.call("edit", changed)).isError, false);
  const shown = await mcp.call("bash", { command: "cat a.txt; touch b.txt" }, {
    onProgress: (message) => messages.push(message),
  });
  assert.match(shown.text, /key = \[secret:/);
  assert.ok(asked.length > 0 && mcp.lines.length > 0);
  assert.ok(!`${mcp.lines.join()}${mcp.errors}`.includes(secret));
  assert.equal(await read(at), `key = ${secret}\n`);
});

Deno.test("the client's roots widen nothing: it is not even asked for them", async () => {
  await using at = await place();
  const outside = join(at.home, "..", "outside");
  await Deno.mkdir(outside);
  await Deno.writeTextFile(join(outside, "b.txt"), "private\n");
  await using mcp = await startMcpClient(at, { args: WRITE, roots: [outside] });
  const { text, isError } = await mcp.call("read", { file_paths: [join(outside, "b.txt")] });
  assert.deepEqual([isError, text.includes("private")], [true, false], text);
  assert.equal(mcp.rootsAsked, 0);
});

Deno.test("ask_ally gives a task to an agent, whose calls are told and held to the same flags", async () => {
  await using at = await stage([
    { calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] },
    { calls: [{ name: "edit", arguments: EDIT }] },
    { text: "It says one." },
  ], { "a.txt": "one\n" });
  const env = { ...at.place.env, ALLY_MODEL: "" };
  await using mcp = await startMcpClient({ env, dir: at.place.dir });
  const messages: string[] = [];
  const done = await mcp.call("ask_ally", { task: "What does a.txt say?" }, {
    onProgress: (message) => messages.push(message),
  });
  assert.match(done.text, /It says one\./);
  assert.match(messages.join(""), /general: read a\.txt/);
  const bodies = at.server.requests.map(({ body }) => JSON.stringify(body));
  assert.match(bodies[0] ?? "", /What does a\.txt say\?/);
  assert.match(bodies.at(-1) ?? "", /--allow-write/);
  // Nobody had named a model: the server's first is used.
  assert.equal(at.server.requests[0]?.body.model, "scripted");
  assert.equal(await at.place.read("a.txt"), "one\n");
});

Deno.test("the agent of ask_ally has the person asked under its own name", async () => {
  await using at = await stage([
    { calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] },
    { calls: [{ name: "edit", arguments: EDIT }] },
    { text: "Changed." },
  ], { "a.txt": "one\n" });
  const asked: string[] = [];
  await using mcp = await startMcpClient(at.place, {
    answer(params) {
      asked.push(params.message);
      return { action: "accept", content: { decision: "allow" } };
    },
  });
  const { text } = await mcp.call("ask_ally", { task: "Make it two." });
  assert.match(text, /Changed\./);
  assert.match(asked.join(), /^The agent general: edit a\.txt/);
  assert.equal(await at.place.read("a.txt"), "two\n");
  // Its changes are among those that undo takes back.
  assert.equal((await mcp.call("undo")).isError, false);
  assert.match(asked.at(-1) ?? "", /undo change \d+ \(edit\): a\.txt/);
  assert.equal(await at.place.read("a.txt"), "one\n");
});

Deno.test("what all tasks may spend binds ask_ally", async () => {
  const usage = { prompt_tokens: 2_000, completion_tokens: 1 };
  await using at = await stage([{ text: "First.", usage }, { text: "never" }]);
  const args = ["mcp", "serve", "--max-tokens-total", "1000"];
  await using mcp = await startMcpClient(at.place, { args });
  assert.match((await mcp.call("ask_ally", { task: "go" })).text, /First\./);
  const { text, isError } = await mcp.call("ask_ally", { task: "go on" });
  assert.deepEqual([isError, /budget of this run is spent/.test(text)], [true, true], text);
  assert.equal(at.server.requests.length, 1);
});

Deno.test("ask_ally without a model server fails by itself, and says why", async () => {
  await using at = await place();
  const env = { ...at.env, ALLY_MODEL: "", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" };
  await using mcp = await startMcpClient({ env, dir: at.dir });
  const { text, isError } = await mcp.call("ask_ally", { task: "go" });
  assert.equal(isError, true);
  assert.match(text, /127\.0\.0\.1:9/);
  assert.equal((await mcp.call("ls", HERE)).isError, false);
});

Deno.test("a line that is no message is answered with an error, and the next one is read", async () => {
  await using at = await place();
  await using mcp = await startMcpClient(at);
  mcp.writeLine("{not json");
  mcp.writeLine('{"jsonrpc":"2.0","nonsense":true}');
  mcp.writeLine("");
  assert.match((await mcp.call("ls", HERE)).text, /a\.txt/);
  const refused = mcp.lines.map((line) => JSON.parse(line)).filter(({ id }) => id === null);
  assert.deepEqual(refused.map(({ error }) => error.code), [-32700, -32600]);
});

Deno.test("several calls at once each get their own answer", async () => {
  await using at = await place({ "a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n" });
  await using mcp = await startMcpClient(at);
  const names = ["a.txt", "b.txt", "c.txt"];
  const answers = await Promise.all(names.map((name) => mcp.call("read", { file_paths: [name] })));
  for (const [index, word] of ["one", "two", "three"].entries()) {
    assert.match(answers[index]?.text ?? "", new RegExp(`1\t${word}`));
  }
});

Deno.test("what was asked before the input ended is answered, one that cannot be asked back too", async () => {
  await using at = await place();
  const requests = [
    {
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: { elicitation: {} },
        clientInfo: { name: "t", version: "1" },
      },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
    { id: 3, method: "tools/call", params: { name: "edit", arguments: EDIT } },
    { id: 4, method: "no/such" },
    { id: null, method: "tools/list" },
    { id: 77, result: {} },
    { id: 5, method: "tools/call", params: { name: "bash", arguments: { command: "sleep 100" } } },
    { method: "notifications/cancelled", params: { requestId: 5 } },
  ];
  const input = requests.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join("");
  const { code, stdout, stderr } = await runAlly(at, { args: ["mcp", "serve"], input });
  assert.equal(code, 0);
  assert.doesNotMatch(stderr, /without an answer/);
  const messages = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const answers = new Map(messages.map((one) => [one.id, one]));
  assert.equal(answers.get(1).result.serverInfo.name, "ally");
  assert.equal(answers.get(2).result.tools.length, ALL.length);
  assert.equal(answers.get(3).result.isError, true);
  assert.equal(answers.get(4).error.code, -32601);
  assert.equal(await read(at), "one\n");
});

Deno.test("ally's own MCP servers are not started, and a client that leaves ends everything", async () => {
  await using at = await place();
  await Deno.mkdir(at.home, { recursive: true });
  const note = join(at.dir, "started");
  const servers = { own: { command: "/bin/sh", args: ["-c", `touch ${note}; cat`] } };
  await Deno.writeTextFile(join(at.home, "mcp.json"), JSON.stringify({ mcpServers: servers }));
  const mcp = await startMcpClient(at);
  await mcp.call("ls", HERE);
  assert.equal(await mcp.leave(), 0);
  await assert.rejects(Deno.stat(note));
});

Deno.test("settings that cannot be used end the server with the exit code of a usage error", async () => {
  await using at = await place();
  const args = ["mcp", "serve", "--endpoint", "no such name"];
  const mcp = await startMcpClient(at, { args });
  await assert.rejects(mcp.call("ls", HERE));
  assert.equal(await mcp.leave(), 2);
  assert.match(mcp.errors, /^ally: .*no such name/m);
});

Deno.test("what a call did is recorded where the client ends ally while it runs", async () => {
  await using at = await place();
  const receipt = join(at.dir, "r.jsonl");
  const args = ["-A", "--no-sandbox", "--receipt", receipt, "mcp", "serve"];
  const mcp = await startMcpClient(at, { args });
  const ended = mcp.call("bash", { command: "echo made > made.txt; sleep 100" })
    .catch(() => "left");
  await until("the change", () => at.read("made.txt"));
  assert.equal(await mcp.signal("SIGTERM"), 143);
  assert.equal(await ended, "left");
  const kinds = (await receiptLines(at)).map(({ type }) => type).slice(-4);
  assert.deepEqual(kinds, ["command", "change", "result", "end"]);
  const undone = await runAlly(at, { args: ["undo", "--receipt", "r.jsonl"] });
  assert.equal(undone.code, 0, undone.stderr);
  await assert.rejects(at.read("made.txt"));
});

Deno.test("a request that is not valid is answered in words", async () => {
  await using at = await place();
  const requests = [
    { method: "initialize", params: { protocolVersion: 5, capabilities: {}, clientInfo: {} } },
    { method: "tools/call", params: { name: "read", arguments: ["a.txt"] } },
    { method: "tools/call" },
  ];
  const input = requests.map((request, id) => JSON.stringify({ jsonrpc: "2.0", id, ...request }));
  const { stdout } = await runAlly(at, { args: ["mcp", "serve"], input: input.join("\n") });
  const answers = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(answers.map(({ id, error }) => [id, error.code]), [
    [0, -32602],
    [1, -32602],
    [2, -32602],
  ]);
  assert.deepEqual(answers.map(({ error }) => error.message), [
    "This is no valid initialize: 'params.protocolVersion' must be a string, not a number; " +
    "there is no 'params.clientInfo.name'; there is no 'params.clientInfo.version'",
    "This is no valid tools/call: 'params.arguments' must be an object, not a list",
    "This is no valid tools/call: there is no 'params'",
  ]);
});
