import assert from "node:assert/strict";
import { join } from "node:path";
import { mapStrings } from "../../../src/lib/json_strings.ts";
import { startAcp, textOf } from "../../support/acp_client.ts";
import { makePng } from "../../support/images.ts";
import { stage } from "../../support/program.ts";

Deno.test("a turn that reads, edits and runs is told as updates, and its person is asked", async () => {
  await using at = await stage([
    {
      thinking: "Let me look.",
      text: "Reading.",
      calls: [{ name: "read", arguments: { file_paths: ["sum.sh"] }, id: "call_read" }],
    },
    {
      calls: [{
        name: "edit",
        arguments: { file_path: "sum.sh", old_string: "1 - 1", new_string: "1 + 1" },
        id: "call_edit",
      }],
    },
    { calls: [{ name: "bash", arguments: { command: "sh sum.sh" }, id: "call_bash" }] },
    { text: "Fixed: it prints 2." },
  ], { "sum.sh": "set -e\necho $((1 - 1))\n" });
  await using editor = await startAcp(at.place, { args: ["--no-sandbox"] });
  const sessionId = await editor.begin();
  assert.equal(await editor.prompt(sessionId, "fix it"), "end_turn");
  const path = join(at.place.dir, "sum.sh");
  assert.equal(await at.place.read("sum.sh"), "set -e\necho $((1 + 1))\n");
  const { updates, questions } = editor;
  assert.equal(textOf(updates, "agent_thought_chunk"), "Let me look.");
  assert.equal(textOf(updates, "agent_message_chunk"), "Reading.Fixed: it prints 2.");

  const started = updates.filter((one) => one.sessionUpdate === "tool_call")
    .map(({ toolCallId, kind, title, status, locations, rawInput }) => ({
      toolCallId,
      kind,
      title,
      status,
      locations,
      rawInput,
    }));
  assert.deepEqual(started, [
    {
      toolCallId: "call_read",
      kind: "read",
      title: "read sum.sh",
      status: "pending",
      locations: [{ path }],
      rawInput: { file_paths: ["sum.sh"] },
    },
    {
      toolCallId: "call_edit",
      kind: "edit",
      title: "edit sum.sh",
      status: "pending",
      locations: [{ path }],
      rawInput: { file_path: "sum.sh", old_string: "1 - 1", new_string: "1 + 1" },
    },
    {
      toolCallId: "call_bash",
      kind: "execute",
      title: "bash sh sum.sh",
      status: "pending",
      locations: undefined,
      rawInput: { command: "sh sum.sh" },
    },
  ]);
  const of = (id: string) =>
    updates.filter((one) => one.sessionUpdate === "tool_call_update" && one.toolCallId === id);
  const statuses = (id: string) => of(id).flatMap((one) => "status" in one && one.status || []);
  for (const { toolCallId } of started) {
    assert.deepEqual(statuses(toolCallId), ["in_progress", "completed"]);
  }
  const diff = {
    type: "diff",
    path,
    oldText: "set -e\necho $((1 - 1))\n",
    newText: "set -e\necho $((1 + 1))\n",
  };
  const [preview] = of("call_edit");
  assert.ok(preview?.sessionUpdate === "tool_call_update");
  assert.deepEqual(preview.content, [diff]);
  assert.deepEqual(preview.locations, [{ path, line: 2 }]);
  const ended = of("call_edit").at(-1);
  assert.ok(ended?.sessionUpdate === "tool_call_update");
  assert.deepEqual(ended.content?.[0], diff);
  assert.match(JSON.stringify(of("call_bash").at(-1)), /```\\n2\\n```/);

  assert.deepEqual(questions.map(({ toolCall }) => toolCall.toolCallId), [
    "call_edit",
    "call_bash",
  ]);
  assert.deepEqual(questions[0]?.toolCall.content?.[1], diff);
  assert.deepEqual(
    questions[1]?.options.map(({ kind, name }) => [kind, name]),
    [
      ["allow_once", "Allow"],
      ["allow_always", "Always allow run=sh sum.sh in this project"],
      ["allow_always", "Always allow run=sh sum.sh in this session"],
      ["allow_always", "Always allow run=sh sum.sh everywhere"],
      ["reject_once", "Deny"],
    ],
  );
  assert.ok(updates.some((one) => one.sessionUpdate === "usage_update" && one.used > 0));
  const info = updates.find((one) => one.sessionUpdate === "session_info_update");
  assert.equal(info?.title, "fix it");
});

