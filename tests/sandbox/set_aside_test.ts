/**
 * What commands made for git to obey is set aside whatever they did to keep it: by the modes of directories, which hold
 * an ordinary user alone, or by names that are taken. What was there before is back, and no mode has changed.
 */
import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { NestedRepositories } from "../../src/sandbox/nested_repositories.ts";
import { lookAtRepositories, reviewRepositories } from "../../src/sandbox/repository_changes.ts";
import { setPathAside } from "../../src/sandbox/real_directory.ts";

async function plant(path: string): Promise<void> {
  for (const name of ["objects", "refs"]) {
    await Deno.mkdir(join(path, name), { recursive: true });
  }
  await Deno.writeTextFile(join(path, "HEAD"), "ref: refs/heads/main\n");
  await Deno.writeTextFile(join(path, "config"), "[core]\n\tfsmonitor = ./evil.sh\n");
}

/** Whether git takes a directory for a repository's own, or for one with a `.git`. */
async function isRepository(path: string, top: string): Promise<boolean> {
  const { success } = await new Deno.Command("git", {
    args: ["rev-parse", "--git-dir"],
    cwd: path,
    env: { GIT_CEILING_DIRECTORIES: top },
    stdout: "null",
    stderr: "null",
  }).output();
  return success;
}

/** What a command does to what it planted. */
const KEPT: Readonly<Record<string, (root: string) => Promise<void>>> = {
  "in a directory that cannot be listed": (root) => Deno.chmod(root, 0o311),
  "in a directory that cannot be written": async (root) => {
    for (const name of ["v/.git", "v", "bare"]) await Deno.chmod(join(root, name), 0o555);
  },
  "beside names that are taken": async (root) => {
    for (const ending of ["", ...Array.from({ length: 98 }, (_, at) => `-${at + 2}`)]) {
      await Deno.writeTextFile(join(root, `v/.git-set-aside${ending}`), "");
      await Deno.writeTextFile(join(root, `bare/HEAD-set-aside${ending}`), "");
    }
  },
};

for (const [how, keep] of Object.entries(KEPT)) {
  Deno.test(`a repository that a command made is set aside ${how}`, async () => {
    const top = await Deno.realPath(await Deno.makeTempDir());
    const inner = join(top, "in");
    await Deno.mkdir(inner);
    const repositories = new NestedRepositories(() => [top]);
    const running = { makers: () => 0, others: () => 0 };
    await repositories.learn(running);
    await plant(join(inner, "v", ".git"));
    await plant(join(inner, "bare"));
    await keep(inner);
    const mode = (await Deno.stat(inner)).mode;
    const aside = await repositories.review({
      mayMake: false,
      writers: () => 0,
    });
    repositories.close();
    assert.equal(aside.length, 2);
    assert.equal((await Deno.stat(inner)).mode, mode);
    const places = ["v", ...aside.filter((path) => /\.git-set-aside[^/]*$/.test(path)), "bare"];
    for (const path of places) assert.ok(!await isRepository(resolve(inner, path), top), path);
    await new Deno.Command("chmod", { args: ["-R", "u+rwx", top] }).output();
    await Deno.remove(top, { recursive: true });
  });
}

/** Where a repository lies below `p`, which looks like a bare one. */
const BELOW = [
  ".git-set-aside-a",
  ".git-set-aside/x/.git",
  "a/.git",
  "objects/deep/.git",
  "refs/bare",
  "worktrees/a/.git",
  "worktrees/b",
];

