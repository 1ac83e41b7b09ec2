import assert from "node:assert/strict";
import { join } from "node:path";
import { startAcp, textOf } from "../../support/acp_client.ts";
import { holdReply } from "../../support/held_reply.ts";
import { makePlace, runAlly, stage } from "../../support/program.ts";
import { receiptLines } from "../../support/receipt.ts";
import { until } from "../../support/wait.ts";

Deno.test("a cancelled prompt is answered as cancelled, whatever it waits for: the model, a person", async () => {
  await using at = await stage([
    { text: "Well", hang: true },
    { calls: [{ name: "write", arguments: { file_path: "a.txt", content: "x" } }] },
  ]);
  const asked = Promise.withResolvers<void>();
  const never = Promise.withResolvers<string>();
  await using editor = await startAcp(at.place, {
    answer: () => {
      asked.resolve();
      return never.promise;
    },
  });
  const sessionId = await editor.begin();
  const first = editor.prompt(sessionId, "think");
  await editor.seen((one) => one.sessionUpdate === "agent_message_chunk");
  await editor.agent.notify("session/cancel", { sessionId });
  assert.equal(await first, "cancelled");

  const second = editor.prompt(sessionId, "write");
  await asked.promise;
  await editor.agent.notify("session/cancel", { sessionId });
  assert.equal(await second, "cancelled");
  never.resolve("allow");
  await assert.rejects(at.place.read("a.txt"));
});

Deno.test("a command that runs is ended by a cancelled request", async () => {
  await using at = await stage([
    { calls: [{ name: "bash", arguments: { command: "echo begun; sleep 100" } }] },
    { text: "(not reached)" },
  ]);
  await using editor = await startAcp(at.place, { args: ["--no-sandbox"] });
  const sessionId = await editor.begin();
  const cancel = new AbortController();
  const ended = editor.agent.request("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text: "sleep" }],
  }, { cancellationSignal: cancel.signal });
  await editor.seen((one) => /\\nbegun/.test(JSON.stringify(one)));
  cancel.abort();
  assert.deepEqual(await ended, { stopReason: "cancelled" });
});

Deno.test("what a call did is saved where the editor ends ally while it runs: its result, a change to take back, the receipt", async () => {
  await using at = await stage([
    { calls: [{ name: "bash", arguments: { command: "echo made > made.txt; sleep 100" } }] },
    { text: "(not reached)" },
  ]);
  const editor = await startAcp(at.place, {
    args: ["-A", "--no-sandbox", "--receipt", join(at.place.dir, "r.jsonl")],
  });
  const ended = editor.prompt(await editor.begin(), "make it").catch(() => "left");
  await until("the change", () => at.place.read("made.txt"));
  assert.equal(await editor.signal("SIGTERM"), 143);
  assert.equal(await ended, "left");
  const kinds = (await receiptLines(at.place)).map(({ type }) => type).slice(-5);
  assert.deepEqual(kinds, ["command", "change", "result", "turn_end", "end"]);
  const result = (await at.place.messages()).at(-1);
  assert.match(JSON.stringify(result), /"role":"tool".*interrupted by the user/);
  const undone = await runAlly(at.place, { args: ["undo", "--receipt", "r.jsonl"] });
  assert.equal(undone.code, 0, undone.stderr);
  await assert.rejects(at.place.read("made.txt"));
});

Deno.test("another process loads a session and tells all of it, edits and results too", async () => {
  await using at = await stage([
    { thinking: "Hm.", calls: [{ name: "read", arguments: { file_paths: ["a.txt"] }, id: "c1" }] },
    {
      calls: [{
        name: "edit",
        arguments: { file_path: "a.txt", old_string: "one", new_string: "two" },
        id: "c2",
      }],
    },
    { text: "Changed." },
    { text: "It was one." },
    { text: "Yes." },
  ], { "a.txt": "one\n" });
  const first = await startAcp(at.place);
  const sessionId = await first.begin();
  await first.prompt(sessionId, "change it");
  assert.equal(await first.leave(), 0);

  await using editor = await startAcp(at.place);
  const { agent, updates } = editor;
  const here = { cwd: at.place.dir, mcpServers: [] };
  const { sessions } = await agent.request("session/list", { cwd: at.place.dir });
  assert.deepEqual(
    sessions.map(({ sessionId, cwd, title }) => ({ sessionId, cwd, title })),
    [{ sessionId, cwd: at.place.dir, title: "change it" }],
  );
  await agent.request("session/load", { sessionId, ...here });
  assert.equal(textOf(updates, "user_message_chunk"), "change it");
  assert.equal(textOf(updates, "agent_thought_chunk"), "Hm.");
  assert.equal(textOf(updates, "agent_message_chunk"), "Changed.");
  const calls = updates.filter((one) => one.sessionUpdate === "tool_call");
  assert.deepEqual(calls.map(({ title, kind }) => [title, kind]), [
    ["read a.txt", "read"],
    ["edit a.txt", "edit"],
  ]);
  const edit = updates.findLast((one) => one.sessionUpdate === "tool_call_update");
  assert.ok(edit?.sessionUpdate === "tool_call_update" && edit.status === "completed");
  const diff = {
    type: "diff",
    path: join(at.place.dir, "a.txt"),
    oldText: "one\n",
    newText: "two\n",
  };
  assert.deepEqual(edit.content?.[0], diff);

  await editor.prompt(sessionId, "what was it?");
  assert.match(at.server.requests.at(-1)?.text ?? "", /change it.*Changed\./);

  const copy = await agent.request<{ sessionId: string }>("session/fork", { sessionId, ...here });
  assert.notEqual(copy.sessionId, sessionId);
  await editor.prompt(copy.sessionId, "sure?");
  assert.match(at.server.requests.at(-1)?.text ?? "", /what was it\?.*It was one\./);

  await agent.request("session/close", { sessionId: copy.sessionId });
  await assert.rejects(editor.prompt(copy.sessionId, "still there?"), /not found/i);
  const before = updates.length;
  await agent.request("session/resume", { sessionId: copy.sessionId, ...here });
  assert.equal(textOf(updates.slice(before), "user_message_chunk"), "");
  for (const one of [sessionId, copy.sessionId]) {
    await agent.request("session/delete", { sessionId: one });
  }
  assert.deepEqual((await agent.request("session/list", {})).sessions, []);
  await assert.rejects(agent.request("session/load", { sessionId, ...here }), /not found/i);
});

