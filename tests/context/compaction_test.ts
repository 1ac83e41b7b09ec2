import { newCounter } from "../support/settings.ts";
import assert from "node:assert/strict";
import { buildSummaryMessage, countCovered } from "../../src/context/compaction.ts";
import type { Message, UserMessage } from "../../src/core/message.ts";

const counter = newCounter();
const user = (content: string): UserMessage => ({ role: "user", content });
const round = (id: string, words = 100): Message[] => [
  {
    role: "assistant",
    content: `look ${id}`,
    calls: ["a", "b"].map((one) => ({ id: id + one, name: "read", arguments: "{}" })),
  },
  ...["a", "b"].map((one): Message => ({
    role: "tool",
    call_id: id + one,
    name: "read",
    content: "word ".repeat(words),
    success: one === "a",
    files: [{ path: `${id}${one}.ts`, how: "shown", hash: "0123456789ab" }],
  })),
];
const replace = (
  covered: readonly Message[],
  options: Partial<Parameters<typeof buildSummaryMessage>[1]> = {},
) =>
  buildSummaryMessage(covered, {
    summary: "The summary.",
    todos: [],
    size: 16_384,
    counter,
    ...options,
  });

Deno.test("what is covered never ends between a call and its results, whatever the sizes", () => {
  for (let size = 200; size < 6000; size += 170) {
    for (const words of [1, 40, 400]) {
      const messages = [user("go"), ...["1", "2", "3", "4"].flatMap((id) => round(id, words))];
      const count = countCovered(messages, { size, counter });
      assert.notEqual(messages[count]?.role, "tool");
      assert.ok(count < messages.length);
    }
  }
});

Deno.test("the last messages stay whole, up to a quarter of the window or half of all", () => {
  const messages = [user("go"), ...Array.from({ length: 20 }, (_, id) => round(`${id}`)).flat()];
  const count = countCovered(messages, { size: 8000, counter });
  const kept = counter.countMessages(messages.slice(count));
  assert.ok(kept <= 2000 && kept > 1600, `${kept}`);
  const half = counter.countMessages(
    messages.slice(countCovered(messages, { size: 1e6, counter })),
  );
  const all = counter.countMessages(messages);
  assert.ok(half <= all / 2 && half > all / 2 - 300, `${half} of ${all}`);
});

Deno.test("nothing is covered where there is nothing to gain", () => {
  const size = 16_384;
  assert.equal(countCovered([], { size, counter }), 0);
  assert.equal(countCovered([user("go")], { size, counter }), 0);
  assert.equal(countCovered([user("go"), ...round("1", 4000)], { size, counter }), 0);
  const short = [user("go"), ...round("1"), ...round("2")];
  assert.ok(countCovered(short, { size, counter }) > 0);
  assert.equal(countCovered(short, { size, counter, least: 3000 }), 0);
});

Deno.test("words of the user's that fill the window by themselves are covered too", () => {
  const messages = [user("word ".repeat(12_000)), user("Hello?")];
  assert.equal(countCovered(messages, { size: 16_384, counter }), 1);
});

Deno.test("the user's words are carried verbatim, through a second compaction too", () => {
  const first = replace([user("Make it\nfast."), ...round("1"), user("Never touch README.md.")]);
  assert.ok(first.content.includes("> Make it\n> fast."));
  const second = replace([first, ...round("2"), user("And small.")], { summary: "Other." });
  assert.deepEqual(second.said, ["Make it\nfast.", "Never touch README.md.", "And small."]);
  assert.ok(second.content.includes("> Never touch README.md."));
  assert.ok(!second.content.includes("The summary."));
});

Deno.test("over their bound the longest of the user's words are cut, the short ones never", () => {
  const long = "many words ".repeat(5000);
  const { said = [] } = replace([user("The task."), user(long), user("Never push.")]);
  assert.equal(said[0], "The task.");
  assert.match(said[1]!, /^many words [^]*tokens left out[^]*words $/);
  assert.equal(said[2], "Never push.");
  assert.ok(counter.count(said.join("\n")) <= 16_384 / 8 + 10);
});

Deno.test("very many messages of the user's keep the first and the last", () => {
  const many = Array.from({ length: 2000 }, (_, index) => user(`Wish number ${index}.`));
  const { said = [] } = replace(many);
  assert.equal(said[0], "Wish number 0.");
  assert.equal(said.at(-1), "Wish number 1999.");
  assert.ok(counter.count(said.join("\n")) <= 16_384 / 8 + 10);
});

Deno.test("files come with the fingerprint of what was seen last, an earlier list's too", () => {
  const change: Message = {
    role: "tool",
    call_id: "x",
    name: "edit",
    content: "done",
    success: true,
    files: [{ path: "1a.ts", how: "changed", hash: "ba9876543210" }],
  };
  const first = replace([user("go"), ...round("1"), change]);
  assert.match(first.content, /^- 1b\.ts: read, 0123456789ab$/m);
  assert.match(first.content, /^- 1a\.ts: changed, ba9876543210$/m);
  const second = replace([first, ...round("2")]);
  assert.match(second.content, /^- 1a\.ts: changed, ba9876543210$/m);
  assert.match(second.content, /^- 2a\.ts: read, 0123456789ab$/m);
});

Deno.test("the todo list stands in it to the word", () => {
  const todos = ["1. [ ] Write the test", "2. [x] Read"];
  assert.ok(replace([user("go")], { todos }).content.includes(`## Todo list\n${todos.join("\n")}`));
});

Deno.test("without a summary the calls are listed with what came of them", () => {
  const { content } = replace([user("go"), ...round("1")], { summary: undefined });
  assert.match(content, /^- said: look 1$/m);
  assert.match(content, /^- read \{\}: done\n- read \{\}: failed$/m);
});

Deno.test("what was told in place of the system prompt is told on, and is none of the user's words", () => {
  const told = (text: string) => ({ ...user(`Told: ${text}`), told: [{ name: "date", text }] });
  const message = replace([user("go"), told("Monday."), ...round("1"), told("Tuesday.")]);
  assert.deepEqual(message.said, ["go"]);
  assert.deepEqual(message.told, [{ name: "date", text: "Tuesday." }]);
  assert.match(message.content, /\n\nTuesday\.$/);
  assert.doesNotMatch(message.content, /Monday|Told/);
  assert.deepEqual(replace([message, user("on")]).told, message.told);
});

Deno.test("of very many messages, those in the middle are left out, in a small window too", () => {
  const messages = Array.from({ length: 50 }, (_, index) => user(`message ${index}`));
  for (const size of [200, 300]) {
    const { said = [] } = replace(messages, { size });
    assert.ok(said.length < 20, `${size}: ${said.length}`);
    assert.match(said[1] ?? "", /\d+ messages left out/);
  }
});
