import assert from "node:assert/strict";
import type { Access } from "../../src/core/permission.ts";
import { ModeSwitch } from "../../src/permission/mode_switch.ts";
import { Policy } from "../../src/permission/policy.ts";
import type { Rules } from "../../src/permission/rules.ts";
import { textPathFacts } from "../support/path_facts.ts";

const NONE: Rules = { allow: {}, deny: {}, allowAll: false };
const policy = (rules: Partial<Rules> = {}, interactive = true, pathFacts = textPathFacts()) =>
  new Policy({ rules: { ...NONE, ...rules }, interactive, pathFacts });

const confined = ({ interactive = true } = {}) =>
  new Policy({ rules: NONE, interactive, pathFacts: textPathFacts(), sandboxed: () => true });

const read = (target: string, inside = true): Access => ({ kind: "read", target, inside });
const write = (target: string, inside = true): Access => ({ kind: "write", target, inside });
const command = (target: string): Access => ({ kind: "run", target });

Deno.test("reading inside the workspace is safe and never asks", async () => {
  assert.deepEqual(await policy().judge([read("/w/a")]), {
    decision: "allow",
    risk: "safe",
    why: "reads inside the workspace",
  });
});

Deno.test("reading outside asks, and Always covers that path", async () => {
  const verdict = await policy().judge([read("/etc/hosts", false)]);
  assert.equal(verdict.decision, "ask");
  assert.equal(verdict.offers?.[0]?.text, "read=/etc/hosts");
});

Deno.test("a change inside the workspace is sensitive; outside it is extreme and has no Always", async () => {
  assert.equal((await policy().judge([write("/w/a")])).risk, "sensitive");
  const outside = await policy().judge([write("/etc/hosts", false)]);
  assert.equal(outside.risk, "extreme");
  assert.equal(outside.offers, undefined);
});

for (const place of ["/w/.git/hooks/pre-commit", "/w/.GIT/config", "/w/sub/.ally/config.json"]) {
  Deno.test(`a change of ${place} is extreme`, async () => {
    assert.equal((await policy().judge([write(place)])).risk, "extreme");
    assert.equal((await policy({ allow: { write: true } }).judge([write(place)])).decision, "ask");
  });
}

Deno.test("a name that only begins like a protected one is not", async () => {
  assert.equal((await policy().judge([write("/w/.github/ci.yml")])).risk, "sensitive");
  assert.equal((await policy().judge([write("/w/.gitignore")])).risk, "sensitive");
});

/** Asks about a command, answers Always, and gives back the policy. */
async function granted(text: string, pathFacts = textPathFacts()): Promise<Policy> {
  const granting = policy({}, true, pathFacts);
  const accesses = [command(text)];
  assert.equal((await granting.judge(accesses)).decision, "ask", text);
  assert.equal(await granting.grant(accesses, { scope: "session", breadth: "exact" }), undefined);
  return granting;
}

const decision = async (judging: Policy, text: string) =>
  (await judging.judge([command(text)])).decision;

Deno.test("what was granted is not asked again, and nothing wider is", async () => {
  const granting = await granted("deno test");
  assert.equal(await decision(granting, "deno test"), "allow");
  assert.equal(await decision(granting, "deno  'test'"), "allow");
  assert.equal(await decision(granting, "deno test -A"), "ask");
  assert.equal(await decision(granting, "deno test; id"), "allow");
  assert.equal(await decision(granting, "deno test; touch x"), "ask");
  for (
    const before of ["CC=x ", "CC=x; ", "export CC=x; ", "for CC in x; do :; done; ", "set -a; "]
  ) {
    assert.equal(await decision(granting, `${before}deno test`), "ask", before);
  }
  assert.equal(await decision(granting, "deno() { :; }; deno test; make"), "ask");
});

Deno.test("a grant holds for a command in quotes, and for what only reads its output", async () => {
  const granting = await granted('git commit -m "fix: a (b)"');
  assert.equal(await decision(granting, "git commit -m 'fix: a (b)'"), "allow");
  assert.equal(await decision(granting, "git commit -m 'fix: c'"), "ask");
  assert.equal(await decision(granting, "git commit -m 'fix: a (b)' 2>&1 | tail -5"), "allow");
  assert.equal(await decision(granting, "git commit -m 'fix: a (b)' > log"), "ask");
});

