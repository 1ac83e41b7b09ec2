import assert from "node:assert/strict";
import { join } from "node:path";
import { Workspace } from "../../src/workspace/workspace.ts";
import { makeToolContext, putFile, type TestContext } from "../support/tool_context.ts";

async function abandon(
  test: TestContext,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const path = join(test.patchDir, from);
  const patch = JSON.parse(await Deno.readTextFile(path));
  patch.token = "dead";
  await Deno.remove(path);
  await putFile(join(test.patchDir, to), JSON.stringify(patch));
}

async function commitTwo(test: TestContext): Promise<void> {
  const changes = await Promise.all(["a", "b"].map(async (name) => ({
    path: await test.workspace.resolve(name),
    before: "old",
    after: "new",
  })));
  await test.workspace.commit(changes, { tool: "edit", callId: "call_1" });
}

function contents(test: TestContext): Promise<string[]> {
  return Promise.all(["a", "b"].map((name) => Deno.readTextFile(join(test.cwd, name))));
}

Deno.test("recover() takes a half-made commit back and sweeps its temporary files only", async () => {
  await using test = await makeToolContext({ files: { a: "old", b: "old" } });
  await commitTwo(test);
  await abandon(test, { from: "000001.json", to: "000001.pending.json" });
  await putFile(join(test.cwd, "b"), "old");
  await putFile(join(test.cwd, ".dead-1.tmp"), "new");
  await putFile(join(test.cwd, ".other-1.tmp"), "mine");
  const workspace = new Workspace({ cwd: test.cwd, patchDir: test.patchDir });
  assert.deepEqual(await workspace.recover(), [{ number: 1, work: "pending" }]);
  assert.deepEqual(await contents(test), ["old", "old"]);
  assert.deepEqual(await workspace.listPatches(), []);
  const names = await Array.fromAsync(Deno.readDir(test.cwd), ({ name }) => name);
  assert.deepEqual(names.sort(), [".other-1.tmp", "a", "b"]);
});

Deno.test("recover() brings a half-made undo to its end, and it can be redone", async () => {
  await using test = await makeToolContext({ files: { a: "old", b: "old" } });
  await commitTwo(test);
  await test.workspace.undo();
  await abandon(test, { from: "000001.undone.json", to: "000001.undoing.json" });
  await putFile(join(test.cwd, "b"), "new");
  const workspace = new Workspace({ cwd: test.cwd, patchDir: test.patchDir });
  assert.deepEqual(await workspace.recover(), [{ number: 1, work: "undoing" }]);
  assert.deepEqual(await contents(test), ["old", "old"]);
  await workspace.redo();
  assert.deepEqual(await contents(test), ["new", "new"]);
});

Deno.test({
  name: "recover() carries out nothing that others may have written",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using test = await makeToolContext({ files: { a: "old", b: "old" } });
    await commitTwo(test);
    await abandon(test, { from: "000001.json", to: "000001.pending.json" });
    await Deno.chmod(join(test.patchDir, "000001.pending.json"), 0o666);
    const workspace = new Workspace({ cwd: test.cwd, patchDir: test.patchDir });
    assert.deepEqual(await workspace.recover(), []);
    assert.deepEqual(await contents(test), ["new", "new"]);
  },
});

Deno.test("recover() leaves the work of a living process and somebody's later changes alone", async () => {
  await using test = await makeToolContext({ files: { a: "old", b: "old" } });
  await commitTwo(test);
  await Deno.rename(
    join(test.patchDir, "000001.json"),
    join(test.patchDir, "000001.pending.json"),
  );
  {
    using file = await Deno.open(join(test.patchDir, "000001.pending.json"));
    await file.lock(true);
    const other = new Workspace({ cwd: test.cwd, patchDir: test.patchDir });
    assert.deepEqual(await other.recover(), []);
  }
  await abandon(test, { from: "000001.pending.json", to: "000001.pending.json" });
  await putFile(join(test.cwd, "b"), "mine");
  const workspace = new Workspace({ cwd: test.cwd, patchDir: test.patchDir });
  await workspace.recover();
  assert.deepEqual(await contents(test), ["old", "mine"]);
});