Deno.test("a call that is denied ends the turn, and the client sees that it failed", async () => {
  await using at = await stage([
    { calls: [{ name: "write", arguments: { file_path: "a.txt", content: "x" }, id: "c1" }] },
    { text: "(not reached)" },
  ]);
  await using editor = await startAcp(at.place, { answer: () => "deny" });
  assert.equal(await editor.prompt(await editor.begin(), "write"), "end_turn");
  assert.equal(at.server.requests.length, 1);
  assert.ok(
    editor.updates.some((one) =>
      one.sessionUpdate === "tool_call_update" && one.toolCallId === "c1" && one.status === "failed"
    ),
  );
});

Deno.test("several calls of a reply are asked about once", async () => {
  const write = (name: string) => ({
    name: "write",
    arguments: { file_path: name, content: `${name}\n` },
  });
  await using at = await stage([{ calls: [write("a.txt"), write("b.txt")] }, { text: "Done." }]);
  await using editor = await startAcp(at.place);
  assert.equal(await editor.prompt(await editor.begin(), "write both"), "end_turn");
  assert.equal(await at.place.read("b.txt"), "b.txt\n");
  const [question, ...others] = editor.questions;
  assert.equal(others.length, 0);
  assert.equal(question?.toolCall.title, "Allow these 2 calls?");
  const texts = question?.toolCall.content?.flatMap((one) =>
    one.type === "diff" ? [one.newText] : []
  );
  assert.deepEqual(texts, ["a.txt\n", "b.txt\n"]);
  assert.deepEqual(question?.options.map(({ name }) => name).slice(0, 1), ["Allow all"]);
});

Deno.test("Always is kept for its scope, and is not offered for what is extremely sensitive", async () => {
  const run = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });
  await using at = await stage([
    run("sh a.sh"),
    run("sh a.sh; true"),
    run("rm -rf /"),
    { text: "(not reached)" },
  ], { "a.sh": "echo a\n" });
  await using editor = await startAcp(at.place, {
    args: ["--no-sandbox"],
    answer: ({ options }) =>
      options.some(({ optionId }) => optionId === "always_session") ? "always_session" : "deny",
  });
  await editor.prompt(await editor.begin(), "go");
  assert.deepEqual(
    editor.questions.map(({ options }) => options.map(({ kind }) => kind)),
    [["allow_once", "allow_always", "allow_always", "allow_always", "reject_once"], [
      "allow_once",
      "reject_once",
    ]],
  );
  assert.match(JSON.stringify(editor.questions[1]?.toolCall), /Extremely sensitive/);
});

Deno.test("the todo list is the plan", async () => {
  await using at = await stage([
    {
      calls: [{
        name: "todo_add",
        arguments: { tasks: [{ task: "Look", priority: "high" }, { task: "Mend" }] },
      }],
    },
    { calls: [{ name: "todo_complete", arguments: { id: "t1" } }] },
    { text: "Done." },
  ]);
  await using editor = await startAcp(at.place);
  await editor.prompt(await editor.begin(), "plan it");
  const plans = editor.updates.filter((one) => one.sessionUpdate === "plan");
  assert.deepEqual(plans.at(-1)?.entries, [
    { content: "Look", priority: "high", status: "completed" },
    { content: "Mend", priority: "medium", status: "pending" },
  ]);
});

Deno.test("what comes along in a prompt reaches the model: texts, files by their links", async () => {
  await using at = await stage([{ text: "Seen." }], { "a b.txt": "one\ntwo\n" });
  await using editor = await startAcp(at.place);
  const sessionId = await editor.begin();
  const uri = `file://${encodeURI(join(at.place.dir, "a b.txt"))}`;
  await editor.agent.request("session/prompt", {
    sessionId,
    prompt: [
      { type: "text", text: "compare " },
      { type: "resource_link", uri, name: "a b.txt" },
      { type: "text", text: " with " },
      {
        type: "resource",
        resource: { uri: `file://${join(at.place.dir, "new.txt")}`, text: "unsaved" },
      },
    ],
  });
  const body = at.server.requests[0]?.text ?? "";
  assert.match(body, /compare {2}@a\\\\ b.txt {2}with {2}`new.txt`/);
  assert.match(body, /\[Attached: a b.txt\]\\n.*1\\tone/);
  assert.match(body, /\[Attached: new.txt\]\\nunsaved/);
});