Deno.test("a grant is for one standard input", async () => {
  const text = await granted("patch -p1 <<'E'\n+one\nE");
  assert.equal(await decision(text, "patch -p1 <<'E'\n+one\nE"), "allow");
  assert.equal(await decision(text, "patch -p1 <<'E'\n+two\nE"), "ask");
  const patch = await granted("patch -p1 < a.patch");
  assert.equal(await decision(patch, "patch -p1 < b.patch"), "ask");
  assert.equal(await decision(patch, "cat b.patch | patch -p1"), "ask");
});

Deno.test("code given as text has no Always", async () => {
  for (
    const text of ["python3 -c 'print(1)'", "node -e '1'", "bash -c make", "python3 <<'E'\n1\nE"]
  ) {
    const verdict = await policy().judge([command(text)]);
    assert.equal(verdict.decision, "ask", text);
    assert.equal(verdict.offers, undefined, text);
  }
});

Deno.test("a grant is for one directory", async () => {
  const granting = await granted("make");
  const elsewhere: Access = { kind: "run", target: "make", cwd: "/w/sub" };
  assert.equal((await granting.judge([elsewhere])).decision, "ask");
  assert.equal(await decision(granting, "cd sub && make"), "ask");
});

Deno.test("a change of a file that a command runs voids its grant", async () => {
  for (
    const [text, file] of [
      ["make test", "/w/Makefile"],
      ["npm run build", "/w/package.json"],
      ["deno task ok", "/w/deno.json"],
      ["bash build.sh", "/w/build.sh"],
      ["./build.sh -x", "/w/build.sh"],
      ["timeout 5 python3 tool.py", "/w/tool.py"],
      ["python3 -m tools.gen", "/w/tools/gen.py"],
      ["make -C sub test", "/w/sub/Makefile"],
      ["make -f other.mk", "/w/other.mk"],
      ["npm --prefix sub test", "/w/sub/package.json"],
      ["cd sub && npm test", "/w/package.json"],
      ["cargo test --manifest-path=sub/Cargo.toml", "/w/sub/Cargo.toml"],
      ["npx eslint src", "/w/eslint.config.js"],
    ] as const
  ) {
    const files: Record<string, string> = { [file]: "one", "/w/node_modules/.bin/eslint": "" };
    const granting = await granted(text, textPathFacts(files));
    assert.equal(await decision(granting, text), "allow", text);
    files[file] = "two";
    assert.equal(await decision(granting, text), "ask", text);
  }
});

Deno.test("what only running it shows, and what is extreme, has no Always", async () => {
  const commands = ["touch $B.txt", "eslint *", "rm -rf x", "cat /etc/hosts $X", "A=$B make"];
  for (const text of commands) {
    assert.equal((await policy().judge([command(text)])).offers, undefined, text);
  }
});

Deno.test("a safe command runs without a question, and without a terminal too", async () => {
  const text = "grep -rn TODO . | head -5";
  const verdict = await confined({ interactive: false }).judge([command(text)]);
  assert.equal(verdict.decision, "allow");
  assert.equal(verdict.risk, "safe");
  assert.equal(await decision(confined({ interactive: false }), "make"), "deny");
});

Deno.test("without a sandbox only one plain program runs unasked, by its words and not by a text", async () => {
  const allowed = await policy({}, false).judge([command("grep -rn TODO .")]);
  assert.deepEqual([allowed.decision, allowed.risk], ["allow", "safe"]);
  assert.deepEqual(allowed.runs?.get("grep -rn TODO ."), ["grep", "-rn", "TODO", "."]);
  for (const text of ["grep -rn TODO . | head -5", "ls *.ts", "ls; pwd", "git status", "tac a"]) {
    assert.equal(await decision(policy({}, false), text), "deny", text);
    assert.equal(await decision(policy(), text), "ask", text);
  }
});

Deno.test("without a sandbox a rule covers a command beside builtins and plain programs", async () => {
  const make = policy({ allow: { run: ["make"] } }, false);
  for (const text of ["cd src && make", "make 2>&1 | tail -5", "make; echo $?"]) {
    assert.equal(await decision(make, text), "allow", text);
  }
  for (const text of ["make | tac", "make; sed -n p a", "ls | head", "make | tail -f"]) {
    assert.equal(await decision(make, text), "deny", text);
  }
});

Deno.test("the part that asks is named, and every part is listed with its class", async () => {
  const verdict = await policy().judge([command("ls && rm -rf build | cat")]);
  assert.equal(verdict.why, "rm -rf build: removes recursively (-r)");
  assert.deepEqual(verdict.parts?.map((part) => [part.command, part.risk]), [
    ["ls", "safe"],
    ["rm -rf build", "extreme"],
    ["cat", "safe"],
  ]);
  assert.equal((await policy().judge([command("make")])).parts, undefined);
});

