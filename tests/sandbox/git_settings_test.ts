/** What in a configuration of git may come from git itself or from a command's words, and what is somebody else's. */
import assert from "node:assert/strict";
import type { GitSetting } from "../../src/core/sandbox.ts";
import { hasStrangeSettings, keepOwnSettings } from "../../src/sandbox/git_settings.ts";

const BEFORE = `[core]
\tbare = false
\tsshCommand = ssh -v
[remote "origin"]
\turl = https://a.example/b
\tfetch = +refs/heads/*:refs/remotes/origin/*
[alias]
\tco = checkout
`;

function isStrange(after: string, settings: readonly GitSetting[] = [], before = BEFORE): boolean {
  return hasStrangeSettings(after, { before, settings, directory: "/x/.git", roots: ["/x"] });
}

const PLAIN: readonly string[] = [
  BEFORE,
  BEFORE + '[branch "a"]\n\tremote = origin\n\tmerge = refs/heads/a\n',
  BEFORE + '[branch "a\\"b"]\n\tremote = .\n',
  BEFORE + '[submodule "s"]\n\tactive = true\n\tupdate = rebase\n',
  BEFORE.replace("bare = false", "bare = false\n\tsparseCheckout = true"),
  BEFORE + "# a comment\n\n",
  BEFORE + "[gc]\n",
];

const STRANGE: readonly string[] = [
  BEFORE + "[alias]\n\tst = !x\n",
  BEFORE + "[core] fsmonitor = ./x\n",
  BEFORE + "[core]\n\tfsmonitor = ./x\n",
  BEFORE + "[CORE]\n\tFsMonitor = ./x\n",
  BEFORE + "[core]\n\tbare = false \\\n[alias]\n\tst = !x\n",
  BEFORE + '[branch "a"] ; [core]\n\tfsmonitor = x\n',
  BEFORE + '[branch "a"]\n\tremote = https://a.example/evil\n',
  BEFORE + '[branch "a"]\n\tpushRemote = git@a.example:evil\n',
  BEFORE + '[branch "a"]\n\tremote = ext::sh\n',
  BEFORE + '[branch "a"]\n\tremote = other\n',
  BEFORE + '[branch "a"]\n\tpushRemote = origin\n',
  BEFORE + '[remote "other"]\n\turl = git@a.example:b\n',
  BEFORE + '[submodule "s"]\n\turl = https://a.example/s\n',
  BEFORE + "[user]\n\tname = A\n",
  BEFORE + "[core]\n\tworktree = /x/y\n",
  BEFORE + '[remote "o"]\n\turl = e"xt":":sh\n',
  BEFORE + '[remote "origin"]\n\tpushurl = https://a.example/evil\n',
  BEFORE + '[remote "o"]\n\tuploadpack = ./x\n',
  BEFORE + '[submodule "s"]\n\tupdate = !x\n',
  BEFORE + "[include]\n\tpath = x\n",
  BEFORE + '[includeIf "gitdir:/"]\n\tpath = x\n',
  BEFORE + "[core]\n\tworktree = /etc\n",
  BEFORE.replace("https://a.example/b", "https://a.example/evil"),
  BEFORE.replace("ssh -v", "./x"),
  BEFORE.replace("\tsshCommand = ssh -v\n", ""),
  BEFORE.replace("co = checkout", "co = !x"),
  "",
];

Deno.test("what git writes by itself is no surprise in a configuration", () => {
  for (const after of PLAIN) assert.equal(isStrange(after), false, after);
});

Deno.test("what names a program or another address is one, and so is what was taken away", () => {
  for (const after of STRANGE) assert.equal(isStrange(after), true, after);
});

Deno.test("below a value that goes on nothing is taken for a section", () => {
  const before = "[core]\n\teditor = a \\\n  b\n[alias]\n\tco = checkout\n";
  assert.equal(isStrange(`${before}\tbare = !x\n`, [], before), true);
  assert.equal(isStrange(before, [], before), false);
});

