import assert from "node:assert/strict";
import { join } from "node:path";
import { listObjectFiles } from "../../src/workspace/objects.ts";
import { Workspace } from "../../src/workspace/workspace.ts";
import { describeTree } from "../support/tree.ts";

/** More than are read one by one. */
const FILES = 300;

interface Repository extends AsyncDisposable {
  readonly dir: string;
  readonly workspace: Workspace;
  readonly notices: string[];
  /** Runs a command and has its changes tracked. */
  command(line: string): Promise<readonly string[]>;
  /** Files in ally's own store. */
  countStored(): number;
}

/** A repository with a commit of many files, made long enough ago for git to trust what it sees. */
async function makeRepository(
  options: { attributes?: string; prepare?: string } = {},
): Promise<Repository> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-test-" }));
  const dir = join(root, "work");
  await Deno.mkdir(join(dir, "sub"), { recursive: true });
  for (let at = 0; at < FILES; at++) {
    await Deno.writeTextFile(join(dir, at % 2 === 0 ? "sub" : "", `f${at}`), `${at}\n`.repeat(300));
  }
  const { attributes } = options;
  if (attributes !== undefined) await Deno.writeTextFile(join(dir, ".gitattributes"), attributes);
  const shell = async (line: string) => {
    const { success } = await new Deno.Command("bash", { args: ["-c", line], cwd: dir }).output();
    assert.ok(success, line);
  };
  await shell(
    "sleep 0.02; git init -q && git add . && git -c user.name=t -c user.email=t@t commit -qm 1",
  );
  if (options.prepare !== undefined) await shell(options.prepare);
  const notices: string[] = [];
  const snapshots = join(root, "snapshots");
  const workspace = new Workspace({
    cwd: dir,
    patchDir: join(root, "patches"),
    snapshots: {
      directory: snapshots,
      path: Deno.env.get("PATH") ?? "",
      notice: (text) => notices.push(text),
    },
  });
  const by = { tool: "bash", callId: "c", confined: true, signal: new AbortController().signal };
  return {
    dir,
    workspace,
    notices,
    async command(line) {
      const finish = await workspace.watchCommands([line], by);
      await shell(line);
      return (await finish?.())?.files ?? [];
    },
    countStored: () => listObjectFiles(snapshots).length,
    async [Symbol.asyncDispose]() {
      workspace.close();
      await Deno.remove(root, { recursive: true });
    },
  };
}

Deno.test("contents that git has are stored only when a command changes them, and undone exactly", async () => {
  await using test = await makeRepository();
  await Deno.writeTextFile(join(test.dir, "f1"), "changed since\n");
  await Deno.writeTextFile(join(test.dir, "untracked"), "untracked\n");
  const first = await describeTree(test.dir, { except: [".git"] });
  const line = "echo 2 > f1; echo 2 > f3; rm sub/f2 untracked; chmod 700 sub/f4; mv sub/f6 g6";
  const files = await test.command(line);
  assert.deepEqual(files, ["f1", "f3", "g6", "sub/f2", "sub/f4", "sub/f6", "untracked"]);
  // Before and after: the changed, the removed, the moved and the untracked.
  assert.equal(test.countStored(), 7);
  await test.workspace.undo();
  assert.deepEqual(await describeTree(test.dir, { except: [".git"] }), first);
  assert.deepEqual(test.notices, []);
});

Deno.test("what a command also removes from git cannot be put back, which is told", async () => {
  await using test = await makeRepository();
  const files = await test.command("rm -rf .git f1; echo new > f3");
  assert.deepEqual(files, ["f1", "f3"]);
  assert.match(
    test.notices.join(),
    /cannot be undone where it also removed their contents from git/,
  );
  await test.workspace.undo();
  assert.equal(await Deno.readTextFile(join(test.dir, "f3")), "new\n");
});

Deno.test("where git filters files their contents are stored all the same", async () => {
  await using test = await makeRepository({ attributes: "*.x filter=swap\n" });
  const first = await describeTree(test.dir, { except: [".git"] });
  await test.command("rm -rf .git f1; echo new > f3");
  await test.workspace.undo();
  assert.deepEqual(await describeTree(test.dir, { except: [".git"] }), first);
});

Deno.test("a file whose content git keeps in another form is stored as it is", async () => {
  await using test = await makeRepository();
  const shown = "one\r\ntwo\r\n";
  await Deno.writeTextFile(join(test.dir, "crlf"), shown);
  await test.command("git -c core.autocrlf=true add crlf 2>/dev/null");
  await test.command("rm crlf");
  await test.workspace.undo();
  assert.equal(await Deno.readTextFile(join(test.dir, "crlf")), shown);
});

for (const version of [2, 3, 4]) {
  Deno.test(`git's index of version ${version} is read, also where names share a part of a character`, async () => {
    // In UTF-8 the first four begin with the same byte.
    const names = ["é", "ü", "ûs", "ñ/é", "ñ/éa", "a", "日本", "日曜"];
    const prepare = [
      "mkdir ñ",
      ...names.map((name) => `echo ${name} > ${name}`),
      "sleep 0.02; git add .",
      `git update-index --index-version ${version}`,
      ...version === 3 ? ["git update-index --skip-worktree f5"] : [],
      `[ "$(head -c 8 .git/index | tail -c 1)" = $'\\x${version}' ]`,
    ];
    await using test = await makeRepository({ prepare: prepare.join(" && ") });
    const first = await describeTree(test.dir, { except: [".git"] });
    const files = await test.command("echo new > é");
    assert.deepEqual(files, ["é"]);
    // What it held and holds, and the file that git was told not to look at.
    assert.equal(test.countStored(), version === 3 ? 3 : 2);
    await test.workspace.undo();
    assert.deepEqual(await describeTree(test.dir, { except: [".git"] }), first);
  });
}
