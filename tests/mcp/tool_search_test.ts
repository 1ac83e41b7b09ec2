import assert from "node:assert/strict";
import type { ToolDefinition } from "../../src/core/tool.ts";
import { findTools } from "../../src/mcp/tool_search.ts";

const tool = (name: string, description: string): ToolDefinition => ({
  name,
  description,
  parameters: { type: "object", properties: {}, additionalProperties: false },
  effects: ["remote"],
  example: {},
});

const TOOLS = [
  tool("git__create_issue", "Opens a new issue in a repository."),
  tool("git__list_pull_requests", "Lists the pull requests of a repository."),
  tool("git__closeIssue", "Closes it."),
  ...Array.from({ length: 50 }, (_one, index) => tool(`git__other_${index}`, "Of a repository.")),
];

const namesFor = (query: string) => findTools(query, TOOLS).map(({ name }) => name);

Deno.test("findTools() puts first what has the words in its name, and the rare ones", () => {
  assert.equal(namesFor("create an issue in the repository")[0], "git__create_issue");
  assert.equal(namesFor("pull request")[0], "git__list_pull_requests");
  assert.deepEqual(namesFor("close issue").slice(0, 1), ["git__closeIssue"]);
});

Deno.test("findTools() finds a tool by its whole name, few at a time, and nothing for strange words", () => {
  assert.equal(namesFor("git__other_7")[0], "git__other_7");
  assert.ok(namesFor("repository").length <= 5);
  assert.deepEqual(namesFor("weather"), []);
});
