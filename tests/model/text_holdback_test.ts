import assert from "node:assert/strict";
import { TextHoldback } from "../../src/model/text_holdback.ts";
import { DIALECTS } from "../support/dialect_rows.ts";

function told(pieces: readonly string[]) {
  const hold = new TextHoldback();
  const shown = pieces.map((piece) => hold.push(piece)).join("");
  return { shown, held: hold.end() };
}

/** The texts of all rows that consist of text. */
const TEXTS = DIALECTS.map(({ name, reply }) => {
  const contents = (reply.sse ?? []).filter((data) => data !== "[DONE]" && data.length < 100_000)
    .map((data) => JSON.parse(data).choices?.[0]?.delta?.content);
  return { name, text: contents.filter((content) => typeof content === "string").join("") };
}).filter(({ text }) => text !== "");

for (const { name, text } of TEXTS) {
  Deno.test(`HeldText loses nothing of ${name}, however it is cut`, () => {
    const whole = told([text]);
    assert.equal(whole.shown + whole.held.text, text);
    assert.equal(whole.held.before, whole.shown);
    assert.deepEqual(told([...text]), whole);
    for (let cut = 1; cut < text.length; cut++) {
      assert.deepEqual(told([text.slice(0, cut), text.slice(cut)]), whole);
    }
  });
}

Deno.test("HeldText shows at once what cannot become a call", () => {
  const hold = new TextHoldback();
  assert.equal(hold.push("He"), "He");
  assert.equal(hold.push("llo <tool_call>"), "llo <tool_call>");
  assert.equal(hold.push("\n- [x] `a` <"), "\n- [x] `a` <");
  assert.equal(hold.push("\n<to"), "\n");
  assert.equal(hold.push("p>"), "<top>");
});
