/**
 * What commands of git take from a working tree, told by their words.
 */
import assert from "node:assert/strict";
import { stagedBy } from "../../src/permission/git_staging.ts";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { textPathFacts } from "../support/path_facts.ts";

/** The paths, "tree" for all of it; undefined for nothing. */
function taken(text: string): readonly string[] | "tree" | undefined {
  const { parts } = analyzeCommand(text, { pathFacts: textPathFacts(), sandboxed: true });
  assert.equal(parts.length, 1, text);
  const staging = stagedBy(parts[0]!);
  return staging && (staging.paths ?? "tree");
}

const CASES: readonly (readonly [string, ReturnType<typeof taken>])[] = [
  ["git add a b", ["a", "b"]],
  ["git add -v a -- b", ["a", "b"]],
  ["git add", undefined],
  ["git add -A", "tree"],
  ["git stage -u", "tree"],
  ["git add '*.ts'", "tree"],
  ["git add ':!a'", "tree"],
  ["git add --pathspec-from-file=x", "tree"],
  ["git rm -r --cached a", ["a"]],
  ["git commit", undefined],
  ["git commit -m a", undefined],
  ["git commit -ma", undefined],
  ["git commit -am a", "tree"],
  ["git commit -qsam a", "tree"],
  ["git commit -m a b", ["b"]],
  ["git commit -qm a -- b", ["b"]],
  ["git commit -m -a", undefined],
  ["git commit -Sa -m x", undefined],
  ["git commit -uall -m x", undefined],
  ["git commit --message a --author b", undefined],
  ["git commit --message=a b", ["b"]],
  ["git commit --all", "tree"],
  ["git commit --amend --no-edit --allow-empty", undefined],
  ["git commit -p", "tree"],
  ["git commit --interactive", "tree"],
  ["git commit --pathspec-from-file x", "tree"],
  ["git stash", "tree"],
  ["git stash push -m x", "tree"],
  ["git stash pop", undefined],
  ["git status", undefined],
  ["git reset --hard", undefined],
];

for (const [text, expected] of CASES) {
  Deno.test(`${text} takes ${expected ?? "nothing"} from the tree`, () => {
    assert.deepEqual(taken(text), expected);
  });
}

Deno.test("the directories of -C are told in their order", () => {
  const { parts } = analyzeCommand("git -C a -C ../b add c", { pathFacts: textPathFacts() });
  assert.deepEqual(stagedBy(parts[0]!), { directories: ["a", "../b"], paths: ["c"] });
});

Deno.test("words that other programs add may name anything", () => {
  const { parts } = analyzeCommand("ls | xargs git add x", { pathFacts: textPathFacts() });
  assert.equal(stagedBy(parts[1]!)?.paths, undefined);
  assert.notEqual(stagedBy(parts[1]!), undefined);
});
