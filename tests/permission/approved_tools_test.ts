import assert from "node:assert/strict";
import { MANIFEST } from "../../plugins/manifest.ts";
import { readApproval } from "../../src/permission/approved_tools.ts";

const definitions = MANIFEST.map(({ definition }) => definition);
const wordsOf = (value: unknown) => readApproval(value, { definitions }).labels;

/** The field as written, and the rules that it makes. */
const ROWS: readonly (readonly [unknown, readonly string[]])[] = [
  [undefined, []],
  ["", []],
  ["run=git status", ["run=git status"]],
  ["run=git status,deno fmt", ["run=git status", "run=deno fmt"]],
  ["run=git, write=src, net=example.com:443", ["run=git", "write=src", "net=example.com:443"]],
  ["write", ["write"]],
  ["bash", ["run"]],
  ["bash(git status:*)", ["run=git status"]],
  ["Bash(git add:*), Bash(git commit *), Edit", ["run=git add", "run=git commit", "write"]],
  ["Bash(*)", ["run"]],
  [["run=make test", "edit(src/**)", "write(docs)"], ["run=make test", "write=src", "write=docs"]],
  ["write=src, write", ["write"]],
  ["line-edit", ["write"]],
  ["todo_add, agent_x", []],
  ["grep, read", ["read"]],
];

Deno.test("allowed-tools are read in both spellings", () => {
  for (const [value, words] of ROWS) assert.deepEqual(wordsOf(value), words, JSON.stringify(value));
});

Deno.test("what is not clear allows nothing, and is named", () => {
  const unclear = [
    "Bash(git status)",
    "bash(git *:*)",
    "edit(src/*.ts)",
    "frobnicate",
    "run=",
    "sudo rm -rf /",
    "bash(:*)",
    7,
    { run: "git" },
  ];
  for (const value of unclear) {
    const { labels: words, problems } = readApproval([value], { definitions });
    assert.deepEqual(words, [], JSON.stringify(value));
    assert.equal(problems.length, 1, JSON.stringify(value));
    assert.match(problems[0]!, /is left out: /);
  }
});
