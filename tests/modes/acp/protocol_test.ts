import assert from "node:assert/strict";
import { join } from "node:path";
import { startAcp, textOf } from "../../support/acp_client.ts";
import { hasModelServer } from "../../support/local_servers.ts";
import { makePlace, runAlly, stage } from "../../support/program.ts";
import { until } from "../../support/wait.ts";

const OBEDIENT = join(import.meta.dirname!, "..", "..", "support", "obedient_mcp_server.ts");

Deno.test("a broken line and an unknown method get an error, and the connection goes on", async () => {
  await using at = await stage([{ text: "Still here." }]);
  await using editor = await startAcp(at.place);
  await editor.writeLine("{broken");
  await editor.writeLine("[1]");
  await editor.writeLine('"text"');
  await until("three errors", () => editor.written.filter(({ error }) => error).length === 3);
  assert.deepEqual(
    editor.written.flatMap(({ id, error }) => error ? [[id, error.code]] : []),
    [[null, -32700], [null, -32600], [null, -32600]],
  );
  await assert.rejects(editor.agent.request("no/such", {}), /Method not found/);
  await assert.rejects(editor.prompt("nobody", "hello"), /not found/i);
  await assert.rejects(editor.begin("relative"), /not an absolute path/);
  await assert.rejects(editor.begin(join(at.place.dir, "missing")), /missing/);
  const sessionId = await editor.begin();
  assert.equal(await editor.prompt(sessionId, "there?"), "end_turn");
  assert.equal(textOf(editor.updates, "agent_message_chunk"), "Still here.");
});

