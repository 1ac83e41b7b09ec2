import assert from "node:assert/strict";
import { join } from "node:path";
import { PathList } from "../../src/workspace/path_list.ts";
import type { ListedPaths } from "../../src/workspace/listed_paths.ts";
import { makeToolContext } from "../support/tool_context.ts";
import { until } from "../support/wait.ts";

async function listed(list: PathList): Promise<ListedPaths> {
  list.refresh();
  await list.settled;
  assert.ok(list.current);
  return list.current;
}

function runGit(cwd: string, ...args: string[]): boolean {
  try {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
    return new Deno.Command("git", { args: [...identity, ...args], cwd, stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

const FILES = {
  "b.ts": "",
  "a.ts": "",
  "src/deep/c.ts": "",
  ".gitignore": "out/\n*.log\n",
  ".github/ci.yml": "",
  "out/made.js": "",
  "x.log": "",
  "with\u0007bell": "",
};

Deno.test("what git would not ignore is listed, directories too, hidden paths apart", async () => {
  await using made = await makeToolContext({ files: FILES });
  const list = new PathList({ roots: made.workspace.workspaceRoots });
  const { shown, hidden } = await listed(list);
  list.close();
  assert.deepEqual(shown, ["a.ts", "b.ts", "src/", "src/deep/", "src/deep/c.ts"]);
  assert.deepEqual(hidden, [".github/", ".gitignore", ".github/ci.yml"]);
});

Deno.test("an added directory is listed by its whole path, and what is outside of a focus is not", async () => {
  await using made = await makeToolContext({ files: FILES });
  const roots = made.workspace.workspaceRoots;
  await Deno.writeTextFile(join(made.outside, "other.md"), "");
  const list = new PathList({ roots });
  await listed(list);
  await roots.add(made.outside);
  assert.ok((await listed(list)).shown.includes(join(made.outside, "other.md")));
  await roots.setFocus("src");
  assert.deepEqual((await listed(list)).shown, ["deep/", "deep/c.ts"]);
  list.close();
});

Deno.test("names that come and go are seen without listing all again and again", async () => {
  await using made = await makeToolContext({ files: FILES });
  let now = 0;
  const list = new PathList({
    roots: made.workspace.workspaceRoots,
    now: () => now,
  });
  await listed(list);
  list.refresh();
  assert.equal(list.listing, undefined, "a list that was just made is right");
  await Deno.writeTextFile(join(made.cwd, "src/deep/new.ts"), "");
  await Deno.remove(join(made.cwd, "a.ts"));
  now += 5000;
  await until("the new list", async () => (await listed(list)).shown.includes("src/deep/new.ts"));
  assert.ok(!list.current?.shown.includes("a.ts"));
  list.close();
  now += 100_000;
  list.refresh();
  assert.equal(list.listing, undefined, "a closed list makes no other");
});

Deno.test("files that git does not know as they are are told, without running git", async () => {
  await using made = await makeToolContext({ files: FILES });
  const { cwd } = made;
  const list = new PathList({ roots: made.workspace.workspaceRoots });
  assert.deepEqual((await listed(list)).changed, [], "there is no repository");
  const isCommitted = runGit(cwd, "init", "--quiet") && runGit(cwd, "add", ".") &&
    runGit(cwd, "commit", "--quiet", "-m", "one");
  if (!isCommitted) return list.close();
  // It would be run by git itself.
  runGit(cwd, "config", "core.fsmonitor", `touch '${join(cwd, "evil")}'; false`);
  await Deno.writeTextFile(join(cwd, "b.ts"), "changed\n");
  await Deno.writeTextFile(join(cwd, "src/fresh.ts"), "");
  const other = new PathList({ roots: made.workspace.workspaceRoots });
  const { changed } = await listed(other);
  assert.deepEqual([...changed].sort(), ["b.ts", "src/fresh.ts"]);
  assert.ok(!(await listed(other)).shown.includes("evil"));
  list.close();
  other.close();
});

Deno.test("files that were written after most others are told, the newest first", async () => {
  const files = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`f${at}`, ""]));
  await using made = await makeToolContext({ files });
  const now = Date.now();
  for (let at = 0; at < 9; at++) {
    const time = new Date(now - 86_400_000 + (at > 6 ? at * 3_600_000 : at));
    await Deno.utime(join(made.cwd, `f${at}`), time, time);
  }
  const list = new PathList({ roots: made.workspace.workspaceRoots });
  assert.deepEqual((await listed(list)).newest, ["f8", "f7"]);
  list.close();
});
