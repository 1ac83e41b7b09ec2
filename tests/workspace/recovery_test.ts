import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Workspace } from "../../src/workspace/workspace.ts";
import { makeToolContext, putFile, type TestContext } from "../support/tool_context.ts";
import { describeTree } from "../support/tree.ts";

const KILLS = 30;
const PROGRAM = fileURLToPath(new URL("../support/save_loop.ts", import.meta.url));

/** Lets the loop run for a while and kills it. */
async function killAfter(ms: number, test: TestContext): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", PROGRAM, test.cwd, test.patchDir],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "ready\n");
  await delay(ms);
  child.kill("SIGKILL");
  await child.status;
  await reader.cancel();
}

/** The one generation that all files are of; "" if there are none. */
async function generation(test: TestContext): Promise<string> {
  const found = new Set<string>();
  let files = 0;
  for (const line of await describeTree(test.cwd)) {
    assert.doesNotMatch(line, /\.tmp /, "no temporary file stays");
    const name = line.split(" ")[0] ?? "";
    if (name.endsWith("/")) continue;
    files++;
    found.add(await Deno.readTextFile(join(test.cwd, name)));
  }
  assert.ok(files === 0 || files === 10, `${files} of 10 files are there`);
  assert.ok(found.size <= 1, `files are of generations ${[...found]}`);
  return [...found][0] ?? "";
}

Deno.test("after kill -9 at any moment every file is wholly old or wholly new, and undo still works", async () => {
  await using test = await makeToolContext();
  for (let kill = 0; kill < KILLS; kill++) {
    await killAfter(Math.random() * 60, test);
    const workspace = new Workspace({ cwd: test.cwd, patchDir: test.patchDir });
    const problems = (await workspace.recover()).filter(({ problem }) => problem !== undefined);
    assert.deepEqual(problems, []);
    const now = await generation(test);
    const left = await Array.fromAsync(Deno.readDir(test.patchDir), ({ name }) => name)
      .catch(() => []);
    assert.deepEqual(left.filter((name) => /pending|ing\.json$/.test(name)), []);
    if (now === "") continue;
    assert.equal((await workspace.patches()).length, Number(now), "a patch a generation");
    await workspace.undo();
    assert.equal(await generation(test), now === "1" ? "" : `${Number(now) - 1}`);
    await workspace.redo();
    assert.equal(await generation(test), now);
  }
});

async function abandon(
  test: TestContext,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const path = join(test.patchDir, from);
  const patch = JSON.parse(await Deno.readTextFile(path));
  patch.owner = { pid: 2 ** 22 + 1, started: 0 };
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
  assert.deepEqual(await workspace.patches(), []);
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

Deno.test("recover() leaves the work of a living process and somebody's later changes alone", async () => {
  await using test = await makeToolContext({ files: { a: "old", b: "old" } });
  await commitTwo(test);
  await Deno.rename(
    join(test.patchDir, "000001.json"),
    join(test.patchDir, "000001.pending.json"),
  );
  const other = new Workspace({ cwd: test.cwd, patchDir: test.patchDir });
  assert.deepEqual(await other.recover(), []);
  await abandon(test, { from: "000001.pending.json", to: "000001.pending.json" });
  await putFile(join(test.cwd, "b"), "mine");
  const workspace = new Workspace({ cwd: test.cwd, patchDir: test.patchDir });
  await workspace.recover();
  assert.deepEqual(await contents(test), ["old", "mine"]);
});