Deno.test("what the agent says of itself is what it does", async () => {
  await using place = await makePlace();
  await using editor = await startAcp(place, { capabilities: { auth: { terminal: true } } });
  const [answer] = editor.written;
  assert.deepEqual((answer?.result as Record<string, unknown>).agentCapabilities, {
    loadSession: true,
    promptCapabilities: { image: true, audio: false, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: {
      list: {},
      delete: {},
      additionalDirectories: {},
      resume: {},
      close: {},
      fork: {},
    },
  });
  assert.match(JSON.stringify(answer?.result), /"type":"terminal","id":"init".*"args":\["init"\]/);
});

Deno.test("a turn that fails is an error of the prompt, and the session goes on", async () => {
  await using at = await stage([
    { status: 400, text: "the model says no" },
    { text: "Better." },
  ]);
  await using editor = await startAcp(at.place);
  const sessionId = await editor.begin();
  await assert.rejects(editor.prompt(sessionId, "try"), /the model says no/);
  assert.equal(await editor.prompt(sessionId, "again"), "end_turn");
});

Deno.test({
  name: "a person who has set up no model is sent to ally init",
  ignore: await hasModelServer(),
  async fn() {
    await using place = await makePlace();
    const { ALLY_MODEL: _model, ...env } = place.env;
    await using editor = await startAcp({ ...place, env });
    await assert.rejects(editor.begin(), /Authentication required.*ally init/);
  },
});

Deno.test("the client's MCP servers bring their tools, and additional directories can be read", async () => {
  await using other = await makePlace({ files: { "b.txt": "from b\n" } });
  const file = join(other.dir, "b.txt");
  await using at = await stage([
    { calls: [{ name: "read", arguments: { file_paths: [file] } }] },
    { text: "Done." },
  ]);
  await using editor = await startAcp(at.place);
  const sessionId = await editor.begin(at.place.dir, {
    additionalDirectories: [other.dir],
    mcpServers: [{
      name: "obedient",
      command: Deno.execPath(),
      args: ["run", "--allow-all", OBEDIENT],
      env: [{ name: "DENO_DIR", value: at.place.env.DENO_DIR ?? "" }],
    }],
  });
  await until("the tools of the server", async () => {
    await editor.prompt(sessionId, "/tools");
    return /obedient__/.test(textOf(editor.updates, "agent_message_chunk"));
  });
  await editor.prompt(sessionId, "go");
  assert.match(at.server.requests[0]?.text ?? "", /"obedient__/);
  assert.match(at.server.requests[1]?.text ?? "", /from b/);
  assert.deepEqual(editor.questions, []);
});

Deno.test("a client with forms is asked whether a project is trusted, another one is told how to", async () => {
  await using at = await stage([{ text: "One." }, { text: "Two." }], {
    "ALLY.md": "Always hum.\n",
  });
  const forms: string[] = [];
  {
    await using without = await startAcp(at.place);
    await without.prompt(await without.begin(), "go");
    assert.match(textOf(without.updates, "agent_message_chunk"), /not trusted: ALLY\.md/);
    assert.doesNotMatch(at.server.requests[0]?.text ?? "", /Always hum/);
  }
  await using editor = await startAcp(at.place, {
    fill: ({ message }) => {
      forms.push(message);
      return { answer: "trust" };
    },
  });
  await editor.prompt(await editor.begin(), "go");
  assert.match(at.server.requests[1]?.text ?? "", /Always hum/);
  await editor.begin();
  assert.equal(forms.length, 1);
  assert.match(forms[0] ?? "", /\*\*ALLY\.md\*\*/);
});

Deno.test("each session has a receipt of its own", async () => {
  await using at = await stage([{ text: "One." }, { text: "Two." }]);
  const file = join(at.place.home, "..", "receipt.jsonl");
  const editor = await startAcp(at.place, { args: ["--receipt", file] });
  for (const prompt of ["one", "two"]) await editor.prompt(await editor.begin(), prompt);
  assert.equal(await editor.leave(), 0);
  const texts = await Promise.all(
    [file, file.replace(".jsonl", ".2.jsonl")].map((path) => Deno.readTextFile(path)),
  );
  for (const text of texts) assert.match(text, /^\{"line":1,.*"type":"end"/s);
});

Deno.test("what cannot be done is refused with the reason: a directory that is not there, a prompt with nothing in it", async () => {
  await using at = await stage([{ text: "(not reached)" }]);
  await using editor = await startAcp(at.place);
  const sessionId = await editor.begin();
  const place = { sessionId: "other", cwd: join(at.place.dir, "nowhere"), mcpServers: [] };
  for (const method of ["session/load", "session/resume", "session/fork", "session/new"]) {
    await assert.rejects(editor.agent.request(method, place), /there is no such directory/, method);
  }
  const image = { type: "image", mimeType: "image/png", data: "?" };
  const prompts = [
    [[], /The prompt is empty/],
    [[{ type: "text", text: " \n" }], /The prompt is empty/],
    [[image], /The data of image 1 is not base64/],
  ] as const;
  for (const [prompt, why] of prompts) {
    await assert.rejects(editor.agent.request("session/prompt", { sessionId, prompt }), why);
  }
  assert.equal(at.server.requests.length, 0);
});

Deno.test("what was asked before the input ended is answered", async () => {
  await using at = await stage([]);
  const requests = [
    { id: "i", method: "initialize", params: { protocolVersion: 1 } },
    { id: "n", method: "session/new", params: { cwd: at.place.dir, mcpServers: [] } },
    { id: "x", method: "no/such" },
    { id: null, method: "session/list", params: {} },
    { id: 77, result: {} },
    { id: "x", method: "session/list", params: {} },
  ];
  const input = requests.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join("");
  const { code, stdout, stderr } = await runAlly(at.place, { args: ["acp"], input });
  assert.equal(code, 0);
  assert.equal(stderr, "");
  const answers = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.ok(answers.some(({ id, result }) => id === "n" && result.sessionId), stdout);
  assert.ok(answers.some(({ id, error }) => id === "x" && error?.code === -32601), stdout);
  assert.ok(answers.some(({ id, result }) => id === "x" && result?.sessions), stdout);
});

Deno.test("a prompt whose question nobody can answer any more is denied and ends", async () => {
  const write = { file_path: "b.txt", content: "two\n" };
  await using at = await stage([
    { calls: [{ name: "write", arguments: write }] },
  ]);
  const asked = Promise.withResolvers<void>();
  const editor = await startAcp(at.place, {
    answer() {
      asked.resolve();
      return new Promise<string>(() => {});
    },
  });
  const ended = editor.prompt(await editor.begin(), "change it");
  await asked.promise;
  assert.equal(await editor.leave(), 0);
  assert.equal(await ended, "end_turn");
  assert.equal(editor.errors, "");
  await assert.rejects(at.place.read("b.txt"));
});
