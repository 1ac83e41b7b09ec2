import assert from "node:assert/strict";
import type { Delta } from "../../src/core/model.ts";
import { DeltaResumer } from "../../src/model/resume_deltas.ts";

type Said = readonly [kind: "thinking" | "text", text: string];

/** What people are told by attempts, of which all but the last broke off. */
function told(...attempts: readonly (readonly Said[])[]): string[] {
  const retelling = new DeltaResumer();
  const deltas: Delta[] = [];
  for (const [index, said] of attempts.entries()) {
    if (index > 0) deltas.push(...retelling.restart());
    for (const [kind, text] of said) deltas.push(...retelling.push({ kind, text }));
  }
  deltas.push(...retelling.end());
  return deltas.map((delta) => "text" in delta ? `${delta.kind}:${delta.text}` : delta.kind);
}

Deno.test("a reply that breaks off and says the same goes on, in whatever pieces", () => {
  const again = told([["text", "Hello w"]], [["text", "Hel"], ["text", "lo wor"], ["text", "ld"]]);
  assert.deepEqual(again, ["text:Hello w", "text:or", "text:ld"]);
});

Deno.test("a reply that differs is told anew from its beginning", () => {
  const again = told([["text", "Hello"]], [["text", "He"], ["text", "y you"]]);
  assert.deepEqual(again, ["text:Hello", "restart", "text:Hey you"]);
});

Deno.test("a reply that ends sooner than the broken one is told anew", () => {
  const again = told([["text", "Hello world"]], [["text", "Hello"]]);
  assert.deepEqual(again, ["text:Hello world", "restart", "text:Hello"]);
});

Deno.test("thinking that differs begins anew, and takes the text with it", () => {
  const again = told([["thinking", "hm"], ["text", "a"]], [["thinking", "so"], ["text", "a"]]);
  assert.deepEqual(again, ["thinking:hm", "text:a", "restart", "thinking:so", "text:a"]);
});

Deno.test("thinking that is longer than before begins anew once text was shown", () => {
  const again = told([["thinking", "h"], ["text", "a"]], [["thinking", "hm"], ["text", "a"]]);
  assert.deepEqual(again, ["thinking:h", "text:a", "restart", "thinking:hm", "text:a"]);
});

Deno.test("an attempt that broke off before its first word leaves nothing to void", () => {
  assert.deepEqual(told([], [["text", "a"]]), ["restart", "text:a"]);
});

Deno.test("several attempts go on from the longest", () => {
  const again = told([["text", "abc"]], [["text", "ab"]], [["text", "abcd"]]);
  assert.deepEqual(again, ["text:abc", "text:d"]);
});
