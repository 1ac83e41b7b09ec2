/**
 * Hooks that lie in the workspace, as husky keeps them, run with git in its sandbox: they set nothing that the user's
 * own git would obey later, and run with no keys.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { guarded, hasBubblewrap, serveBySsh } from "../support/sandbox.ts";

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore: !hasBubblewrap() });
}

/** What a hook plants in git's own directory and beside it. */
const PLANT = `#!/bin/sh
exec 2>/dev/null
printf '[alias]\\n\\tst = !touch pwned\\n[core]\\n\\tfsmonitor = ./x\\n' >> .git/config
git config branch.main.remote https://a.example/b
printf '[core]\\n\\tfsmonitor = ./x\\n' > .git/config.worktree
mkdir -p .git/modules/lib/hooks .git/modules/lib/objects .git/modules/lib/refs .git/info
echo 'ref: refs/heads/main' > .git/modules/lib/HEAD
echo 'touch pwned' > .git/modules/lib/hooks/post-checkout
echo '* filter=x' > .git/info/attributes
echo ../evil > .git/commondir
git init -q made
git -C made config core.fsmonitor ./x
echo ran > ran.txt
`;

/** A repository whose hooks of these names do that. */
async function withHooks(
  hooks: Readonly<Record<string, string>>,
  commands: readonly string[],
) {
  const at = await guarded(commands, { repository: true, files: { "a.txt": "a\n" } });
  await Deno.mkdir(join(at.place.dir, ".husky"));
  for (const [name, text] of Object.entries(hooks)) {
    await writeProgram(join(at.place.dir, ".husky", name), text);
  }
  await at.git("config", "core.hooksPath", ".husky");
  await at.git("config", "extensions.worktreeConfig", "true");
  await Deno.remove(join(at.place.dir, ".git", "info"), { recursive: true });
  return at;
}

const OBEYED = /fsmonitor|alias|filter|example|evil|modules\/lib|pwned/;

for (
  const [command, power] of [
    ["git checkout -q -b y", "with the power over its configuration"],
    ["git commit -q --allow-empty -m second", "without it"],
  ] as const
) {
  test(`git ${power} leaves nothing behind that a hook made for the user's git to obey`, async () => {
    const hooks = { "post-checkout": PLANT, "pre-commit": PLANT };
    await using at = await withHooks(hooks, [command]);
    const before = await at.place.read(".git/config");
    await at.run(["-A"]);
    const [result] = at.results();
    assert.match(result!, /What was there before is back/);
    assert.match(result!, /config\.worktree-set-aside.*info\/attributes-set-aside/s);
    assert.equal(await at.place.read("ran.txt"), "ran\n");
    assert.equal(await at.place.read(".git/config"), before);
    assert.doesNotMatch(await at.git("config", "--list", "--show-origin"), OBEYED);
    assert.doesNotMatch(await at.git("-C", "made", "config", "--list", "--local"), OBEYED);
    for (const name of ["commondir", "config.worktree", "info/attributes", "modules/lib/hooks"]) {
      await assert.rejects(Deno.lstat(join(at.place.dir, ".git", name)), name);
    }
  });
}

const STEAL = "#!/bin/sh\ncat ~/.ssh/id_test >> stolen.txt; echo ran > ran.txt\n";

test("a command of git that has keys runs no hook of the workspace, and says which", async () => {
  await using at = await withHooks({ "pre-push": STEAL, "pre-commit": STEAL }, [
    'git push -q "server:$PWD/up.git" HEAD:x',
    'git fetch -q "server:$PWD/up.git" x',
    "git commit -q --allow-empty -m second",
  ]);
  await serveBySsh(at);
  await at.git("init", "-q", "--bare", "up.git");
  await at.run(["-A"]);
  const [pushed, fetched, committed] = at.results();
  assert.match(
    pushed!,
    /not run, since code of the workspace.*\.husky\/pre-push\. .*with ! before/,
  );
  assert.match(await at.git("--git-dir=up.git", "log", "--oneline", "x"), /first/);
  assert.doesNotMatch(fetched! + committed!, /not run/);
  assert.equal(await at.place.read("ran.txt"), "ran\n");
  assert.equal(await at.place.read("stolen.txt"), "");
});

