import assert from "node:assert/strict";
import { mapStrings } from "../../src/lib/json_strings.ts";

const hide = (text: string) => text.replaceAll(/secret\d?/g, "[hidden]");

Deno.test("every string is mapped, names of fields too, however deep", () => {
  const value = { "a-secret": ["secret", 1, null, { b: { "secret/x": "my secret" } }], c: true };
  assert.deepEqual(mapStrings(value, hide), {
    "a-[hidden]": ["[hidden]", 1, null, { b: { "[hidden]/x": "my [hidden]" } }],
    c: true,
  });
});

Deno.test("what nothing changes is the very same value", () => {
  const value = { a: { b: ["c"] }, d: { secret: 1 } };
  const mapped = mapStrings(value, hide);
  assert.equal(mapped.a, value.a);
  assert.equal(mapStrings(value.a, hide), value.a);
  assert.notEqual(mapped, value);
});

Deno.test("names that become alike lose no value", () => {
  const value = { secret1: 1, secret2: 2, "[hidden]": 3, "[hidden] (2)": 4, secret3: 5 };
  assert.deepEqual(mapStrings(value, hide), {
    "[hidden] (3)": 1,
    "[hidden] (4)": 2,
    "[hidden]": 3,
    "[hidden] (2)": 4,
    "[hidden] (5)": 5,
  });
});

Deno.test("names of an object's own machinery are names like others", () => {
  const value: unknown = JSON.parse('{ "__proto__": { "a": "secret" }, "constructor": "secret" }');
  const mapped = mapStrings(value, hide) as Record<string, unknown>;
  assert.deepEqual(Object.keys(mapped), ["__proto__", "constructor"]);
  assert.equal(JSON.stringify(mapped), '{"__proto__":{"a":"[hidden]"},"constructor":"[hidden]"}');
  assert.equal(Object.getPrototypeOf(mapped), Object.prototype);
  const made = mapStrings({ x: { a: 1 } }, (text) => text === "x" ? "__proto__" : text);
  assert.equal(JSON.stringify(made), '{"__proto__":{"a":1}}');
  assert.equal(Object.getPrototypeOf(made), Object.prototype);
});
