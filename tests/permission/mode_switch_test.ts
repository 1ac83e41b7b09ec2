/**
 * The mode of a session: what it allows of edits, how long, and that every rule stands above it.
 */
import assert from "node:assert/strict";
import type { Access, GrantScope, SessionMode } from "../../src/core/permission.ts";
import { ModeSwitch } from "../../src/permission/mode_switch.ts";
import { Policy } from "../../src/permission/policy.ts";
import type { Rules } from "../../src/permission/rules.ts";
import { textPathFacts } from "../support/path_facts.ts";

const NO_RULES: Rules = { allow: {}, deny: {}, allowAll: false };

const write = (target: string, inside = true): Access => ({ kind: "write", target, inside });

function makePolicy({ rules = NO_RULES, mode = "ask" as SessionMode, interactive = true } = {}) {
  const session = new ModeSwitch();
  session.set(mode);
  const policy = new Policy({ rules, interactive, pathFacts: textPathFacts({}), mode: session });
  return { policy, session };
}

const decide = async ({ policy }: { policy: Policy }, ...accesses: Access[]) =>
  (await policy.judge(accesses)).decision;

const EDIT = write("/w/a.ts");
const PLUGIN: Access = { kind: "write", target: "/w/a.ts", inside: true, tool: "plugin_tool" };

const ROWS: readonly (readonly [name: string, accesses: Access[], expected: string])[] = [
  ["a file of the workspace", [EDIT], "allow"],
  ["two of them", [EDIT, write("/w/b.ts")], "allow"],
  ["a file outside", [write("/etc/hosts", false)], "ask"],
  ["one inside and one outside", [EDIT, write("/etc/hosts", false)], "ask"],
  ["what git keeps", [write("/w/.git/config")], "ask"],
  ["ally's own files of the project", [write("/w/.ally/config.json")], "ask"],
  ["reading outside", [{ kind: "read", target: "/etc/hosts", inside: false }], "ask"],
  ["a command", [{ kind: "run", target: "touch a.ts" }], "ask"],
  ["an edit that starts a command", [EDIT, { kind: "run", target: "touch a.ts" }], "ask"],
  ["the network", [{ kind: "net", target: "example.com" }], "ask"],
  ["a variable", [{ kind: "env", target: "TOKEN" }], "ask"],
  ["a plugin's tool", [PLUGIN], "ask"],
];

for (const [name, accesses, expected] of ROWS) {
  Deno.test(`with edits allowed, ${name}: ${expected}`, async () => {
    assert.equal(await decide(makePolicy({ mode: "edits" }), ...accesses), expected);
  });
}

Deno.test("deny rules win over edits that are allowed, whatever the session or the turn says", async () => {
  for (const write of [true, ["/w/a.ts"], ["/w"]] as const) {
    const rules = { ...NO_RULES, deny: { write } };
    assert.equal(await decide(makePolicy({ rules, mode: "edits" }), EDIT), "deny");
  }
});

Deno.test("nobody's session allows edits where there is no person", async () => {
  assert.equal(await decide(makePolicy({ mode: "edits", interactive: false }), EDIT), "deny");
});

Deno.test("an agent of the session has its mode, and its plan mode", async () => {
  const { policy, session } = makePolicy();
  const agents = { policy: policy.withApproved(NO_RULES) };
  session.set("edits");
  assert.equal(await decide(agents, EDIT), "allow");
  session.set("plan");
  assert.equal(await decide(agents, EDIT), "deny");
  session.set("ask");
  assert.equal(await decide(agents, EDIT), "ask");
});

async function answerAllEdits({ policy }: { policy: Policy }, scope: GrantScope): Promise<void> {
  const { offers = [] } = await policy.judge([EDIT]);
  const all = offers.find(({ breadth }) => breadth === "kind");
  assert.deepEqual(all?.scopes, ["turn", "session", "project", "user"]);
  assert.equal(await policy.grant([EDIT], { scope, breadth: "kind" }), undefined);
}

Deno.test("all edits of this turn end with it, and are no rule", async () => {
  const at = makePolicy();
  await answerAllEdits(at, "turn");
  assert.equal(at.session.mode, "ask");
  assert.equal(await decide(at, write("/w/b.ts")), "allow");
  assert.equal(await decide(at, write("/w/.git/config")), "ask");
  at.policy.endTurn();
  assert.equal(await decide(at, write("/w/b.ts")), "ask");
});

Deno.test("all edits of this session are the mode, which another mode ends", async () => {
  const at = makePolicy();
  await answerAllEdits(at, "session");
  assert.equal(at.session.mode, "edits");
  at.policy.endTurn();
  assert.equal(await decide(at, write("/w/b.ts")), "allow");
  at.session.set("ask");
  assert.equal(await decide(at, write("/w/b.ts")), "ask");
});

Deno.test("all edits of the turn end as soon as the person takes a mode", async () => {
  const at = makePolicy();
  await answerAllEdits(at, "turn");
  at.session.set("ask");
  assert.equal(await decide(at, EDIT), "ask");
});

Deno.test("nothing but all edits can be allowed for a turn: another answer for it stores nothing", async () => {
  const at = makePolicy();
  const command: Access = { kind: "run", target: "touch a.ts" };
  for (const access of [command, EDIT]) {
    await at.policy.judge([access]);
    await at.policy.grant([access], { scope: "turn", breadth: "exact" });
    assert.equal(await decide(at, access), "ask");
  }
});

Deno.test("a call that changes several files offers all edits once, for a turn too", async () => {
  const { offers } = await makePolicy().policy.judge([EDIT, write("/w/b.ts")]);
  assert.deepEqual(offers?.at(-1), {
    breadth: "kind",
    text: "all edits of files in the workspace",
    scopes: ["turn", "session", "project", "user"],
  });
});
