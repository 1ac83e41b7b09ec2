import assert from "node:assert/strict";
import { MANIFEST } from "../../plugins/manifest.ts";
import { systemPrompt } from "../../src/context/prompt.ts";
import { createToolEncoder } from "../../src/model/wire.ts";

const FACTS = { cwd: "/home/someone/projects/name", platform: "linux", date: "2026-01-01" };

/** Bytes that all 17 tools and the prompt may have together. */
const ALL = 8000;
Deno.test("the fixed part of a request has at most 8,000 bytes", () => {
  const encode = createToolEncoder();
  const tools = JSON.stringify(MANIFEST.map((entry) => encode(entry.definition)));
  const bytes = new TextEncoder().encode(systemPrompt(FACTS) + tools).length;
  assert.equal(MANIFEST.length, 17);
  assert.ok(bytes <= ALL, `${bytes} bytes`);
});

Deno.test("the system prompt is the same to the byte for the same facts", () => {
  assert.equal(systemPrompt(FACTS), systemPrompt({ ...FACTS }));
  assert.ok(systemPrompt({ ...FACTS, append: "Speak Latin." }).endsWith("\n\nSpeak Latin."));
});
