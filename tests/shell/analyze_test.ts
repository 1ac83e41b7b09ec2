import assert from "node:assert/strict";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { textPathFacts } from "../support/path_facts.ts";

const pathFacts = textPathFacts();
const judge = (text: string) => analyzeCommand(text, { pathFacts });

Deno.test("a command with a character that cannot be seen is extreme", () => {
  for (
    const code of [0x0b, 0x9b, 0xad, 0x34f, 0x115f, 0x200b, 0x200d, 0x202e, 0x3164, 0xffa0, 0xe0041]
  ) {
    const text = `echo a${String.fromCodePoint(code)}b`;
    assert.equal(judge(text).risk, "extreme", code.toString(16));
  }
  assert.equal(judge("echo \u{1f469}\u200d\u{1f4bb}").risk, "safe");
});

const table = await Deno.readTextFile(new URL("./class_table.txt", import.meta.url));
const [, ...sections] = table.split(/^\[(?=safe\]|sensitive\]|extreme\])/m);

for (const section of sections) {
  const [head, ...commands] = section.trimEnd().split("\n");
  const gravity = head!.slice(0, -1);
  Deno.test(`all ${commands.length} commands of the table that are ${gravity} are called so`, () => {
    const wrong = commands.flatMap((text) => {
      const judged = judge(text);
      return judged.risk === gravity ? [] : [`${text}  =>  ${judged.risk}: ${judged.why}`];
    });
    assert.deepEqual(wrong, []);
  });
}
