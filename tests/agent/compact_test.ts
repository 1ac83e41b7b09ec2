import assert from "node:assert/strict";
import { Agent } from "../../src/agent/agent.ts";
import { addTodos, saveTodos } from "../../src/context/todo_list.ts";
import { EndpointError } from "../../src/core/errors.ts";
import type { Message, ToolCall } from "../../src/core/message.ts";
import type { ModelRequest } from "../../src/core/model.ts";
import { harness, type Said, toolCall } from "../support/agent_harness.ts";

const SUMMARY = "## Goal\nAs the user said, and the rest of a good summary.";
const call = (id: string): ToolCall => ({ id, name: "ls", arguments: '{"file_path":"."}' });
const rounds = (count: number, words = 200): Message[] =>
  Array.from({ length: count }, (_, index): Message[] => [
    { role: "assistant", content: "", calls: [call(`r${index}`)] },
    {
      role: "tool",
      call_id: `r${index}`,
      name: "ls",
      content: `result ${index} ${"word ".repeat(words)}`,
      success: true,
    },
  ]).flat();
const history = (count: number): Message[] => [
  { role: "user", content: "Never push." },
  ...rounds(count),
];

Deno.test("compact() puts a summary in the place of older messages, and undo brings them back", async () => {
  const messages = history(10);
  await using made = await harness({ messages, replies: [{ text: SUMMARY }] });
  await saveTodos(made.agent.deps.conversation.state, addTodos([], [{ task: "Write it" }]));
  const done = await made.agent.compact("the names");
  assert.ok(done?.summarized && done.after < done.before);
  const { conversation, budget } = made.agent.deps;
  const [first, ...kept] = conversation.messages;
  assert.ok(first?.content.includes(SUMMARY) && first.content.includes("> Never push."));
  assert.ok(first?.content.includes("## Todo list\n[ ] t1 Write it <- NEXT"));
  assert.deepEqual(kept, messages.slice(-kept.length));
  assert.match(made.requests[0]!.messages.at(-1)!.content, /keep above all: the names/);
  assert.deepEqual(
    made.requests[0]!.messages.slice(1, -1),
    messages.slice(0, messages.length - kept.length),
  );
  assert.equal(await made.agent.undoCompaction(), messages.length - kept.length);
  assert.deepEqual(conversation.messages, messages);
  assert.equal(budget.used, done.before);
  assert.equal(await made.agent.undoCompaction(), 0);
  assert.deepEqual(made.notes.slice(1).map(({ type }) => type), [
    "compaction",
    "compaction_undone",
  ]);
});

Deno.test("of a history that is far longer than the window the last part is summarized, and that is said", async () => {
  const messages = history(2000);
  await using made = await harness({ messages, replies: [{ text: SUMMARY }] });
  const done = await made.agent.compact();
  assert.ok(done?.summarized && done.after < made.agent.deps.budget.limit);
  const asked = made.requests[0]!.messages.slice(1, -1);
  assert.deepEqual(asked[0]?.role, "assistant");
  assert.ok(asked.length > 20 && asked.length < messages.length, `${asked.length} messages`);
  const [first] = made.agent.deps.conversation.messages;
  assert.match(first!.content, /sums up the last \d+ messages; [\d,]+ before them were too long/);
  assert.ok(first!.content.includes(SUMMARY) && first!.content.includes("> Never push."));
});

Deno.test("an interrupt while the summary is written leaves the conversation as it was", async () => {
  const messages = history(10);
  await using made = await harness({
    messages,
    replies: [() => {
      made.agent.interrupt();
      const content = "## Goal: this is what had come of a long summary";
      return { message: { role: "assistant", content, calls: [], interrupted: true } };
    }],
  });
  await assert.rejects(() => made.agent.compact(), { name: "AbortError" });
  assert.deepEqual(made.agent.deps.conversation.messages, messages);
  assert.deepEqual(made.notes, []);
  assert.equal(made.agent.busy, false);
});

const UNUSABLE = { "is empty": {}, "is a call": { calls: [["ls", { file_path: "." }]] } } as const;
for (const [what, said] of Object.entries(UNUSABLE)) {
  Deno.test(`where the summary ${what}, a list of what was done stands in`, async () => {
    await using made = await harness({ messages: history(10), replies: [said] });
    const done = await made.agent.compact();
    assert.equal(done?.summarized, false);
    const [first] = made.agent.deps.conversation.messages;
    assert.match(first!.content, /^- ls \{"file_path":"\."\}: done$/m);
    assert.ok(first!.content.includes("> Never push."));
    assert.ok(made.facts.some((fact) => fact.type === "notice" && /no summary/.test(fact.text)));
  });
}

