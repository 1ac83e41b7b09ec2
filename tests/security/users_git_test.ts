/**
 * What hooks and programs of the workspace leave behind for the user's own git, which runs later and outside of any
 * sandbox: nothing that it runs, and no place outside that it writes or reads.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeIndex } from "../support/git_index.ts";
import { type Guarded, guarded, hasBubblewrap, withHook } from "../support/sandbox.ts";

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore: !hasBubblewrap() });
}

/** Settings by which git, whatever it does, makes a file `pwned` beside the workspace. */
function armed(at: Guarded, more = ""): string {
  return `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch ${at.place.dir}/../pwned; false"\n${more}`;
}

/** Whether git obeyed what it was not to. */
async function isPwned(at: Guarded): Promise<boolean> {
  return await Deno.lstat(join(at.place.dir, "..", "pwned")).then(() => true, () => false);
}

test("an index that a hook wrote has git write no settings, and read no key", async () => {
  const plant = 'rm .git/index; cp planted "$(git rev-parse --git-dir)/index"';
  await using at = await withHook(["git checkout -q -b y"], plant);
  await at.place.write("armed", armed(at));
  const id = (await at.git("hash-object", "-w", "armed")).trim();
  const paths = [".git/config", "../outside"];
  await Deno.writeFile(
    join(at.place.dir, "planted"),
    writeIndex(paths.map((path) => ({ path })), id),
  );
  const before = await at.place.read(".git/config");
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /index-set-aside.*Have `git reset` make a new index/);
  await at.git("reset", "-q");
  await at.git("checkout", ".");
  await at.git("status");
  assert.equal(await at.place.read(".git/config"), before);
  await assert.rejects(Deno.lstat(join(at.place.dir, "..", "outside")));
  assert.equal(await isPwned(at), false);
});

test("an index that gets a second name is not lost, and is not written by it", async () => {
  await using at = await withHook(
    ["git checkout -q -b y", 'cp planted other; echo "$(git status --short)"'],
    "ln .git/index other",
  );
  await at.run(["-A"]);
  const { nlink } = await Deno.lstat(join(at.place.dir, ".git", "index"));
  assert.equal(nlink, 1);
  assert.doesNotMatch(at.results().join(), /set-aside/);
  assert.equal((await at.git("ls-files")).trim(), "a.txt");
});

test("a list of conflicts that a hook wrote has git read no file outside", async () => {
  const id = "1234567890123456789012345678901234567890";
  for (const place of ["/etc/passwd", ".git/config", "link"]) {
    const plant =
      `ln -s /etc/passwd link; mkdir -p .git/rr-cache/${id}; : > .git/rr-cache/${id}/preimage; ` +
      `printf '${id}\\t${place}\\0' > .git/MERGE_RR`;
    await using at = await withHook(["git checkout -q -b y"], plant);
    await at.run(["-A"]);
    assert.match(at.results()[0]!, /MERGE_RR-set-aside/, place);
    await at.git("commit", "-q", "--allow-empty", "-m", "x");
    const recorded = join(at.place.dir, ".git", "rr-cache", id, "postimage");
    await assert.rejects(Deno.lstat(recorded), place);
  }
});

test("a link is found in directories of git's that are called as others", async () => {
  const plant = "L=.git/logs/refs/heads; mkdir -p $L/HEAD; rm -rf $L/objects/x; " +
    "mkdir -p $L/objects/x; ln -s ../../../../../../../outside $L/objects/x/y";
  await using at = await withHook(["git checkout -q -b objects/x/y"], plant);
  await Deno.writeTextFile(join(at.place.dir, "..", "outside"), "as it was\n");
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /set-aside/);
  await at.git("commit", "-q", "--allow-empty", "-m", "x");
  assert.equal(await at.place.read("../outside"), "as it was\n");
});

for (
  const none of [
    "hooks",
    "objects .git/modules/a/refs; echo garbage > .git/modules/a/HEAD",
    "refs; echo x > .git/modules/a/objects; echo 'ref: refs/x' > .git/modules/a/HEAD",
  ]
) {
  test(`a submodule is found below what is none, with ${none.split(/\W/)[0]}`, async () => {
    const plant = `mkdir -p .git/modules/a/${none}; git init -q --bare .git/modules/a/b; ` +
      "cp armed .git/modules/a/b/config";
    await using at = await withHook(["git checkout -q -b y"], plant);
    await at.place.write("armed", armed(at, "\tbare = true\n"));
    await at.run(["-A"]);
    assert.match(at.results()[0]!, /modules/);
    await at.git("--git-dir=.git/modules/a/b", "--work-tree=.", "status").catch(() => {});
    assert.equal(await isPwned(at), false);
  });
}

