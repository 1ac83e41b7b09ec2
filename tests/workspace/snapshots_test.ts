import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { TimeSlice } from "../../src/lib/time_slice.ts";
import { ObjectStore } from "../../src/workspace/objects.ts";
import { Snapshots } from "../../src/workspace/snapshots.ts";
import { TreeScan } from "../../src/workspace/tree_scan.ts";
import { Workspace } from "../../src/workspace/workspace.ts";
import { type Call, type Harness, harness, type HarnessOptions } from "../support/agent_harness.ts";
import { describeTree } from "../support/tree.ts";

/** An agent that runs one command a turn, all allowed. */
async function withCommands(
  commands: readonly string[],
  options: HarnessOptions = {},
): Promise<Harness> {
  const calls = commands.map((command): Call => ["bash", { command }]);
  return await harness({
    rules: { allowAll: true },
    replies: calls.flatMap((call) => [{ calls: [call] }, { text: "ok" }]),
    ...options,
  });
}

/** Runs the next command and gives its result's record. */
async function next(test: Harness): Promise<Readonly<Record<string, unknown>>> {
  const from = test.facts.length;
  await test.agent.run("go");
  const end = test.facts.slice(from).find((fact) => fact.type === "tool_end");
  assert.ok(end);
  return end.result;
}

function tree(test: Harness): Promise<string[]> {
  return describeTree(test.dir, { except: [".git"] });
}