test("no words of a command have hooks of the workspace run with keys", async () => {
  const PUSH = 'git push -q "server:$PWD/up.git" HEAD:x';
  await using at = await withHooks({ "pre-push": STEAL }, [
    `env -u GIT_CONFIG_COUNT ${PUSH}`,
    `env -u "GIT_CONF"IG_COUNT ${PUSH}`,
    `env -i PATH="$PATH" HOME="$HOME" ${PUSH}`,
    `unset GIT_CONFIG_COUNT; ${PUSH}`,
    `x=GIT_CONF; unset "$x"IG_COUNT; ${PUSH}`,
    `export GIT_CONFIG_COUNT=0; ${PUSH}`,
    `GIT_CONFIG_COUNT=0 ${PUSH}`,
    `git -c core.hooksPath=.husky ${PUSH.slice(4)}`,
    `exec -c ${PUSH}`,
    `bash -c 'unset GIT_CONFIG_COUNT; ${PUSH}'`,
    `echo '${PUSH}' | env -i sh`,
  ]);
  await serveBySsh(at);
  await at.git("init", "-q", "--bare", "up.git");
  await at.run(["-A"]);
  assert.equal(at.results().length, 11);
  const stolen = await at.place.read("stolen.txt").catch(() => "");
  assert.equal(stolen, "", at.results().join("\n"));
});

test("a strategy that a hook leaves for a rebase or a list of picks is taken out, git's own stays", async () => {
  const plant = "#!/bin/sh\nfor d in rebase-merge sequencer; do mkdir -p .git/$d; done\n" +
    "echo x/y > .git/rebase-merge/strategy\n" +
    "printf '[options]\\n\\tstrategy = x/y\\n' > .git/sequencer/opts\n";
  await using at = await withHooks({ "post-checkout": plant }, ["git checkout -q -b y"]);
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /strategy-set-aside.*opts-set-aside/s);
  await assert.rejects(Deno.lstat(join(at.place.dir, ".git/rebase-merge/strategy")));
  await assert.rejects(Deno.lstat(join(at.place.dir, ".git/sequencer/opts")));

  await using other = await withHooks({ "post-checkout": plant.replaceAll("x/y", "ours") }, [
    "git checkout -q -b y",
  ]);
  await other.run(["-A"]);
  assert.doesNotMatch(other.results()[0]!, /strategy-set-aside|opts-set-aside/);
});

for (
  const [what, planting] of [
    ["in another form", "echo 'x=/y' > rebase-merge/strategy"],
    ["through a link", "echo x/y > qq; ln -sf ../qq rebase-merge/strategy"],
    ["on the line of a header", "echo '[options] strategy = x/y' > sequencer/opts"],
    [
      "behind a long comment",
      "{ echo '[options]'; printf '#%09000000d\\n\\tstrategy = x/y\\n' 0; } > sequencer/opts",
    ],
    ["by another key", "printf '[options]\\n\\tStrategy = x/y\\n' > sequencer/opts"],
    ["in a file that nobody reads", "echo x/y > sequencer/opts; chmod 0 sequencer/opts"],
  ] as const
) {
  test(`a strategy that a hook leaves ${what} is taken out`, async () => {
    const plant = "#!/bin/sh\ncd .git && mkdir -p rebase-merge sequencer\n" + planting + "\n";
    await using at = await withHooks({ "post-checkout": plant }, ["git checkout -q -b y"]);
    await at.run(["-A"]);
    assert.match(at.results()[0]!, /(?:strategy|opts)-set-aside/);
    for (const path of ["rebase-merge/strategy", "sequencer/opts"]) {
      await assert.rejects(Deno.lstat(join(at.place.dir, ".git", path)), path);
    }
  });
}