for (const mayMake of [false, true]) {
  Deno.test(`no repository stays armed below one that looks bare, made by ${mayMake ? "git" : "another command"}`, async () => {
    const top = await Deno.realPath(await Deno.makeTempDir());
    const repositories = new NestedRepositories(() => [top]);
    await repositories.learn({ makers: () => 0, others: () => 0 });
    await plant(join(top, "p"));
    for (const path of BELOW) await plant(join(top, "p", path));
    const aside = await repositories.review({ mayMake, writers: () => 0 });
    repositories.close();
    assert.ok(aside.length > BELOW.length, aside.join("\n"));
    for (const path of ["", ...BELOW]) {
      const config = join(top, "p", path, "config");
      const text = await Deno.readTextFile(config).catch(() => "");
      const tree = join(top, "p", path.replace(/\.git$/, ""));
      if (mayMake) assert.doesNotMatch(text, /evil/, path);
      else assert.ok(!await isRepository(tree, top), path);
    }
    await Deno.remove(top, { recursive: true });
  });
}

/** What makes git take a directory `e` for a repository whose settings lie elsewhere, in a form that it never writes. */
const POINTERS: Readonly<Record<string, readonly [name: string, text: string, common: string]>> = {
  "a directory of another name": ["e/commondir", "../c", "c"],
  "a name of two lines": ["e/commondir", "../c\nx", "c\nx"],
  "what is not there yet": ["e/commondir", "../later", "elsewhere"],
  "a file that names it": ["w/.git", "gitdir: ../e\n", "c"],
  "a file of two lines": ["w/.git", "gitdir: ../e\nx", "c"],
  "a file that names a place in another one": ["w/.git", "gitdir: ../own/.git/x", "own/.git/x"],
};

for (const [what, [name, text, common]] of Object.entries(POINTERS)) {
  Deno.test(`a repository that git made of content is set aside where its settings are told by ${what}`, async () => {
    const top = await Deno.realPath(await Deno.makeTempDir());
    const repositories = new NestedRepositories(() => [top]);
    await repositories.learn({ makers: () => 0, others: () => 0 });
    await plant(join(top, common));
    if (!common.startsWith("own")) await Deno.remove(join(top, common, "HEAD"));
    for (const path of ["e", "w"]) await Deno.mkdir(join(top, path));
    await Deno.writeTextFile(join(top, "e/HEAD"), "ref: refs/heads/main\n");
    await Deno.writeTextFile(join(top, "e/commondir"), "../c");
    await Deno.writeTextFile(join(top, name), text);
    await repositories.review({ mayMake: true, writers: () => 0 });
    repositories.close();
    for (const path of ["e", "w"]) assert.ok(!await isRepository(join(top, path), top), path);
    await Deno.remove(top, { recursive: true });
  });
}

/** Makes a link whose target is no text: nobody but the system can follow it. */
async function linkToNoText(path: string): Promise<void> {
  const { success } = await new Deno.Command("bash", {
    args: ["-c", String.raw`ln -s $'\xff\xfe/x' "$0"`, path],
  }).output();
  assert.ok(success);
}

/** Whether git obeys a repository that was planted there. */
async function isArmed(path: string): Promise<boolean> {
  const { stdout } = await new Deno.Command("git", {
    args: ["config", "--local", "core.fsmonitor"],
    cwd: path,
    stderr: "null",
  }).output();
  return stdout.length > 0;
}

const NAMED: Readonly<Record<string, (top: string) => Promise<string>>> = {
  "one by a link whose target is no text": async (top) => {
    await linkToNoText(join(top, "aaa", "l"));
    return "l";
  },
  "one by more than a path can be": () => Promise.resolve(`./${"a/".repeat(450_000)}`),
  "one by more than a path can be, in lines": () => Promise.resolve(`x${"\n".repeat(900_000)}x`),
  "one by a link that can be led elsewhere": async (top) => {
    await plant(join(top, "p", "g"));
    await Deno.symlink("p", join(top, "l"));
    return "../l/g";
  },
  "one outside of the workspace": async (top) => {
    await plant(join(top, "..", "cache"));
    return join(top, "..", "cache");
  },
};

