/**
 * Repositories of the workspace that get another place while a command of git runs: git itself moves and removes its
 * working trees, and what a hook moves away is looked at where it is then.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { guarded, hasBubblewrap, withHook } from "../support/sandbox.ts";
import { stolen, withPlanters } from "../support/thief.ts";

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore: !hasBubblewrap() });
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

test("git removes and moves working trees and submodules, and others do not", async () => {
  await using at = await guarded([
    "git worktree remove one",
    "git worktree move two moved && git worktree lock moved",
    "rm -rf three",
    "git worktree remove --force three; git worktree prune",
    "git rm -q -f sub",
  ], { repository: true, files: { "a.txt": "a\n" } });
  for (const name of ["one", "two", "three"]) {
    await at.git("worktree", "add", "-q", name, "-b", name);
  }
  await at.git("clone", "-q", "--bare", ".", "../up.git");
  const add = ["submodule", "--quiet", "add", "../up.git", "sub"];
  await at.git("-c", "protocol.file.allow=always", ...add);
  await at.run(["-A"]);
  const [, , removed] = at.results();
  assert.match(removed!, /Cannot remove three: it is a repository/);
  for (const result of at.results().filter((one) => one !== removed)) {
    assert.doesNotMatch(result, /"success":false|set-aside/);
  }
  const list = await at.git("worktree", "list", "--porcelain");
  assert.match(list, /moved\n[^]*locked/);
  for (const name of ["one", "two", "three", "sub"]) {
    assert.doesNotMatch(list, new RegExp(`work/${name}\n`));
    assert.equal(await exists(join(at.place.dir, name)), false, name);
  }
});

test("directories with repositories, submodules and working trees are moved without a word", async () => {
  const own = "touch .git/gitk.cache .git/BISECT_LOG; mkdir -p .git/lfs/tmp .git/annex .git/hub";
  await using at = await guarded([
    "mkdir far && mv one far/one && git worktree repair far/one",
    "mv sub far/sub && mv far/sub sub && git submodule status",
    "git submodule deinit -q -f sub && git submodule update -q --init && git worktree list",
    "git clone -q --recurse-submodules . far/again",
    "git init -q --separate-git-dir=far/own far/apart && mv far/apart apart && mv far/again again",
    "git worktree add -q far/two && git worktree move far/two two",
    `git -c alias.own='!${own}' own; git status`,
    "mv outer far/outer && mv far/outer/in far/inner",
    "git -C two commit -q --allow-empty -m two; git -C again/sub log -1",
  ], { repository: true, files: { "a.txt": "a\n" } });
  await at.git("config", "--global", "protocol.file.allow", "always");
  await at.git("clone", "-q", "--bare", ".", "../up.git");
  const up = join(at.place.dir, "..", "up.git");
  await at.git("clone", "-q", up, "outer");
  for (const [tree, name] of [[".", "sub"], ["outer", "in"]] as const) {
    await at.git("-C", tree, "submodule", "--quiet", "add", up, name);
    await at.git("-C", tree, "commit", "-q", "-m", name);
  }
  await at.git("worktree", "add", "-q", "one", "-b", "one");
  await at.run(["-A"]);
  for (const result of at.results()) {
    assert.doesNotMatch(result, /"success":false|set-aside|took away|removed:/);
  }
  assert.match(await at.git("-C", "far/one", "status"), /On branch one/);
  assert.match(await at.git("-C", "again/sub", "log", "--oneline"), /first/);
  assert.match(await at.git("-C", "two", "log", "--oneline"), /two/);
});

test("a hook leads no working tree to another repository", async () => {
  const plant = "cp -r .git evil; printf 'gitdir: %s/evil\\n' \"$PWD\" > tree/.git";
  await using at = await withHook(["git checkout -q -b y"], plant);
  await at.git("-c", "core.hooksPath=/dev/null", "worktree", "add", "-q", "tree", "-b", "t");
  const before = await at.place.read("tree/.git");
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /What was there before is back.*tree\/\.git-set-aside/);
  assert.equal(await at.place.read("tree/.git"), before);
});

test("what a hook changes in a repository that it moves away is undone there", async () => {
  const change = "mkdir far; mv nested far/moved; git -C far/moved config core.fsmonitor ./x; " +
    "ln -s ../elsewhere far/moved/.git/objects/out";
  await using at = await withHook(["git checkout -q -b y"], change);
  await at.git("init", "-q", "nested");
  const before = await at.place.read("nested/.git/config");
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /far\/moved\/\.git\/config-set-aside/);
  assert.equal(await at.place.read("far/moved/.git/config"), before);
});

/** Runs a command in the background. */
function background(command: string) {
  return { calls: [{ name: "bash", arguments: { command, run_in_background: true } }] };
}

for (
  const [name, between] of [
    ["a command that says that its sandbox could not be made", "echo 'bwrap: x'; exit 1"],
    ["nothing", "echo no"],
  ] as const
) {
  test(`git with keys obeys no repository that came meanwhile, after ${name}`, async () => {
    await using at = await withPlanters([
      background("sleep 2; mv sub old; ./make.sh sub; sleep 6"),
      between,
      "sleep 3; git -C sub fetch -q server:/x",
      "touch ../outside",
    ]);
    await at.git("clone", "-q", ".", "sub");
    await at.run(["-A"]);
    assert.doesNotMatch(await stolen(at), /plover/);
    assert.equal(await exists(join(at.place.dir, "..", "outside")), false);
  });
}
