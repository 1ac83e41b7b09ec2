import assert from "node:assert/strict";
import { join } from "node:path";
import { makeToolContext, putFile } from "../support/tool_context.ts";

Deno.test("staleness() names the read tool for a file never read, and is silent for a new one", async () => {
  await using test = await makeToolContext({ files: { f: "a" } });
  const path = await test.workspace.resolve("f");
  const stale = await test.workspace.staleness(path);
  assert.match(stale?.message ?? "", /f: it has not been read/);
  assert.match(stale?.suggestion ?? "", /read with file_paths \["f"\]/);
  assert.equal(await test.workspace.staleness(await test.workspace.resolve("new")), undefined);
});

Deno.test("staleness() is silent after read(), lines() and commit()", async () => {
  await using test = await makeToolContext({ files: { a: "1\n2\n", b: "1" } });
  const { workspace } = test;
  const [a, b] = [await workspace.resolve("a"), await workspace.resolve("b")];
  await workspace.lines(a, { offset: 2, limit: 1 });
  await workspace.read(b);
  assert.equal(await workspace.staleness(a), undefined);
  assert.equal(await workspace.staleness(b), undefined);
  await workspace.commit([{ path: b, before: "1", after: "2" }], { tool: "t", callId: "c" });
  assert.equal(await workspace.staleness(b), undefined);
});

Deno.test("staleness() sees another content of the same size, time and inode", async () => {
  await using test = await makeToolContext({ files: { f: "aaaa" } });
  const file = join(test.cwd, "f");
  const when = new Date(1_700_000_000_000);
  await Deno.utime(file, when, when);
  const path = await test.workspace.resolve("f");
  await test.workspace.read(path);
  const before = await Deno.stat(file);
  await putFile(file, "bbbb");
  await Deno.utime(file, when, when);
  const after = await Deno.stat(file);
  assert.deepEqual([after.ino, after.size, after.mtime], [before.ino, before.size, before.mtime]);
  assert.match((await test.workspace.staleness(path))?.message ?? "", /changed on disk/);
});

Deno.test("staleness() sees a replaced inode, though the content is the same", async () => {
  await using test = await makeToolContext({ files: { f: "a" } });
  const path = await test.workspace.resolve("f");
  await test.workspace.read(path);
  await putFile(join(test.cwd, "twin"), "a");
  await Deno.rename(join(test.cwd, "twin"), join(test.cwd, "f"));
  assert.match((await test.workspace.staleness(path))?.message ?? "", /changed on disk/);
});

Deno.test("staleness() refuses a binary file for good", async () => {
  await using test = await makeToolContext({ files: { f: new Uint8Array([1, 0, 2]) } });
  const stale = await test.workspace.staleness(await test.workspace.resolve("f"));
  assert.match(stale?.message ?? "", /binary/);
});
