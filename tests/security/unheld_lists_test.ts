/**
 * Without a sandbox, what a list of programs lets run unasked is what its words say: no word leads elsewhere than it looks,
 * nothing that git finds is obeyed, no command follows what one before it made. Ordinary use of a list goes on.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { guarded } from "../support/sandbox.ts";

/** Files that a clone may bring and that make a directory a repository for git, which starts a program then. */
const BARE = {
  "docs/HEAD": "ref: refs/heads/main\n",
  "docs/objects/x": "",
  "docs/refs/x": "",
  "docs/config":
    '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ran; false"\n',
};

for (const flag of ["--allow-run=git", "--allow-run=git status", "--allow-run"]) {
  Deno.test(`without a sandbox git obeys no directory that only looks like a repository: ${flag}`, async () => {
    const commands = [
      { command: "git status", working_dir: "docs" },
      "cd docs && git status",
      "git -C docs status",
      "env git -C docs status",
    ];
    await using at = await guarded(commands, { repository: true, files: BARE });
    await at.run(["--no-sandbox", flag]);
    assert.equal(at.results().length, commands.length);
    const left = Array.from(Deno.readDirSync(join(at.place.dir, "docs")), ({ name }) => name);
    assert.ok(left.includes("HEAD") && !left.includes("ran"), left.join(" "));
  });
}

/** A patch that makes a link. */
const linking = (name: string, to: string) =>
  `git apply <<'E' && %s\ndiff --git a/${name} b/${name}\nnew file mode 120000\n--- /dev/null\n+++ b/${name}\n` +
  `@@ -0,0 +1 @@\n+${to}\n\\ No newline at end of file\nE\n`;

Deno.test({
  name: "without a sandbox no list of programs lets a command out of the workspace, or into .git",
  ignore: Deno.build.os === "windows",
  async fn() {
    const follow = (command: string) => linking("made", "../outside").replace("%s", () => command);
    const commands = [
      follow("cat made/leaf"),
      follow("git archive -o made/new.tar HEAD"),
      follow("git log -1 --output=made/leaf"),
      follow("cp a.txt made/new"),
      "cp -P lnk n1 && cp a.txt n1/new",
      "cp --target=dotgit a.txt",
      "tar cf lnk.tar a.txt; tar --directory=lnk -xf lnk.tar",
      "tar cf read.tar --files-from=list",
      "sort --files0-from=list",
      "sed -n 'w lnk/new' a.txt",
      "sed 's_a_touch ran_e' a.txt",
      "sed '1r lnk/leaf' a.txt",
      `awk '{print > "dotgit/new"}' a.txt`,
      "find . -name a.txt -exec cp {} lnk/new \\;",
      "echo a.txt | xargs cp -t lnk",
      "git status; echo ~/.ssh/*",
      "echo x | tee -a 5",
      "cp a.txt -v 5",
      "chmod -v 600 ../outside/leaf",
      "cat -n 6",
      "cp --target ../outside a.txt",
      "sort a.txt --outp ../outside/new",
      `awk 'BEGIN {x = 1system("touch ran")}'`,
      "git blame -s --contents 6 a.txt",
      "git init -q --separate-git-dir made sub",
    ];
    await using at = await guarded(commands, {
      repository: true,
      files: { "a.txt": "a\n", list: "../outside/leaf\0" },
    });
    const { dir, home } = at.place;
    const outside = join(dir, "..", "outside");
    await Deno.mkdir(outside);
    await Deno.writeTextFile(join(outside, "leaf"), "plover\n");
    await Deno.symlink("../outside", join(dir, "lnk"));
    await Deno.symlink(".git", join(dir, "dotgit"));
    await Deno.mkdir(join(home, ".ssh"), { recursive: true });
    await Deno.writeTextFile(join(home, ".ssh", "id_rsa"), "plover\n");
    await Deno.symlink("../outside/leaf", join(dir, "5"));
    await Deno.symlink(join(home, ".ssh", "id_rsa"), join(dir, "6"));
    const before = Array.from(Deno.readDirSync(join(dir, ".git")), ({ name }) => name).sort();
    const { mode } = await Deno.stat(join(outside, "leaf"));
    const list = "--allow-run=git,cp,tar,sort,sed,awk,find,xargs,cat,echo,tee,chmod";
    const { code } = await at.run(["--no-sandbox", "--max-turns", "40", list]);
    assert.equal(code, 3);
    assert.equal(at.results().length, commands.length);
    for (const [index, result] of at.results().entries()) {
      assert.match(result, /Permission denied/, commands[index]);
    }
    const names = (path: string) => Array.from(Deno.readDirSync(path), ({ name }) => name).sort();
    assert.deepEqual(names(outside), ["leaf"]);
    assert.equal(await Deno.readTextFile(join(outside, "leaf")), "plover\n");
    assert.equal((await Deno.stat(join(outside, "leaf"))).mode, mode);
    assert.deepEqual(names(join(dir, ".git")), before);
    assert.ok(!names(dir).some((name) => /ran|made|n1|tar/.test(name)), names(dir).join(" "));
  },
});

Deno.test("without a sandbox what people do every day with a list of programs goes on unasked", async () => {
  const commands = [
    "git add a.txt && git commit -qm x",
    "make; make && git status",
    "make 2>&1 | tail -1",
    "npm run -s build && ls out && cat out/x",
    "git checkout -q -b other && git log --oneline -1 | cat",
    "git apply --check a.patch; git diff --stat",
  ];
  const build = "mkdir -p out; echo made > out/x; echo made";
  await using at = await guarded(commands, {
    repository: true,
    files: {
      "a.txt": "a\n",
      Makefile: `all:\n\t${build}\n`,
      "package.json": JSON.stringify({ scripts: { build } }),
    },
  });
  await at.place.write("a.txt", "b\n");
  await at.run(["--no-sandbox", "--allow-run=git,npm,make"]);
  assert.equal(at.results().length, commands.length);
  for (const result of at.results()) assert.doesNotMatch(result, /Permission denied/);
  assert.match(at.results()[3]!, /made\nx\nmade/);
});

for (
  const [kind, commands] of [
    ["read", ["cat link", "cat inner/leaf", "head -1 < link", "sed -n p link", "cp link copied"]],
    ["write", ["cp a.txt inner/new", "touch link", "cp --target-directory=inner a.txt"]],
  ] as const
) {
  Deno.test({
    name: `without a sandbox no named program may ${kind} what is denied by way of a link`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using at = await guarded(commands, {
        files: { "a.txt": "a\n", "secret.txt": "plover\n", "kept/leaf": "plover\n" },
      });
      const { dir } = at.place;
      await Deno.symlink("secret.txt", join(dir, "link"));
      await Deno.symlink("kept", join(dir, "inner"));
      const deny = `--deny-${kind}=secret.txt,kept`;
      await at.run(["--no-sandbox", deny, "--allow-run=cat,head,sed,cp,touch", "--allow-write"]);
      assert.equal(at.results().length, commands.length);
      for (const [index, result] of at.results().entries()) {
        assert.doesNotMatch(result, /plover/, commands[index]);
        assert.match(result, /forbids it: the command names it/, commands[index]);
      }
      const kept = Array.from(Deno.readDirSync(join(dir, "kept")), ({ name }) => name);
      assert.deepEqual(kept, ["leaf"]);
    },
  });
}
