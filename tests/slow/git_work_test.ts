/** Ordinary work of git in the sandbox, of which nothing is taken for somebody else's. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

Deno.test({
  name: "what git sets itself and what words set stays, though hooks of the workspace run with it",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded([
      "git config commit.template a.txt && git checkout -q -b y && git config --add commit.template b.txt",
      "git remote add origin ./up.git && git push -q -u origin y; git remote rename origin up",
      'git submodule add -q "$PWD/up.git" sub && git submodule update --init -q; git worktree add -q tree; git sparse-checkout set sub',
      "git config --unset-all commit.template; git clone -q up.git clone; rm -r tree; git worktree prune",
    ], { repository: true, files: { "a.txt": "a\n" } });
    await Deno.mkdir(join(at.place.dir, ".husky"));
    const hook = join(at.place.dir, ".husky", "post-checkout");
    await writeProgram(hook, "#!/bin/sh\necho hooked >> ran.txt\n");
    await at.git("config", "core.hooksPath", ".husky");
    await at.git("config", "extensions.worktreeConfig", "true");
    await at.git("init", "-q", "--bare", "-b", "y", "up.git");
    await at.git("config", "--global", "protocol.file.allow", "always");
    await at.run(["-A"]);
    assert.doesNotMatch(at.results().join("\n"), /is back|set-aside/);
    assert.match(await at.place.read("ran.txt"), /hooked/);
    const settings = await at.git("config", "--list");
    assert.match(settings, /remote\.up\.fetch=\+refs\/heads\/\*:refs\/remotes\/up\/\*/);
    assert.match(settings, /branch\.y\.remote=up\n[^]*submodule\.sub\.url=/);
    assert.doesNotMatch(settings, /commit\.template/);
  },
});

/** What words set of which git cannot be read alone: behind wrappers, in loops, with values that only running shows. */
const WORDED: readonly (readonly [command: string, set: RegExp])[] = [
  ["for k in a b; do git config my.$k v; done", /^my\.a=v\nmy\.b=v$/m],
  ['git config my.f "$(pwd)"; timeout 5 git config my.to 1', /^my\.f=\/.*\nmy\.to=1$/m],
  ["/usr/bin/env git config my.e 1; nice git config my.n 1", /^my\.e=1\nmy\.n=1$/m],
  [
    "GIT_EDITOR=true git commit -q --allow-empty -m x && git config commit.template a.txt",
    /^commit\.template=a\.txt$/m,
  ],
  ['git checkout -q -b z && git config my.g "$(pwd)"', /^my\.g=\/$|^my\.g=\/.+/m],
  ["NAME=Bob; git config my.v $NAME; echo v | xargs git config my.x", /^my\.v=Bob\nmy\.x=v$/m],
  ["git config --rename-section my mine", /^mine\.a=v\nmine\.b=v$/m],
  ["git init -q --bare up2.git; git push -q -u ./up2.git main", /^branch\.main\.remote=\.\/up2/m],
  ["git branch -m main trunk", /^branch\.trunk\.remote=\.\/up2\.git$/m],
  ['git config core.hooksPath "$(pwd)/hooks"', /^core\.hookspath=.*\/hooks$/m],
  [
    "git remote add up ./up2.git && git fetch -q up && git checkout -q -b t up/main",
    /^branch\.t\.remote=up$/m,
  ],
];

Deno.test({
  name: "what words set stays, wherever git stands in a command",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded(
      [...WORDED.map(([command]) =>
        `${command}; git config --list --local > all.txt; cat all.txt`
      )],
      { repository: true, files: { "a.txt": "a\n" } },
    );
    await Deno.mkdir(join(at.place.dir, ".husky"));
    await writeProgram(join(at.place.dir, ".husky", "post-checkout"), "#!/bin/sh\n:\n");
    await at.git("config", "core.hooksPath", ".husky");
    await at.run(["-A"]);
    const results = at.results();
    for (const [index, [command, set]] of WORDED.entries()) {
      assert.doesNotMatch(results[index]!, /is back|set-aside/, command);
      assert.match(results[index]!, set, command);
    }
  },
});

Deno.test({
  name: "a bare repository of the workspace is worked on as any other",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded([
      "git -C b.git symbolic-ref HEAD refs/heads/main && git -C b.git branch x main",
      "cd b.git && git gc -q && git worktree add -q ../tree x",
      "git checkout -q -b y",
      "git -C b.git config my.a b",
    ], { repository: true });
    await Deno.mkdir(join(at.place.dir, ".husky"));
    const hook = join(at.place.dir, ".husky", "post-checkout");
    await writeProgram(
      hook,
      "#!/bin/sh\ncd .git 2>/dev/null && git rev-parse --git-dir > ../ran.txt\n",
    );
    await at.git("init", "-q", "--bare", "b.git");
    await at.git("push", "-q", "./b.git", "main");
    await at.git("config", "core.hooksPath", ".husky");
    await at.run(["-A"]);
    assert.doesNotMatch(at.results().join("\n"), /bare|set-aside|"success":false/);
    assert.equal(await at.place.read("ran.txt"), ".\n");
    assert.equal(await at.git("-C", "b.git", "config", "my.a"), "b\n");
  },
});

Deno.test({
  name: "what words set in a repository that they made stays while another command writes",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded([
      { command: "sleep 60; touch z.txt", run_in_background: true },
      "git init -q --bare x && git -C x config my.a b && git -C x config core.fsmonitor ./y",
      "touch hello.txt",
      "git -C x config my.c d",
    ], { repository: true });
    await at.run(["-A"]);
    assert.doesNotMatch(at.results().join("\n"), /set-aside/);
    assert.match(await at.git("-C", "x", "config", "--list"), /fsmonitor=[^]*my\.a=b\nmy\.c=d/);
  },
});
