import assert from "node:assert/strict";
import { join } from "node:path";
import { createPathFacts } from "../../src/workspace/path_facts.ts";
import { Workspace } from "../../src/workspace/workspace.ts";

async function stage() {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-facts-" }));
  const cwd = join(root, "work");
  await Deno.mkdir(join(cwd, "src"), { recursive: true });
  await Deno.mkdir(join(root, "work-evil"));
  await Deno.writeTextFile(join(root, "secret"), "s");
  await Deno.symlink("../secret", join(cwd, "link"));
  await Deno.symlink("../missing", join(cwd, "dangling"));
  await Deno.symlink("..", join(cwd, "up"));
  await Deno.symlink("circle", join(cwd, "circle"));
  await Deno.symlink("src", join(cwd, "inner"));
  return {
    root,
    cwd,
    facts: createPathFacts({ roots: { cwd, all: [cwd] }, home: root, env: {} }),
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

Deno.test("a path is inside by what it finally names", async () => {
  await using made = await stage();
  const inside = (path: string) => made.facts.locate(`${made.cwd}/${path}`).inside;
  for (const path of [".", "src", "src/new.ts", "a..b", "src/../x", "inner/x", "no/such/../x"]) {
    assert.equal(inside(path), true, path);
  }
  for (
    const path of [
      "..",
      "../work-evil",
      "link",
      "dangling",
      "up/secret",
      "up/new",
      "circle",
      "src/../../x",
      "no/../../x",
    ]
  ) {
    assert.equal(inside(path), false, path);
  }
  assert.equal(made.facts.locate("/").inside, false);
  assert.equal(inside("a/".repeat(30_000)), false);
  assert.equal(made.facts.locate(`${made.cwd}/inner/a`).absolute, join(made.cwd, "src/a"));
});

Deno.test("the policy and the workspace follow a chain of links to the same place, however long", async () => {
  await using made = await stage();
  const { root, cwd } = made;
  const workspace = new Workspace({ cwd, patchDir: join(root, "patches") });
  for (const [name, target] of [["in", "src/new"], ["out", "../not-yet"], ["there", "../secret"]]) {
    let last = target!;
    for (let link = 1; link <= 41; link++) {
      await Deno.symlink(last, join(cwd, `${name}${link}`));
      last = `${name}${link}`;
    }
  }
  for (const link of [1, 20, 21, 30, 40]) {
    for (const name of ["in", "out", "there"]) {
      const path = `${name}${link}`;
      const { absolute, inside } = await workspace.resolve(path);
      assert.deepEqual(made.facts.locate(join(cwd, path)), { absolute, inside }, path);
      assert.equal(inside, name === "in", path);
    }
  }
  assert.equal((await workspace.resolve("out30")).absolute, join(root, "not-yet"));
  // More links than the system follows: nothing can be opened there, and nothing counts as inside.
  await assert.rejects(workspace.resolve("in41"), /circle/);
  assert.equal(made.facts.locate(join(cwd, "in41")).inside, false);
});

Deno.test("a fingerprint changes with the content, the coming and the going of a file", async () => {
  await using made = await stage();
  const file = join(made.cwd, "Makefile");
  const print = () => made.facts.fingerprint(file);
  const missing = print();
  await Deno.writeTextFile(file, "a:");
  const first = print();
  await Deno.writeTextFile(file, "b:");
  const second = print();
  await Deno.remove(file);
  assert.equal(new Set([missing, first, second]).size, 3);
  assert.equal(print(), missing);
});

Deno.test("what is no regular file has no fingerprint, and is not waited for", async () => {
  await using made = await stage();
  assert.equal(made.facts.fingerprint(made.cwd), undefined);
  if (Deno.build.os === "windows") return;
  const pipe = join(made.cwd, "pipe");
  assert.ok((await new Deno.Command("mkfifo", { args: [pipe] }).output()).success);
  assert.equal(made.facts.fingerprint(pipe), undefined);
});

Deno.test("hooks that lie in the tree are found by the repository's own configuration", async () => {
  await using made = await stage();
  const all = () => made.facts.gitHooks();
  const there = (path: string) => made.facts.exists(path) || /\.git[am]/.test(path);
  const hooks = async () =>
    (await all()).filter(there).map((path) => path.slice(made.cwd.length + 1))
      .filter((name) => !/lefthook|pre-commit-config/.test(name)).sort();
  assert.deepEqual(await hooks(), [".gitattributes", ".gitmodules"]);
  for (const path of [".git/objects", ".git/refs", ".husky/_"]) {
    await Deno.mkdir(join(made.cwd, path), { recursive: true });
  }
  await Deno.writeTextFile(join(made.cwd, ".git/HEAD"), "ref: refs/heads/main\n");
  await Deno.writeTextFile(join(made.cwd, ".husky/_/pre-commit"), "sh .husky/pre-commit\n");
  await Deno.writeTextFile(join(made.cwd, ".husky/pre-commit"), "npm test\n");
  await Deno.writeTextFile(join(made.cwd, ".git/config"), "[core]\n\thooksPath = .husky/_\n");
  assert.deepEqual(await hooks(), [
    ".gitattributes",
    ".gitmodules",
    ".husky/_/pre-commit",
    ".husky/pre-commit",
  ]);
  for (const path of [".husky/_/post-merge", ".husky/pre-push"]) {
    assert.ok((await all()).includes(join(made.cwd, path)), `${path} may come to be there`);
  }
  await Deno.writeTextFile(join(made.cwd, ".git/config"), "[core]\n\thooksPath = ../elsewhere\n");
  assert.deepEqual(await hooks(), [".gitattributes", ".gitmodules"]);
  // Those of git itself stay, but may start what does not.
  await Deno.mkdir(join(made.cwd, ".git/hooks"));
  for (const name of ["pre-commit", "pre-push.sample"]) {
    await Deno.writeTextFile(join(made.cwd, ".git/hooks", name), "sh scripts/lint.sh\n");
  }
  assert.deepEqual(await hooks(), [".git/hooks/pre-commit", ".gitattributes", ".gitmodules"]);
});

Deno.test("only regular files have a text, of which a MiB is read, and only directories have names in them", async () => {
  await using made = await stage();
  const { cwd, facts } = made;
  await Deno.writeTextFile(join(cwd, "src", "a.sh"), "echo a\n");
  await Deno.writeFile(join(cwd, "src", "large"), new Uint8Array(1024 * 1024 + 1));
  assert.deepEqual(facts.read(join(cwd, "src", "a.sh")), { text: "echo a\n", whole: true });
  assert.equal(facts.read(join(cwd, "src", "large"))?.whole, false);
  for (const path of ["missing", "src", "circle", "dangling"]) {
    assert.equal(facts.read(join(cwd, path)), undefined, path);
  }
  assert.equal(facts.read("/dev/zero"), undefined);
  assert.deepEqual([...facts.entries(join(cwd, "src"))].sort(), ["a.sh", "large"]);
  assert.deepEqual(facts.entries(join(cwd, "missing")), []);
});

Deno.test("what is temporary is a command's own but for the workspace, the home and ally's files in it", () => {
  const isTemporary = (path: string, home: string) =>
    createPathFacts({
      roots: { cwd: "/tmp/p/work", all: ["/tmp/p/work"] },
      home,
      allyHome: "/var/tmp/ally",
      env: { PATH: "/usr/bin" },
    }).isTemporary?.(path);
  const own = ["/tmp/make.log", "/tmp/p/other", "/tmp/p/work-evil/a", "/var/tmp/a"];
  for (const path of own) assert.equal(isTemporary(path, "/home/me"), true, path);
  const others = [
    "/tmp",
    "/tmp/p",
    "/tmp/p/work",
    "/tmp/p/work/a",
    "/var/tmp/ally/config.json",
    "/etc/a",
    "/tmpx",
  ];
  for (const path of others) assert.equal(isTemporary(path, "/home/me"), false, path);
  using home = { path: Deno.makeTempDirSync({ dir: "/tmp" }), [Symbol.dispose]: removeHome };
  function removeHome() {
    Deno.removeSync(home.path);
  }
  assert.equal(isTemporary(join(home.path, "a"), home.path), false);
});

Deno.test("the workspace is a part of a tree whose top lies above it, unless all of that is the workspace", async () => {
  await using made = await stage();
  const { root, cwd, facts } = made;
  await Deno.mkdir(join(root, ".git/objects"), { recursive: true });
  assert.equal(await facts.outerTree(join(cwd, "src")), root);
  const roots = { cwd, all: [cwd, root] };
  const whole = createPathFacts({ roots, home: root, env: {} });
  assert.equal(await whole.outerTree(cwd), undefined);
  await Deno.mkdir(join(root, "work-evil/.git/objects"), { recursive: true });
  assert.equal(await facts.outerTree(join(root, "work-evil")), undefined);
  await Deno.mkdir(join(cwd, ".git/objects"), { recursive: true });
  assert.equal(await facts.outerTree(join(cwd, "src")), undefined);
});
