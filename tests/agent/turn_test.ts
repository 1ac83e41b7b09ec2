import assert from "node:assert/strict";
import { EndpointError } from "../../src/core/errors.ts";
import type { Message } from "../../src/core/message.ts";
import { harness, type Said } from "../support/agent_harness.ts";

const roles = (messages: readonly Message[]) => messages.map((message) => message.role);

Deno.test("a turn without calls is one request, and saves each message once", async () => {
  await using made = await harness({ replies: [{ text: "Hello." }] });
  const summary = await made.agent.run("Hi");
  assert.equal(summary.reason, "done");
  assert.equal(summary.text, "Hello.");
  assert.equal(summary.turns, 1);
  assert.deepEqual(roles(made.saved), ["user", "assistant"]);
  assert.deepEqual(made.facts.map((fact) => fact.type), [
    "turn_start",
    "message",
    "request_start",
    "text_delta",
    "message",
    "context",
    "turn_end",
  ]);
});

Deno.test("a turn goes on until a reply makes no call, answering every call in order", async () => {
  await using made = await harness({
    files: { "a.txt": "one\n" },
    rules: { allowAll: true },
    replies: [
      { calls: [["read", { file_paths: ["a.txt"] }, "x"], ["ls", { file_path: "." }, "y"]] },
      { calls: [["edit", { file_path: "a.txt", old_string: "one", new_string: "two" }, "z"]] },
      { text: "Done." },
    ],
  });
  const summary = await made.agent.run("Change it");
  assert.equal(summary.reason, "done");
  assert.equal(summary.tool_calls, 3);
  assert.deepEqual(roles(made.saved), [
    "user",
    "assistant",
    "tool",
    "tool",
    "assistant",
    "tool",
    "assistant",
  ]);
  const answered = made.saved.flatMap((message) =>
    message.role === "tool" ? [message.call_id] : []
  );
  assert.deepEqual(answered, ["x", "y", "z"]);
  assert.equal(await made.read("a.txt"), "two\n");
});

Deno.test("each request begins with all that the one before it held", async () => {
  await using made = await harness({
    files: { "a.txt": "one\n" },
    replies: [
      { calls: [["read", { file_paths: ["a.txt"] }]] },
      { calls: [["ls", { file_path: "." }]] },
      { text: "Done." },
    ],
  });
  await made.agent.run("Look");
  await made.agent.run("Again");
  for (const [index, request] of made.requests.entries()) {
    const before = made.requests[index - 1];
    if (!before) continue;
    assert.deepEqual(request.messages.slice(0, before.messages.length), before.messages);
    assert.deepEqual(request.tools, before.tools);
  }
  assert.equal(made.requests.length, 4);
});

Deno.test("a turn ends at its limit of requests", async () => {
  const call = { calls: [["ls", { file_path: "." }]] } as const;
  await using made = await harness({ replies: [call, call, call], maxTurns: 2 });
  const summary = await made.agent.run("Loop");
  assert.equal(summary.reason, "turn_limit");
  assert.equal(made.requests.length, 2);
});

Deno.test("a denial by the person ends the turn after every call got its result", async () => {
  await using made = await harness({
    replies: [{ calls: [["bash", { command: "a" }], ["bash", { command: "b" }]] }],
    answers: [{ kind: "deny" }, { kind: "deny" }],
  });
  const summary = await made.agent.run("Do");
  assert.equal(summary.reason, "denied");
  assert.equal(made.requests.length, 1);
  assert.deepEqual(roles(made.saved), ["user", "assistant", "tool", "tool"]);
});

Deno.test("a denial by a rule is told to the model, which goes on", async () => {
  await using made = await harness({
    interactive: false,
    replies: [{ calls: [["bash", { command: "make" }]] }, { text: "I cannot run it." }],
  });
  const summary = await made.agent.run("Do");
  assert.equal(summary.reason, "denied");
  assert.equal(summary.denied, 1);
  assert.equal(summary.text, "I cannot run it.");
  assert.equal(made.requests.length, 2);
});

Deno.test("an interrupt while the model speaks keeps what was said, marked, and calls nothing", async () => {
  await using made = await harness({
    replies: [() => {
      made.agent.interrupt();
      const message = {
        role: "assistant",
        content: "I was",
        calls: [],
        interrupted: true,
      } as const;
      return { message };
    }],
  });
  const summary = await made.agent.run("Talk");
  assert.equal(summary.reason, "interrupted");
  const last = made.saved.at(-1);
  assert.equal(last?.role, "assistant");
  assert.equal(last?.content, "I was\n\n[Request interrupted by user]");
});

