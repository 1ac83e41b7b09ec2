import assert from "node:assert/strict";
import { resolveToolName } from "../../src/model/tool_names.ts";

const TOOLS = ["read", "line_edit", "todo_add", "server__read", "json"];

const NAMES: readonly [written: string, meant: string][] = [
  ["read", "read"],
  ["functions.read", "read"],
  ["tools/LineEdit", "line_edit"],
  ["line-edit", "line_edit"],
  ["TODOADD", "todo_add"],
  ["server-read", "server__read"],
  ["read()", "read"],
  ["json", "json"],
  ["read<|channel|>json", "read"],
  ["<|start|>assistant<|channel|>commentary to=functions.todo_add", "todo_add"],
  // What could be two tools, or none, stays what it was.
  ["read line_edit", "read line_edit"],
  ["reader", "reader"],
  ["myfunctions.read", "myfunctions.read"],
  ["", ""],
  ["<|channel|>", "<|channel|>"],
];

for (const [written, meant] of NAMES) {
  Deno.test(`a tool written as '${written}' means '${meant}'`, () => {
    assert.equal(resolveToolName(written, TOOLS), meant);
  });
}
