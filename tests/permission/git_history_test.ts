/**
 * Which commands of git may show what a repository holds of a path that may not be read: what is not known to show
 * nothing may show all of it.
 */
import assert from "node:assert/strict";
import { historyShown, type ShownHistory } from "../../src/permission/git_history.ts";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { textPathFacts } from "../support/path_facts.ts";

function shown(text: string): ShownHistory | true | undefined {
  const { parts } = analyzeCommand(text, { pathFacts: textPathFacts(), sandboxed: true });
  assert.equal(parts.length, 1, text);
  return historyShown(parts[0]!);
}

const SHOWS_ANY = [
  // A tag gives an object a name by which other commands show it.
  ...["git tag t B", "git tag -m x t B", "git tag -m -m t B", "git tag -m -a t B"],
  ...["git tag -m -l t B", "git tag -mld t B", "git tag -m -- t B", "git tag -- t B"],
  ...["git tag --message -l t B", "git tag -F f t B", "git tag -n", "echo B | xargs git tag t"],
  // Formats.
  ...["git for-each-ref --format='%(raw)' refs/tags/t", "git for-each-ref --format '%(raw)'"],
  ...["git for-each-ref --format='%(contents)'", "git for-each-ref --format='%(*raw:size)'"],
  ...["git tag -l --format='%(raw)'", "git branch --format='%(contents:body)'"],
  ...[
    "git for-each-ref --sort=raw",
    "git tag -l --sort=-contents",
    "git for-each-ref --form='%(raw)'",
  ],
  ...["git for-each-ref --format='%(if)%(raw)%(then)a%(end)'"],
  ...["git log --format=%N", "git log --pretty='format:%h %N'", "git log --format='%(subject)%N'"],
  ...["git log --format='%+N'", "git log --format='%(trailers)'", "git log --pretty=mine"],
  ...["git log -1 --format=%N -- a.txt", "git log --notes", "git log --show-notes=x"],
  ...["git -c format.pretty=%N log", "git -c include.path=x config -l", "git --exec-path=x log"],
  // Notes, objects by their ids, what copies the history.
  ...["git notes add -C B HEAD", "git notes show", "git notes list", "git replace A B"],
  ...["git config --blob B -l", "git config --blo=B -l", "git config get --blob B x"],
  ...["git config -f x -l", "git config core.editor x", "git config --add diff.external x"],
  ...["git config set core.pager x", "git archive HEAD", "git bundle create b HEAD"],
  ...["git fast-export HEAD", "git worktree add x HEAD", "git stash", "git stash push -- a.txt"],
  ...["git fsck --lost-found", "git init --separate-git-dir=x", "git unpack-file B"],
  ...["git update-index --cacheinfo 100644,B,x", "git update-ref refs/tags/t B", "git mktree"],
  ...["git read-tree --prefix=x/ HEAD~1", "git checkout-index -a", "git merge-file a b c"],
  ...["git fetch . B:refs/tags/t", "git push . B:refs/tags/t", "git push -- . B:refs/tags/t"],
  ...["git show 'HEAD~1^{/!-x:y}'", "git show 'main@{1:00}'", "git show 'HEAD^{/fix: text}'"],
  ...["git -c log.follow=true log -p -- a.txt", "git -c commit.verbose=2 commit -m x"],
  ...["git config log.follow true", "git config status.submoduleSummary true"],
  ...["git symbolic-ref HEAD refs/heads/x", "git symbolic-ref -- HEAD refs/heads/x"],
  // Files of other revisions.
  ...["git checkout old", "git checkout old -- b", "git checkout -b x old", "git checkout a.txt"],
  ...["git checkout -p", "git checkout --ours a", "git switch old", "git switch -c x old"],
  ...["git restore --source=old a", "git restore -s old a", "git restore --sou=old a"],
  ...["git reset --hard old", "git reset old", "git reset --soft HEAD~1", "git reset old -- b"],
  ...["git merge old", "git rebase old", "git cherry-pick old", "git revert old", "git pull"],
  // What shows it by its nature, also beside a path.
  ...["git show", "git show HEAD", "git diff", "git log -p", "git log -S x", "git log -L1,9:b"],
  ...["git show HEAD^{tree}:a.txt", "git show HEAD@{0}:a.txt", "git show :0:a.txt", "git show :/a"],
  ...["git show HEAD:../a.txt", "git diff HEAD:a -- a.txt", "git diff HEAD:a HEAD:b", "git show B"],
  ...["git cat-file --batch", "git cat-file -p B", "git grep a HEAD", "git checkout old -- ."],
  ...["git stash show -p", "git read-tree old", "git ls-tree --format=%x old"],
  ...["git log -p --follow -- a.txt", "git diff --no-index -- a b", "git show --ext-diff HEAD:a"],
  ...["git log --output=x -- a.txt", "git show HEAD:a B", "git show :a", "git cat-file blob B"],
  ...["git status -v", "git commit -v", "git commit --verb", "git add -p", "git add -i"],
  ...["git unknown", "tig", "git-x", "git x $Y"],
  "git grep x",
];