for (const [what, lead] of Object.entries(NAMED)) {
  Deno.test(`a file that names ${what} is set aside, and others are reviewed`, async () => {
    const outer = await Deno.realPath(await Deno.makeTempDir());
    const top = join(outer, "w");
    await Deno.mkdir(join(top, "aaa"), { recursive: true });
    const repositories = new NestedRepositories(() => [top]);
    await repositories.learn({ makers: () => 0, others: () => 0 });
    await plant(join(top, "lib", ".git"));
    await Deno.writeTextFile(join(top, "aaa", ".git"), `gitdir: ${await lead(top)}\n`);
    const aside = await repositories.review({ mayMake: true, writers: () => 0 });
    repositories.close();
    assert.ok(aside.includes(join(top, "aaa", ".git-set-aside")), aside.join(" "));
    assert.ok(aside.includes(join(top, "lib", ".git", "config-set-aside")), aside.join(" "));
    for (const name of ["aaa", "lib"]) assert.equal(await isArmed(join(top, name)), false, name);
    await Deno.remove(outer, { recursive: true });
  });
}

Deno.test("new links to where nobody looks for repositories are removed, the user's and those to files stay", async () => {
  const outer = await Deno.realPath(await Deno.makeTempDir());
  const [top, store] = [join(outer, "w"), join(outer, "cache")];
  await plant(join(top, ".git"));
  for (const path of ["w/.git/mine", "w/sub", "cache/docs"]) {
    await Deno.mkdir(join(outer, path), { recursive: true });
  }
  const link = (target: string, name: string) => Deno.symlink(target, join(top, name));
  await link(".git/mine", "known");
  await link(".git/later", "later");
  const repositories = new NestedRepositories(() => [top], { stores: [store] });
  const running = { makers: () => 0, others: () => 0 };
  const review = () => repositories.review({ mayMake: true, writers: () => 0 });
  await repositories.learn(running);
  const key = ".git/annex/objects/aa/bb/SHA256E-s1--a.txt/SHA256E-s1--a.txt";
  for (const [at, target] of ["sub", "/usr", key].entries()) {
    await link(target, `fine${at}`);
  }
  assert.deepEqual(await review(), []);
  const strange = [
    "../cache/docs",
    store,
    ".git/x",
    "sub/../.git",
    ".git/annex/objects",
    "strange0/y",
  ];
  for (const [at, target] of strange.entries()) await link(target, `strange${at}`);
  await linkToNoText(join(top, "strange9"));
  const [sentence, ...rest] = await review();
  assert.match(sentence!, /are removed: \S+ to \S+, .* and 4 more\.$/);
  assert.deepEqual(rest, []);
  await Deno.mkdir(join(top, ".git/later"));
  assert.match((await review())[0]!, /\/w\/later to \.git\/later/);
  const names = [...Deno.readDirSync(top)].map(({ name }) => name).toSorted();
  assert.deepEqual(names, [".git", "fine0", "fine1", "fine2", "known", "sub"]);
  repositories.close();
  await Deno.remove(outer, { recursive: true });
});

for (const mayMake of [false, true]) {
  Deno.test(`what a bare repository keeps of a working tree is set aside with it, made by ${mayMake ? "git" : "another command"}`, async () => {
    const top = await Deno.realPath(await Deno.makeTempDir());
    const repositories = new NestedRepositories(() => [top]);
    await repositories.learn({ makers: () => 0, others: () => 0 });
    const record = join(top, "p", "worktrees", "x");
    await plant(join(top, "p"));
    await plant(record);
    for (
      const [name, text] of [["commondir", "../.."], ["gitdir", join(top, "wt", ".git")]] as const
    ) {
      await Deno.writeTextFile(join(record, name), `${text}\n`);
    }
    // Of a directory whose time has not changed the listing is kept.
    await new Promise((resolve) => setTimeout(resolve, 150));
    await repositories.review({ mayMake, writers: () => 0 });
    repositories.close();
    assert.equal(await isArmed(record), false);
    await Deno.remove(top, { recursive: true });
  });
}

