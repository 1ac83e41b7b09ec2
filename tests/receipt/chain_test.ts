import assert from "node:assert/strict";
import { addLink, checkChain, EMPTY_CHAIN } from "../../src/receipt/chain.ts";

function chainOf(bodies: readonly Record<string, unknown>[]): string[] {
  const texts: string[] = [];
  let link = EMPTY_CHAIN;
  for (const body of bodies) {
    const added = addLink(body, link);
    texts.push(added.text);
    link = added.link;
  }
  return texts;
}

const LINES = chainOf([
  { type: "start" },
  { type: "turn", prompt: 'say "hash":"x" \u2028 and \ud83d\ude00' },
  { type: "command", exit_code: 3 },
  { type: "end" },
]);

const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

Deno.test("checkChain() reads back what addLink() made, whatever the texts hold", () => {
  const { lines, hashes, broken, torn } = checkChain(text(LINES));
  assert.deepEqual([lines.length, hashes.length, broken, torn], [4, 4, undefined, undefined]);
  assert.equal(lines[1]?.prompt, 'say "hash":"x" \u2028 and \ud83d\ude00');
});

Deno.test("checkChain() names the first line that is not as it was written", () => {
  const [one, two, three, four] = LINES as [string, string, string, string];
  const forged = chainOf([{ type: "start", other: true }])[0]!;
  const rows: readonly [why: string, lines: readonly string[], line: number, message: RegExp][] = [
    ["a changed line", [one, two, three.replace("3", "0"), four], 3, /does not fit/],
    ["a changed number", [one, two.replace('"line":2', '"line":3'), three, four], 2, /not fit/],
    ["a missing line", [one, three, four], 2, /does not follow/],
    ["a line twice", [one, two, two, three, four], 3, /does not follow/],
    ["lines that changed places", [one, three, two, four], 2, /does not follow/],
    ["another beginning", [forged, two, three, four], 2, /does not follow/],
    ["no beginning", [two, three, four], 1, /does not follow/],
    ["an empty line", [one, "", two], 2, /no line of a receipt/],
    ["something else", [one, "hello", two], 2, /no line of a receipt/],
    ["half a line within", [one, two.slice(0, -9), three], 2, /no line of a receipt/],
  ];
  for (const [why, lines, line, message] of rows) {
    const { broken } = checkChain(text(lines));
    assert.equal(broken?.line, line, why);
    assert.match(broken.why, message, why);
  }
});

Deno.test("checkChain() tells a last line that was not finished from a broken chain", () => {
  for (const cut of [1, 40, LINES[3]!.length]) {
    const { lines, broken, torn } = checkChain(text(LINES.slice(0, 3)) + LINES[3]!.slice(0, cut));
    assert.deepEqual([lines.length, broken, torn], [3, undefined, 4]);
  }
});