Deno.test("after an interrupt nothing is told but the ends of calls and of the turn, and the window", async () => {
  await using made = await harness({
    rules: { allowAll: true },
    replies: [{
      calls: [["bash", { command: "echo started; sleep 100" }], ["ls", { file_path: "." }]],
    }],
  });
  let after = -1;
  const { agent } = made;
  const push = made.facts.push.bind(made.facts);
  made.facts.push = (...facts) => {
    const length = push(...facts);
    if (after < 0 && facts.some((fact) => fact.type === "tool_output")) {
      agent.interrupt();
      after = length;
    }
    return length;
  };
  const summary = await agent.run("Sleep");
  assert.equal(summary.reason, "interrupted");
  assert.deepEqual(made.facts.slice(after).map((fact) => fact.type), [
    "tool_end",
    "tool_end",
    "context",
    "turn_end",
  ]);
  assert.deepEqual(roles(made.saved), ["user", "assistant", "tool", "tool"]);
});

Deno.test("an error of the endpoint ends the turn and keeps the user's words", async () => {
  await using made = await harness({
    replies: [() => {
      throw new EndpointError("no server at http://x");
    }],
  });
  const summary = await made.agent.run("Hi");
  assert.equal(summary.reason, "error");
  assert.equal(summary.error, "no server at http://x");
  assert.deepEqual(roles(made.saved), ["user"]);
});

Deno.test("call ids that the server uses again are told apart", async () => {
  await using made = await harness({
    replies: [
      { calls: [["ls", { file_path: "." }, "same"], ["glob", { pattern: "*" }, "same"]] },
      { calls: [["ls", { file_path: "." }, "same"]] },
      { text: "Done." },
    ],
  });
  await made.agent.run("Look");
  const ids = made.saved.flatMap((message) =>
    message.role === "assistant" ? message.calls.map((call) => call.id) : []
  );
  assert.equal(new Set(ids).size, 3);
  const answered = made.saved.flatMap((message) =>
    message.role === "tool" ? [message.call_id] : []
  );
  assert.deepEqual(answered, ids);
});

Deno.test("with the window as good as full calls are answered but not run, and the turn ends", async () => {
  const usage = { promptTokens: 990, completionTokens: 5 };
  const call = { calls: [["bash", { command: "echo hi" }]], usage } as const;
  await using made = await harness({
    contextSize: 1000,
    rules: { allowAll: true },
    replies: [call, call],
  });
  const summary = await made.agent.run("Go");
  assert.equal(summary.reason, "context");
  assert.equal(summary.tool_calls, 0);
  const results = made.saved.filter((message) => message.role === "tool");
  assert.equal(results.length, 1);
  assert.equal(made.requests.length, 1);
  assert.match(results[0]!.status ?? "", /CRITICAL CONTEXT LIMIT: 9\d% used/);
});

Deno.test("a command of the user's runs without a question and becomes the user's words", async () => {
  await using made = await harness({ rules: { allowAll: true } });
  await made.agent.runCommand("echo from the user", made.deps);
  assert.equal(made.saved.length, 1);
  assert.equal(made.saved[0]?.role, "user");
  assert.match(made.saved[0]!.content, /\$ echo from the user\nfrom the user/);
});

Deno.test("before a compaction the thinking of earlier replies is given up, if that frees enough", async () => {
  const thinking = "I wonder about this and that. ".repeat(400);
  const thought = (text: string, id?: string): Said => ({ model }) => ({
    message: {
      role: "assistant",
      content: text,
      calls: id === undefined ? [] : [{ id, name: "ls", arguments: '{"file_path":"."}' }],
      thinking,
      reasoning: { model, place: { in: "fields", fields: { reasoning: thinking } } },
    },
  });
  await using made = await harness({
    contextSize: 10_000,
    rules: { allowAll: true },
    replies: [
      thought("", "a"),
      thought("", "b"),
      thought("", "c"),
      thought("", "d"),
      thought("Done."),
    ],
  });
  const summary = await made.agent.run("Look");
  assert.equal(summary.reason, "done");
  const sent = made.requests.map(({ messages }) =>
    messages.map((one) => one.role === "assistant" && one.reasoning !== undefined)
      .filter((is) => is).length
  );
  assert.equal(Math.max(...sent), 3);
  assert.equal(sent.at(-1), 1);
  assert.deepEqual(made.notes.map(({ type }) => type).filter((type) => type === "compaction"), []);
  assert.equal(made.notes.filter(({ type }) => type === "reasoning_dropped").length, 1);
  assert.equal(made.current.conversation.messages.filter((one) => "thinking" in one).length, 5);
});
