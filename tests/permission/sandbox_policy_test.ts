/**
 * What allowed commands get in the sandbox, and what its being there changes in the classes.
 */
import assert from "node:assert/strict";
import type { Need } from "../../src/core/sandbox.ts";
import { ModeSwitch } from "../../src/permission/mode_switch.ts";
import { Policy } from "../../src/permission/policy.ts";
import type { Rules } from "../../src/permission/rules.ts";
import { policiesOf } from "../../src/permission/sandbox_policy.ts";
import { textPathFacts } from "../support/path_facts.ts";

const RULES: Rules = { allow: {}, deny: {}, allowAll: false };

interface JudgeOptions {
  readonly sandboxed?: boolean;
  readonly rules?: Rules;
  readonly interactive?: boolean;
  readonly unasked?: "closed" | "safe";
  readonly mode?: ModeSwitch;
}

function policyOf(
  { sandboxed = true, rules = RULES, interactive = true, unasked = "closed", mode }: JudgeOptions =
    {},
): Policy {
  return new Policy({
    ...mode && { mode },
    rules,
    interactive,
    unasked,
    pathFacts: textPathFacts(),
    sandboxed: () => sandboxed,
  });
}

function judge(target: string, options: JudgeOptions = {}) {
  return policyOf(options).judge([{ kind: "run", target }]);
}

const NEEDS: readonly (readonly [command: string, needs: readonly Need[]])[] = [
  ["cargo build", []],
  ["make", []],
  ["npm install", ["network", "registries"]],
  ["npm run dev", ["network"]],
  ["composer test", ["registries"]],
  ["npx vite", ["network", "registries"]],
  ["npx -y tsc", ["network", "registries"]],
  // By the name of git a package may bring anything.
  ["npx git config a.b c", ["network", "registries"]],
  ["npm exec -- git push", ["network", "registries"]],
  ["poetry run git commit -m x", []],
  ["uv run timeout 5 git push", ["network"]],
  ["bundle exec docker ps", ["network"]],
  ["npm init -y", []],
  ["npm init vite app", ["network", "registries"]],
  ["npx lerna version", ["network", "registries"]],
  ["npm version patch", ["repository"]],
  ["bump2version patch", ["repository"]],
  ["git tag v1", ["repository"]],
  ["git restore a.c", ["repository"]],
  ["pip install x", ["network", "registries"]],
  ["timeout 10 npm ci", ["network", "registries"]],
  ["curl https://example.com", ["network"]],
  ["ping -c 1 example.com", ["network"]],
  ["sqlite3 a.db .tables", []],
  ["openssl rand -hex 8", []],
  ["vercel build", ["network"]],
  ["gh pr list", ["network", "keys"]],
  ["gh repo clone a/b", ["network", "keys", "repository", "repository_config"]],
  ["hub clone a/b", ["network", "keys", "repository", "repository_config"]],
  ["ssh host ls", ["network", "keys"]],
  ["git push", ["repository", "repository_config", "network", "keys"]],
  // What has no canonical text may say otherwise than it seems.
  ["e=export; $e NETRC=./n; git fetch", ["repository", "network"]],
  ["git fetch origin $'ma\\x69n'", ["repository", "network", "keys"]],
  ["printf -v HOME x; git fetch", ["repository", "network"]],
  // What runs is in the arguments, or in what they name: no keys, and no settings of git's.
  ["GIT_SSH_COMMAND='sh s.sh' git push", ["repository", "network"]],
  ["env GIT_SSH_COMMAND='sh s.sh' git push", ["repository", "network"]],
  ["git -c core.sshCommand='sh s.sh' fetch", ["repository", "network"]],
  ["git --git-dir=x fetch", ["repository", "network"]],
  ["git push --ex='sh s.sh' origin", ["repository", "network"]],
  ["git clone -c core.sshCommand='sh s.sh' ssh://localhost/x y", ["repository", "network"]],
  ["git bisect run ./s.sh", ["repository"]],
  ["docker ps", ["network", "services", "keys"]],
  ["git commit -m x", ["repository"]],
  ["git add a && git commit -m x", ["repository"]],
  ["mkdir a && git add a", ["repository"]],
  ["git fetch", ["repository", "network", "keys"]],
  ["git checkout topic", ["repository", "repository_config"]],
  ["make && git commit -m x", []],
];