Deno.test("two sessions of one process work at the same time, each in its directory", async () => {
  const held = holdReply({ text: "From a.", calls: [] }, 0);
  await using at = await stage([held.reply, { text: "From b." }]);
  await using other = await makePlace({ files: { "b.txt": "b\n" } });
  await using editor = await startAcp(at.place, { args: ["--deny-net", "--deny-write"] });
  const a = await editor.begin();
  const b = await editor.begin(other.dir);
  assert.notEqual(a, b);
  const first = editor.prompt(a, "slow");
  await until("the first request", () => at.server.requests.length === 1);
  assert.equal(await editor.prompt(b, "quick"), "end_turn");
  await assert.rejects(editor.prompt(a, "too early"), /a prompt of this session is running/);
  held.release();
  assert.equal(await first, "end_turn");
  assert.match(at.server.requests[1]?.text ?? "", new RegExp(other.dir));
  // What a session may not do the next one may not lose: the policy denies it.
  assert.deepEqual(editor.revoked, []);
});

Deno.test("modes, the model and the effort are chosen by the client, and told when they change otherwise", async () => {
  await using at = await stage([
    { calls: [{ name: "write", arguments: { file_path: "a.txt", content: "a" } }] },
    { text: "Written." },
    { text: "Planned." },
  ]);
  await using editor = await startAcp(at.place);
  const { agent } = editor;
  const { sessionId, modes } = await agent.request("session/new", {
    cwd: at.place.dir,
    mcpServers: [],
  });
  assert.equal(modes?.currentModeId, "ask");
  assert.deepEqual(modes?.availableModes.map(({ id }) => id), ["ask", "auto", "plan"]);
  await agent.request("session/set_mode", { sessionId, modeId: "auto" });
  await editor.prompt(sessionId, "write");
  assert.equal(editor.questions.length, 0);

  await editor.seen((one) => one.sessionUpdate === "config_option_update");
  const set = async (configId: string, value: string) =>
    (await agent.request("session/set_config_option", { sessionId, configId, value })).configOptions
      .map((one) => [one.id, one.currentValue]);
  assert.deepEqual(await set("model", "other"), [
    ["mode", "auto"],
    ["model", "other"],
    ["effort", "default"],
  ]);
  assert.deepEqual((await set("effort", "high")).at(-1), ["effort", "high"]);
  await assert.rejects(set("effort", "enormous"), {
    code: -32602,
    message: /has no value 'enormous'/,
  });
  await assert.rejects(
    agent.request("session/set_mode", { sessionId, modeId: "x" }),
    /no mode 'x'/,
  );

  await editor.prompt(sessionId, "/plan on");
  const told = editor.updates.findLast((one) => one.sessionUpdate === "current_mode_update");
  assert.equal(told?.currentModeId, "plan");
  await editor.prompt(sessionId, "plan");
  const { model, reasoning_effort } = at.server.requests.at(-1)?.body ?? {};
  assert.deepEqual({ model, reasoning_effort }, { model: "other", reasoning_effort: "high" });
});

Deno.test("commands without a terminal are offered and run, the person's own too", async () => {
  await using at = await stage([{ text: "Reviewed." }]);
  await Deno.mkdir(join(at.place.home, "commands"), { recursive: true });
  const file = join(at.place.home, "commands", "review.md");
  await Deno.writeTextFile(file, "---\ndescription: look it over\n---\nReview $ARGUMENTS\n");
  await using editor = await startAcp(at.place);
  const sessionId = await editor.begin();
  const told = await editor.seen((one) => one.sessionUpdate === "available_commands_update");
  assert.ok(told.sessionUpdate === "available_commands_update");
  const names = told.availableCommands.map(({ name }) => name);
  assert.ok(["compact", "undo", "diff", "review"].every((name) => names.includes(name)));
  assert.ok(!["theme", "exit", "resume"].some((name) => names.includes(name)));
  assert.equal(await editor.prompt(sessionId, "/context"), "end_turn");
  assert.match(textOf(editor.updates, "agent_message_chunk"), /tokens/);
  assert.equal(at.server.requests.length, 0);
  assert.equal(await editor.prompt(sessionId, "/review all"), "end_turn");
  assert.match(at.server.requests[0]?.text ?? "", /Review all/);
});

Deno.test("a list of sessions is not begun anew behind one that is gone", async () => {
  await using at = await stage([{ text: "One." }]);
  await using editor = await startAcp(at.place);
  await editor.prompt(await editor.begin(), "one");
  const { agent } = editor;
  const { sessions: [only] } = await agent.request("session/list", {});
  assert.deepEqual((await agent.request("session/list", { cursor: only!.sessionId })).sessions, []);
  await assert.rejects(agent.request("session/list", { cursor: "gone" }), /list anew without one/);
});