Deno.test("what a command's words set stays, with that value alone", () => {
  const set = (name: string, ...values: string[]) => [{ kind: "named", name, values } as const];
  const alias = (value: string) => `${BEFORE}[alias]\n\tSt = ${value}\n`;
  assert.equal(isStrange(alias('"!x; y"'), set("alias.st", "!x; y")), false);
  assert.equal(isStrange(alias("!z"), set("alias.st", "!x")), true);
  assert.equal(isStrange(alias("!x"), set("alias.co", "!x")), true);
  const gone = BEFORE.replace("\tsshCommand = ssh -v\n", "");
  assert.equal(isStrange(gone, set("core.sshcommand")), false);
  assert.equal(isStrange(BEFORE.replace("ssh -v", "./x"), set("core.sshcommand")), true);
  const renamed = BEFORE.replaceAll("origin", "up");
  const names = ["rename", "origin", "up"];
  const both = [...set("remote.origin.", ...names), ...set("remote.up.", ...names)];
  assert.equal(isStrange(renamed, both), false);
  assert.equal(isStrange(renamed), true);
  const evil = BEFORE.replace("a.example/b", "a.example/evil");
  assert.equal(isStrange(evil, set("remote.origin.", "https://a.example/c")), true);
  assert.equal(isStrange(evil, [{ kind: "named", name: "remote.origin.url" }]), false);
  assert.equal(isStrange(evil, [{ kind: "all" }]), false);
});

Deno.test("who commits and where to is set only by commands that do that, but for what was there", () => {
  const made = (...names: string[]) => names.map((name) => ({ kind: "made", name }) as const);
  const remote = '[remote "other"]\n\turl = git@a.example:b\n\tmirror = true\n';
  const branch = '[branch "a"]\n\tremote = other\n';
  assert.equal(isStrange(BEFORE + remote, made("remote.other.")), false);
  assert.equal(isStrange(BEFORE + remote + branch, made("remote.other.")), false);
  assert.equal(isStrange(BEFORE + remote, made("remote.another.", "branch.")), true);
  assert.equal(isStrange(`${BEFORE + remote}\tuploadpack = ./x\n`, made("remote.")), true);
  const submodule = '[submodule "s"]\n\turl = https://a.example/s\n';
  assert.equal(isStrange(BEFORE + submodule, made("submodule.")), false);
  const upstream = { kind: "named", name: "branch.*.remote", values: ["./up.git", "a"] } as const;
  const to = (address: string) => `${BEFORE}[branch "a"]\n\tremote = ${address}\n`;
  assert.equal(isStrange(to("./up.git"), [upstream]), false);
  assert.equal(isStrange(to("./evil.git"), [upstream]), true);
  const user = "[user]\n\tname = A\n";
  assert.equal(isStrange(BEFORE + user + "[gc]\n", [], BEFORE + user), false);
  assert.equal(isStrange(BEFORE, [], to("./up.git") + user), false);
});

Deno.test("a section that gets another name keeps its settings", () => {
  const before = "[my]\n\tv = a\n\tw = b\n";
  const names = [
    { kind: "named", name: "my.", values: [] },
    { kind: "named", name: "mine.", values: [], from: "my." },
  ] as const;
  assert.equal(isStrange("[mine]\n\tv = a\n\tw = b\n", names, before), false);
  assert.equal(isStrange("[mine]\n\tv = c\n", names, before), true);
});

Deno.test("of a configuration that was changed otherwise too, what git and words set stays", () => {
  const keep = (after: string, settings: readonly GitSetting[] = [], before = BEFORE) =>
    keepOwnSettings(after, { before, settings, directory: "/x/.git", roots: ["/x"] });
  const branch = '[branch "a"]\n\tremote = origin\n';
  const alias = "[alias]\n\tst = !x\n";
  const remove = BEFORE.replace("\tsshCommand = ssh -v\n", "");
  assert.equal(keep(BEFORE + alias), BEFORE);
  assert.equal(keep(BEFORE + branch + alias), BEFORE + branch);
  assert.equal(keep(BEFORE.replace("co = checkout", "co = !x") + branch), BEFORE + branch);
  assert.equal(keep(remove + alias), BEFORE);
  const user = `${BEFORE}[user]\n\tname = a\n`;
  assert.equal(keep(user.replace("name = a", "name = b") + branch, [], user), user + branch);
  const unset = [{ kind: "named", name: "core.sshCommand", values: [] }] as const;
  assert.equal(keep(remove + alias, unset), remove);
  const add = [{ kind: "made", name: "remote.up." }] as const;
  const remote = '[remote "up"]\n\turl = ../up.git\n';
  assert.equal(keep(alias + remote, add, ""), remote);
  assert.equal(keep(`${BEFORE}[core]\n\tbare = false \\\n[alias]\n\tst = !x\n`), undefined);
});