Deno.test("a repository stays known where there come to be more directories than are searched", async () => {
  const top = await Deno.realPath(await Deno.makeTempDir());
  const deep = join(top, "a", "b", "c", ".git");
  await plant(deep);
  const repositories = new NestedRepositories(() => [top], { limit: 10 });
  const running = { makers: () => 0, others: () => 0 };
  await repositories.learn(running);
  assert.deepEqual(repositories.paths, [deep]);
  for (let at = 0; at < 20; at++) await Deno.mkdir(join(top, `d${at}`));
  await repositories.learn(running);
  assert.deepEqual(repositories.paths, [deep]);
  await Deno.remove(deep, { recursive: true });
  await repositories.learn(running);
  assert.deepEqual(repositories.paths, []);
  repositories.close();
  await Deno.remove(top, { recursive: true });
});

Deno.test("no number of new directories hides a repository that a command made", async () => {
  const top = await Deno.realPath(await Deno.makeTempDir());
  await Deno.mkdir(join(top, "a", "b", "c"), { recursive: true });
  const repositories = new NestedRepositories(() => [top], { limit: 30 });
  const running = { makers: () => 0, others: () => 0 };
  const review = () => repositories.review({ mayMake: false, writers: () => 0 });
  const fill = async (count: number) => {
    for (let at = 0; at < count; at++) await Deno.mkdir(join(top, `d${at}`), { recursive: true });
  };
  await repositories.learn(running);
  await fill(34);
  for (const path of ["a/b/c/.git", "e/.git"]) await plant(join(top, path));
  const aside = ["a/b/c/.git-set-aside", "e/.git-set-aside"].map((path) => join(top, path));
  assert.deepEqual((await review()).toSorted(), aside);
  await repositories.learn(running);
  await fill(120);
  await plant(join(top, "d119", "in", ".git"));
  await plant(join(top, "a", "b", ".git"));
  const [found, sentence, ...rest] = await review();
  assert.deepEqual([found, rest], [join(top, "a/b/.git-set-aside"), []]);
  assert.match(sentence!, /more directories than are searched .* \(30\): .* were not looked at\./);
  await repositories.learn(running);
  assert.deepEqual(await review(), [], "it is told once");
  // What comes to light later was made by a command.
  for (let at = 0; at < 119; at++) await Deno.remove(join(top, `d${at}`));
  await repositories.learn(running);
  assert.deepEqual(await review(), [join(top, "d119", "in", ".git-set-aside")]);
  repositories.close();
  await Deno.remove(top, { recursive: true });
});

Deno.test("what leads to a repository is known by what it says and its place, not by its inode", async () => {
  const top = await Deno.realPath(await Deno.makeTempDir());
  const repositories = new NestedRepositories(() => [top]);
  for (const path of ["a", "b", "moved"]) {
    await plant(join(top, `${path}.git`));
    await Deno.mkdir(join(top, path));
    await Deno.writeTextFile(join(top, path, ".git"), `gitdir: ../${path}.git\n`);
  }
  await repositories.learn({ makers: () => 0, others: () => 0 });
  const review = () => repositories.review({ mayMake: false, writers: () => 0 });
  await Deno.writeTextFile(join(top, "a", ".git"), "gitdir: ../b.git\n");
  await Deno.rename(join(top, "moved"), join(top, "here"));
  await Deno.link(join(top, "b", ".git"), join(top, "second"));
  assert.deepEqual(await review(), [join(top, "a", ".git-set-aside")]);
  assert.equal(await Deno.readTextFile(join(top, "a", ".git")), "gitdir: ../a.git\n");
  assert.equal((await Deno.lstat(join(top, "b", ".git"))).nlink, 1);
  assert.deepEqual(await review(), []);
  await Deno.writeTextFile(join(top, "here", ".git"), "gitdir: ../a.git\n");
  assert.deepEqual(await review(), [join(top, "here", ".git-set-aside")]);
  repositories.close();
  await Deno.remove(top, { recursive: true });
});

