/** What commands change that go on in the background, between calls and after them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { FollowedTasks } from "../../src/core/command_watch.ts";
import { undo } from "../../src/slash/undo.ts";
import { type Harness, harness } from "../support/agent_harness.ts";
import { commandContext } from "../support/command_context.ts";
import { describeTree } from "../support/tree.ts";

const SIGNAL = new AbortController().signal;

/** A workspace in which a command has gone on as a task; the test writes what that does. */
interface Stage extends AsyncDisposable {
  readonly test: Harness;
  /** What its files were at first. */
  readonly first: readonly string[];
  /** Does what the task does. */
  write(name: string, text: string): Promise<void>;
  /** Runs another command, which does nothing but what it is given. */
  run(work?: () => Promise<void>): Promise<readonly string[]>;
  /** Ends the task; the files that are said to have changed. */
  end(): Promise<readonly string[]>;
  tree(): Promise<readonly string[]>;
  /** The changes that can be taken back, newest first: their commands, or tools, and files. */
  changes(): Promise<readonly string[]>;
}

async function stage(
  { command = "serve", files }: { command?: string; files: Readonly<Record<string, string>> },
): Promise<Stage> {
  const test = await harness({ files });
  const { workspace, dir } = test;
  const tree = () => describeTree(dir);
  const first = await tree();
  const by = { tool: "bash", callId: "c", confined: true, signal: SIGNAL };
  const finish = await workspace.watchCommands([command], by);
  const ended = Promise.withResolvers<void>();
  const told = Promise.withResolvers<readonly string[]>();
  const tasks: FollowedTasks = {
    name: "task_1",
    ended: ended.promise,
    onEnd: (changes) => told.resolve(changes?.files ?? []),
  };
  assert.equal(await finish?.(tasks), undefined);
  return {
    test,
    first,
    tree,
    write: (name, text) => Deno.writeTextFile(join(dir, name), text),
    async run(work) {
      const finish = await workspace.watchCommands(["other"], by);
      await work?.();
      return (await finish?.())?.files ?? [];
    },
    async end() {
      ended.resolve();
      await workspace.tasksRecorded();
      return await told.promise;
    },
    async changes() {
      await workspace.recordTasks();
      const changes = await workspace.listChanges();
      return changes.map(({ command, tool, files }) => `${command ?? tool}: ${files.join(" ")}`);
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

async function edit(
  { test: { workspace } }: Stage,
  [name, before, after]: readonly [name: string, before: string | null, after: string],
): Promise<void> {
  const path = await workspace.resolve(name);
  await workspace.commit([{ path, before, after }], { tool: "edit", callId: "e" });
}

Deno.test("what a task does between calls is its own change, what a command does the command's", async () => {
  await using at = await stage({ files: { a: "1\n", b: "1\n" } });
  await at.write("a", "2\n");
  assert.deepEqual(await at.run(() => at.write("b", "2\n")), ["b"]);
  await at.write("c", "1\n");
  assert.deepEqual(await at.end(), ["a", "c"]);
  await at.write("a", "somebody else's\n");
  assert.deepEqual(await at.run(), []);
  await at.write("a", "2\n");
  assert.deepEqual(await at.changes(), ["task_1: serve: c", "other: b", "task_1: serve: a"]);
  for (let left = 3; left > 0; left--) await at.test.workspace.undo();
  assert.deepEqual(await at.tree(), at.first);
});

Deno.test("what runs while a task ends records what both did, and nothing is lost", async () => {
  await using at = await stage({ files: { a: "1\n", b: "1\n" } });
  let told: Promise<readonly string[]> | undefined;
  const files = await at.run(async () => {
    await at.write("a", "2\n");
    told = at.end();
    await at.write("b", "2\n");
  });
  assert.deepEqual([files, await told], [["a", "b"], []]);
  await at.test.workspace.undo();
  assert.deepEqual(await at.tree(), at.first);
});

Deno.test("what ally writes while a task runs is recorded once, and all can be taken back in turn", async () => {
  await using at = await stage({ files: { a: "1\n", b: "1\n" } });
  await at.write("a", "2\n");
  await edit(at, ["a", "2\n", "3\n"]);
  await edit(at, ["a", "3\n", "4\n"]);
  await edit(at, ["d/e/f", null, "1\n"]);
  await at.write("b", "2\n");
  assert.deepEqual(await at.changes(), [
    "task_1: serve: b",
    "edit: d/e/f",
    "edit: a",
    "edit: a",
    "task_1: serve: a",
  ]);
  for (let left = 2; left > 0; left--) await at.test.workspace.undo();
  await at.test.workspace.redo();
  await at.test.workspace.undo();
  for (let left = 3; left > 0; left--) await at.test.workspace.undo();
  assert.deepEqual(await at.tree(), at.first);
  assert.deepEqual([await at.end(), await at.changes()], [["a", "b"], []]);
});

Deno.test("a task that goes on with a file while /undo asks does not keep its change from being taken back", async () => {
  await using at = await stage({ files: { a: "", b: "" } });
  await at.write("a", "1\n");
  const asked: string[] = [];
  const said: string[] = [];
  const context = commandContext(at.test, {
    say: (text) => void said.push(text),
    show: () => {},
    async confirm(question) {
      asked.push(question);
      await at.write("a", "1\n2\n");
      return true;
    },
  });
  await undo.run("", context);
  assert.deepEqual(asked, [
    "A background task made this change, or somebody else while it ran. Go on?",
  ]);
  assert.deepEqual(said, ["Took back change 1 (bash):\n- restored `a`"]);
  assert.deepEqual([await at.tree(), await at.changes()], [at.first, []]);
});

Deno.test("what changes elsewhere while /undo asks is not taken back unseen", async () => {
  await using at = await stage({ files: { a: "", b: "" } });
  await at.write("a", "1\n");
  const context = commandContext(at.test, {
    say: () => {},
    show: () => {},
    async confirm() {
      await at.write("b", "mine\n");
      return true;
    },
  });
  await undo.run("", context);
  assert.deepEqual([await at.test.read("a"), await at.test.read("b")], ["", "mine\n"]);
  assert.deepEqual(await at.changes(), ["task_1: serve: b"]);
});

Deno.test("a message stands after what tasks did before it, and files go back to that", async () => {
  await using at = await stage({ files: { a: "1\n", b: "1\n" } });
  const { workspace } = at.test;
  await at.write("a", "2\n");
  const since = await workspace.newestChangeNumber();
  await at.write("b", "2\n");
  await workspace.recordTasks();
  await at.write("b", "3\n");
  await workspace.rewind(since);
  assert.deepEqual([await at.test.read("a"), await at.test.read("b")], ["2\n", "1\n"]);
});

Deno.test("an ignored file that a task names comes back, whichever command ends first", async () => {
  const command = "echo 2 > .env";
  await using at = await stage({
    command,
    files: { ".gitignore": ".env\n*.log\n", ".env": "1\n" },
  });
  assert.deepEqual(
    await at.run(async () => {
      await at.write(".env", "2\n");
      await at.write("a.log", "1\n");
    }),
    [".env"],
  );
});

Deno.test("the files of a directory that is added while a task runs are none of its changes", async () => {
  await using at = await stage({ files: { a: "1\n" } });
  const added = await Deno.makeTempDir();
  await Deno.writeTextFile(join(added, "theirs"), "1\n");
  await at.test.workspace.workspaceRoots.add(added);
  await at.write("a", "2\n");
  assert.deepEqual(await at.changes(), ["task_1: serve: a"]);
  await Deno.remove(added, { recursive: true });
});