test("a hook leaves no address where old versions of git kept them, nor options for patches", async () => {
  const plant = "#!/bin/sh\nmkdir -p .git/branches .git/remotes .git/rebase-apply\n" +
    "echo ssh://evil/x > .git/branches/origin\necho 'URL: ssh://evil/x' > .git/remotes/up\n" +
    "echo \" '--build-fake-ancestor=/x' '-p1'\" > .git/rebase-apply/apply-opt\n";
  await using at = await withHooks({ "post-checkout": plant }, ["git checkout -q -b y"]);
  await at.place.write(".git/branches/old", "ssh://a.example/b\n");
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /branches-set-aside.*apply-opt-set-aside/s);
  const listed = Array.from(
    Deno.readDirSync(join(at.place.dir, ".git/branches")),
    ({ name }) => name,
  );
  assert.deepEqual(listed, ["old"]);
  for (const path of ["remotes", "rebase-apply/apply-opt"]) {
    await assert.rejects(Deno.lstat(join(at.place.dir, ".git", path)), path);
  }
});

test("what settings name in .git stays as it is: hooks, further settings, programs", async () => {
  const plant = "#!/bin/sh\necho touch pwned >> .git/own/pre-push\n" +
    "echo '[alias]' >> .git/more\nmv .git/own .git/other\necho x > .git/tools/x.sh\n" +
    "echo '[alias]' > .git/later\n";
  await using at = await withHooks({}, ["git checkout -q -b y", "git commit -qam x --allow-empty"]);
  for (const name of ["own", "tools"]) await Deno.mkdir(join(at.place.dir, ".git", name));
  await writeProgram(join(at.place.dir, ".git/own/post-checkout"), plant);
  await writeProgram(join(at.place.dir, ".git/own/post-commit"), plant);
  await at.place.write(".git/more", "[user]\n\tname = x\n");
  await at.place.write(".git/tools/y.sh", "");
  await at.git("config", "core.hooksPath", ".git/own");
  await at.git("config", "include.path", "more");
  await at.git("config", "--add", "include.path", "later");
  await at.git("config", "filter.x.clean", "sh .git/tools/y.sh");
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /later-set-aside/);
  assert.equal(await at.place.read(".git/more"), "[user]\n\tname = x\n");
  for (const path of ["own/pre-push", "other", "later", "tools/x.sh"]) {
    await assert.rejects(Deno.lstat(join(at.place.dir, ".git", path)), path);
  }
});

/** What makes a repository that git would obey later. */
const MAKE = "mkdir sub && cd sub && git init -q && git config core.fsmonitor ./x && " +
  "cp ../t/hooks/pre-commit .git/hooks";

for (
  const command of [
    "git rebase --exec 'sh mk.sh' HEAD~1",
    "git -c alias.x='!sh mk.sh' x",
    "GIT_EDITOR='sh mk.sh' git commit --amend --allow-empty",
    "git bisect start HEAD HEAD~1 && git bisect run sh mk.sh",
    "git init -q --template=t sub",
    'git -c init.templateDir="$PWD/t" init -q sub',
    "git clone -q --template=t . sub",
  ]
) {
  test(`what runs with git by its words makes nothing that git obeys later: ${command}`, async () => {
    await using at = await guarded([command], { repository: true, files: { "mk.sh": MAKE } });
    await Deno.mkdir(join(at.place.dir, "t/hooks"), { recursive: true });
    await writeProgram(join(at.place.dir, "t/hooks/pre-commit"), "#!/bin/sh\ntouch pwned\n");
    await at.place.write("t/config", "[core]\n\tfsmonitor = ./x\n");
    await at.git("commit", "-q", "--allow-empty", "-m", "second");
    await at.run(["-A"]);
    assert.match(at.results()[0]!, /sub\/\.git\/hooks-set-aside/, at.results()[0]);
    assert.doesNotMatch(await at.git("-C", "sub", "config", "--list", "--local"), OBEYED);
    await assert.rejects(Deno.lstat(join(at.place.dir, "sub/.git/hooks/pre-commit")));
  });
}