Deno.test("an allow rule covers its path and what is below, by whole names", async () => {
  const ruled = policy({ allow: { write: ["/w/src"] } });
  assert.equal((await ruled.judge([write("/w/src/a.ts")])).decision, "allow");
  assert.equal((await ruled.judge([write("/w/src")])).decision, "allow");
  assert.equal((await ruled.judge([write("/w/src-evil/a.ts")])).decision, "ask");
});

Deno.test("an allow rule for a program covers plain commands that begin with its words", async () => {
  const ruled = policy({ allow: { run: ["git status", "deno"] } });
  const expected = {
    "git status -s": "allow",
    "git push": "ask",
    "deno test": "allow",
    "deno test 'a b'": "allow",
    "denox": "ask",
    "deno test && id": "allow",
    "deno test && git status | head -3": "allow",
    "deno test && make": "ask",
    "deno test > out.txt": "ask",
    "deno test $X": "ask",
    "X=1 deno test": "ask",
    "env deno test": "ask",
    "deno eval 'x'": "ask",
    "deno() { make; }; deno test": "ask",
    "deno publish": "ask",
  };
  for (const [text, wanted] of Object.entries(expected)) {
    assert.equal(await decision(ruled, text), wanted, text);
  }
});

Deno.test("an allow rule for a shell never covers code given as text", async () => {
  const ruled = policy({ allow: { run: ["bash", "python3", "git"] } });
  assert.equal(await decision(ruled, "bash build.sh"), "allow");
  for (const text of ["bash -c 'make'", "bash <<< make", "python3 -c 'print(1)'"]) {
    assert.equal(await decision(ruled, text), "ask", text);
  }
  assert.equal(await decision(ruled, "git add . && git commit -m 'a b'"), "allow");
});

Deno.test("an extreme command is allowed by --allow-all only", async () => {
  const extreme = command("rm -rf build");
  assert.equal((await policy({ allow: { run: true } }).judge([extreme])).decision, "ask");
  assert.equal((await policy({ allow: { run: ["rm"] } }).judge([extreme])).decision, "ask");
  assert.equal((await policy({ allowAll: true }).judge([extreme])).decision, "allow");
});

Deno.test("--allow-all does not lift the confinement of paths", async () => {
  assert.equal(
    (await policy({ allowAll: true }, false).judge([write("/etc/x", false)])).decision,
    "deny",
  );
  assert.equal(
    (await policy({ allowAll: true }, false).judge([read("/etc/x", false)])).decision,
    "deny",
  );
});

Deno.test("deny beats allow, and for programs wherever the name occurs", async () => {
  const ruled = policy({ allow: { run: true }, deny: { run: ["curl"] } });
  assert.equal((await ruled.judge([command("timeout 5 xargs \\c''url x")])).decision, "deny");
  assert.equal((await ruled.judge([command("echo $(/usr/bin/curl x)")])).decision, "deny");
  assert.equal((await ruled.judge([command('cu"r"l x')])).decision, "deny");
  assert.equal((await ruled.judge([command("curlew x")])).decision, "allow");
  const kept = policy({ allow: { write: true }, deny: { write: ["/w/sub"] } });
  assert.equal((await kept.judge([write("/w/sub/a")])).decision, "deny");
  assert.equal((await kept.judge([write("/w/a")])).decision, "allow");
});

Deno.test("--deny-write denies commands that may change files, unless their programs are named", async () => {
  const decide = async (allow: true | string[], text: string) =>
    (await policy({ allow: { run: allow }, deny: { write: true } }).judge([command(text)]))
      .decision;
  assert.equal(await decide(true, "ls -la"), "allow");
  assert.equal(await decide(true, "make"), "deny");
  assert.equal(await decide(true, "echo x > a"), "deny");
  assert.equal(await decide(["deno"], "deno test"), "allow");
  assert.equal(await decide(["deno"], "deno test > a"), "deny");
});

Deno.test("plan mode refuses what changes or runs, whatever is allowed, and leaves reading", async () => {
  const mode = new ModeSwitch();
  mode.set("plan");
  const rules = { ...NONE, allowAll: true };
  const planning = new Policy({ rules, interactive: true, pathFacts: textPathFacts(), mode });
  const refusal = await planning.judge([command("ls")]);
  assert.match(refusal?.why ?? "", /plan mode: only reading/);
  assert.equal((await planning.judge([write("/w/a")])).decision, "deny");
  const look = await planning.judge([{ kind: "read", target: "/w/a", inside: true }]);
  assert.equal(look.decision, "allow");
});