Deno.test("a repository in the place of another is looked at as one that git has made, and what is the user's stays", async () => {
  const top = await Deno.realPath(await Deno.makeTempDir());
  const repositories = new NestedRepositories(() => [top]);
  for (const name of ["v", "own.git"]) await plant(join(top, name, name === "v" ? ".git" : ""));
  for (const [name, leads] of [["tree", "old"], ["led", "own"]] as const) {
    await Deno.mkdir(join(top, name));
    await Deno.writeTextFile(join(top, name, ".git"), `gitdir: ../${leads}.git\n`);
  }
  await repositories.learn({ makers: () => 0, others: () => 0 });
  await plant(join(top, "other"));
  await Deno.rename(join(top, "v", ".git"), join(top, "v", "old"));
  await Deno.rename(join(top, "other"), join(top, "v", ".git"));
  await Deno.writeTextFile(join(top, "tree", ".git"), "gitdir: ../own.git\n");
  const aside = await repositories.review({ mayMake: true, writers: () => 0 });
  repositories.close();
  assert.deepEqual(aside, [join(top, "v", ".git", "config-set-aside")]);
  assert.ok(await isRepository(join(top, "tree"), top));
  await Deno.remove(top, { recursive: true });
});

Deno.test("what a repository hides that is set aside is set aside too, and what is the user's stays", async () => {
  const top = await Deno.realPath(await Deno.makeTempDir());
  const own = join(top, "v", "own", ".git");
  await plant(own);
  const repositories = new NestedRepositories(() => [top]);
  const running = { makers: () => 0, others: () => 0 };
  await repositories.learn(running);
  for (const path of ["v", "v/.git", "v/refs/.git", "v/refs/x"]) await plant(join(top, path));
  const aside = await repositories.review({ mayMake: false, writers: () => 0 });
  repositories.close();
  for (const path of ["v", "v/refs", "v/refs/x"]) {
    assert.ok(!await isRepository(join(top, path), top), path);
  }
  assert.ok(await isRepository(join(top, "v", "own"), top));
  assert.equal(aside.length, 4, aside.join(" "));
  await Deno.remove(top, { recursive: true });
});

/** A repository with a configuration, as it was looked at. */
async function plantConfigured() {
  const top = await Deno.realPath(await Deno.makeTempDir());
  const dot = join(top, ".git");
  await plant(dot);
  const before = "[core]\n\tbare = false\n";
  await Deno.writeTextFile(join(dot, "config"), before);
  return { top, dot, before, state: lookAtRepositories({ own: [dot] }) };
}

Deno.test("the configuration of a repository is put back in a directory that was made unwritable", async () => {
  const { top, dot, before, state } = await plantConfigured();
  await Deno.writeTextFile(join(dot, "config"), `${before}\tfsmonitor = ./evil.sh\n`);
  await Deno.chmod(dot, 0o555);
  const options = { roots: [top], settings: [], config: true, named: [] };
  assert.deepEqual(reviewRepositories(state, options), [join(dot, "config-set-aside")]);
  assert.equal(await Deno.readTextFile(join(dot, "config")), before);
  assert.equal((await Deno.stat(dot)).mode! & 0o777, 0o555);
  await Deno.chmod(dot, 0o755);
  await Deno.remove(top, { recursive: true });
});

Deno.test("a hook of a submodule that got a second name, by which git writes, has one again", async () => {
  const top = await Deno.realPath(await Deno.makeTempDir());
  const dot = join(top, ".git");
  await plant(dot);
  const hooks = join(dot, "modules", "m", "hooks");
  await Deno.mkdir(hooks, { recursive: true });
  await Deno.writeTextFile(join(hooks, "pre-commit"), "exit 0\n", { mode: 0o755 });
  const state = lookAtRepositories({ own: [dot] });
  await Deno.link(join(hooks, "pre-commit"), join(dot, "FETCH_HEAD"));
  const options = { roots: [top], settings: [], config: true, named: [] };
  assert.deepEqual(reviewRepositories(state, options), [`${hooks}-set-aside`]);
  assert.equal((await Deno.stat(join(hooks, "pre-commit"))).nlink, 1);
  await Deno.remove(top, { recursive: true });
});

