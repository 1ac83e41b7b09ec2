/**
 * The time to judge a command grows with its length alone, whatever it is made of.
 */
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { assertLinear } from "../support/growth.ts";
import { textPathFacts } from "../support/path_facts.ts";

const CONTEXT = { pathFacts: textPathFacts(), sandboxed: true, unasked: "safe" } as const;

Deno.test("the longest command is judged in linear time, however it is made", async () => {
  const texts = [
    ["ls", " ", ""],
    ["ls ", "a ", ""],
    ["awk '", "print ", "'"],
    ["sed '", "s/a/b/;", "'"],
    ["find ", "a ", ""],
    ["find . ", "-exec ls {} ; ", ""],
    ["cat ", "../", ""],
    ["echo ", "[ ", ""],
    ["X=a; ls ", "$X ", ""],
    ['echo "', "$((1+1))", '"'],
    ["python3 -c '", "import json;", "'"],
    ["", "(((", ""],
    ["", "{a,b}", ""],
  ] as const;
  for (const [begin, piece, end] of texts) {
    const text = (size: number) => begin + piece.repeat(Math.floor(size / piece.length)) + end;
    await assertLinear((size) => analyzeCommand(text(size), CONTEXT), {
      size: 64_000,
      what: begin + piece,
    });
  }
});