test("git obeys no directory that only looks like a repository where it has keys", async () => {
  const commands = ["cd x && git fetch", "git -C x fetch", "cd y && git fetch"];
  await using at = await guarded(commands, { repository: true });
  await at.git("init", "-q", "--bare", "x");
  for (
    const [name, value] of [
      ["core.sshCommand", `touch ${join(at.place.dir, "pwned")}; false`],
      ["remote.origin.url", "git@a.example:b"],
    ] as const
  ) await at.git("--git-dir=x", "config", name, value);
  await Deno.mkdir(join(at.place.dir, "y"));
  await at.place.write("y/HEAD", "ref: refs/heads/main\n");
  await at.place.write("y/commondir", "../x\n");
  await at.run(["-A"]);
  for (const result of at.results()) assert.match(result, /bare ?repository/i);
  await assert.rejects(at.place.read("pwned"));
});

/** Puts a link to a directory of the user's in place of one of git's. */
const replace = (path: string) =>
  `#!/bin/sh\nexec 2>/dev/null\nmv .git/${path} .git/moved; ln -s "$HOME/mine" .git/${path}\n`;

for (
  const [place, command] of [
    ["modules/sub", "git checkout -q -b y"],
    ["modules", "git checkout -q -b y"],
    ["worktrees/wt", "git checkout -q -b y"],
    ["worktrees/wt", "git commit -q --allow-empty -m second"],
    ["worktrees", "git commit -q --allow-empty -m second"],
    ["info", "git commit -q --allow-empty -m second"],
  ] as const
) {
  test(`ally changes nothing behind a link in place of .git/${place} after ${command}`, async () => {
    const hook = replace(place);
    await using at = await withHooks({ "post-checkout": hook, "pre-commit": hook }, [command]);
    const { dir, env } = at.place;
    const mine = join(env.HOME!, "mine");
    const git = join(dir, ".git");
    for (const name of ["modules/sub/hooks", "worktrees/wt", "info"]) {
      await Deno.mkdir(join(git, name), { recursive: true });
    }
    await at.place.write(".git/modules/sub/config", "[core]\n\tbare = false\n");
    await at.place.write(".git/modules/sub/HEAD", "ref: refs/heads/main\n");
    await at.place.write(".git/worktrees/wt/commondir", "../..\n");
    await at.place.write(".git/info/attributes", "* text\n");
    const names = ["config", "commondir", "attributes", "HEAD"];
    await Deno.mkdir(join(mine, "hooks"), { recursive: true });
    for (const name of [...names, "hooks/pre-push"]) {
      await Deno.writeTextFile(join(mine, name), "the user's");
    }
    await at.run(["-A"]);
    assert.deepEqual(
      Array.from(Deno.readDirSync(mine), ({ name }) => name).sort(),
      [...names, "hooks"].sort(),
    );
    for (const name of [...names, "hooks/pre-push"]) {
      assert.equal(await Deno.readTextFile(join(mine, name)), "the user's");
    }
    const now = await Deno.lstat(join(git, place)).catch(() => undefined);
    assert.equal(now?.isSymlink ?? false, false);
    assert.match(at.results()[0]!, /-set-aside/);
    assert.ok(await Deno.lstat(join(git, "moved")));
  });
}

test("hooks of a submodule that a hook changed, size and time the same, are as they were", async () => {
  const change = "cd .git/modules/sub/hooks; cp -p pre-push old; " +
    "printf 'pwned' | dd of=pre-push conv=notrunc; touch -r old pre-push; rm old";
  await using at = await withHooks(
    { "post-checkout": `#!/bin/sh\nexec 2>/dev/null\n${change}\n` },
    [
      "git checkout -q -b y",
    ],
  );
  const hooks = join(at.place.dir, ".git/modules/sub/hooks");
  await Deno.mkdir(hooks, { recursive: true });
  await at.place.write(".git/modules/sub/HEAD", "ref: refs/heads/main\n");
  await writeProgram(join(hooks, "pre-push"), "clean\n");
  const { mode } = await Deno.stat(join(hooks, "pre-push"));
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /What was there before is back.*sub\/hooks-set-aside/);
  assert.equal(await Deno.readTextFile(join(hooks, "pre-push")), "clean\n");
  assert.equal((await Deno.stat(join(hooks, "pre-push"))).mode, mode);
  assert.equal(await Deno.readTextFile(join(`${hooks}-set-aside`, "pre-push")), "pwned\n");
});

