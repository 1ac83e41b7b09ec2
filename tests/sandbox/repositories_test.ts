/**
 * Repositories of the workspace, wherever they lie and whatever their shape: commands read them, only git writes them,
 * and one that a command makes without the power to is set aside and told.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { NestedRepositories } from "../../src/sandbox/nested_repositories.ts";
import { SHAPES, type Stage, stageSandbox } from "../support/confined.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const GIT = { write: true, needs: ["repository"] } as const;

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore: !hasBubblewrap() });
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
  const config = ["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"];
  const { stdout } = await new Deno.Command("git", {
    args: [...identity, ...config, ...args],
    cwd,
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

/** A workspace with a repository in each of its shapes, and the files whose change would be obeyed by git. */
async function makeShapes(at: Stage): Promise<string[]> {
  const { root, home } = at;
  for (const name of ["nested", "vendor/deep/er", "node_modules/ignored"]) {
    await Deno.mkdir(join(root, name), { recursive: true });
    await git(join(root, name), "init", "-q");
    await git(join(root, name), "commit", "-q", "--allow-empty", "-m", "first");
  }
  await git(root, "init", "-q");
  await at.write("project/.gitignore", "node_modules\n");
  await git(root, "submodule", "-q", "add", join(root, "nested"), "sub");
  await git(root, "add", ".gitignore");
  await git(root, "commit", "-q", "-m", "first");
  await git(root, "worktree", "add", "-q", "tree");
  await git(root, "init", "-q", "--bare", "bare");
  await git(root, "init", "-q", "--bare", "shared");
  await Deno.mkdir(join(root, "sharing"));
  await Deno.rename(join(root, "shared/HEAD"), join(root, "sharing/HEAD"));
  await at.write("project/sharing/commondir", "../shared\n");
  await git(home, "init", "-q", join(root, "linked-target"));
  await Deno.mkdir(join(root, "linked"));
  await Deno.symlink("../linked-target/.git", join(root, "linked", ".git"));
  return [
    ".git/config",
    ".git/hooks/pre-commit",
    "nested/.git/config",
    "vendor/deep/er/.git/hooks/post-commit",
    "node_modules/ignored/.git/config",
    "sub/.git",
    ".git/modules/sub/config",
    "tree/.git",
    ".git/worktrees/tree/gitdir",
    "bare/config",
    "bare/hooks/update",
    "sharing/commondir",
    "shared/config",
    "shared/hooks/pre-commit",
    "linked/.git/config",
    "linked-target/.git/info/attributes",
  ];
}

for (const [name, policy] of Object.entries(SHAPES)) {
  test(`in the ${name} profile no repository can be written, whatever its shape`, async () => {
    await using at = await stageSandbox();
    const files = await makeShapes(at);
    const { output, setAside } = await at.run(
      policy,
      files.map((path) => `{ echo x >> ${path}; } 2>/dev/null && echo WROTE ${path}`).join("\n") +
        "\nrm -rf */.git 2>/dev/null; mv nested/.git nested/g 2>/dev/null && echo MOVED; echo tried",
    );
    assert.equal(output, "tried\n");
    // Nothing can be mounted on a link: it is back.
    const back = /took away the link \S+\/linked\/\.git, .* there again\.$/;
    assert.match(setAside.join(), policy.write ? back : /^$/);
    for (const one of ["nested", "sub", "tree", "linked"]) {
      assert.match(await git(join(at.root, one), "rev-parse", "--git-dir"), /\.git/);
    }
  });
}

test("a command that is git itself commits in a nested repository, and its hooks stay", async () => {
  await using at = await stageSandbox();
  await makeShapes(at);
  const { output, setAside } = await at.run(
    GIT,
    "cd nested && git -c user.name=a -c user.email=a@b.c -c commit.gpgSign=false commit -q --allow-empty -m second" +
      " && git log --oneline; { echo x > .git/hooks/post-commit; } 2>/dev/null && echo WROTE",
  );
  assert.match(output, /second\n.*first\n$/);
  assert.deepEqual(setAside, []);
});

const MADE: readonly (readonly [what: string, script: string, aside: string])[] = [
  ["a repository", "git init -q made", "made/.git-set-aside"],
  ["a repository in a new directory", "mkdir -p a/b && git init -q a/b/c", "a/b/c/.git-set-aside"],
  ["a bare repository", "git init -q --bare bare", "bare/HEAD-set-aside"],
  ["a file that names one", "mkdir f && echo gitdir: /tmp/x > f/.git", "f/.git-set-aside"],
  ["a link to one", "mkdir l && ln -s /tmp/x l/.git", "l/.git-set-aside"],
  ["a directory that becomes one", "mkdir -p m/x && mv m/x m/.git", "m/.git-set-aside"],
];

for (const [what, script, aside] of MADE) {
  test(`${what} that a command makes is set aside and told`, async () => {
    await using at = await stageSandbox();
    await git(at.root, "init", "-q");
    await at.run(SHAPES.workspace, "true");
    const { code, setAside } = await at.run(SHAPES.workspace, script);
    assert.equal(code, 0);
    assert.deepEqual(setAside, [join(at.root, aside)]);
    assert.ok(await Deno.lstat(join(at.root, aside)));
    assert.deepEqual((await at.run(SHAPES.workspace, "true")).setAside, []);
  });
}

