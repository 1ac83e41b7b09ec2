import assert from "node:assert/strict";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { textPathFacts } from "../support/path_facts.ts";

const pathFacts = textPathFacts();
const judge = (text: string) => analyzeCommand(text, { pathFacts });

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
