import assert from "node:assert/strict";
import { join } from "node:path";
import { Focus } from "../../src/agent/focus.ts";
import { ToolError } from "../../src/core/errors.ts";
import { harness } from "../support/agent_harness.ts";
import { boundsOf } from "../support/focus.ts";

const FILES = { "top.txt": "top\n" };

async function focused() {
  const test = await harness({
    files: FILES,
    rules: { allowAll: true },
    replies: [
      { calls: [["read", { file_paths: ["in.txt"] }, "c1"]] },
      { calls: [["read", { file_paths: ["../top.txt"] }, "c2"]] },
      { calls: [["write", { file_path: "/tmp/x", content: "x" }, "c3"]] },
      { text: "Done." },
    ],
  });
  await Deno.mkdir(join(test.dir, "sub"));
  await Deno.writeTextFile(join(test.dir, "sub", "in.txt"), "inside\n");
  return test;
}

Deno.test("with a focus relative paths start in it, and others are refused as a matter of security", async () => {
  await using test = await focused();
  const focus = boundsOf(test);
  await focus.set("sub");
  assert.equal(focus.label, "sub");
  await test.agent.run(focus.annotate("go"));
  const ends = test.facts.flatMap((fact) => fact.type === "tool_end" ? [fact.result] : []);
  assert.equal(ends[0]!.success, true);
  for (const end of ends.slice(1)) {
    assert.equal(end.success, false);
    assert.match(end.error_type!, /security/);
    assert.match(end.error, /lies outside of sub/);
  }
  assert.match(test.saved[0]!.content, /^go\n\n\[The user has limited this session to .*sub:/);
  assert.equal(await focus.clear(), true);
  assert.equal((await test.workspace.resolve("top.txt")).inside, true);
  assert.match(focus.annotate("next"), /lifted the limit/);
  assert.equal(focus.annotate("after"), "after");
});

Deno.test("a link within the focus that leads out of it is refused", async () => {
  await using test = await focused();
  await Deno.symlink(join(test.dir, "top.txt"), join(test.dir, "sub", "link.txt"));
  await boundsOf(test).set("sub");
  await assert.rejects(
    test.workspace.resolve("link.txt"),
    (error: ToolError) => error.kind === "security",
  );
  const sub = await test.workspace.resolve(".");
  const link = (await test.workspace.list(sub)).find(({ name }) => name === "link.txt");
  assert.equal(link!.path.inside, false);
});

Deno.test("a focus must be a directory of the workspace; an added one is", async () => {
  await using test = await focused();
  const focus = boundsOf(test);
  await assert.rejects(focus.set("top.txt"), /it is not a directory/);
  await assert.rejects(focus.set("nothing"), /there is no such directory/);
  const other = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-test-" }));
  try {
    await assert.rejects(focus.set(other), /outside of the workspace.*\/add-dir/);
    assert.equal(await focus.addDirectory(other), other);
    assert.equal(await focus.addDirectory(other), undefined);
    await assert.rejects(focus.addDirectory("/"), /Cannot add the directory \/: .* whole disk/);
    await focus.set(other);
    assert.equal(test.workspace.cwd, other);
    await assert.rejects(test.workspace.resolve(join(test.dir, "top.txt")), ToolError);
  } finally {
    await Deno.remove(other, { recursive: true });
  }
});

Deno.test("the bounds of a session hold again when it goes on, and in a new conversation", async () => {
  await using test = await focused();
  const first = boundsOf(test);
  await first.set("sub");
  test.workspace.workspaceRoots.clearFocus();
  const again = boundsOf(test);
  assert.deepEqual(await again.restore(), []);
  assert.equal(again.label, "sub");
  assert.equal(again.annotate("on"), "on");
  const values = new Map<string, unknown>();
  const state = {
    get: (key: string) => values.get(key),
    set: (key: string, value: unknown) => Promise.resolve(void values.set(key, value)),
  };
  const later = new Focus({
    workspace: test.workspace.workspaceRoots,
    state: () => state,
    home: "",
  });
  await later.carryOver();
  assert.equal(values.get("focus"), test.workspace.workspaceRoots.focus);
  assert.match(later.annotate("new"), /limited this session/);
  await Deno.remove(join(test.dir, "sub"), { recursive: true });
  const lost = boundsOf(test);
  test.workspace.workspaceRoots.clearFocus();
  assert.match((await lost.restore())[0]!, /not limited to .*sub any more/);
});
