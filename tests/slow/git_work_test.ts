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