Deno.test("the gravest access decides about a call", async () => {
  const verdict = await policy().judge([write("/w/a"), write("/etc/b", false)]);
  assert.equal(verdict.risk, "extreme");
  assert.match(verdict.why, /outside/);
  assert.equal(verdict.offers, undefined);
});

Deno.test("what is allowed unasked runs as its canonical text", async () => {
  const runs = async (judging: Policy, text: string) =>
    (await judging.judge([command(text)])).runs?.get(text);
  assert.equal(await runs(confined(), "ls -l *.ts"), "'ls' '-l' *'.ts'");
  assert.equal(await runs(policy({ allow: { run: ["make"] } }), "make  all"), "'make' 'all'");
  assert.equal(await runs(await granted("make"), "make"), "'make'");
});

Deno.test("what a person is asked about, or a whole kind allows, runs as written", async () => {
  for (const judging of [policy({ allow: { run: true } }), policy({ allowAll: true })]) {
    for (const text of ["make", "a=(1 2)"]) {
      const { decision, runs } = await judging.judge([command(text)]);
      assert.deepEqual([decision, runs], ["allow", undefined], text);
    }
  }
  assert.equal((await policy().judge([command("make")])).runs, undefined);
});

Deno.test("what has no canonical text asks, whatever rule for its words would have allowed it, and has no Always", async () => {
  const rows = [
    [policy(), "a=(1 2)"],
    [policy({ allow: { run: ["echo"] } }), "echo {a,'b'}"],
    [await granted("make"), "a=(1); make"],
  ] as const;
  for (const [judging, text] of rows) {
    const { decision, offers } = await judging.judge([command(text)]);
    assert.deepEqual([decision, offers], ["ask", undefined], text);
  }
  const scripted = confined({ interactive: false });
  const { decision, why } = await scripted.judge([command("a=(1 2); git log")]);
  assert.equal(decision, "deny");
  assert.match(why, /an array.*plain words.*--allow-run/);
});

Deno.test("what only running shows has no Always, and the rule for all that stays in the sandbox allows it without a power", async () => {
  const judging = confined();
  const touch = command("touch a");
  for (const [isStored, decided] of [[false, "ask"], [true, "allow"]] as const) {
    if (isStored) {
      await judging.judge([touch]);
      await judging.grant([touch], { scope: "session", breadth: "kind" });
    }
    for (const text of ["python3 /tmp/x.py", "sqlite3 a.db 'drop table x'", 'echo a > "$F"']) {
      const { decision, risk, offers = [] } = await judging.judge([command(text)]);
      assert.deepEqual([decision, risk, offers], [decided, "extreme", []], text);
      const beside = await judging.judge([{ ...command(text), powers: ["network"] }]);
      assert.deepEqual([beside.decision, beside.risk, beside.offers ?? []], ["ask", "extreme", []]);
    }
  }
});

Deno.test("-A changes every file of the workspace but git's own, which must be named", async () => {
  const all = policy({ allowAll: true });
  assert.equal((await all.judge([write("/w/.ally/config.json")])).decision, "allow");
  for (const place of ["/w/.git/hooks/pre-commit", "/w/.GIT/config", "/w/vendor/lib/.git/config"]) {
    assert.equal((await all.judge([write(place)])).decision, "ask", place);
    const named = policy({ allowAll: true, allow: { write: [place] } });
    assert.equal((await named.judge([write(place)])).decision, "allow", place);
  }
  assert.equal((await all.judge([write("/w/.gitignore")])).decision, "allow");
});

Deno.test("a denial says why a list of programs does not allow a command of which it names some", async () => {
  const judge = async (text: string) => {
    const judging = new Policy({
      rules: { allow: { run: ["git", "npm"] }, deny: {}, allowAll: false },
      interactive: false,
      pathFacts: textPathFacts(),
      sandboxed: () => true,
    });
    return (await judging.judge([command(text)])).why;
  };
  assert.match(
    await judge("git fetch origin; let y=1"),
    /^let y=1: let .*; name its program \(--allow-run=git,npm,let\) or give --allow-run without a list$/,
  );
  assert.match(
    await judge("git pull && export X=1 && npm install"),
    /^git pull: its program is allowed in plain commands alone, .*; give --allow-run without a list$/,
  );
  assert.match(await judge("curl x"), /^curl fetches over/);
  assert.match(await judge("git push -f"), /only --allow-all/);
  assert.match(
    await judge("sed -i s/a/b/ f"),
    /name its program \(--allow-run=git,npm,sed\) or give/,
  );
  assert.match(
    await judge("echo a > f"),
    /> f; give --allow-run without a list$|f; give --allow-run/,
  );
});