function notices(test: Harness): string[] {
  return test.facts.flatMap((fact) => fact.type === "notice" ? [fact.text] : []);
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

Deno.test("a command's result names the files it changed, and the change that undoes it", async () => {
  await using test = await withCommands(["echo 2 > b; rm a; mkdir d; echo > d/new"], {
    files: { a: "1\n", b: "1\n", c: "1\n" },
  });
  const first = await tree(test);
  const result = await next(test);
  assert.deepEqual([result.files_changed, result.patch_number], [["a", "b", "d/new"], 1]);
  const kept = await Deno.stat(join(test.dir, "..", "snapshots"));
  assert.equal(kept.mode! & 0o777, 0o700);
  const undone = await test.workspace.undo();
  assert.deepEqual(undone.files.map(({ path, action }) => `${action} ${path.display}`), [
    "recreated a",
    "restored b",
    "removed d/new",
  ]);
  assert.deepEqual(await tree(test), first);
});

Deno.test("a command that changes nothing leaves no patch and says nothing of files", async () => {
  await using test = await withCommands(["true; touch a", "ls"], { files: { a: "1\n" } });
  assert.equal("files_changed" in await next(test), false);
  assert.equal("files_changed" in await next(test), false);
  assert.deepEqual(await test.workspace.listPatches(), []);
});

Deno.test("before a command that only looks no snapshot is taken", async () => {
  await using test = await withCommands(["cat a"], { files: { a: "1\n" } });
  await next(test);
  assert.equal(await exists(join(test.dir, "..", "snapshots")), false);
});

Deno.test("a long list of changed files is cut, and the rest counted", async () => {
  await using test = await withCommands(["for i in $(seq 60); do echo > f$i; done"]);
  const result = await next(test);
  assert.equal((result.files_changed as string[]).length, 50);
  assert.equal(result.files_changed_total, 60);
  const end = test.facts.find((fact) => fact.type === "tool_end");
  assert.match(end?.preview.at(-1) ?? "", /^created f1, f10, f11 and 57 more$/);
  assert.equal((await test.workspace.undo()).files.length, 60);
});

Deno.test("undo of a command refuses when a file changed since, names it, and touches none", async () => {
  await using test = await withCommands(["echo 2 | tee a > b"], { files: { a: "1\n", b: "1\n" } });
  await next(test);
  await Deno.writeTextFile(join(test.dir, "b"), "mine");
  await assert.rejects(test.workspace.undo(), /b changed since; nothing was changed/);
  assert.deepEqual([await test.read("a"), await test.read("b")], ["2\n", "mine"]);
  await Deno.writeTextFile(join(test.dir, "b"), "2\n");
  await Deno.chmod(join(test.dir, "a"), 0o600);
  await assert.rejects(test.workspace.undo(), /a changed since/);
});

Deno.test("what changed between two commands is not laid to the second one's charge", async () => {
  await using test = await withCommands(["echo > one", "echo > two"], { files: { a: "1\n" } });
  await next(test);
  await Deno.writeTextFile(join(test.dir, "a"), "mine");
  assert.deepEqual((await next(test)).files_changed, ["two"]);
  await test.workspace.undo();
  assert.equal(await test.read("a"), "mine");
});

Deno.test("changes in quick succession, of the same size, are all seen", async () => {
  const commands = Array.from({ length: 12 }, (_, index) => `printf ${index % 10} > a`);
  await using test = await withCommands(commands, { files: { a: "x" } });
  for (const _ of commands) assert.deepEqual((await next(test)).files_changed, ["a"]);
  for (let at = commands.length - 2; at >= 0; at--) {
    await test.workspace.undo();
    assert.equal(await test.read("a"), String(at % 10));
  }
  await test.workspace.undo();
  assert.equal(await test.read("a"), "x");
});

Deno.test("what is in ignored directories is left out, also when a command changes what is ignored", async () => {
  await using test = await withCommands([
    "mkdir build && echo o > build/o && for name in env; do echo s > .$name; done",
    "echo kept > .gitignore",
    "printf 'build\\n.env\\nkept\\n' > .gitignore",
  ], { files: { ".gitignore": "build\n.env\n", kept: "1\n" } });
  assert.equal("files_changed" in await next(test), false);
  assert.deepEqual((await next(test)).files_changed, [".gitignore"]);
  assert.deepEqual((await next(test)).files_changed, [".gitignore"]);
  await test.workspace.undo();
  await test.workspace.undo();
  assert.deepEqual(
    [await test.read(".env"), await test.read("build/o"), await test.read("kept")],
    ["s\n", "o\n", "1\n"],
  );
});

Deno.test("an ignored file comes back that a command removed, or changed by its words", async () => {
  const files = {
    ".gitignore": ".env\n*.db\n*.log\n",
    ".env": "mine\n",
    "app.db": "rows\n",
    "test.log": "old\n",
    "large.db": "x".repeat(2 * 1024 * 1024),
  };
  await using test = await withCommands([
    "for file in *.log; do echo new > $file; done; echo > a.env",
    "echo other > .env",
    "echo > large.db",
    "rm -f a*.db *.log",
  ], { files });
  assert.deepEqual((await next(test)).files_changed, ["a.env"]);
  assert.deepEqual((await next(test)).files_changed, [".env"]);
  assert.equal("files_changed" in await next(test), false);
  assert.deepEqual((await next(test)).files_changed, ["app.db", "test.log"]);
  for (let at = 0; at < 2; at++) await test.workspace.undo();
  assert.deepEqual(
    [await test.read(".env"), await test.read("app.db"), await test.read("test.log")],
    ["mine\n", "rows\n", "new\n"],
  );
});

Deno.test("a file too large to be kept is left alone, which is told once", async () => {
  await using test = await withCommands(["rm big; echo 2 > a", "echo 3 > a"], {
    files: { a: "1\n", big: "x".repeat(11 * 1024 * 1024) },
  });
  assert.deepEqual((await next(test)).files_changed, ["a", "big"]);
  await next(test);
  assert.equal(notices(test).length, 1);
  assert.match(notices(test)[0] ?? "", /1 large or unreadable files cannot be undone/);
  await test.workspace.undo();
  const undone = await test.workspace.undo();
  assert.deepEqual(undone.files.map(({ path, action }) => `${action} ${path.display}`), [
    "restored a",
    "left big",
  ]);
  assert.equal(await test.read("a"), "1\n");
});

Deno.test("a file that a command made too large to be kept is put back, but not made large again", async () => {
  await using test = await withCommands(["head -c 11000000 /dev/zero > a"], {
    files: { a: "1\n" },
  });
  await next(test);
  await test.workspace.undo();
  assert.equal(await test.read("a"), "1\n");
  assert.deepEqual((await test.workspace.redo()).files.map(({ action }) => action), ["left"]);
  assert.equal(await test.read("a"), "1\n");
});

Deno.test("directories that nobody may write to are put back with what lies in them", async () => {
  await using test = await withCommands([
    "chmod 755 closed && rm closed/in && chmod 111 closed && mkdir new && echo > new/f && chmod 555 new",
  ]);
  await Deno.mkdir(join(test.dir, "closed"));
  await Deno.writeTextFile(join(test.dir, "closed", "in"), "1\n");
  await Deno.chmod(join(test.dir, "closed"), 0o555);
  const first = await tree(test);
  await next(test);
  await test.workspace.undo();
  assert.deepEqual(await tree(test), first);
  await Deno.chmod(join(test.dir, "closed"), 0o755);
});

Deno.test("without git commands run, and it is told once that they cannot be undone", async () => {
  await using test = await withCommands([]);
  const told: string[] = [];
  const workspace = new Workspace({
    cwd: test.dir,
    patchDir: join(test.dir, "..", "patches"),
    // A program of the workspace's own is not taken for git.
    snapshots: {
      directory: join(test.dir, "..", "none"),
      path: `${test.dir}:.`,
      notice: (text) => void told.push(text),
    },
  });
  await writeProgram(join(test.dir, "git"), "#!/bin/sh\ntouch ran\n");
  const by = { tool: "bash", callId: "c", confined: true, signal: new AbortController().signal };
  workspace.warm();
  assert.equal(await workspace.watchCommands(["make"], by), undefined);
  assert.equal(await workspace.watchCommands(["make"], by), undefined);
  assert.deepEqual(told, ["git is not installed, so what commands change cannot be undone."]);
  assert.equal(await exists(join(test.dir, "ran")), false);
});

Deno.test("a workspace with too many paths is not held, which is told once", async () => {
  const place = await Deno.makeTempDir({ prefix: "ally-test-" });
  const root = join(place, "work");
  await Deno.mkdir(root);
  for (const name of ["a", "b", "c", "d"]) await Deno.writeTextFile(join(root, name), name);
  const roots = { all: [root] };
  const path = Deno.env.get("PATH") ?? "";
  const told: string[] = [];
  const snapshots = new Snapshots({
    objects: new ObjectStore({ directory: join(place, "snapshots"), path, roots }),
    roots,
    notice: (text) => void told.push(text),
    readPatches: () => Promise.resolve([]),
    limit: 3,
  });
  const { signal } = new AbortController();
  try {
    assert.equal(await snapshots.begin(signal), false);
    assert.equal(await snapshots.begin(signal), false);
    assert.equal(told.length, 1);
    assert.match(told[0]!, /more than 3 files, so that what commands change cannot be undone\./);
  } finally {
    snapshots.close();
    await Deno.remove(place, { recursive: true });
  }
});

Deno.test({
  name: "what the kernel shows as files is not read, whatever the workspace",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const scan = new TreeScan({ roots: { all: ["/proc/sys"] }, excluded: [] });
    const { entries, ignored } = await scan.run({ watch: undefined, slice: new TimeSlice() });
    assert.equal(entries.length, 0);
    assert.deepEqual([...ignored], ["/proc/sys"]);
  },
});