for (const [command, needs] of NEEDS) {
  Deno.test(`in the sandbox ${command} gets ${needs.join(", ") || "the workspace"}`, async () => {
    const { sandboxPolicy } = await judge(command);
    assert.deepEqual([...sandboxPolicy!.needs].sort(), [...needs].sort());
    assert.equal(sandboxPolicy!.write, true);
  });
}

const UNKNOWN = ["npm test", "deno test", "python3 -c 'import os'", "./run.sh", "frobnicate"];

for (const command of UNKNOWN) {
  Deno.test(`${command} names no power: it runs closed, unasked and without a terminal too`, async () => {
    for (const interactive of [true, false]) {
      const verdict = await judge(command, { interactive });
      assert.deepEqual([verdict.decision, verdict.risk], ["allow", "safe"]);
      assert.deepEqual(verdict.sandboxPolicy, {
        ...{ write: false, needs: [], sandboxRequired: true },
        tentative: true,
      });
      assert.ok(verdict.runs?.has(command));
    }
  });
}

Deno.test("what a rule allows gets the workspace, though it could run closed", async () => {
  for (
    const rules of [
      { ...RULES, allowAll: true },
      { ...RULES, allow: { run: ["npm"] } },
      { ...RULES, allow: { run: true } as const },
    ]
  ) {
    const verdict = await judge("npm test", { rules });
    assert.deepEqual([verdict.decision, verdict.risk], ["allow", "sensitive"]);
    assert.equal(verdict.sandboxPolicy?.write, true);
  }
  const other = await judge("npm test", { rules: { ...RULES, allow: { run: ["make"] } } });
  assert.deepEqual([other.decision, other.sandboxPolicy?.write], ["allow", false]);
});

Deno.test("what only reads runs closed whatever a rule would give it", async () => {
  const verdict = await judge("ls", { rules: { ...RULES, allow: { run: ["ls"] } } });
  assert.deepEqual([verdict.risk, verdict.sandboxPolicy?.write], ["safe", false]);
});

Deno.test("what has no canonical text asks, though it would run closed", async () => {
  assert.equal((await judge("a=(1); python3 x.py")).decision, "ask");
  assert.equal((await judge("a=(1); python3 x.py", { interactive: false })).decision, "deny");
});

Deno.test("what has no canonical text runs as it was written by the rule for all that stays in the sandbox", async () => {
  const policy = policyOf();
  const command = (target: string) => ({ kind: "run", target }) as const;
  const touch = command("touch a");
  await policy.judge([touch]);
  await policy.grant([touch], { scope: "session", breadth: "kind" });
  for (const text of ["a=(1); python3 x.py", "pages=(*.md); cat $pages"]) {
    const { decision, runs, sandboxPolicy } = await policy.judge([command(text)]);
    assert.deepEqual([decision, runs, sandboxPolicy?.needs], ["allow", undefined, []], text);
  }
  for (const text of ["a=(1); git log", "a=(1); curl x.dev"]) {
    assert.equal((await policy.judge([command(text)])).decision, "ask", text);
  }
});

Deno.test("what has no canonical text asks where it gets a power, or where its words are looked at", async () => {
  const rows = [
    [{}, "a=(1); git log"],
    [{}, "a=(1); make"],
    [{ rules: { ...RULES, allow: { run: ["make"] } } }, "{ make; echo {a,'b'}; }"],
    [{ rules: { ...RULES, deny: { run: ["curl"] } } }, "a=(1); python3 x.py"],
    [{ rules: { ...RULES, deny: { read: ["/w/private"] } } }, "a=(1); ls"],
  ] as const;
  for (const [options, command] of rows) {
    assert.equal((await judge(command, options)).decision, "ask", command);
  }
});

Deno.test("with the narrower habit only what is known to read runs unasked", async () => {
  assert.equal((await judge("npm test", { unasked: "safe" })).decision, "ask");
  assert.equal((await judge("git status", { unasked: "safe" })).decision, "allow");
});

Deno.test("where files are kept from reading, code that may look for them in the history asks", async () => {
  const rules = { ...RULES, deny: { read: ["/w/private"] } };
  assert.equal((await judge("npm test", { rules })).decision, "ask");
  assert.equal((await judge("ls", { rules })).decision, "allow");
});