test("a working tree is recorded behind no link of the workspace", async () => {
  const plant = "ln -s ../other link; mkdir -p .git/worktrees/x; cd .git/worktrees/x; " +
    "git rev-parse HEAD > HEAD; echo ../.. > commondir; echo $OLDPWD/link/.git > gitdir";
  await using at = await withHook(["git checkout -q -b y"], plant);
  const other = join(at.place.dir, "..", "other");
  await Deno.mkdir(other);
  await Deno.writeTextFile(join(other, "work"), "");
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /worktrees\/x/);
  await at.git("worktree", "repair").catch(() => {});
  await at.git("worktree", "remove", "--force", "link").catch(() => {});
  assert.deepEqual([...Deno.readDirSync(other)].map(({ name }) => name), ["work"]);
});

/** What makes the workspace itself a bare repository with such settings. */
const BARE = `mkdir -p objects refs; echo 'ref: refs/heads/main' > HEAD; cp armed config`;

test("a workspace is no bare repository where a hook takes the HEAD of its own away", async () => {
  await using at = await withHook(
    ["git checkout -q -b y", "cp armed config"],
    `${BARE}; rm .git/HEAD`,
  );
  await at.place.write("armed", armed(at, "\tbare = false\n\tworktree = .\n"));
  await at.run(["-A"]);
  assert.match(
    at.results()[0]!,
    /took away what makes \S+\/\.git a repository. Its HEAD is as it was/,
  );
  await at.git("status");
  assert.equal(await isPwned(at), false);
  assert.equal((await at.git("rev-parse", "--git-dir")).trim(), ".git");
});

test("a workspace is no bare repository where git takes the HEAD of its own away", async () => {
  await using at = await withHook([BARE, "git update-ref --no-deref -d HEAD"], "exit 0");
  await at.place.write("armed", armed(at, "\tbare = false\n\tworktree = .\n"));
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /HEAD-set-aside/);
  await at.git("status");
  assert.equal(await isPwned(at), false);
});

for (const first of ["sleep 60", "git -c alias.z='!sleep 60' z"]) {
  test(`a workspace without a repository is made no bare one beside ${first}`, async () => {
    const background = { command: first, run_in_background: true };
    await using at = await guarded([background, BARE, "cp armed config"], {
      files: { "a.txt": "a" },
    });
    await at.place.write("armed", armed(at, "\tbare = false\n\tworktree = .\n"));
    await at.run(["-A"]);
    assert.match(at.results()[1]!, /HEAD-set-aside/);
    await at.git("status");
    assert.equal(await isPwned(at), false);
  });
}

test("hooks stay in a directory of git's whose path has a blank in it, however a setting names it", async () => {
  const write = 'for one in "team hooks" "my tools" others; do echo x > ".git/$one/new"; done';
  await using at = await withHook(["git checkout -q -b y"], write);
  const dot = join(at.place.dir, ".git");
  for (const name of ["team hooks", "my tools", "others"]) await Deno.mkdir(join(dot, name));
  await Deno.rename(
    join(at.place.dir, ".husky", "post-checkout"),
    join(dot, "team hooks", "post-checkout"),
  );
  await at.git("config", "core.hooksPath", join(dot, "team hooks"));
  await at.git("config", "core.editor", `"${dot}/my tools/edit" -w`);
  await at.git("config", "core.pager", join(dot, "others/page").replaceAll("/", "\\/"));
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /team hooks\/new.*Read-only/);
  for (const name of ["team hooks", "my tools", "others"]) {
    await assert.rejects(Deno.lstat(join(dot, name, "new")), name);
  }
});

/** Makes a repository where commands may write and nobody looks, which `$g` names. */
const CACHED = 'g="$npm_config_cache/evil"; mkdir -p "$g/objects" "$g/refs"; ' +
  'cp armed "$g/config"; echo \'ref: refs/heads/main\' > "$g/HEAD"; ';

