/**
 * What allowed commands get in the sandbox, and what its being there changes in the classes.
 */
import assert from "node:assert/strict";
import type { Need } from "../../src/core/sandbox.ts";
import { Policy } from "../../src/permission/policy.ts";
import type { Rules } from "../../src/permission/rules.ts";
import { textPathFacts } from "../support/path_facts.ts";

const RULES: Rules = { allow: {}, deny: {}, allowAll: false };

function judge(target: string, { sandboxed = true, rules = RULES } = {}) {
  const policy = new Policy({
    rules,
    interactive: true,
    pathFacts: textPathFacts(),
    sandboxed: () => sandboxed,
  });
  return policy.judge([{ kind: "run", target }]);
}

const NEEDS: readonly (readonly [command: string, needs: readonly Need[]])[] = [
  ["npm test", []],
  ["deno test", []],
  ["cargo build", []],
  ["make", []],
  ["npm install", ["network", "registries"]],
  ["npm run dev", ["network"]],
  ["composer test", ["registries"]],
  ["npx vite", ["network", "registries"]],
  ["pip install x", ["network", "registries"]],
  ["timeout 10 npm ci", ["network", "registries"]],
  ["curl https://example.com", ["network", "keys"]],
  ["docker ps", ["network", "services", "keys"]],
  ["git commit -m x", ["repository"]],
  ["git add a && git commit -m x", ["repository"]],
  ["mkdir a && git add a", ["repository"]],
  ["git fetch", ["repository", "network", "keys"]],
  ["git checkout topic", ["repository", "repository_config"]],
  ["npm test && git commit -m x", []],
];

for (const [command, needs] of NEEDS) {
  Deno.test(`in the sandbox ${command} gets ${needs.join(", ") || "the workspace"}`, async () => {
    const { sandboxPolicy } = await judge(command);
    assert.deepEqual([...sandboxPolicy!.needs].sort(), [...needs].sort());
    assert.equal(sandboxPolicy!.write, true);
  });
}

for (
  const command of ["ls -la", "git status", "git diff | head", "git log --oneline", "git branch"]
) {
  Deno.test(`${command} is safe in the sandbox, where it writes nothing`, async () => {
    const verdict = await judge(command);
    assert.deepEqual([verdict.decision, verdict.risk], ["allow", "safe"]);
    assert.deepEqual(verdict.sandboxPolicy, { write: false, needs: [], sandboxRequired: true });
  });
}

Deno.test("without a sandbox git reads ask", async () => {
  const verdict = await judge("git status", { sandboxed: false });
  assert.deepEqual([verdict.decision, verdict.risk], ["ask", "sensitive"]);
  assert.equal(verdict.sandboxPolicy?.sandboxRequired, false);
});

Deno.test("a git command that runs what it is told is extreme in the sandbox too", async () => {
  assert.equal((await judge("git diff --ext-diff")).risk, "extreme");
  assert.equal((await judge("git -c core.pager=x log")).risk, "extreme");
});

Deno.test("the question says that a command gets the network", async () => {
  assert.match((await judge("npm install")).why, /with network$/);
});

Deno.test("flags give the network to all commands, or to none", async () => {
  const all = await judge("make", { rules: { ...RULES, allow: { net: true } } });
  assert.deepEqual(all.sandboxPolicy!.needs, ["network"]);
  assert.deepEqual(
    (await judge("make", { rules: { ...RULES, allowAll: true } })).sandboxPolicy!.needs,
    [
      "network",
    ],
  );
  const none = await judge("npm install", { rules: { ...RULES, deny: { net: true } } });
  assert.deepEqual(none.sandboxPolicy!.needs, []);
});
