import assert from "node:assert/strict";
import { join } from "node:path";
import type { PermissionDecision } from "../../src/core/decision.ts";
import { createDecisionLog } from "../../src/store/decisions.ts";

const DECISION: PermissionDecision = {
  agent: "main",
  tool: "bash",
  callId: "c1",
  kinds: ["run"],
  what: "curl -H 'x: hunter2' a\nb",
  risk: "sensitive",
  reasons: ["hunter2: fetches"],
  decision: "allow",
  by: "session rule s1 (run=curl hunter2)",
};

Deno.test("a decision is one line, without what the mask hides", async () => {
  const directory = await Deno.makeTempDir({ prefix: "ally-log-" });
  try {
    const path = join(directory, "deep", "decisions.jsonl");
    const problems: string[] = [];
    const { log: note } = createDecisionLog({
      path,
      cwd: "/w",
      session: () => undefined,
      mask: (text) => text.replaceAll("hunter2", "[secret]"),
      onProblem: (text) => problems.push(text),
    });
    note(DECISION);
    note(DECISION);
    const lines = (await Deno.readTextFile(path)).trimEnd().split("\n");
    assert.equal(lines.length, 2);
    const { time, ...entry } = JSON.parse(lines[0]!);
    assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.deepEqual(entry, {
      session: null,
      cwd: "/w",
      agent: "main",
      tool: "bash",
      call_id: "c1",
      kinds: ["run"],
      what: "curl -H 'x: [secret]' a\nb",
      class: "sensitive",
      reasons: ["[secret]: fetches"],
      decision: "allow",
      by: "session rule s1 (run=curl [secret])",
    });
    assert.deepEqual(problems, []);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
