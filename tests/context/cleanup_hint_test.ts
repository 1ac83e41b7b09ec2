import assert from "node:assert/strict";
import { cleanUpHint } from "../../src/context/cleanup_hint.ts";

const LONG = "some line of a long result\n".repeat(100);

const INDICATORS = [
  "No matches found",
  "No files found",
  "No items found",
  "Found 0 matches",
  "bash: foo: command not found",
  "it does not exist",
  "No such file or directory",
];
for (const says of INDICATORS) {
  Deno.test(`a long result that begins or ends with "${says}" may be given up`, () => {
    for (const content of [`${says}\n${LONG}`, LONG + says]) {
      assert.match(cleanUpHint(content, "call_7") ?? "", /^\[tool_call_id: call_7\]\n.*"call_7"/);
    }
  });
}

Deno.test("a short result is never worth giving up", () => {
  assert.equal(cleanUpHint("No matches found", "call_7"), undefined);
});

Deno.test("a file whose text speaks of something not found is a result like any other", () => {
  assert.equal(cleanUpHint(`${LONG}throw new Error("not found");\n${LONG}`, "call_7"), undefined);
});
