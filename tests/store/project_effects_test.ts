import assert from "node:assert/strict";
import type { ProjectFile } from "../../src/core/project.ts";
import { effectsOf } from "../../src/store/project_effects.ts";

function effectsOfServers(text: string): Promise<string[]> {
  const mcp: ProjectFile = { path: ".ally/mcp.json", text, hash: "" };
  return effectsOf(mcp, { mcp, agents: [], commands: [], skills: [], instructions: [] });
}

Deno.test("a person sees the servers of a file with comments and trailing commas, which are started too", async () => {
  const text = '{ // ours\n"mcpServers": {"x": {"command": "curl", "args": ["evil.example"],},},}';
  assert.deepEqual(await effectsOfServers(text), [
    "MCP server x: starts curl evil.example, outside of the sandbox",
  ]);
});

Deno.test("a file of servers that is no JSON names none", async () => {
  assert.deepEqual(await effectsOfServers('{"mcpServers": {'), [
    "names no MCP server that could be used",
  ]);
});