const PLANT_LINKS = `#!/bin/sh
exec 2>/dev/null
ln -sf "$HOME/.bashrc" .git/COMMIT_EDITMSG
rm -f .git/logs/HEAD; ln -s "$HOME/notes.txt" .git/logs/HEAD
ln -sf config .git/MERGE_MSG
ln .git/config .git/SQUASH_MSG
`;

test("links that a hook puts into .git for the user's git to write through are set aside", async () => {
  await using at = await withHooks({ "post-commit": PLANT_LINKS }, [
    "git commit -q --allow-empty -m second",
  ]);
  await Deno.symlink("/tmp", join(at.place.dir, ".git", "mine"));
  await Deno.writeTextFile(join(at.place.env.HOME!, "notes.txt"), "mine\n");
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /\.git\/COMMIT_EDITMSG-set-aside.*\.git\/HEAD-set-aside/);
  await at.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "third");
  assert.equal(await Deno.readTextFile(join(at.place.env.HOME!, "notes.txt")), "mine\n");
  await assert.rejects(Deno.lstat(join(at.place.env.HOME!, ".bashrc")));
  await Deno.readLink(join(at.place.dir, ".git", "mine"));
  await assert.rejects(Deno.lstat(join(at.place.dir, ".git", "MERGE_MSG")));
});

test("a second name that a hook gives to settings is none of theirs any more", async () => {
  const plant = "#!/bin/sh\nln .git/config .git/MERGE_MSG; ln .git/config config.txt\n";
  await using at = await withHooks({ "post-checkout": plant }, ["git checkout -q -b y"]);
  const before = await at.place.read(".git/config");
  await at.run(["-A"]);
  for (const name of [".git/MERGE_MSG", "config.txt"]) await at.place.write(name, "[alias]\n");
  assert.equal(await at.place.read(".git/config"), before);
});

test("a working tree keeps its place, whatever a hook writes there", async () => {
  const plant = "#!/bin/sh\necho $HOME/docs/.git > .git/worktrees/wt/gitdir\n";
  await using at = await withHooks({ "post-checkout": plant }, [
    "git checkout -q -b y",
    "git worktree move wt moved",
  ]);
  await at.git("-c", "core.hooksPath=/dev/null", "worktree", "add", "-q", "wt");
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /gitdir-set-aside/);
  assert.doesNotMatch(at.results()[1]!, /set-aside/);
  assert.match(await at.place.read(".git/worktrees/wt/gitdir"), /\/moved\/\.git$/m);
});

const PLANT_STEP = `#!/bin/sh
[ -d .git/rebase-merge ] && printf '%b\\n' 'exec touch pwned' 'exec touch pwned\\r' \\
  'exec touch pwned #\u2028' '\\tx\\ttouch pwned' >> .git/rebase-merge/git-rebase-todo
true
`;

test("a step of a rebase that a hook plants is taken out, and those of the user's stay", async () => {
  await using at = await withHooks({ "pre-commit": PLANT_STEP }, [
    "git commit -q -m 'rebase --exec: touch pwned'",
  ]);
  const git = (...args: string[]) => at.git("-c", "core.hooksPath=/dev/null", ...args);
  for (const text of ["b", "c"]) {
    await at.place.write("a.txt", `${text}\n`);
    await git("commit", "-qam", text);
  }
  await git("checkout", "-q", "-b", "other", "HEAD~2");
  await at.place.write("a.txt", "other\n");
  await git("commit", "-qam", "other");
  await git("rebase", "-q", "-x", "touch wanted", "other", "main");
  await at.place.write("a.txt", "solved\n");
  await git("add", "a.txt");
  await at.run(["-A"]);
  const list = await at.place.read(".git/rebase-merge/git-rebase-todo");
  assert.match(list, /exec touch wanted/);
  assert.doesNotMatch(list, /pwned/);
  assert.match(at.results()[0]!, /git-rebase-todo-set-aside/);
});

