/** The settings that a command's words name, for the sandbox to tell them from somebody else's. */
import assert from "node:assert/strict";
import type { GitSetting } from "../../src/core/sandbox.ts";
import { isGitAlone, settingsIn } from "../../src/permission/git_settings.ts";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { textPathFacts } from "../support/path_facts.ts";

const pathFacts = textPathFacts();

function shown(text: string): string[] {
  const { parts } = analyzeCommand(text, { pathFacts, sandboxed: true });
  return settingsIn(parts).map((one: GitSetting) => {
    if (one.kind === "made") return `made ${one.name}`;
    if (one.kind !== "named") return one.kind;
    const values = one.values === undefined ? "?" : one.values.join(" ");
    return `${one.name}=${values}${one.from === undefined ? "" : ` from ${one.from}`}`;
  });
}

/** Beside a command by which hooks run. */
const ROWS: readonly (readonly [line: string, ...found: readonly string[]])[] = [
  ["git config user.name A", "user.name=A"],
  ["git -C sub --no-pager config --local core.editor vi", "core.editor=vi"],
  ["git config set core.editor vi", "core.editor=vi"],
  ["git config --type bool core.bare true", "core.bare=true"],
  ["git config --unset core.editor", "core.editor="],
  ["git config unset core.editor", "core.editor="],
  ["git config --unset-all core.editor x", "core.editor="],
  ["git config --add remote.o.fetch +refs/x:refs/y", "remote.o.fetch=+refs/x:refs/y"],
  ["git config user.name alias.x", "user.name=alias.x"],
  ["git config --list"],
  ["git config -f .git/config core.editor vi", "core.editor=vi"],
  ["git config --file=.git/config --add core.editor vi", "core.editor=vi"],
  ["git config --fil .git/config core.editor vi", "unknown"],
  ["git config -zf .git/config core.editor vi", "unknown"],
  ['git config "$(cat n)" x', "unknown"],
  ["git config --rename-section my mine", "my.=", "mine.= from my."],
  ["git config --remove-section my", "my.="],
  ["timeout 5 git config my.to 1", "my.to=1"],
  ["/usr/bin/git config my.to 1", "my.to=1"],
  ["x=1 git config my.to 1", "my.to=1"],
  ["git config my.to '$(x)'", "my.to=$(x)"],
  ['git config my.to "$(date)"', "my.to=?"],
  ['git config my.to "$(pwd)/x"', "my.to=?"],
  ["for k in a b; do git config my.$k v; done", "my.a=v", "my.b=v"],
  ["echo v | xargs git config my.x", "my.x=?"],
  [
    "git remote rename a b",
    "remote.a.=rename a b",
    "remote.b.=rename a b",
    "made remote.a.",
    "made remote.b.",
  ],
  ["git remote add a ./b", "remote.a.=add a ./b", "made remote.a.", "made remote../b."],
  ['git remote add a "$(x)"', "remote.a.=add a", "made remote."],
  ["git push -u ./up.git main", "branch.*.remote=./up.git main"],
  ["git branch -m a b", "branch.b.="],
  [
    "git submodule set-url sub https://a.b/c",
    "made submodule.",
    "made remote.",
    "made core.",
    "remote.origin.=sub https://a.b/c",
  ],
  ["git remote"],
  ["git checkout -b alias.x"],
  ["git branch --format config alias.x"],
  ["echo git config alias.x y"],
];

Deno.test("the words of git name settings wherever it stands in a command, and no others do", () => {
  for (const [line, ...found] of ROWS) {
    assert.deepEqual(shown(`git commit -m x; ${line}`), found, line);
  }
});

Deno.test("what is set by nothing but words counts altogether", () => {
  for (
    const line of [
      'git config my.f "$(pwd)"',
      "for k in a b; do git config my.$k v; done",
      "k=x; time nice git config my.$k v",
      "echo v | xargs git config my.x",
      "mkdir -p x && cd x && git config a.b c && git remote add a ./b",
      "bash -c 'git config a.b c'",
    ]
  ) assert.equal(shown(line)[0], "all", line);
  for (
    const line of [
      "git config a.b c; git checkout -b x",
      "git status; git config a.b c",
      "git remote add -f a ./b",
      "git remote rename a b",
      "git config --edit",
      "npx git config a.b c",
      "env LD_PRELOAD=./x.so git config a.b c",
      "make; git config a.b c",
      "./git config a.b c",
    ]
  ) assert.equal(shown(line).includes("all"), false, line);
});

for (
  const [line, isAlone] of [
    ["git init -q y; git -C y commit -q --allow-empty -m x; git checkout -q -b z; rm -rf y", true],
    ["git clone -q a b && cd b && git stash && git rebase -q main && git config user.name A", true],
    ["git init -q y; cp a y/.git/config", false],
    ["git --work-tree=y/.git checkout HEAD -- config", false],
    ["git --git-dir ../.git checkout HEAD -- config", false],
    ["git merge-file y/.git/config a b", false],
    ["git rebase -x./x main", false],
    ["git clone -u ./x a b", false],
    ["git submodule foreach ./x", false],
    ["git clone -q a y/.git", false],
    ["git -C y/.git clone -q a .", false],
    ["git worktree move a y/.git", false],
    ["mkdir -p y/.git; git clone -q a b", false],
    ["cd y/.git; rm -rf HEAD; git clone -q a .", false],
    ["rm -rf y/*; git clone -q a b", false],
    ["rm -rf d/HEAD d/config; git clone -q a d", false],
    ["git init -q --se b y", false],
    ["git init -q --separate-git-dir=b y", false],
    ["rm -rf b && git clone -q a/x.git b && cd b && git add .gitignore", true],
    ["git my-alias", false],
    ["git checkout $(cat words)", false],
  ] as const
) {
  Deno.test(`${line} ${isAlone ? "writes contents by git alone" : "may write what it likes"}`, () => {
    const { parts } = analyzeCommand(line, { pathFacts, sandboxed: true });
    assert.equal(isGitAlone(parts), isAlone);
  });
}