/** What a hook does to have git find that one in `lib`, with a working tree `tree` that is there. */
const LEADS: Readonly<Record<string, string>> = {
  "a file that it made": 'mkdir lib; echo "gitdir: $g" > lib/.git',
  "a file that it moved": 'mv tree lib; echo "gitdir: $g" > lib/.git',
  "a place of its own among git's, that says to whom it belongs":
    'mkdir lib; mv "$g" .git/own; git --git-dir=.git/own config core.worktree ../../lib; ' +
    "echo 'gitdir: ../.git/own' > lib/.git",
};

for (const [what, lead] of Object.entries(LEADS)) {
  test(`a hook leads git to no repository that nobody looks at by ${what}`, async () => {
    const hook = `unset $(git rev-parse --local-env-vars); ${CACHED}${lead}`;
    await using at = await withHook(["git checkout -q -b y"], hook);
    await at.git("-c", "core.hooksPath=/dev/null", "worktree", "add", "-q", "tree", "-b", "t");
    await at.place.write("armed", armed(at));
    await at.run(["-A"]);
    assert.match(at.results()[0]!, /lib\/\.git-set-aside/);
    await at.git("-C", "lib", "status");
    assert.equal(await isPwned(at), false);
  });
}

test("a file that leads to a working tree's own directory has no second name by which it is written", async () => {
  const write = "for one in tree/.git lib/.git other; do echo x > $one; done";
  await using at = await withHook(
    ["git checkout -q -b y", write],
    "mkdir lib; ln tree/.git lib/.git; ln tree/.git other",
  );
  await at.git("-c", "core.hooksPath=/dev/null", "worktree", "add", "-q", "tree", "-b", "t");
  const before = await at.place.read("tree/.git");
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /the new is now \S+lib\/\.git-set-aside\./);
  assert.equal(await at.place.read("tree/.git"), before);
  assert.equal((await Deno.lstat(join(at.place.dir, "tree/.git"))).nlink, 1);
});

test("no directory that is called almost like it hides what is called .git", async () => {
  const plant = `${CACHED}echo "gitdir: $g" > lib/.git`;
  await using at = await guarded([plant], { repository: true, files: { "a.txt": "a\n" } });
  for (const name of ["GIT", "Git", "gIt", "giT", "GIt", "gIT", "GiT"]) {
    await Deno.mkdir(join(at.place.dir, "lib", `.${name}`, "in"), { recursive: true });
  }
  await at.place.write("armed", armed(at));
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /lib\/\.git-set-aside/);
  await at.git("-C", "lib", "status");
  assert.equal(await isPwned(at), false);
});

test("a link by which git finds a repository is back where something took its place, or it away", async () => {
  const plant = `${CACHED}rm .git; echo "gitdir: $g" > .git`;
  await using at = await guarded([plant, "rm .git"], {
    repository: true,
    files: { "a.txt": "a\n" },
  });
  await at.place.write("armed", armed(at));
  await Deno.rename(join(at.place.dir, ".git"), join(at.place.dir, "..", "real.git"));
  await Deno.symlink("../real.git", join(at.place.dir, ".git"));
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /the new is now \S+\/\.git-set-aside\./);
  assert.match(at.results()[1]!, /took away the link \S+\/\.git, .* there again\./);
  assert.match(await at.git("log", "--oneline"), /first/);
  assert.equal(await isPwned(at), false);
});

test("a hook writes nothing in a repository that other programs obey", async () => {
  const write = "echo x > .git/lazygit.yml; mkdir .git/safe";
  await using at = await withHook(["git checkout -q -b y", "git checkout -q -b z"], write);
  await at.run(["-A"]);
  for (const result of at.results()) {
    assert.match(result, /lazygit\.yml-set-aside.*safe-set-aside/);
  }
});

test("what a working tree shares with others is told by no file that git writes by another name", async () => {
  const plant =
    "git worktree add -q --no-checkout tree; ln -f .git/worktrees/tree/commondir .git/COMMIT_EDITMSG";
  await using at = await withHook([`git -c alias.x='!${plant}' x`], "exit 0");
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /worktrees\/tree\S*-set-aside/);
});

