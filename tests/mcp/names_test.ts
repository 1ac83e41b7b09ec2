import assert from "node:assert/strict";
import { toolName } from "../../src/mcp/names.ts";

Deno.test("toolName() is server__tool, of legal characters", () => {
  assert.equal(toolName("s", "get issue/v2", new Set()), "s__get_issue_v2");
});

Deno.test("toolName() keeps to 64 characters, and tells long names apart", () => {
  const one = toolName("server", `${"x".repeat(80)}a`, new Set());
  const other = toolName("server", `${"x".repeat(80)}b`, new Set());
  assert.equal(one.length, 64);
  assert.notEqual(one, other);
});

Deno.test("toolName() shadows nothing, and is the same in every run", () => {
  const taken = new Set(["s__a_b"]);
  const name = toolName("s", "a.b", taken);
  assert.notEqual(name, "s__a_b");
  assert.equal(name, toolName("s", "a.b", taken));
});
