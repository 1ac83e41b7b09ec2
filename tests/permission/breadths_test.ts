/**
 * How much "Always" allows: the exact command, the program with any arguments, every command that stays in the
 * sandbox, every edit. For each, what it covers and what it never does.
 */
import assert from "node:assert/strict";
import type { Access, Breadth } from "../../src/core/permission.ts";
import { Policy } from "../../src/permission/policy.ts";
import { textPathFacts } from "../support/path_facts.ts";

const FILES = {
  "/w/package.json": "one",
  "/w/Makefile": "one",
  "/w/manage.py": "one",
};

const command = (target: string): Access => ({ kind: "run", target });

function makePolicy(files: Record<string, string> = FILES, sandboxed = true): Policy {
  return new Policy({
    rules: { allow: {}, deny: {}, allowAll: false },
    interactive: true,
    pathFacts: textPathFacts(files),
    sandboxed: () => sandboxed,
  });
}

/** Answers Always in a breadth to a question about an access. */
async function allowAlways(policy: Policy, access: Access, breadth: Breadth): Promise<void> {
  const verdict = await policy.judge([access]);
  assert.equal(verdict.decision, "ask", access.target);
  const offered = verdict.offers?.map((offer) => offer.breadth) ?? [];
  assert.ok(offered.includes(breadth), `${access.target} offers ${offered}`);
  assert.equal(await policy.grant([access], { scope: "session", breadth }), undefined);
}

const decide = async (policy: Policy, access: Access) => (await policy.judge([access])).decision;

const PROGRAMS: readonly { allowed: string; text: string; covers: string[]; asks: string[] }[] = [
  {
    allowed: "make build",
    text: "run=make *",
    covers: ["make", "make -j4 test", "ls && make clean"],
    asks: [
      "make -f other.mk",
      "make build > log.txt",
      "cd sub && make",
      "CC=x make",
      "make && cmake .",
    ],
  },
  {
    allowed: "npm install left-pad",
    text: "run=npm install *",
    covers: ["npm install", "npm install -D vitest"],
    asks: ["npm publish", "cd sub && npm install x"],
  },
  {
    allowed: "git commit -m one",
    text: "run=git commit *",
    covers: ["git commit -m 'two words'", "git commit --amend --no-edit"],
    asks: ["git push", "git -c core.hooksPath=x commit -m y", "git config user.name x"],
  },
];

for (const { allowed, text, covers, asks } of PROGRAMS) {
  Deno.test(`${text} covers other arguments, and no other program, place or power`, async () => {
    const policy = makePolicy();
    await allowAlways(policy, command(allowed), "program");
    for (const one of [allowed, ...covers]) {
      assert.equal(await decide(policy, command(one)), "allow", one);
    }
    for (const one of asks) assert.equal(await decide(policy, command(one)), "ask", one);
  });
}

Deno.test("a program's rule is void once a file that decides what it does changes", async () => {
  const files = { ...FILES };
  const policy = makePolicy(files);
  await allowAlways(policy, command("make build"), "program");
  files["/w/Makefile"] = "two";
  assert.equal(await decide(policy, command("make build")), "ask");
});

Deno.test("what could be anything with other arguments is not offered as a program", async () => {
  const rows = [
    "curl -O https://example.com/a",
    "docker ps",
    "npx cowsay > a.txt",
    "env make",
  ];
  for (const text of rows) {
    const { offers = [] } = await makePolicy().judge([command(text)]);
    assert.deepEqual(offers.filter(({ breadth }) => breadth === "program"), [], text);
  }
});

Deno.test("all that stay in the sandbox covers any change of the workspace, and no further power", async () => {
  const policy = makePolicy();
  await allowAlways(policy, command("make"), "kind");
  for (const text of ["make test", "mkdir a", "echo x > a.txt", "cargo build", "cp a b && make"]) {
    assert.equal(await decide(policy, command(text)), "allow", text);
  }
  const others = [
    "git commit -m x",
    "npm install",
    "curl https://example.com",
    "rm -rf ~/x",
    "cat ~/.ssh/id_rsa",
    "sudo make",
    "docker ps",
    "echo x > /etc/hosts",
    "make && git push",
  ];
  for (const text of others) {
    assert.notEqual(await decide(policy, command(text)), "allow", text);
  }
});

