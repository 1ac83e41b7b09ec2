import assert from "node:assert/strict";
import { promptText, resourceText, resultText } from "../../src/mcp/result.ts";

Deno.test("resultText() turns every kind of content to text, with a note for what is none", () => {
  const { text, failed } = resultText({
    content: [
      { type: "text", text: "one\x1b[2J" },
      { type: "image", mimeType: "image/png", data: "AAAA".repeat(1000) },
      { type: "resource", resource: { uri: "a://b", mimeType: "text/plain", text: "held" } },
      { type: "resource", resource: { uri: "a://c", blob: "AAAA" } },
      { type: "resource_link", uri: "a://d", name: "d" },
      { type: "video" },
      "no part",
    ],
    isError: true,
  });
  assert.equal(failed, true);
  assert.deepEqual(text.split("\n\n"), [
    "one",
    "[image, image/png, 3.0 KB: not shown]",
    "[resource a://b, text/plain]\nheld",
    "[resource a://c, unknown type, 3 B: not shown]",
    "[resource a://d: d]",
    "[video: not shown]",
  ]);
});

Deno.test("resultText() shows a structured value only where no text repeats it", () => {
  assert.equal(resultText({ structuredContent: { a: 1 } }).text, '{\n  "a": 1\n}');
  const both = { content: [{ type: "text", text: "a is 1" }], structuredContent: { a: 1 } };
  assert.equal(resultText(both).text, "a is 1");
  assert.equal(resultText({}).text, "(no content)");
});

Deno.test("promptText() and resourceText() take what is there", () => {
  const message = (role: string, text: string) => ({ role, content: { type: "text", text } });
  assert.equal(
    promptText({ messages: [message("user", "Do it."), message("assistant", "Yes.")] }),
    "Do it.\n\n[As you said before:]\nYes.",
  );
  assert.equal(promptText({ messages: "none" }), "");
  assert.equal(
    resourceText({ contents: [{ uri: "a:b", text: "x" }] }),
    "[resource a:b, unknown type]\nx",
  );
});