Deno.test("a request that the server refuses as too long is sent again after a compaction", async () => {
  let refusals = 0;
  const refuse = () => {
    refusals++;
    throw new EndpointError("maximum context length is 2000 tokens", { kind: "context" });
  };
  await using made = await harness({
    messages: history(10),
    replies: [refuse, { text: SUMMARY }, { text: "Here." }],
  });
  const summary = await made.agent.run("Go on");
  assert.equal(summary.reason, "done");
  assert.equal(summary.text, "Here.");
  assert.equal(refusals, 1);
  const last = made.requests.at(-1)!.messages;
  assert.ok(last[1]!.content.includes(SUMMARY));
  assert.equal(last.at(-1)!.content, "Go on");
  assert.ok(made.agent.deps.budget.size < 10_000);
});

Deno.test("the model that a turn asks sums up what the server refuses as too long", async () => {
  const refuse = () => {
    throw new EndpointError("maximum context length is 2000 tokens", { kind: "context" });
  };
  await using made = await harness({
    messages: history(10),
    replies: [refuse, { text: SUMMARY }, { text: "Here." }],
  });
  assert.equal((await made.agent.run("Go on", { model: "other" })).text, "Here.");
  assert.deepEqual(made.requests.map(({ model }) => model), ["other", "other", "other"]);

  const overloaded = () => {
    throw new EndpointError("overloaded", { kind: "overloaded" });
  };
  await using late = await harness({
    messages: history(10),
    replies: [overloaded, refuse, { text: SUMMARY }, { text: "Here." }],
  });
  const { deps } = late.agent;
  const agent = new Agent({ ...deps, current: late.current, fallbackModel: "other" });
  assert.equal((await agent.run("Go on")).text, "Here.");
  const [first, ...rest] = late.requests.map(({ model }) => model);
  assert.deepEqual([first, rest], ["scripted", ["other", "other", "other"]]);
});

Deno.test("a server that refuses the shorter request too ends the turn for want of room", async () => {
  const refuse = () => {
    throw new EndpointError("maximum context length is 20 tokens", { kind: "context" });
  };
  await using made = await harness({
    messages: history(10),
    replies: [refuse, refuse, refuse, refuse],
  });
  const summary = await made.agent.run("Go on");
  assert.equal(summary.reason, "context");
  assert.match(summary.error ?? "", /20 tokens/);
  assert.ok(made.requests.length <= 3);
});

Deno.test("within three minutes of a compaction another one waits until calls would be blocked", async () => {
  const usage = (percent: number) => ({ promptTokens: percent * 100, completionTokens: 0 });
  await using made = await harness({
    contextSize: 10_000,
    messages: history(20),
    replies: [
      { text: "First.", usage: usage(92) },
      { text: SUMMARY },
      { text: "Second.", usage: usage(92) },
      { text: "Third.", usage: usage(96) },
      { text: SUMMARY },
      { text: "Fourth." },
    ],
  });
  for (const prompt of ["one", "two", "three", "four"]) await made.agent.run(prompt);
  const texts = made.saved.map(({ content }) => content).filter((text) => /^[A-Z]/.test(text));
  assert.deepEqual(texts, ["First.", "Second.", "Third.", "Fourth."]);
  const notices = made.facts.flatMap((fact) => fact.type === "notice" ? [fact.text] : []);
  assert.match(notices[0]!, /^Context at 92\.\d% - compaction is due\. Compacting \d+ messages/);
  assert.match(notices[2]!, /^Context at 96\.\d% - immediate compaction needed\./);
  assert.equal(notices.length, 4);
});

Deno.test("after a compaction no request says how full the window was before", async () => {
  const isSummary = ({ messages }: ModelRequest) =>
    messages.at(-1)!.content.startsWith("Stop here.");
  let count = 0;
  const reply: Said = (request) => {
    const input = { command: `seq ${++count}000 ${count}400` };
    const calls = [toolCall(["bash", input, `c${count}`])];
    return {
      message: isSummary(request) || count > 24
        ? { role: "assistant", content: SUMMARY, calls: [] }
        : { role: "assistant", content: "", calls },
    };
  };
  await using made = await harness({
    contextSize: 8000,
    rules: { allowAll: true },
    replies: Array.from({ length: 30 }, () => reply),
  });
  await made.agent.run("Count");
  const saysFill = ({ messages }: ModelRequest) =>
    messages.some((message) => message.role === "tool" && message.status !== undefined);
  const at = made.requests.findIndex(isSummary);
  assert.ok(at > 0 && made.requests.length > at + 1, `${at}`);
  assert.ok(saysFill(made.requests[at - 1]!));
  assert.ok(!saysFill(made.requests[at + 1]!));
});
