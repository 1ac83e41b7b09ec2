import assert from "node:assert/strict";
import { repairJson, scanJson } from "../../src/lib/json_text.ts";
import { assertLinear } from "../support/growth.ts";

const MENDED: readonly [what: string, text: string, value: unknown][] = [
  ["a comma too many", '{"a":[1,],}', { a: [1] }],
  ["a comma too few", '{"a":1 "b":2}', { a: 1, b: 2 }],
  ["single quotes", `{'a': 'it\\'s "x"'}`, { a: 'it\'s "x"' }],
  ["bare keys", "{a: 1}", { a: 1 }],
  ["a line end in a string", '{"a":"x\ny"}', { a: "x\ny" }],
  ["Python's literals", "{'a': True, 'b': None}", { a: true, b: null }],
  ["an unknown escape", '{"a":"\\d\\\\"}', { a: "\\d\\" }],
  ["a bracket too many at the end", '{"a":1}}', { a: 1 }],
];

for (const [what, text, value] of MENDED) {
  Deno.test(`repairJson() mends ${what}`, async () => {
    const repaired = await repairJson(text);
    assert.ok(repaired !== undefined);
    assert.deepEqual(JSON.parse(repaired), value);
  });
}

const LEFT: readonly [what: string, text: string][] = [
  ["a string cut off", '{"a":"b'],
  ["a bracket too few", '{"a":[1,2}'],
  ["a number cut off", '{"a":1.}'],
  ["a value without quotes", "{a: rm -rf build}"],
  ["quotes within quotes", '{"a":"say "hi" there"}'],
  ["a comment", '{"a":1 /* one */}'],
  ["an ellipsis", '{"a":[1, ...]}'],
  ["strings joined", '{"a":"b" + "c"}'],
  ["a key that stands twice", "{'a':1,'a':2}"],
  ["two values", '{"a":1}{"a":2}'],
  ["an escape cut off", '{"a":"\\u12"}'],
];

for (const [what, text] of LEFT) {
  Deno.test(`repairJson() does not touch ${what}`, async () => {
    assert.equal(await repairJson(text), undefined);
  });
}

Deno.test("a text cut off anywhere is never closed", () => {
  const text = JSON.stringify({ a: ["x}", { b: '"]' }], c: null, d: "\\" });
  assert.equal(scanJson(text).closed, true);
  for (let end = 0; end < text.length; end++) {
    assert.equal(scanJson(text.slice(0, end)).closed, false, text.slice(0, end));
  }
});

Deno.test("scanJson() names a key that stands twice, in whatever quotes and at whatever depth", () => {
  assert.equal(scanJson('{"a":{"b":1,\'b\':2}}').duplicate, "b");
  assert.equal(scanJson('{"a":1,"b":{"a":1},"c":["a","a"]}').duplicate, undefined);
});

Deno.test("scanJson() takes a megabyte in linear time", async () => {
  await assertLinear((size) => {
    const text = JSON.stringify({ a: '\\"'.repeat(size) });
    assert.equal(scanJson(text).end, text.length);
  }, { size: 300_000 });
});