Deno.test("without a sandbox nothing is offered for all commands, and a rule for it covers none", async () => {
  let sandboxed = true;
  const policy = new Policy({
    rules: { allow: {}, deny: {}, allowAll: false },
    interactive: true,
    pathFacts: textPathFacts(FILES),
    sandboxed: () => sandboxed,
  });
  await allowAlways(policy, command("make"), "kind");
  sandboxed = false;
  const verdict = await policy.judge([command("make")]);
  assert.equal(verdict.decision, "ask");
  assert.deepEqual(verdict.offers?.map(({ breadth }) => breadth), ["exact", "program"]);
});

Deno.test("all edits covers every file of the workspace, and no protected place or other directory", async () => {
  const policy = makePolicy();
  const edit = (target: string, inside = true): Access => ({ kind: "write", target, inside });
  await allowAlways(policy, edit("/w/a.ts"), "kind");
  assert.equal(await decide(policy, edit("/w/src/b.ts")), "allow");
  assert.equal(await decide(policy, edit("/w/.git/hooks/pre-commit")), "ask");
  assert.equal(await decide(policy, edit("/other/a.ts", false)), "ask");
});

Deno.test("a call of several accesses offers only the breadths that all of them have", async () => {
  const edit: Access = { kind: "write", target: "/w/a.ts", inside: true };
  const { offers } = await makePolicy().judge([command("make"), edit]);
  assert.deepEqual(offers?.map(({ breadth }) => breadth), ["exact", "kind"]);
});

Deno.test("a rule for git is void once a hook that lies in the tree changes", async () => {
  const files: Record<string, string> = { ...FILES, "/w/.husky/pre-commit": "npm test" };
  for (const breadth of ["exact", "program"] as const) {
    const policy = makePolicy(files);
    await allowAlways(policy, command("git commit -m one"), breadth);
    assert.equal(await decide(policy, command("git commit -m one")), "allow");
    files["/w/.husky/pre-commit"] += "\ncurl example.com";
    assert.equal(await decide(policy, command("git commit -m one")), "ask");
  }
});

Deno.test("what lacks the workspace offers all that stay in the sandbox, code given as text too", async () => {
  const policy = makePolicy();
  const code = (text: string): Access => ({ ...command(text), powers: ["write"] });
  const text = 'python3 -c \'open("a", "w")\'';
  const { decision, offers } = await policy.judge([code(text)]);
  assert.deepEqual([decision, offers?.map(({ breadth }) => breadth)], ["ask", ["kind"]]);
  await allowAlways(policy, code(text), "kind");
  for (const one of [text, "node -e 1", "./unknown", "make"]) {
    const { decision, sandboxPolicy } = await policy.judge([command(one)]);
    assert.deepEqual([decision, sandboxPolicy?.write], ["allow", true], one);
  }
  const looking = await policy.judge([command("ls")]);
  assert.deepEqual([looking.decision, looking.sandboxPolicy?.write], ["allow", false]);
});

Deno.test("--allow-run gives code of which nobody knows what it does the workspace, in a sandbox that holds", async () => {
  for (const [sandboxed, expected] of [[true, "allow"], [false, "deny"]] as const) {
    const policy = new Policy({
      rules: { allow: { run: true }, deny: {}, allowAll: false },
      interactive: false,
      pathFacts: textPathFacts(FILES),
      sandboxed: () => sandboxed,
    });
    const { decision, sandboxPolicy } = await policy.judge([command("python3 -c 'print(1)'")]);
    assert.equal(decision, expected);
    if (sandboxed) assert.deepEqual([sandboxPolicy?.write, sandboxPolicy?.needs], [true, []]);
  }
});