test("a search for a commit ends at no option that a hook wrote", async () => {
  const plant = "printf -- '-f\\n' > .git/BISECT_START; echo '$(touch x)' > .git/BISECT_NAMES";
  await using at = await withHook(["git bisect start HEAD HEAD~2"], plant);
  for (const name of ["second", "third"]) await at.git("commit", "-q", "--allow-empty", "-m", name);
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /BISECT_START-set-aside.*BISECT_NAMES-set-aside/);
});

test("no link leads to a repository that a command or a hook made where nobody looks", async () => {
  const make = (path: string) =>
    `mkdir -p ${path}/.git/objects ${path}/.git/refs; cp armed ${path}/.git/config; ` +
    `echo 'ref: refs/heads/main' > ${path}/.git/HEAD`;
  const plain = `${make("$npm_config_cache/docs")}; ln -s $npm_config_cache/docs one`;
  await using at = await withHook(
    [plain, "git checkout -q -b y"],
    `${make(".git/docs")}; ln -s .git/docs two`,
  );
  await at.place.write("armed", armed(at));
  await at.run(["-A"]);
  for (const [place, name] of ["one", "two"].entries()) {
    assert.match(at.results()[place]!, new RegExp(`are removed: \\S+/${name} to`));
    await assert.rejects(Deno.lstat(join(at.place.dir, name)));
  }
});

test("no link leads to what commands in another project keep", async () => {
  await using at = await guarded([
    "mkdir -p $npm_config_cache; echo $npm_config_cache > place",
    "ln -s $(sed s,projects/[^/]*,projects/other-1, place)/docs one; ls",
  ]);
  await at.run(["-A"]);
  assert.match(at.results()[1]!, /are removed: \S+\/one to/);
  await assert.rejects(Deno.lstat(join(at.place.dir, "one")));
});

test("what git obeys by a link of the user's stays as it is, there or not", async () => {
  const names = ["config", "config.worktree", "hooks"];
  const write = "echo evil >> dot/config; echo evil > dot/config.worktree; echo evil > dot/hooks/x";
  await using at = await guarded([write, "git add dot; sh write.sh", "git commit -qm x; ls dot"], {
    repository: true,
    files: { "write.sh": write, "dot/hooks/y": "" },
  });
  const { dir } = at.place;
  for (const place of ["", "sub/"]) {
    const own = join(dir, place, ".git");
    if (place !== "") await at.git("init", "-q", "sub");
    await Deno.rename(join(own, "config"), join(dir, place, "dot-config"));
    await Deno.remove(join(own, "hooks"), { recursive: true });
    for (const name of names) await Deno.symlink(join(dir, "dot", name), join(own, name));
  }
  const config = await Deno.readTextFile(join(dir, "dot-config"));
  await Deno.writeTextFile(join(dir, "dot/config"), config);
  await at.run(["-A"]);
  assert.match(at.results()[2]!, /config\nhooks/);
  assert.equal(await Deno.readTextFile(join(dir, "dot/config")), config);
  const left = ["dot", "dot/hooks"].map((path) => Array.from(Deno.readDirSync(join(dir, path))));
  assert.deepEqual(left.map((some) => some.map(({ name }) => name).sort()), [
    ["config", "hooks"],
    ["y"],
  ]);
});

test("git is first led to a bare repository that a clone brought only where that names no programs", async () => {
  await using at = await guarded([
    "git init -q --separate-git-dir=store one",
    "git -C store worktree add -q ../two -b two",
    "git -C plain.git worktree add -q ../three -b three",
    "git -C led.git worktree add -q ../four -b four",
    "git -C users.git worktree add -q ../five -b five",
    "git rm -rq --cached store; git -C store worktree add -q ../six -b six",
  ], { repository: true, files: { "a.txt": "a\n" } });
  for (const name of ["store", "plain.git", "led.git", "users.git"]) {
    await at.git("clone", "-q", "--bare", ".", name);
  }
  await at.git("-C", "led.git", "worktree", "add", "-q", "../user", "-b", "user");
  for (const name of ["store", "led.git", "users.git"]) {
    await at.git("-C", name, "config", "core.fsmonitor", join(at.place.dir, "evil"));
  }
  await at.git("add", "store", "plain.git", "led.git");
  const { stderr } = await at.run(["-A"]);
  const exists = (name: string) =>
    Deno.lstat(join(at.place.dir, name, ".git")).then(() => true, () => false);
  assert.deepEqual(await Promise.all(["one", "two", "three", "four", "five", "six"].map(exists)), [
    false,
    false,
    true,
    true,
    true,
    false,
  ]);
  assert.match(at.results()[0]!, /one\/\.git-set-aside/);
  assert.match(stderr, /While a command ran, a repository, .* were made .*one\/\.git-set-aside/);
});

