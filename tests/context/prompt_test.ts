import assert from "node:assert/strict";
import { MANIFEST } from "../../plugins/manifest.ts";
import {
  type PromptFacts,
  promptText,
  subAgentPrompt,
  surroundingsMessage,
  systemPrompt,
} from "../../src/context/prompt.ts";
import type { Message } from "../../src/core/message.ts";
import { createToolEncoder } from "../../src/model/wire.ts";

const FACTS = { cwd: "/home/someone/projects/name", platform: "linux", date: "2026-01-01" };

/** Bytes that all 18 tools and the prompt may have together. */
const ALL = 8000;
Deno.test("the fixed part of a request has at most 8,000 bytes", () => {
  const encode = createToolEncoder();
  const tools = JSON.stringify(MANIFEST.map((entry) => encode(entry.definition)));
  const bytes = new TextEncoder().encode(promptText(systemPrompt(FACTS)) + tools).length;
  assert.equal(MANIFEST.length, 18);
  assert.ok(bytes <= ALL, `${bytes} bytes`);
});

Deno.test("the system prompt is the same to the byte for the same facts", () => {
  const textOf = (facts: PromptFacts) => promptText(systemPrompt(facts));
  assert.equal(textOf(FACTS), textOf({ ...FACTS }));
  assert.ok(textOf({ ...FACTS, append: "Speak Latin." }).endsWith("\n\nSpeak Latin."));
});

Deno.test("what is new is told once, what has gone too, and another version's task is not", () => {
  const note = (text: string) => ({ path: "ALLY.md", text, scope: "project" as const });
  const begun = systemPrompt({ ...FACTS, plan: true, instructions: [note("Be brief.")] });
  const prompt = begun.map((part) => part.name === "task" ? { ...part, text: "Old." } : part);
  const messages: Message[] = [];
  const tell = (now: Parameters<typeof systemPrompt>[0]) => {
    const message = surroundingsMessage(systemPrompt(now), { prompt, messages });
    if (message) messages.push(message);
    return message?.content.split("\n\n").slice(1);
  };
  assert.equal(tell({ ...FACTS, plan: true, instructions: [note("Be brief.")] }), undefined);
  assert.deepEqual(tell({ ...FACTS, date: "2026-01-02", instructions: [note("Use tabs.")] }), [
    "Platform: linux. Date: 2026-01-02.",
    "Notes of the project (ALLY.md):",
    "Use tabs.",
    "No longer in force: reading only.",
  ]);
  assert.equal(
    tell({ ...FACTS, date: "2026-01-02", instructions: [note("Use tabs.")] }),
    undefined,
  );
  assert.deepEqual(tell({ ...FACTS, date: "2026-01-02" }), [
    "No longer in force: notes of the project (ALLY.md).",
  ]);
  const below = promptText(subAgentPrompt({ prompt, messages }, "You look."));
  assert.match(below, /^Old\.\n[^]*Date: 2026-01-02\.\n\nYou look\.$/);
});
