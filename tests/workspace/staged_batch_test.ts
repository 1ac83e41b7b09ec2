import assert from "node:assert/strict";
import { join } from "node:path";
import type { ResolvedPath } from "../../src/core/files.ts";
import { loadRegular } from "../../src/workspace/regular_file.ts";
import { ChangedMeanwhile, StagedBatch } from "../../src/workspace/staged_batch.ts";
import { makeToolContext, putFile, type TestContext } from "../support/tool_context.ts";

async function stage(test: TestContext, contents: Record<string, string | null>) {
  const roots = { cwd: test.cwd, all: [test.cwd] };
  const replacements = await Promise.all(
    Object.entries(contents).map(async ([name, text]) => {
      const path: ResolvedPath = await test.workspace.resolve(name);
      return {
        path: path.absolute,
        previous: await loadRegular(path, roots),
        next: text === null ? null : new TextEncoder().encode(text),
      };
    }),
  );
  return await StagedBatch.stage(replacements);
}

async function snapshot(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name } of Deno.readDir(directory)) {
    found[name] = await Deno.readTextFile(join(directory, name));
  }
  return found;
}

Deno.test("publish() puts back what it replaced, made and removed when a later file has changed", async () => {
  await using test = await makeToolContext({ files: { a: "1", gone: "g", b: "1" } });
  await Deno.chmod(join(test.cwd, "a"), 0o600);
  {
    using batch = await stage(test, { a: "2", made: "m", gone: null, b: "2" });
    await putFile(join(test.cwd, "b"), "mine");
    await assert.rejects(batch.publish(), (error) => {
      return error instanceof ChangedMeanwhile && error.index === 3;
    });
  }
  assert.deepEqual(await snapshot(test.cwd), { a: "1", gone: "g", b: "mine" });
  assert.equal((await Deno.stat(join(test.cwd, "a"))).mode! & 0o777, 0o600);
});

Deno.test("publish() does not overwrite a file that came to exist after staging", async () => {
  await using test = await makeToolContext();
  {
    using batch = await stage(test, { made: "m" });
    await putFile(join(test.cwd, "made"), "mine");
    await assert.rejects(batch.publish(), ChangedMeanwhile);
  }
  assert.deepEqual(await snapshot(test.cwd), { made: "mine" });
});

Deno.test("publish() gives the inodes the files have, none for a removed one", async () => {
  await using test = await makeToolContext({ files: { a: "1", b: "1" } });
  using batch = await stage(test, { a: "2", b: null });
  const inodes = await batch.publish();
  assert.deepEqual(inodes, [(await Deno.stat(join(test.cwd, "a"))).ino, undefined]);
});