test("no link leads there by another one, by a process, or under a name that was the user's", async () => {
  const store = "mkdir -p $npm_config_cache/docs; ";
  const links = {
    one: "ln -s /proc/self/root$npm_config_cache/docs one",
    two: "ln -s /dev/fd/../root$npm_config_cache/docs two",
    three: "ln -s up$npm_config_cache/docs three",
    four: "ln -s / four; ln -s four$npm_config_cache/docs five",
    hooks: "ln -sfn $npm_config_cache/docs hooks",
    // Where it leads is only decided by the second of two commands.
    six: "mkdir x; ln -s x/..$npm_config_cache/docs six; rmdir x; ln -s /usr x",
  };
  const commands = Object.values(links).map((command) => `${store}${command}`);
  const noText = `ln -s $npm_config_cache/docs "$(printf 'v\\377')"`;
  const image =
    "mkdir etc; ln -s /proc/self/mounts etc/mtab; ln -s etc conf; ln -s etc/../lib lib64";
  await using at = await guarded([...commands, noText, "ls", image], { repository: true });
  const { dir } = at.place;
  await Deno.symlink("/", join(dir, "up"));
  await Deno.symlink(".git/hooks", join(dir, "hooks"));
  await at.run(["-A"]);
  const results = at.results();
  for (const [place, name] of Object.keys(links).entries()) {
    assert.match(results[place]!, new RegExp(`are removed: \\S+/${name} to`));
    await assert.rejects(Deno.lstat(join(dir, name)), name);
  }
  const [told, later, last] = results.slice(commands.length);
  assert.match(told!, /as its name is no text: do not run git there/);
  assert.doesNotMatch(later! + last!, /are removed/);
  await Deno.lstat(join(dir, "up"));
  await Deno.lstat(join(dir, "etc/mtab"));
});

test("what runs in the background arms no repository that git has made since, whatever runs then", async () => {
  const arm =
    "until [ -f made/go ]; do sleep 0.1; done; cp armed made/.git/config; touch done; sleep 60";
  await using at = await guarded([
    { command: arm, run_in_background: true },
    "git init -q made && touch made/go",
    "git log -1; until [ -f done ]; do sleep 0.1; done; sleep 2; cat made/.git/config",
  ], { repository: true, files: { "a.txt": "a\n" } });
  await at.place.write("armed", armed(at));
  await at.run(["-A"]);
  assert.doesNotMatch(at.results()[2]!.replace(/^\[.*\]$/m, ""), /fsmonitor/);
  assert.match(at.results().slice(1).join("\n"), /made\/\.git\/config-set-aside/);
});

/** What a task in the background does to what git has just made, as soon as it may. */
const WRITTEN: Readonly<Record<string, readonly [make: string, write: string]>> = {
  "a file that leads to it": ["git worktree add -q made -b m", 'echo "gitdir: $g" > made/.git'],
  "what it shares with others": ["git init -q made", 'echo "$g" > made/.git/commondir'],
};

for (const [what, [make, write]] of Object.entries(WRITTEN)) {
  test(`a task in the background leads git nowhere by ${what} where git has made it since`, async () => {
    const plant =
      `${CACHED}until [ -f made/go ]; do sleep 0.1; done; ${write}; touch done; sleep 60`;
    const wait = "git log -1; until [ -f done ]; do sleep 0.1; done; sleep 2; ls -a made";
    await using at = await guarded([
      { command: plant, run_in_background: true },
      `${make} && touch made/go`,
      wait,
    ], { repository: true, files: { "a.txt": "a\n" } });
    await at.place.write("armed", armed(at));
    await at.run(["-A"]);
    assert.match(at.results().slice(1).join("\n"), /the new is now \S*made\/\.git-set-aside/);
    await at.git("-C", "made", "status");
    assert.equal(await isPwned(at), false);
  });
}