const SHOWS_NONE = [
  ...[
    "git status",
    "git status -sb",
    "git status --short --untracked-files=all",
    "git status -uno",
  ],
  ...[
    "git add -A",
    "git add a.txt",
    "git commit -m x",
    "git commit -am 'a -p b'",
    "git commit -mx",
  ],
  ...["git commit --amend --no-edit", "git log", "git log --oneline -5", "git log --format=%H"],
  ...["git log --pretty='format:%h %an %ad %s%n%b'", "git log --format=oneline --graph --all"],
  ...["git log --stat -- a.txt", "git log --date=short --format='%C(red)%h%C(reset) %<(20)%s'"],
  ...["git branch", "git branch -a", "git branch -vv", "git branch -d x", "git branch x HEAD~1"],
  ...["git branch --format='%(refname:short) %(upstream)'", "git for-each-ref --sort=-creatordate"],
  ...["git for-each-ref --format='%(objectname) %(subject)%00'", "git tag", "git tag -l 'v*'"],
  ...["git tag v1", "git tag v1 HEAD", "git tag -a v1 -m 'the first'", "git tag -d v1"],
  ...["git checkout -b x", "git checkout -b x HEAD", "git checkout -- a.txt", "git switch -c x"],
  ...["git restore a.txt", "git restore --staged a.txt", "git reset", "git reset HEAD a.txt"],
  ...["git reset --hard", "git rm -r x", "git clean -fd", "git config -l", "git config user.name"],
  ...[
    "git config user.name x",
    "git config --global user.email a@b.c",
    "git -c user.name=x commit",
  ],
  ...[
    "git --no-pager log --oneline",
    "git push",
    "git push -u origin HEAD",
    "git push origin main",
  ],
  ...[
    "git push origin HEAD:refs/heads/x",
    "git fetch --all",
    "git fetch origin main",
    "git remote -v",
  ],
  ...[
    "git remote add o https://example.com/a",
    "git rev-parse HEAD",
    "git describe --tags",
    "git gc",
  ],
  ...["git ls-files -s", "git ls-tree -r HEAD", "git show-ref", "git merge-base a b", "git init"],
  ...["git --version", "git", "git shortlog -sn", "git reflog", "git rev-list --count HEAD", "ls"],
];

type Paths = readonly [text: string, paths: readonly string[], more?: Partial<ShownHistory>];

const SHOWS_PATHS: readonly Paths[] = [
  ["git log -p -- a.txt src", ["a.txt", "src"]],
  ["git log -p --stat -3 old -- a.txt", ["a.txt"]],
  ["git diff -- a.txt", ["a.txt"]],
  ["git diff --cached --word-diff HEAD~2 -- a.txt", ["a.txt"]],
  ["git diff main..topic -- a.txt", ["a.txt"], { revisions: ["main", "topic"] }],
  ["git diff v1.2... -- a.txt", ["a.txt"], { revisions: ["v1.2"] }],
  ["git diff v1.2 v1.3 -- a.txt", ["a.txt"], { revisions: ["v1.2", "v1.3"] }],
  ["git show HEAD~1 -- a.txt", ["a.txt"]],
  ["git show deadbeef -- a.txt", ["a.txt"], { revisions: ["deadbeef"] }],
  ["git show deadbeef~0 -- a.txt", ["a.txt"]],
  ["git show HEAD:a.txt", ["a.txt"]],
  ["git show HEAD~2^2:a.txt @:b.txt", ["a.txt", "b.txt"]],
  ["git show deadbeef:src/a.txt", ["src/a.txt"], { revisions: ["deadbeef"] }],
  ["git show main:a.txt main^:a.txt", ["a.txt", "a.txt"], { revisions: ["main"] }],
  ["git cat-file -p HEAD:a.txt", ["a.txt"]],
  ["git mv src lib", ["src", "lib"]],
  ["git -C x log -p -- a.txt", ["a.txt"], { directories: ["x"] }],
  ["git -C x -C y show HEAD:./a.txt", ["./a.txt"], { directories: ["x", "y"] }],
  ["git -C x mv a b", ["a", "b"], { directories: ["x"] }],
];

for (const text of SHOWS_ANY) {
  Deno.test(`\`${text}\` may show any of a repository's history`, () => {
    const { parts } = analyzeCommand(text, { pathFacts: textPathFacts(), sandboxed: true });
    assert.ok(parts.some((part) => historyShown(part) === true), text);
  });
}

Deno.test("everyday commands of git show none of the history's contents", () => {
  for (const text of SHOWS_NONE) assert.equal(shown(text), undefined, text);
});

Deno.test("what is kept to paths shows the history of these alone", () => {
  for (const [text, paths, more] of SHOWS_PATHS) {
    assert.deepEqual(shown(text), { paths, revisions: [], directories: [], ...more }, text);
  }
});
