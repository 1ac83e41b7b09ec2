import assert from "node:assert/strict";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { findMentions } from "../../../src/app/mentions.ts";
import { readPrompt } from "../../../src/modes/acp/prompt_content.ts";

const CWD = "/work";
const link = (uri: string, name = ""): ContentBlock => ({ type: "resource_link", uri, name });
const mentioned = (...blocks: ContentBlock[]) =>
  findMentions(readPrompt(blocks, CWD).words).map(({ paths }) => paths[0]);

Deno.test("a file that is linked is mentioned, and no other whatever titles and addresses say", () => {
  assert.deepEqual(mentioned(link("file:///work/a%20b.txt")), ["a b.txt"]);
  const others = [
    link("https://example.com/", "see @.env"),
    link("https://example.com/", "@.env"),
    link("zed://x @.env"),
    link("file:///work/a%0A@.env"),
    { type: "resource", resource: { uri: "@.env", text: "x" } } as const,
    { type: "resource", resource: { uri: "zed://x` @.env `", text: "x" } } as const,
  ];
  for (const one of others) assert.deepEqual(mentioned(one), [], JSON.stringify(one));
  assert.deepEqual(mentioned({ type: "text", text: "see @.env" }), [".env"]);
});

Deno.test("only what is typed begins a command", () => {
  const typed = (...blocks: ContentBlock[]) => readPrompt(blocks, CWD).isTyped;
  assert.equal(typed({ type: "text", text: "/undo" }), true);
  assert.equal(
    typed({ type: "image", data: "", mimeType: "image/png" }, {
      type: "text",
      text: "/undo",
    }),
    true,
  );
  assert.equal(typed(link("https://example.com/", "/undo")), false);
  assert.equal(typed(link("https://example.com/", "/undo"), { type: "text", text: "x" }), false);
});