Deno.test("a configuration that cannot be judged is put back, and links that lead to no text are set aside", async () => {
  const { top, dot, before, state } = await plantConfigured();
  await linkToNoText(join(top, "l"));
  await linkToNoText(join(dot, "COMMIT_EDITMSG"));
  const armed = `${before}\tworktree = ../l\n\tworktree = ..\n\tfsmonitor = ./evil.sh\n`;
  await Deno.writeTextFile(join(dot, "config"), armed);
  const options = { roots: [top], settings: [], config: true, named: [] };
  const aside = reviewRepositories(state, options);
  assert.deepEqual(
    aside,
    ["config", "COMMIT_EDITMSG"].map((name) => join(dot, `${name}-set-aside`)),
  );
  assert.equal(await Deno.readTextFile(join(dot, "config")), before);
  await Deno.remove(top, { recursive: true });
});

for (
  const [what, take] of [
    ["without a HEAD", (dot: string) => Deno.remove(join(dot, "HEAD"))],
    ...[
      "none",
      "REF: refs/heads/main\n",
      "ref:\vrefs/heads/main\n",
      "\ufeffref: refs/heads/main\n",
      `ref:${" ".repeat(300)}refs/heads/main\n`,
      `${"0".repeat(39)}\n`,
    ].map((head) =>
      [
        `with ${JSON.stringify(head.slice(0, 30))} for a HEAD`,
        (dot: string) => Deno.writeTextFile(join(dot, "HEAD"), head),
      ] as const
    ),
    ["with a HEAD that is a link", async (dot: string) => {
      await Deno.remove(join(dot, "HEAD"));
      await Deno.symlink("refs/tags/x", join(dot, "HEAD"));
    }],
    ["with objects that are elsewhere", async (dot: string) => {
      await Deno.rename(join(dot, "objects"), join(dot, "../objects"));
      await Deno.symlink("../objects", join(dot, "objects"));
    }],
    ["without objects", (dot: string) => Deno.remove(join(dot, "objects"))],
    ["with refs that are a file", async (dot: string) => {
      await Deno.remove(join(dot, "refs"));
      await Deno.writeTextFile(join(dot, "refs"), "");
    }],
    ["in which nobody finds anything", (dot: string) => Deno.chmod(dot, 0)],
  ] as const
) {
  Deno.test(`a repository that a command left ${what} is one again`, async () => {
    const top = await Deno.realPath(await Deno.makeTempDir());
    const dot = join(top, ".git");
    await plant(dot);
    await Deno.writeTextFile(join(dot, "config"), "");
    const state = lookAtRepositories({ own: [dot] });
    await take(dot);
    const options = { roots: [top], settings: [], config: true, named: [] };
    const said = reviewRepositories(state, options);
    assert.match(said.at(-1)!, /took away what makes .* a repository/);
    assert.ok(await isRepository(top, top));
    assert.equal(await Deno.readTextFile(join(dot, "HEAD")), "ref: refs/heads/main\n");
    assert.notEqual((await Deno.stat(dot)).mode! & 0o700, 0);
    await Deno.remove(top, { recursive: true });
  });
}

Deno.test("what cannot be moved is told as what is still there", async () => {
  const top = await Deno.realPath(await Deno.makeTempDir());
  const long = join(top, "x".repeat(250));
  await Deno.writeTextFile(long, "");
  assert.match(
    setPathAside(long)[0]!,
    /still there, as it cannot be moved: do not run git there\)$/,
  );
  assert.deepEqual(setPathAside(join(top, "none")), []);
  await Deno.remove(top, { recursive: true });
});
