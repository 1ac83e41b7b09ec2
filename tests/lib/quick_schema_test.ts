import assert from "node:assert/strict";
import { accepts } from "../../src/lib/quick_schema.ts";
import { isObject, violations } from "../../src/lib/schema.ts";
import { PLUGIN_SCHEMA } from "../../src/plugin_host/manifest_schema.ts";

const GOOD = {
  manifest: 1,
  name: "tracker",
  version: "1",
  description: "x",
  permissions: { read: ["."], net: true, env: ["A"] },
  tools: [{
    name: "search",
    description: "x",
    effects: ["net"],
    parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
    module: "./a.ts",
    timeout: 5,
  }],
};

/** Every value in a value, each once replaced by something else or left out. */
function* spoiled(value: unknown): Generator<unknown> {
  for (const other of [null, true, false, 0, 7.5, 1e6, "", "x", "$%&", "x".repeat(3000), [], {}]) {
    yield other;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const one of spoiled(item)) yield value.with(index, one);
      yield [...value, item];
    }
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      for (const one of spoiled(item)) yield { ...value, [key]: one };
      yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
      yield { ...value, unknown: item };
    }
  }
}

Deno.test("accepts() takes what is right, and nothing that the validator would refuse", () => {
  assert.equal(accepts(PLUGIN_SCHEMA, GOOD), true);
  let refused = 0;
  for (const value of spoiled(GOOD)) {
    const wrong = violations(PLUGIN_SCHEMA, value).length > 0;
    const taken = accepts(PLUGIN_SCHEMA, value);
    assert.equal(taken && wrong, false, JSON.stringify(value));
    if (!taken) refused++;
  }
  assert.ok(refused > 200, String(refused));
});

Deno.test("accepts() leaves a keyword that it does not know to the validator", () => {
  assert.equal(accepts({ type: "string", contentEncoding: "base64" }, "eA=="), false);
});