Deno.test("no hook, filter or monitor of the project's repository ever runs, and nothing in it changes", async () => {
  await using test = await withCommands(["echo 2 > a.txt"], {
    files: { "a.txt": "1\n", ".gitattributes": "* filter=spy\n" },
  });
  const trap = join(test.dir, "..", "trap");
  const setup = `git init -q && git config filter.spy.clean 'touch ${trap}; cat' &&
    git config filter.spy.smudge 'touch ${trap}; cat' && git config core.fsmonitor 'touch ${trap}'`;
  await new Deno.Command("sh", { args: ["-c", setup], cwd: test.dir }).output();
  const repository = await describeTree(join(test.dir, ".git"));
  assert.deepEqual((await next(test)).files_changed, ["a.txt"]);
  await test.workspace.undo();
  assert.equal(await test.read("a.txt"), "1\n");
  assert.equal(await exists(trap), false);
  assert.deepEqual(await describeTree(join(test.dir, ".git")), repository);
});

Deno.test("a directory that was moved and has a link in its place is put back with all its files", async () => {
  await using test = await withCommands(["mkdir new; mv d new; ln -s new/d d"]);
  await Deno.mkdir(join(test.dir, "d", "e"), { recursive: true });
  await Deno.writeTextFile(join(test.dir, "d", "e", "a"), "1\n");
  const first = await tree(test);
  await next(test);
  await test.workspace.undo();
  assert.deepEqual(await tree(test), first);
});