test("a rebase keeps the programs that its own words name", async () => {
  await using at = await guarded(["git rebase -q -x 'touch \"wanted\"; false' HEAD~2"], {
    repository: true,
    files: { "a.txt": "a\n" },
  });
  for (const text of ["b", "c"]) {
    await at.place.write("a.txt", `${text}\n`);
    await at.git("commit", "-qam", text);
  }
  await at.run(["-A"]);
  assert.doesNotMatch(at.results()[0]!, /set-aside/);
  const list = await at.place.read(".git/rebase-merge/git-rebase-todo");
  assert.match(list, /^exec touch "wanted"; false$/m);
});

/** Settings as git itself writes them, of which some send commits elsewhere, or under another name. */
const REDIRECT = `#!/bin/sh
exec 2>/dev/null
git remote add mirror ../evil.git
git config branch.main.pushRemote mirror
git config branch.main.remote mirror
git config user.name Mallory
git config --worktree user.email mallory@evil.example
git config submodule.s.url ../evil.git
git config core.worktree "$PWD/.husky"
echo ran >> ran.txt
`;

test("a hook of the workspace changes neither where commits go nor whose they are", async () => {
  const commands = [
    "git checkout -q -b topic",
    "git checkout -q -b other && git config commit.template a.txt",
    'git checkout -q -b third; git config my.f "$(pwd)"',
    "git checkout -q main | git config my.g v",
    "git worktree add -q ./tree topic",
  ];
  await using at = await withHooks({ "post-checkout": REDIRECT }, commands);
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /What was there before is back/);
  assert.match(await at.place.read("ran.txt"), /ran/);
  const settings = await at.git("config", "--list", "--local");
  const ofTree = await at.git("config", "--list", "--worktree");
  assert.doesNotMatch(settings + ofTree, /mirror|mallory|evil|core\.worktree/i);
  assert.match(settings, /^user\.name=a$/m);
});

test("a command of git that has keys runs nothing of the workspace that is to watch it", async () => {
  await using at = await withHooks({ "fsmonitor": STEAL }, [
    'git pull -q "server:$PWD/up.git" main',
  ]);
  await serveBySsh(at);
  await at.git("clone", "-q", "--bare", ".", "up.git");
  await at.git("config", "core.fsmonitor", "./.husky/fsmonitor");
  await at.run(["-A"]);
  assert.doesNotMatch(at.results()[0]!, /"success":false/);
  await assert.rejects(at.place.read("stolen.txt"));
});

test("a branch is made, committed to and pushed in one list, and what runs with no keys runs its hooks", async () => {
  const hooks = {
    "post-checkout": STEAL,
    "pre-commit": "#!/bin/sh\necho commit > ran.txt\n",
    "pre-push": STEAL,
  };
  await using at = await withHooks(hooks, [
    'git checkout -q -b y && git commit -q --allow-empty -m new && git push -q "server:$PWD/up.git" y',
  ]);
  await serveBySsh(at);
  await at.git("init", "-q", "--bare", "up.git");
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /hooks were not run[^]*pre-push\. Run[^]*cat: \S+: No such file/);
  assert.match(await at.git("--git-dir=up.git", "log", "--oneline", "y"), /new/);
  assert.equal(await at.place.read("ran.txt"), "commit\n");
});

test("what the words of a list set stays where a hook of it set something else", async () => {
  const plant = "#!/bin/sh\ngit config alias.st '!touch pwned'\ngit config core.hooksPath evil\n";
  await using at = await withHooks({ "post-checkout": plant }, [
    "git checkout -q -b y; git remote add up ../x.git; git config my.a b",
  ]);
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /\.git\/config-set-aside/);
  const settings = await at.git("config", "--list", "--local");
  assert.match(settings, /core\.hookspath=\.husky\n/);
  assert.match(settings, /remote\.up\.url=\.\.\/x\.git\n[^]*my\.a=b\n/);
  assert.doesNotMatch(settings, /alias|evil/);
});