Deno.test("what names a power is denied without a terminal, also beside what names none", async () => {
  for (const command of ["npm test > log", "npm test; make", "python3 a.py && git add a"]) {
    assert.equal((await judge(command, { interactive: false })).decision, "deny", command);
  }
});

Deno.test("plan mode runs nothing, though it would run closed", async () => {
  const mode = new ModeSwitch();
  mode.set("plan");
  assert.equal((await judge("npm test", { mode })).decision, "deny");
});

for (
  const command of ["ls -la", "git status", "git diff | head", "git log --oneline", "git branch"]
) {
  Deno.test(`${command} is safe in the sandbox, where it writes nothing`, async () => {
    const verdict = await judge(command);
    assert.deepEqual([verdict.decision, verdict.risk], ["allow", "safe"]);
    const needs = command.startsWith("git") ? ["repository"] : [];
    const { showsFiles, ...policy } = verdict.sandboxPolicy!;
    assert.deepEqual(policy, { write: false, needs, sandboxRequired: true });
    assert.equal(showsFiles === true, command.startsWith("git"));
  });
}

/** Closed commands, and whether what they print may be what files hold. */
const SHOWING: readonly (readonly [command: string, showsFiles: boolean])[] = [
  ["for i in 1; do npm test 2>&1 | tail -2; done", false],
  ["for i in 1; do ./gen.sh | grep -v '^ok' | sed s/a/b/; done", false],
  ["npm run build; ls dist; echo $?", false],
  ["x=$(python3 gen.py); echo got $x", false],
  ["for f in *.log; do cat $f; npm test; done", true],
  ["for i in 1; do npm test; tail build.log; done", true],
  ["for i in 1; do npm test | grep -r EROFS; done", true],
  ["if git log -1; then npm test; fi", true],
];