Deno.test("a link is never followed: neither is what it leads to kept, nor written", async () => {
  await using test = await withCommands(["rm link && ln -s elsewhere link"]);
  const secret = join(test.dir, "..", "secret");
  await Deno.writeTextFile(secret, "secret");
  await Deno.symlink(secret, join(test.dir, "link"));
  await next(test);
  await test.workspace.undo();
  assert.equal(await Deno.readLink(join(test.dir, "link")), secret);
  const [patch] = await test.workspace.listRedoable();
  assert.deepEqual(patch?.changes[0]?.before, { kind: "link", target: secret });
  await test.workspace.redo();
  assert.equal(await Deno.readLink(join(test.dir, "link")), "elsewhere");
  assert.equal(await Deno.readTextFile(secret), "secret");
});

Deno.test("the next session undoes what a command of this one did, and does not read all anew", async () => {
  const files = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`f${at}`, `${at}\n`]));
  await using test = await withCommands(["sed -i s/1/one/ f1*"], { files });
  const first = await tree(test);
  const changed = (await next(test)).files_changed as string[];
  assert.equal(changed.length, 50);
  const packs = join(test.dir, "..", "snapshots", "objects", "pack");
  const before = await describeTree(packs);
  const later = new Workspace({
    cwd: test.dir,
    patchDir: join(test.dir, "..", "patches"),
    snapshots: {
      directory: join(test.dir, "..", "snapshots"),
      path: Deno.env.get("PATH") ?? "",
      notice: (text) => assert.fail(text),
    },
  });
  await later.undo();
  assert.deepEqual(await tree(test), first);
  const by = { tool: "bash", callId: "c", confined: true, signal: new AbortController().signal };
  const end = await later.watchCommands(["make"], by);
  assert.equal(await end?.(), undefined);
  assert.deepEqual(await describeTree(packs), before);
});

Deno.test("what two commands do at the same time is recorded once, and can all be undone", async () => {
  await using test = await withCommands([], { files: { a: "1", b: "1" } });
  const by = { tool: "bash", callId: "c", confined: true, signal: new AbortController().signal };
  const first = await tree(test);
  const endOne = await test.workspace.watchCommands(["make one"], by);
  await Deno.writeTextFile(join(test.dir, "a"), "2");
  const endTwo = await test.workspace.watchCommands(["make two"], by);
  await Deno.writeTextFile(join(test.dir, "b"), "2");
  assert.deepEqual((await endTwo?.())?.files, ["a", "b"]);
  await Deno.writeTextFile(join(test.dir, "a"), "3");
  assert.deepEqual((await endOne?.())?.files, ["a"]);
  await test.workspace.undo();
  await test.workspace.undo();
  assert.deepEqual(await tree(test), first);
});

Deno.test("a new change clears what could be redone; the numbers go on", async () => {
  await using test = await withCommands(["echo 2 > a", "echo 3 > a", "echo 4 > a"], {
    files: { a: "1\n" },
  });
  await next(test);
  await next(test);
  await test.workspace.undo();
  await test.workspace.undo();
  assert.deepEqual((await test.workspace.listRedoable()).map(({ number }) => number), [1, 2]);
  await test.workspace.redo();
  assert.equal(await test.read("a"), "2\n");
  assert.equal((await next(test)).patch_number, 3);
  await assert.rejects(test.workspace.redo(), /nothing was undone since the last change/);
  await test.workspace.undo();
  assert.equal(await test.read("a"), "2\n");
});
