import assert from "node:assert/strict";
import { classifyCommand } from "../../src/shell/classify.ts";
import { textGround } from "../support/path_facts.ts";

const ground = textGround();
const judge = (text: string) => classifyCommand(text, { ground });

const table = await Deno.readTextFile(new URL("./class_table.txt", import.meta.url));
const [, ...sections] = table.split(/^\[(?=safe\]|sensitive\]|extreme\])/m);

for (const section of sections) {
  const [head, ...commands] = section.trimEnd().split("\n");
  const gravity = head!.slice(0, -1);
  Deno.test(`all ${commands.length} commands of the table that are ${gravity} are called so`, () => {
    const wrong = commands.flatMap((text) => {
      const judged = judge(text);
      return judged.class === gravity ? [] : [`${text}  =>  ${judged.class}: ${judged.why}`];
    });
    assert.deepEqual(wrong, []);
  });
}
