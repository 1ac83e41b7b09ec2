/**
 * Commands of git where the workspace is a part of a repository: those that write its whole working tree are no half done.
 */
import assert from "node:assert/strict";
import { Policy } from "../../src/permission/policy.ts";
import { textPathFacts } from "../support/path_facts.ts";

const PATHS = {
  ...textPathFacts({ "/w/a.ts": "" }),
  trackedPaths: (paths: readonly string[]) =>
    Promise.resolve(paths.filter((path) => path === "/w/gone.ts")),
  outerTree: (directory: string) => Promise.resolve(directory === "/other" ? undefined : "/"),
};

function judge(
  target: string,
  { interactive = false, allowAll = true, pathFacts = PATHS } = {},
) {
  const rules = { allow: {}, deny: {}, allowAll };
  const policy = new Policy({ rules, interactive, pathFacts, sandboxed: () => true });
  return policy.judge([{ kind: "run", target }]);
}

const WHOLE_TREE = [
  ...["git switch main", "git switch -", "git switch -c x main", "git switch --orphan x"],
  ...["git switch -fc x", "git switch --detach v1", "git -C src switch main"],
  ...["git checkout main", "git checkout main --", "git checkout -b x v1", "git checkout -f"],
  ...["git checkout --detach v1", "git checkout -p", 'git checkout "$1"'],
  ...["git merge x", "git merge --abort", "git pull", "git rebase -i main", "git am < x.patch"],
  ...["git cherry-pick x", "git revert --no-edit HEAD", "git revert --continue"],
  ...["git reset --hard", "git reset --har", "git reset --merge x", "git reset --keep x"],
  ...[
    "git stash",
    "git stash -u",
    "git stash push -m x",
    "git stash -m show",
    "git checkout --conflict merge x",
    "git stash pop",
    "git stash apply",
  ],
  ...["git bisect start v2 v1", "git bisect good", "git bisect run ./check.sh", "git bisect reset"],
  ...["git read-tree -mu HEAD", "git sparse-checkout set src", "git -c user.name=x merge x"],
  ...["git -c core.editor=vi merge x", "timeout 5 git merge x", "git branch | xargs git switch"],
  ...["git checkout -- :/", "git checkout main -- ':(icase,top)src'", "git restore :/a.ts"],
  ...[
    "git clean -fd :/",
    "git rm -rf ':(top)src'",
    "git stash push -- :/",
    "git stash push a.ts :/",
  ],
  ...["git restore ':!src'", "git restore -s main ':(exclude)src'", "git checkout -- ':^src'"],
  ...["git stash push -- ':!src'", "git restore ..", "git checkout main -- ../x", "git rm -r ../x"],
  ...['git restore "$x"', 'git clean -fd "$x"', "echo :/ | xargs git restore", "git restore ../*"],
  ...["git restore --pathspec-from-file=list", "git checkout --pathspec-from-file=list main"],
  ...["git -c core.editor=vi restore :/", "git restore -SW :/", "git restore {src,:/}/*"],
  ...["cd src && git merge x", "bash -c 'git merge x'", "f() { git switch x; }; f"],
];

for (const command of WHOLE_TREE) {
  Deno.test(`it is not begun where files beyond the workspace stay: ${command}`, async () => {
    const headless = await judge(command);
    assert.equal(headless.decision, "deny");
    assert.match(headless.why, /^git \S+ changes files in all of \/, a repository of which the/);
    assert.match(headless.why, /; start ally in \/, or with --add-dir \/:/);
    assert.equal((await judge(command, { allowAll: false })).decision, "deny");
    assert.notEqual((await judge(command, { interactive: true })).decision, "allow");
  });
}

const NAMED_PATHS = [
  ...[
    "git switch -c x",
    "git switch -q -c x HEAD",
    "git switch -qc x",
    "git checkout -b x",
    "git checkout -B x HEAD",
  ],
  ...["git checkout", "git checkout a.ts", "git checkout gone.ts", "git checkout ."],
  ...["git checkout main a.ts", "git checkout main -- src", "git checkout -- a.ts"],
  ...["git restore a.ts", "git restore .", "git add -A", "git commit -am x", "git rm a.ts"],
  ...["git reset", "git reset --soft HEAD~1", "git reset -- a.ts", "git apply x.patch"],
  ...["git stash list", "git stash show -p", "git stash push a.ts", "git stash -- src"],
  ...["git stash drop", "git merge --quit", "git rebase --show-current-patch", "git bisect log"],
  ...["git add :/", "git diff -- :/", "git restore . ':(exclude)top'", "git log -- ':(top)'"],
  ...[
    "git restore src/*",
    "git checkout src/*.ts",
    "git checkout main src/*",
    "git clean -fd src/*",
  ],
  ...[
    "git clean -nd :/",
    "git rm --cached -r :/",
    "git restore --staged :/",
    "git rm -r . ':!src'",
  ],
  ...["git clean -fd -e '*.log'", "git stash push -m x src/*", "git restore -s HEAD~1 a.ts"],
  ...["git status", "git log main", "git diff main", "git branch x", "git tag v1", "git fetch"],
  ...["git push", "git sparse-checkout list", "git clean -fd", "git -C /other merge x"],
  ...["git switch --help", "git pull -h", "git init -q new && cd new && git merge main"],
  ...[
    "git clone -q ../x new && git -C new checkout -q x",
    "git worktree add new x && cd new && git rebase main",
  ],
];

for (const command of NAMED_PATHS) {
  Deno.test(`it runs in a part of a repository as anywhere: ${command}`, async () => {
    const found = await judge(command);
    assert.equal(found.decision, "allow", found.why);
    const elsewhere = { ...PATHS, outerTree: () => Promise.resolve(undefined) };
    assert.deepEqual(found, await judge(command, { pathFacts: elsewhere }));
  });
}

Deno.test("a person is asked whether it may run outside, by itself, though everything is allowed", async () => {
  const verdict = await judge("git merge x", { interactive: true });
  assert.deepEqual([verdict.decision, verdict.risk, verdict.outside], ["ask", "extreme", "/"]);
  assert.deepEqual(verdict.offers ?? [], []);
  const beside = await judge("git merge x && npm test", { interactive: true });
  assert.equal(beside.decision, "deny");
  assert.match(beside.banned ?? "", /^Run `git merge x` by itself/);
});

Deno.test("without a sandbox nothing of it is kept", async () => {
  const rules = { allow: {}, deny: {}, allowAll: true };
  const policy = new Policy({ rules, interactive: false, pathFacts: PATHS });
  assert.equal((await policy.judge([{ kind: "run", target: "git merge x" }])).decision, "allow");
});