for (const [command, showsFiles] of SHOWING) {
  Deno.test(`${showsFiles ? "not " : ""}all words that it prints are its own: ${command}`, async () => {
    const { sandboxPolicy, parted } = await judge(command);
    const policies = [...parted?.values() ?? []].flatMap(policiesOf);
    const closed = policies.length > 0 ? policies : [sandboxPolicy!];
    assert.ok(closed.some(({ tentative }) => tentative));
    assert.equal(closed.some((policy) => policy.showsFiles === true), showsFiles);
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
  assert.match(
    (await judge("npm install")).why,
    /with the network, with your logins to package registries$/,
  );
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

/** What each part may do, as the question says it. */
const PARTS: readonly (readonly [command: string, gets: readonly (string | undefined)[]])[] = [
  ["git pull && make && git commit -m x", [
    "with the network, with your keys, may change .git, may change git's configuration",
    undefined,
    "may change .git",
  ]],
  ["curl https://a.example | tee log", ["with the network", undefined]],
  ["cd src && npm ci; make", [
    undefined,
    "with the network, with your logins to package registries",
    undefined,
  ]],
  ["npm test && git commit -m x && ls", [
    "closed, so that it changes nothing",
    "may change .git",
    undefined,
  ]],
  ["x=$(pwd); git add a; make", [
    undefined,
    undefined,
    "without .git, because it shares its shell",
    undefined,
  ]],
  [". ./env.sh && pip install -r a.txt", [
    "with the network",
    "with the network, without your logins to package registries, because it shares its shell",
  ]],
  [". ./env.sh && git push", [
    undefined,
    "without the network, without your keys, without .git, without git's configuration, because it shares its shell",
  ]],
  ["set -euo pipefail; export CI=1\ngit add a; make", [
    undefined,
    undefined,
    "may change .git",
    undefined,
  ]],
  ["set -e && X=1 && npm test && git add a", [
    undefined,
    undefined,
    "closed, so that it changes nothing",
    "may change .git",
  ]],
];

Deno.test("each part of a command says what it gets beyond the workspace", async () => {
  for (const [command, gets] of PARTS) {
    const { parts = [] } = await judge(command);
    assert.deepEqual(parts.map((part) => part.gets), gets, command);
  }
});

Deno.test("a list in one shell asks once for the network that a part of it needs, and Always holds for all of it", async () => {
  const accesses = [{ kind: "run" as const, target: ". ./env.sh && cargo fetch && npm test" }];
  const policy = policyOf();
  const asked = await policy.judge(accesses);
  assert.equal(asked.decision, "ask");
  assert.deepEqual(asked.offers?.map(({ breadth }) => breadth), ["exact"]);
  assert.equal(await policy.grant(accesses, { scope: "session", breadth: "exact" }), undefined);
  const { decision, sandboxPolicy } = await policy.judge(accesses);
  assert.deepEqual([decision, sandboxPolicy?.needs], ["allow", ["network"]]);
  // Without a question nobody is told that the others get it too.
  for (const rules of [{ allow: { run: true } }, { deny: { net: true } }] as const) {
    const verdict = await judge(accesses[0]!.target, { rules: { ...RULES, ...rules } });
    assert.deepEqual(verdict.sandboxPolicy?.needs, []);
  }
});

const commitAfterTest = "npm test && git commit -m x";

/** What each part of a list may do, "closed" for nothing. */
function powersIn(verdict: Awaited<ReturnType<typeof judge>>) {
  return verdict.parts?.map(({ powers = [] }) => powers.join(" ") || "closed");
}

Deno.test("only the part that names a power asks; what names none runs closed beside it", async () => {
  const verdict = await judge(commitAfterTest);
  assert.deepEqual([verdict.decision, verdict.why], [
    "ask",
    "git commit -m x: git commit changes the repository",
  ]);
  assert.deepEqual(powersIn(verdict), ["closed", "write repository"]);
  assert.deepEqual(verdict.offers?.map(({ text }) => text), [
    "run=git commit -m x",
    "run=git commit *",
    "all work of git in this repository (no network, no keys, no history discarded, hooks unchanged)",
  ]);
});

Deno.test("a rule for the part that asks allows the list, and opens nothing else", async () => {
  const rules = { ...RULES, allow: { run: ["git"] } };
  for (const command of [commitAfterTest, "python3 -c 'import os'; git add a"]) {
    const verdict = await judge(command, { rules });
    assert.equal(verdict.decision, "allow", command);
    assert.deepEqual(powersIn(verdict), ["closed", "write repository"]);
    assert.ok(verdict.runs?.has(command));
  }
  const both = { ...RULES, allow: { run: ["git", "npm"] } };
  assert.deepEqual(powersIn(await judge(commitAfterTest, { rules: both })), [
    "write",
    "write repository",
  ]);
});

Deno.test("what Always allowed runs open beside what another rule allows, and beside what asks", async () => {
  const held = policyOf({ rules: { ...RULES, allow: { run: ["git add"] } } });
  const asked = { kind: "run", target: "npm test", powers: ["write"] } as const;
  await held.judge([asked]);
  await held.grant([asked], { scope: "session", breadth: "exact" });
  for (const target of ["npm test && git add a", "npm test && git commit -m x"]) {
    const verdict = await held.judge([{ kind: "run", target }]);
    assert.deepEqual(powersIn(verdict), ["write", "write repository"], target);
  }
});

Deno.test("what is cut runs each part with its own powers, canonical if nobody looks", async () => {
  const command = "git add -A && make && git commit -m 'a b'";
  const asked = (await judge(command)).parted?.get(command);
  const named = { ...RULES, allow: { run: ["git", "make"] } };
  const allowed = (await judge(command, { rules: named })).parted?.get(command);
  const texts = (script: typeof asked) =>
    script?.kind === "chain"
      ? script.items.map((item) => item.kind === "script" ? [item.text, item.policy.needs] : item)
      : undefined;
  assert.deepEqual(texts(asked), [
    ["git add -A", ["repository"]],
    ["make", []],
    ["git commit -m 'a b'", ["repository"]],
  ]);
  assert.deepEqual(texts(allowed), [
    ["'git' 'add' '-A'", ["repository"]],
    ["'make'", []],
    ["'git' 'commit' '-m' 'a b'", ["repository"]],
  ]);
});

Deno.test("programs that one command starts share no power", async () => {
  const needs = async (command: string) => (await judge(command)).sandboxPolicy?.needs;
  assert.deepEqual(await needs("find . -name a -exec git add {} ;"), ["repository"]);
  assert.deepEqual(await needs("find . -exec git add {} ; -exec make {} ;"), []);
  assert.deepEqual(await needs("bash -c 'git add a'"), ["repository"]);
  assert.deepEqual(await needs("bash -c 'git add a; make'"), []);
});

Deno.test("-A gives no part the services of another, and keys only to what is named, git and ssh", async () => {
  const command = "docker ps; git fetch; ssh host x; scp a host:; node x";
  const needsWith = async (run: readonly string[]) => {
    const rules = { ...RULES, allow: { ...RULES.allow, run }, allowAll: true };
    const script = (await judge(command, { rules })).parted?.get(command);
    assert.ok(script?.kind === "chain");
    return script.items.map((item) => item.kind === "script" ? item.policy.needs.toSorted() : []);
  };
  const git = ["keys", "network", "repository"];
  const [services, network, keys] = [["network", "services"], ["network"], ["keys", "network"]];
  assert.deepEqual(await needsWith([]), [services, git, keys, network, network]);
  assert.deepEqual(await needsWith(["docker", "scp"]), [
    ["keys", ...services],
    ...[git, keys, keys, network],
  ]);
});

Deno.test("keys have nothing beside them but what reads no file, or files of which it is known which", async () => {
  const policyOf = async (words: string) =>
    (await judge(`git push origin "${words}"`, { rules: { ...RULES, allowAll: true } }))
      .sandboxPolicy;
  for (const words of ["$(git rev-parse HEAD)", "$(ls)", "$(git branch | cut -c3-)"]) {
    assert.ok((await policyOf(words))?.needs.includes("keys"), words);
  }
  assert.deepEqual((await policyOf("$(cat a/b)"))?.reads, ["a/b"]);
  assert.deepEqual((await policyOf("$(jq -r .version p.json)"))?.reads, [
    ...["-r", ".version", "p.json"],
  ]);
  for (
    const words of [
      ...["$(cat *)", "$(cat ${x})", "$(grep -R . d)", "$(grep -hr . d)", "$(find -L .)"],
      ...['$(jq \'include \\"k\\" {search: \\".\\"}; 1\' p.json)', "$(jq -L . . p.json)"],
      ...["$(git diff --no-index a b)", "$(sed -n p a)", "$(rg x)", "$(sort --files0-from=a)"],
    ]
  ) {
    const policy = await policyOf(words);
    assert.ok(!policy?.needs.includes("keys"), words);
    assert.ok(policy?.withheld?.includes("keys"), words);
  }
});

const OUTSIDE: readonly (readonly [command: string, outside: string | undefined])[] = [
  ["git worktree add ../feature -b feature", "/feature"],
  ["cp a.txt /home/me/bin/", "/home/me/bin"],
  ["echo x > /etc/x", "/etc/x"],
  ["sed -i s/a/b/ ../b.txt && echo done", "/b.txt"],
  ["timeout 5 tee ../b.txt", "/b.txt"],
  // Commands have a /tmp of their own, and devices.
  ["cp a.txt /tmp/b.txt", undefined],
  ["echo x > /dev/tty", undefined],
  // A daemon mounts it.
  ["docker run -v /data:/data alpine", undefined],
  ["npm test && cp a.txt ../b.txt", undefined],
  ["cp a.txt b.txt", undefined],
];

for (const [command, outside] of OUTSIDE) {
  Deno.test(`${outside === undefined ? "in" : "outside of"} the sandbox begins: ${command}`, async () => {
    assert.equal((await judge(command)).outside, outside);
    assert.equal((await judge(command, { sandboxed: false })).outside, undefined);
  });
}

const APART: readonly (readonly [command: string, decision: string])[] = [
  ["npm test && cp a.txt ../b.txt", "deny"],
  ["git branch x; touch /home/me/x", "deny"],
  ["for x in 1 2; do touch /home/me/x; npm test; done", "deny"],
  ["touch /home/me/x && echo done", "ask"],
  ["touch /tmp/x && npm test", "ask"],
];

for (const [command, decision] of APART) {
  Deno.test(`no half of it is done: ${command}`, async () => {
    const verdict = await judge(command);
    assert.equal(verdict.decision, decision, verdict.why);
    assert.equal((await judge(command, { sandboxed: false })).decision, "ask");
  });
}