Deno.test("the model reads what the editor has not saved, and changes it once it is saved", async () => {
  const edit = (id: string) => ({
    calls: [{
      name: "edit",
      arguments: { file_path: "a.txt", old_string: "typed", new_string: "changed" },
      id,
    }],
  });
  const read = { calls: [{ name: "read", arguments: { file_paths: ["a.txt", "b.txt"] } }] };
  await using at = await stage([read, edit("c1"), { text: "Save it." }, read, edit("c2"), {
    text: "Done.",
  }], { "a.txt": "saved\n", "b.txt": "same\r\n" });
  const file = join(at.place.dir, "a.txt");
  const buffers = new Map([[file, "typed\n"], [join(at.place.dir, "b.txt"), "same\n"]]);
  await using editor = await startAcp(at.place, { buffers });
  const sessionId = await editor.begin();
  await editor.prompt(sessionId, "look");
  assert.match(at.server.requests[1]?.text ?? "", /1\\ttyped.*1\\tsame/);
  assert.match(at.server.requests[2]?.text ?? "", /has changes in the user's editor/);
  await at.place.write("a.txt", "typed\n");
  await editor.prompt(sessionId, "saved");
  assert.equal(await at.place.read("a.txt"), "changed\n");
});

Deno.test("an image of a prompt goes to the model; what is no image is left out, and said so", async () => {
  await using at = await stage([{ text: "A square." }]);
  await using editor = await startAcp(at.place);
  const sessionId = await editor.begin();
  const data = makePng({ width: 2, height: 2 }).toBase64();
  const mimeType = "image/png";
  await editor.agent.request("session/prompt", {
    sessionId,
    prompt: [
      { type: "text", text: "what is it?" },
      { type: "image", data, mimeType },
      { type: "image", data: btoa("no image"), mimeType, uri: "file:///tmp/no.png" },
    ],
  });
  assert.ok(at.server.requests[0]?.text.includes(`data:image/png;base64,${data}`));
  assert.match(textOf(editor.updates, "agent_message_chunk"), /no\.png is not attached/);
});

Deno.test("no message has half of a character, which many clients cannot read", async () => {
  const emoji = "\u{1f600}";
  const command = `for i in $(seq 8100); do printf ${emoji}; done; printf ' \\ud83d.'`;
  await using at = await stage([
    { calls: [{ name: "bash", arguments: `{"command": "${command}"}` }] },
    { text: "Printed." },
  ]);
  await using editor = await startAcp(at.place, { args: ["--no-sandbox"] });
  assert.equal(await editor.prompt(await editor.begin(), "print"), "end_turn");
  const texts: string[] = [];
  mapStrings(editor.written, (text) => (texts.push(text), text));
  assert.ok(texts.some((text) => text.includes(emoji.repeat(7900))));
  assert.deepEqual(texts.filter((text) => !text.isWellFormed()), []);
});

Deno.test("a question shows what cannot be seen in a call, and nothing in it ends its block", async () => {
  const hidden = "\u202e\u001b[2J";
  const calls = [
    { name: "bash", arguments: { command: `touch x # \`\`\`\n${hidden}**Allow**\ntouch y` } },
    { name: "write", arguments: { file_path: "a.txt", content: `one ${hidden} two\n` } },
  ];
  for (const call of calls) {
    await using at = await stage([{ calls: [call] }, { text: "Done." }]);
    await using editor = await startAcp(at.place, { answer: () => "deny" });
    await editor.prompt(await editor.begin(), "go");
    const { title, content = [] } = editor.questions[0]?.toolCall ?? {};
    const shown = (content ?? []).map((one) =>
      one.type === "diff"
        ? one.newText
        : one.type === "content" && one.content.type === "text"
        ? one.content.text
        : ""
    ).join("\n");
    for (const one of hidden.slice(0, 2)) assert.ok(!`${title}\n${shown}`.includes(one), shown);
    if (call === calls[0]) {
      assert.match(shown, /````sh\ntouch x # ```\n\\u202e\\x1b\[2J\*\*Allow\*\*\ntouch y\n````/);
    } else assert.match(shown, /one \\u202e\\x1b\[2J two/);
  }
});
