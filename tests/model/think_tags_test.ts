import assert from "node:assert/strict";
import { splitAtClosingTag, ThinkTagParser } from "../../src/model/think_tags.ts";

function tell(pieces: readonly string[]) {
  const tags = new ThinkTagParser();
  const told = [...pieces.map((piece) => tags.push(piece)), tags.end()];
  return {
    thinking: told.map((part) => part.thinking).join(""),
    text: told.map((part) => part.text).join(""),
  };
}

const CASES: readonly [name: string, content: string, thinking: string, text: string][] = [
  ["plain text", "hello <b>", "", "hello <b>"],
  ["a think tag", "<think>deep</think>\n\nanswer", "deep", "answer"],
  ["a thinking tag", "<thinking>deep</thinking>answer", "deep", "answer"],
  ["tags in capitals after blanks", "\n <THINK>deep</Think> answer", "deep", "answer"],
  ["an empty thought", "<think></think>answer", "", "answer"],
  ["another tag within the thought", "<think>a </b> < /think></think>x", "a </b> < /think>", "x"],
  ["a thought without an end", "<think>deep </thi", "deep </thi", ""],
  ["a tag that is none", "<thin ice", "", "<thin ice"],
  ["half a tag and nothing more", "<thi", "", "<thi"],
  ["a tag after text", "text <think>x</think>", "", "text <think>x</think>"],
  ["a second thought", "<think>a</think>b<think>c</think>", "a", "b<think>c</think>"],
  ["indented text", "    code", "", "    code"],
  ["nothing but blanks", "\n\n", "", ""],
  ["letters that change length in lower case", "<think>İİ</think>İ", "İİ", "İ"],
];

for (const [name, content, thinking, text] of CASES) {
  Deno.test(`ThinkTags tells ${name} the same however the content is cut`, () => {
    assert.deepEqual(tell([content]), { thinking, text });
    assert.deepEqual(tell([...content]), { thinking, text });
    for (let cut = 1; cut < content.length; cut++) {
      assert.deepEqual(tell([content.slice(0, cut), content.slice(cut)]), { thinking, text });
    }
  });
}

Deno.test("ThinkTags shows text at once when it cannot become a tag", () => {
  const tags = new ThinkTagParser();
  assert.equal(tags.push("He").text, "He");
  assert.equal(tags.push("llo <").text, "llo <");
});

const LONE: readonly [name: string, content: string, thinking: string, text: string][] = [
  ["on a line of its own", "hm\n</think>\n\n42", "hm\n", "42"],
  ["at the end of a line", "hm</think>\n42", "hm", "42"],
  ["with nothing after it", "hm\n</think>", "hm\n", ""],
  ["within a line", "the </think> tag", "", "the </think> tag"],
  ["in quotation marks", "close it with `</think>`\nso", "", "close it with `</think>`\nso"],
  ["in a fence", "```\n</think>\n```\nso", "", "```\n</think>\n```\nso"],
  ["after a beginning", "a <think>b</think>\nc", "", "a <think>b</think>\nc"],
];
for (const [name, content, thinking, text] of LONE) {
  Deno.test(`splitAtClosingTag() tells apart an end of a thought ${name}`, () => {
    assert.deepEqual(splitAtClosingTag(content), { thinking, text });
  });
}

Deno.test("ThinkTags lets blanks go that never end, and takes many pieces in linear time", () => {
  const tags = new ThinkTagParser();
  let text = "";
  for (let count = 0; count < 200_000; count++) text += tags.push("   ").text;
  assert.equal((text + tags.end().text).length, 600_000);
});