test("a repository that git makes with the power to stays, and so does one of the user's", async () => {
  await using at = await stageSandbox();
  await git(at.root, "init", "-q");
  await at.run(SHAPES.workspace, "true");
  assert.deepEqual((await at.run(GIT, "git init -q made")).setAside, []);
  await git(at.root, "init", "-q", "mine");
  const { setAside, output } = await at.run(
    SHAPES.workspace,
    "ls -d */.git; { echo x >> made/.git/config; } 2>/dev/null && echo WROTE",
  );
  assert.deepEqual([setAside, output], [[], "made/.git\nmine/.git\n"]);
});

test("no command makes what a repository names as shared with others", async () => {
  await using at = await stageSandbox();
  await at.write("project/sharing/HEAD", "ref: refs/heads/main\n");
  await at.write("project/sharing/commondir", "../a/shared\n");
  for (const policy of [SHAPES.workspace, GIT]) {
    const make = `mkdir -p a/shared/objects a/shared/refs; ${SETTING} > a/shared/config`;
    assert.notEqual((await at.run(policy, make)).code, 0);
    await assert.rejects(Deno.lstat(join(at.root, "a/shared")));
  }
  const long = "x".repeat(300);
  await Deno.symlink("loop", join(at.root, "loop"));
  for (
    const odd of ["../loop/x", "HEAD/x", "../.git/x", "\u{1}/x", `../${long}/x`, "../../elsewhere"]
  ) {
    await at.write("project/sharing/commondir", `${odd}\n`);
    assert.equal((await at.run(SHAPES.workspace, "echo tried")).output, "tried\n", odd);
  }
});

const SETTING = "printf '[core]\\n\\tfsmonitor = ./x\\n'";

/** What is written into a repository that git makes, and what is set aside of it. */
const ARMED: readonly (readonly [what: string, script: string, aside: readonly string[]])[] = [
  ["a setting", `${SETTING} >> made/.git/config`, ["made/.git/config"]],
  ["a setting behind its section", "echo '[core] fsmonitor=./x' >> made/.git/config", [
    "made/.git/config",
  ]],
  ["a setting that goes on", "printf '[user]\\nname = a\\\\\\n[core]\\n' >> made/.git/config", [
    "made/.git/config",
  ]],
  ["an included file", "printf '[include]\\npath = x\\n' >> made/.git/config", [
    "made/.git/config",
  ]],
  [
    "an address that is a program",
    "printf '[remote \"o\"]\\nurl = ext::x\\n' >> made/.git/config",
    [
      "made/.git/config",
    ],
  ],
  ["a working tree elsewhere", "printf '[core]\\nworktree = /etc\\n' >> made/.git/config", [
    "made/.git/config",
  ]],
  ["settings without an end", "truncate -s 9M made/.git/config", ["made/.git/config"]],
  ["settings by a link", "ln -sf ../x made/.git/config", ["made/.git/config"]],
  ["a hook", "echo x > made/.git/hooks/pre-commit", ["made/.git/hooks"]],
  ["a directory of hooks elsewhere", "rm -r made/.git/hooks; ln -s ../x made/.git/hooks", [
    "made/.git/hooks",
  ]],
  ["settings of a working tree", `${SETTING} > made/.git/config.worktree`, [
    "made/.git/config.worktree",
  ]],
  [
    "settings of a common directory",
    `mkdir -p made/c/objects made/c/refs; ${SETTING} > made/c/config; echo ../c > made/.git/commondir`,
    ["made/.git"],
  ],
  [
    "settings that git makes",
    "git -C made remote add o https://a.example/b; git -C made branch x",
    [],
  ],
];

/** A command that is not git begins, and may write. */
async function beginOther(at: Awaited<ReturnType<typeof stageSandbox>>) {
  const policy = { ...SHAPES.workspace, sandboxRequired: true };
  return (await at.sandbox.confine(["true"], { policy, cwd: at.root }))!;
}

for (const [what, script, aside] of ARMED) {
  test(`${what} in a repository that git makes beside others is set aside, or stays as git's`, async () => {
    await using at = await stageSandbox();
    await git(at.root, "init", "-q");
    await at.run(SHAPES.workspace, "true");
    const other = await beginOther(at);
    const made = await at.run(GIT, `git init -q made; ${script}`);
    await other.finish();
    assert.deepEqual(made.setAside, aside.map((name) => join(at.root, `${name}-set-aside`)));
    await at.run(SHAPES.workspace, "true");
    assert.deepEqual(
      (await at.run(SHAPES.workspace, "true")).setAside,
      [],
    );
  });
}

test("settings of the workspace's own new repository are set aside, too", async () => {
  await using at = await stageSandbox();
  await at.run(SHAPES.workspace, "true");
  const other = await beginOther(at);
  const { setAside } = await at.run(GIT, `git init -q; ${SETTING} >> .git/config`);
  await other.finish();
  assert.deepEqual(setAside, [join(at.root, ".git/config-set-aside")]);
});

