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
    allowed: "touch one",
    text: "run=touch *",
    covers: ["touch two three", "touch -d now one"],
    asks: ["touch ../one", "cd sub && touch one", "npm install left-pad"],
  },
  {
    allowed: "git commit -m one",
    text: "run=git commit *",
    covers: ["git commit -m 'two words'", "git commit --amend --no-edit"],
    asks: [
      "git push",
      "git commit -F /home/me/notes",
      "git -c core.hooksPath=x commit -m y",
      "git config user.name x",
    ],
  },
  {
    allowed: "git apply a.patch",
    text: "run=git apply *",
    covers: ["git apply --index b.patch"],
    asks: ["git apply /home/me/a.patch", "git apply ../a.patch", "git apply $PATCH"],
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

const WORK = [
  "git add -A && git commit -m 'two words'",
  "git switch -c next",
  "git checkout main",
  "git merge --no-ff topic -m x",
  "git rebase main",
  "git stash && git stash pop",
  "git tag -a v1 -m v1",
  "git branch -d topic",
  "git rm --cached a.txt",
  "git bisect start HEAD HEAD~2 && git bisect good; git bisect reset",
  "git mv a b; git restore --staged b; git revert HEAD; git cherry-pick HEAD~2",
];
const NO_WORK = [
  "git push",
  "git pull",
  "git fetch origin",
  "git clone https://example.com/a",
  "git submodule update",
  "git config user.name x",
  "git remote add other https://example.com/a",
  "git worktree add ../x",
  "git worktree add x",
  "git bisect run make",
  "git bisect view git status",
  "git sparse-checkout set src",
  "git bundle create a.bundle HEAD",
  "git init sub",
  "git filter-branch --tree-filter ls",
  "git unknown",
  "git gc",
  "git -c core.hooksPath=x commit -m y",
  "git -C sub commit -m y",
  "git --git-dir=x commit -m y",
  "cd sub && git commit -m x",
  "GIT_DIR=x git add a",
  'git commit -m "$(cat ~/.ssh/id_rsa)"',
  "git commit -F - < ../notes",
  "git commit -F /home/me/notes",
  "git commit --file=~/.ssh/id_rsa",
  "git tag -F /home/me/notes v1",
  "git merge -F ../notes topic",
  "git merge -s evil topic",
  "git rebase --strat evil main",
  "git cherry-pick --strategy=evil HEAD",
  "git add -A && make",
  "git rebase -x make main",
  "git reset --hard HEAD~1",
  "git checkout -f main",
  "git checkout -- .",
  "git checkout -B main HEAD~3",
  "git switch -C main HEAD~3",
  "git restore .",
  "git branch -D topic",
  "git branch -f main HEAD~3",
  "git tag -d v1",
  "git tag -f v1",
  "git stash drop",
  "git stash clear",
  "git rm -r src",
  "git add a > ../log",
];

Deno.test("all work of git covers what changes the repository, and nothing that sends, configures or discards", async () => {
  const policy = makePolicy();
  await allowAlways(policy, command("git checkout -b topic"), "repository");
  for (const text of WORK) assert.equal(await decide(policy, command(text)), "allow", text);
  for (const text of NO_WORK) assert.notEqual(await decide(policy, command(text)), "allow", text);
});

Deno.test("each command of git gets what it needs itself, though a rule allows all", async () => {
  const policy = makePolicy();
  await allowAlways(policy, command("git checkout -b topic"), "repository");
  const { parts } = await policy.judge([command("git commit -m x; git switch main")]);
  assert.deepEqual(parts?.map(({ powers }) => powers), [
    ["write", "repository"],
    ["write", "repository", "repository_config"],
  ]);
});

Deno.test("all work of git is void once a hook or git's configuration changes, and offered beside nothing else", async () => {
  for (const changed of ["/w/.husky/pre-commit", "/w/.git/config"]) {
    const files: Record<string, string> = { ...FILES, [changed]: "one" };
    const policy = makePolicy(files);
    await allowAlways(policy, command("git add a"), "repository");
    assert.equal(await decide(policy, command("git commit -m x")), "allow");
    files[changed] = "two";
    assert.equal(await decide(policy, command("git commit -m x")), "ask", changed);
  }
  const others = [
    "git add a && make",
    "make",
    "git push",
    "git config a.b c",
    "git gc",
    // The rule would hold what it reads, or only for the same input.
    "git commit -F /home/me/notes",
    "git commit -F - <<< x",
  ];
  for (const text of others) {
    const { offers = [] } = await makePolicy().judge([command(text)]);
    assert.ok(!offers.some(({ breadth }) => breadth === "repository"), text);
  }
  const { offers = [] } = await makePolicy(FILES, false).judge([command("git add a")]);
  assert.ok(!offers.some(({ breadth }) => breadth === "repository"), "without a sandbox");
});

Deno.test("all work of git is bound to no file that its commands only name", async () => {
  const files: Record<string, string> = { ...FILES, "/w/.git/config": "one", "/w/f": "one" };
  const policy = makePolicy(files);
  await allowAlways(policy, command("git checkout -- f"), "repository");
  files["/w/f"] = "two";
  for (const text of ["git checkout -- f", "git add f", "git add Makefile"]) {
    assert.equal(await decide(policy, command(text)), "allow", text);
  }
});

Deno.test("beside what another rule allows, all that stay in the sandbox covers the parts that do", async () => {
  const policy = makePolicy({ ...FILES, "/w/.git/config": "one" });
  await allowAlways(policy, command("git add a"), "repository");
  await allowAlways(policy, command("make"), "kind");
  const allowed = [
    "make && git commit -am x",
    "sed -i s/a/b/ *.ts; git add -A",
    "mkdir a && echo x > a/b && git add a",
  ];
  for (const text of allowed) assert.equal(await decide(policy, command(text)), "allow", text);
  const { parts } = await policy.judge([command("make && git commit -am x")]);
  assert.deepEqual(parts?.map(({ powers }) => powers), [["write"], ["write", "repository"]]);
  const others = [
    "make && git push",
    "make && npm install",
    "make && rm -rf /tmp/x && git add a",
    // Here the one could change what the rule for the other is bound to, and nothing would see it.
    "make | git commit -F -",
    "for i in 1 2; do make; git add a; done",
  ];
  for (const text of others) assert.equal(await decide(policy, command(text)), "ask", text);
});

Deno.test("a program that the project has installed is run without the network", async () => {
  const files = { ...FILES, "/w/node_modules/.bin/tsc": "" };
  const hasNetwork = async (text: string) => {
    const { sandboxPolicy } = await makePolicy(files).judge([command(text)]);
    return sandboxPolicy?.needs.includes("network");
  };
  const local = [
    "npx tsc",
    "npx --no-install tsc -p .",
    "npm exec -- tsc",
    "bunx tsc",
    "bun x tsc",
  ];
  for (const text of local) assert.equal(await hasNetwork(text), false, text);
  const fetched = [
    "npx cowsay",
    "npx tsc@5",
    "npx -p x tsc",
    "pnpx tsc",
    "pnpm dlx tsc",
    "npx ../tsc",
  ];
  for (const text of fetched) assert.equal(await hasNetwork(text), true, text);
});

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
    "npm install left-pad",
    "pip install x",
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

Deno.test("a program with any arguments may write a log, and no file that its rule is bound to", async () => {
  for (
    const [run, covered] of [["make test > log.txt", true], [
      "make test > Makefile",
      false,
    ]] as const
  ) {
    const policy = makePolicy();
    await allowAlways(policy, command(run), "program");
    assert.equal(await decide(policy, command(run)), covered ? "allow" : "ask", run);
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
  assert.deepEqual(verdict.offers?.map(({ breadth }) => breadth), ["exact"]);
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

Deno.test("of breadths that read the same the narrowest is offered", async () => {
  const { offers } = await makePolicy().judge([command("sleep 3; echo x > notes.md")]);
  const texts = offers?.map(({ text }) => text) ?? [];
  assert.equal(offers?.[0]?.breadth, "exact");
  assert.equal(new Set(texts).size, texts.length, texts.join("\n"));
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
