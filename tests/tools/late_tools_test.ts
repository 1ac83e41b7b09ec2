/**
 * Tools that come after a conversation has begun: the list that the model sees stays as it is, and calls of the
 * forwarding tool are calls of the tool that they name, judged and asked about as such.
 */
import assert from "node:assert/strict";
import { MANIFEST } from "../../plugins/manifest.ts";
import type { ToolEntry } from "../../src/core/tool.ts";
import { FORWARDING_TOOL } from "../../src/mcp/late_tools.ts";
import { Registry } from "../../src/tools/registry.ts";
import { runCalls } from "../../src/tools/scheduler.ts";
import { harness, toolCall } from "../support/agent_harness.ts";

const names = (registry: Registry) => registry.definitions.map(({ name }) => name);

function late(name: string): ToolEntry {
  const definition = { ...FORWARDING_TOOL.definition, name, forwards: undefined };
  const { forwards: _none, ...rest } = definition;
  return { definition: rest, load: FORWARDING_TOOL.load };
}

Deno.test("a fixed list stays the same, and each tool that comes is told once", () => {
  const registry = new Registry(MANIFEST);
  registry.replace("mcp", { listed: [FORWARDING_TOOL], unlisted: [] });
  registry.fix();
  const before = names(registry);
  assert.equal(
    registry.replace("mcp", { listed: [FORWARDING_TOOL, late("s__a")], unlisted: [] }),
    false,
  );
  assert.deepEqual(names(registry), before);
  assert.deepEqual(registry.takeLate().map(({ name }) => name), ["s__a"]);
  assert.deepEqual(registry.takeLate(), []);
  assert.equal(registry.find("s__a").name, "s__a");
  // A tool that goes stays in the list, and can no longer be called.
  registry.replace("mcp", { listed: [FORWARDING_TOOL], unlisted: [] });
  assert.deepEqual(names(registry), before);
  assert.throws(() => registry.find("s__a"), /There is no tool/);
});

Deno.test("the list is fixed anew by a compaction, and not at all where nothing could call what comes later", () => {
  const registry = new Registry(MANIFEST);
  registry.fix();
  registry.replace("mcp", { listed: [FORWARDING_TOOL], unlisted: [] });
  assert.ok(names(registry).includes("mcp_call"));
  registry.fix();
  registry.replace("mcp", { listed: [FORWARDING_TOOL, late("s__a")], unlisted: [] });
  assert.ok(!names(registry).includes("s__a"));
  assert.equal(registry.refix(), true);
  assert.equal(registry.refix(), false);
  assert.ok(names(registry).includes("s__a"));
  assert.deepEqual(registry.takeLate(), []);
});

Deno.test("a forwarded call is one of the tool that it names: validated, asked about and denied as that", async () => {
  const tools = [...MANIFEST, FORWARDING_TOOL];
  await using at = await harness({ tools, answers: [{ kind: "deny" }] });
  const forward = (name: string, args: Record<string, unknown>) =>
    toolCall(["mcp_call", { name, arguments: args }]);
  const run = (...calls: ReturnType<typeof toolCall>[]) =>
    runCalls(calls, { deps: at.deps, signal: new AbortController().signal });
  const refused = await run(
    forward("write", {}),
    forward("mcp_call", { name: "ls", arguments: {} }),
    forward("nothing", {}),
  );
  const [wrong, itself, unknown] = refused.results.map(({ text }) => text);
  assert.match(wrong!, /file_path/);
  assert.match(itself!, /cannot call itself/);
  assert.match(unknown!, /There is no tool named 'nothing'/);
  const denied = await run(forward("bash", { command: "touch made" }));
  assert.equal(denied.denied, 1);
  assert.deepEqual(at.questions.map(([one]) => one?.tool), ["bash"]);
  await assert.rejects(at.read("made"));
});