test("hooks that the workspace's own repository has are not set aside", async () => {
  await using at = await stageSandbox();
  await git(at.root, "init", "-q");
  const hook = "project/.git/hooks/pre-push";
  await at.write(hook, "#!/bin/sh\ngit lfs pre-push\n");
  await at.run(SHAPES.workspace, "true");
  const copy = "cp .git/hooks/pre-push made/.git/hooks";
  const other = await beginOther(at);
  assert.deepEqual((await at.run(GIT, `git init -q made; ${copy}`)).setAside, []);
  assert.deepEqual((await other.finish()).setAside, []);
});

test("what git alone sets in a repository that it makes stays", async () => {
  await using at = await stageSandbox();
  await git(at.root, "init", "-q");
  await at.run(SHAPES.workspace, "true");
  const set = "git -C made config commit.gpgsign false";
  const settings = [{ kind: "named", name: "commit.gpgsign", values: ["false"] }] as const;
  assert.deepEqual((await at.run({ ...GIT, settings }, `git init -q made; ${set}`)).setAside, []);
  assert.deepEqual((await at.run(SHAPES.workspace, "true")).setAside, []);
});

test("what a running command puts into a repository that git made meanwhile is set aside", async () => {
  await using at = await stageSandbox();
  await git(at.root, "init", "-q");
  const other = await beginOther(at);
  assert.deepEqual((await at.run(GIT, "git init -q made")).setAside, []);
  await at.write("project/made/.git/hooks/post-checkout", "x");
  const { setAside } = await other.finish();
  assert.deepEqual(setAside, [join(at.root, "made/.git/hooks-set-aside")]);
});

test("a directory that holds a repository may be moved by a command", async () => {
  await using at = await stageSandbox();
  await git(at.root, "init", "-q");
  await git(at.root, "init", "-q", "one");
  const { setAside, output } = await at.run(SHAPES.workspace, "mv one two && ls -d */.git");
  assert.deepEqual([setAside, output], [[], "two/.git\n"]);
});

test("what a running command made is set aside, though another one began meanwhile", async () => {
  await using at = await stageSandbox();
  await git(at.root, "init", "-q");
  const confine = async () =>
    (await at.sandbox.confine(["true"], {
      policy: { ...SHAPES.workspace, sandboxRequired: true },
      cwd: at.root,
    }))!;
  const first = await confine();
  await git(at.root, "init", "-q", "made");
  const second = await confine();
  assert.deepEqual((await first.finish()).setAside, [join(at.root, "made", ".git-set-aside")]);
  assert.deepEqual((await second.finish()).setAside, []);
  const third = await confine();
  await git(at.root, "init", "-q", "other");
  assert.deepEqual((await third.finish()).setAside, [join(at.root, "other", ".git-set-aside")]);
});

for (const [name, policy] of Object.entries({ ...SHAPES, git: GIT })) {
  test(`in the ${name} profile nothing writes settings or hooks of a workspace that is a bare repository`, async () => {
    await using at = await stageSandbox();
    await git(at.root, "init", "-q", "--bare", ".");
    const files = ["config", "hooks/pre-push", "hooks"];
    const script = files.map((path) =>
      `{ mv ${path} x || echo x > ${path}; } 2>/dev/null && echo WROTE ${path}`
    ).join("; ");
    assert.equal((await at.run(policy, `${script}; echo tried`)).output, "tried\n");
    assert.equal((await git(at.root, "rev-parse", "--is-bare-repository")).trim(), "true");
  });
}

test("a repository is looked at when git has ended that made it, though another search has found it meanwhile", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-made-" }));
  const repositories = new NestedRepositories(() => [root]);
  try {
    const [none, one] = [() => 0, () => 1];
    await repositories.learn({ makers: none, others: none });
    await git(root, "init", "-q", "made");
    await git(join(root, "made"), "config", "core.fsmonitor", "./x");
    await repositories.learn({ makers: one, others: none });
    const review = { mayMake: true, writers: none };
    assert.deepEqual(await repositories.review(review), [
      join(root, "made/.git/config-set-aside"),
    ]);
    assert.deepEqual(await repositories.review(review), []);
  } finally {
    repositories.close();
    await Deno.remove(root, { recursive: true });
  }
});

test("what lies in a root that is added while a command runs is left alone", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-roots-" }));
  const [first, second] = [join(base, "first"), join(base, "second")];
  for (const path of [first, second]) await Deno.mkdir(path);
  await git(second, "init", "-q", "there");
  const roots = [first];
  const repositories = new NestedRepositories(() => roots);
  try {
    const [none, one] = [() => 0, () => 1];
    await repositories.learn({ makers: none, others: none });
    roots.push(second);
    await repositories.learn({ makers: none, others: one });
    assert.deepEqual(
      await repositories.review({
        mayMake: false,
        writers: none,
      }),
      [],
    );
    assert.deepEqual(repositories.paths, [join(second, "there", ".git")]);
  } finally {
    repositories.close();
    await Deno.remove(base, { recursive: true });
  }
});
