import { newCounter } from "../support/settings.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Tiktoken } from "js-tiktoken/lite";
import cl100k from "js-tiktoken/ranks/cl100k_base";
import { ExactCounter } from "../../src/context/exact.ts";
import { countTokens } from "../../src/context/tokens.ts";
import type { Message } from "../../src/core/message.ts";

const ROOT = join(fileURLToPath(import.meta.url), "..", "..", "..");
const exact = await ExactCounter.load();
const reference = new Tiktoken(cl100k);
const encoded = (text: string) => reference.encode(text, [], []).length;

const FILES = ["README.md", "deno.json", "src/agent/turn.ts", "src/tools/scheduler.ts"];
const GENERATED: Readonly<Record<string, string>> = {
  Russian: "Съешь же ещё этих мягких французских булок. ".repeat(50),
  Chinese: "天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。".repeat(50),
  emoji: "🎉 done 👩‍👩‍👧 ".repeat(50),
  numbers: Array.from({ length: 500 }, (_, index) => index * 7919).join(" "),
  base64: btoa(
    Array.from({ length: 900 }, (_, i) => String.fromCharCode((i * i * 31) % 251)).join(""),
  ),
  "special tokens": "<|endoftext|> and <|im_start|>\r\n\t\tx".repeat(20),
};

const texts = {
  ...GENERATED,
  ...Object.fromEntries(FILES.map((name) => [name, Deno.readTextFileSync(join(ROOT, name))])),
};
for (const [name, text] of Object.entries(texts)) {
  Deno.test(`the exact count of ${name} is within 3 % of the encoder's`, () => {
    const want = encoded(text);
    const off = Math.abs(exact.count(text) - want) / want;
    assert.ok(off <= 0.03, `${exact.count(text)} instead of ${want}`);
  });
}

for (const name of FILES) {
  Deno.test(`the estimate of ${name} is within 15 % of the encoder's count`, () => {
    const text = Deno.readTextFileSync(join(ROOT, name));
    const ratio = countTokens(text) / encoded(text);
    assert.ok(ratio > 0.85 && ratio < 1.15, `${ratio}`);
  });
}

// With the encoder's own merging these would take hours.
const RUNS = ["a", " ", "\n", "-", "7", "😀", "字", "\t", "é", "ab"];
for (const run of RUNS) {
  Deno.test(`a megabyte of ${JSON.stringify(run)} is counted`, () => {
    const text = run.repeat(Math.floor(1_000_000 / run.length));
    const once = exact.count(text.slice(0, 100_000));
    const all = exact.count(text);
    assert.ok(Math.abs(all / once - 10) < 0.5, `${all} and ${once}`);
    assert.ok(countTokens(text) > 0);
  });
}

Deno.test("a counter estimates until it was asked to be exact, and counts a message once", async () => {
  const counter = newCounter();
  const message = { role: "user", content: "0123456789 ".repeat(100) } as const;
  const estimated = counter.countMessage(message);
  assert.equal(counter.isExact, false);
  assert.equal(estimated, countTokens(message.content) + 5);
  await counter.loadExact();
  assert.equal(counter.isExact, true);
  assert.equal(counter.countMessage(message), encoded(message.content) + 5);
});

Deno.test("of a long history the end is counted and the rest estimated; a bounded count stops over its bound", () => {
  const counter = newCounter();
  const messages = Array.from({ length: 1000 }, (_, index): Message => ({
    role: "user",
    content: `message ${index} ${"word ".repeat(50)}`,
  }));
  const all = counter.countMessages(messages);
  const tail = counter.countTail(1000, messages);
  assert.ok(Math.abs(tail - all) < all * 0.4, `${tail} for ${all}`);
  assert.equal(counter.countTail(all, messages), all);
  const some = counter.countUpTo(500, messages);
  assert.ok(some > 500 && some < 1000, `${some}`);
  assert.equal(counter.countUpTo(all, messages), all);
});
