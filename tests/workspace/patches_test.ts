import assert from "node:assert/strict";
import { join } from "node:path";
import { ToolError } from "../../src/core/errors.ts";
import { Workspace } from "../../src/workspace/workspace.ts";
import { makeToolContext, putFile, type TestContext } from "../support/tool_context.ts";

async function write(test: TestContext, name: string, after: string | null): Promise<number> {
  const path = await test.workspace.resolve(name);
  const info = await test.workspace.info(path);
  const before = info === undefined ? null : (await test.workspace.read(path)).text;
  const by = { tool: "write", callId: "call_7" };
  return (await test.workspace.commit([{ path, before, after }], by)).patchNumber;
}

function contentOf(test: TestContext, name: string): Promise<string> {
  return Deno.readTextFile(join(test.cwd, name));
}

Deno.test("undo() takes back changes, creations and deletions, newest first", async () => {
  await using test = await makeToolContext({ files: { f: "1" } });
  await Deno.chmod(join(test.cwd, "f"), 0o640);
  await write(test, "f", "2");
  await write(test, "new", "n");
  await write(test, "f", null);
  const undone = await test.workspace.undo();
  assert.deepEqual([undone.number, undone.tool], [3, "write"]);
  assert.deepEqual(undone.files.map(({ path, action }) => [path.display, action]), [
    ["f", "recreated"],
  ]);
  assert.equal(await contentOf(test, "f"), "2");
  assert.equal((await Deno.stat(join(test.cwd, "f"))).mode! & 0o777, 0o640);
  assert.equal((await test.workspace.undo()).files[0]?.action, "removed");
  await assert.rejects(contentOf(test, "new"), Deno.errors.NotFound);
  assert.equal((await test.workspace.undo()).files[0]?.action, "restored");
  assert.equal(await contentOf(test, "f"), "1");
  await assert.rejects(test.workspace.undo(), /no change is left/);
});

Deno.test("undo() with a number takes back that commit, once", async () => {
  await using test = await makeToolContext({ files: { a: "1", b: "1" } });
  const number = await write(test, "a", "2");
  await write(test, "b", "2");
  await test.workspace.undo(number);
  assert.deepEqual([await contentOf(test, "a"), await contentOf(test, "b")], ["1", "2"]);
  await assert.rejects(test.workspace.undo(number), /undone already/);
  await assert.rejects(test.workspace.undo(99), /no such change/);
});

Deno.test("undo() refuses when a file changed since, and touches none of the commit", async () => {
  await using test = await makeToolContext({ files: { a: "1", b: "1" } });
  const changes = await Promise.all(["a", "b"].map(async (name) => ({
    path: await test.workspace.resolve(name),
    before: "1",
    after: "2",
  })));
  await test.workspace.commit(changes, { tool: "edit", callId: "call_1" });
  await putFile(join(test.cwd, "b"), "mine");
  await assert.rejects(
    test.workspace.undo(),
    (error) =>
      error instanceof ToolError && error.kind === "user" && /b changed/.test(error.message),
  );
  assert.deepEqual([await contentOf(test, "a"), await contentOf(test, "b")], ["2", "mine"]);
  await putFile(join(test.cwd, "b"), "2");
  await test.workspace.undo();
  assert.deepEqual([await contentOf(test, "a"), await contentOf(test, "b")], ["1", "1"]);
});

Deno.test("undo() passes over a patch whose commit never happened", async () => {
  await using test = await makeToolContext({ files: { f: "1" } });
  await write(test, "f", "2");
  const [patch] = await test.workspace.listPatches();
  assert.ok(patch);
  const [change] = patch.changes;
  const cut = { ...patch, number: 2, changes: [{ ...change, before: change?.after }] };
  await putFile(join(test.patchDir, "000002.json"), JSON.stringify(cut));
  await putFile(join(test.patchDir, "000003.json"), '{"number":3,"cha');
  const undone = await test.workspace.undo();
  assert.equal(undone.number, 1);
  assert.equal(await contentOf(test, "f"), "1");
});

Deno.test("after undo() the file counts as changed since it was read", async () => {
  await using test = await makeToolContext({ files: { f: "1" } });
  await write(test, "f", "2");
  await test.workspace.undo();
  const stale = await test.workspace.staleness(await test.workspace.resolve("f"));
  assert.match(stale?.message ?? "", /changed on disk/);
});

Deno.test("patch numbers go on in the next session and after an undo", async () => {
  await using test = await makeToolContext();
  assert.equal(await write(test, "a", "1"), 1);
  assert.equal(await write(test, "b", "1"), 2);
  await test.workspace.undo();
  const workspace = new Workspace({ cwd: test.cwd, patchDir: test.patchDir });
  const change = { path: await workspace.resolve("c"), before: null, after: "1" };
  const receipt = await workspace.commit([change], { tool: "t", callId: "c" });
  assert.equal(receipt.patchNumber, 3);
  assert.deepEqual((await workspace.listPatches()).map((patch) => patch.number), [3, 1]);
  assert.equal((await workspace.undo(1)).files[0]?.path.display, "a");
});

Deno.test("two sessions of one project never share a patch number", async () => {
  await using test = await makeToolContext();
  const other = new Workspace({ cwd: test.cwd, patchDir: test.patchDir });
  const numbers = await Promise.all(
    [test.workspace, other].flatMap((workspace, session) =>
      ["a", "b", "c"].map(async (name) => {
        const path = await workspace.resolve(`${name}${session}`);
        const change = { path, before: null, after: name };
        return (await workspace.commit([change], { tool: "t", callId: "c" })).patchNumber;
      })
    ),
  );
  assert.deepEqual(numbers.sort(), [1, 2, 3, 4, 5, 6]);
});

Deno.test("a patch is private and tells what was done", async () => {
  await using test = await makeToolContext({ files: { f: "1\n" } });
  await write(test, "f", "2\n");
  assert.equal((await Deno.stat(test.patchDir)).mode! & 0o777, 0o700);
  assert.equal((await Deno.stat(join(test.patchDir, "000001.json"))).mode! & 0o777, 0o600);
  const [patch] = await test.workspace.listPatches();
  assert.equal(patch?.tool, "write");
  assert.equal(patch?.call_id, "call_7");
  const [change] = patch?.changes ?? [];
  assert.deepEqual(change?.before?.kind === "file" && change.before.text, "1\n");
  assert.equal(change?.diff, "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n+2\n");
});
