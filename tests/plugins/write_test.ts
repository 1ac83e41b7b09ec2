import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import write from "../../plugins/write/mod.ts";
import { ToolError } from "../../src/api.ts";
import { dataOf, makeToolContext, planAndRun } from "../support/tool_context.ts";
import type { TestContext } from "../support/tool_context.ts";

function run(test: TestContext, file_path: string, content: string) {
  return planAndRun(write, { file_path, content }, { context: test.context });
}

function bytesOf(test: TestContext, name: string): Promise<Uint8Array> {
  return Deno.readFile(join(test.cwd, name));
}

Deno.test("write creates a file with its directories and says what it did", async () => {
  await using test = await makeToolContext();
  assert.deepEqual(dataOf(await run(test, "a/b.txt", "é\n")), {
    file_path: join(test.cwd, "a/b.txt"),
    bytes_written: 3,
    patch_number: 1,
    recently_modified: ["a/b.txt"],
    created: true,
  });
  assert.deepEqual(await bytesOf(test, "a/b.txt"), new TextEncoder().encode("é\n"));
});

Deno.test("write plans the change that it then makes", async () => {
  await using test = await makeToolContext({ files: { f: "old\n" } });
  const plan = await write.plan?.({ file_path: "f", content: "new\n" }, test.context);
  const path = await test.workspace.resolve("f");
  assert.deepEqual(plan?.changes, [{ path, before: "old\n", after: "new\n" }]);
  assert.equal(await Deno.readTextFile(join(test.cwd, "f")), "old\n");
});

Deno.test("write replaces a file, with the final newline as given", async () => {
  await using test = await makeToolContext({ files: { f: "old\n" } });
  const data = dataOf(await run(test, "f", "new"));
  assert.equal(data.created, false);
  assert.equal(await Deno.readTextFile(join(test.cwd, "f")), "new");
});

Deno.test("write keeps dominant line ends, encoding and byte order mark of what it replaces", async () => {
  await using test = await makeToolContext({
    files: {
      crlf: "a\r\nb\r\nc\n",
      lf: "a\nb\n",
      wide: Buffer.from("\ufeffa\r\n", "utf16le"),
      mark: "\ufeffa\n",
      latin: Buffer.from("\xe9\n", "latin1"),
    },
  });
  for (const name of ["crlf", "lf", "wide", "mark", "latin"]) await run(test, name, "è\r\nx\n");
  const utf8 = (text: string) => new TextEncoder().encode(text);
  assert.deepEqual(await bytesOf(test, "crlf"), utf8("è\r\nx\r\n"));
  assert.deepEqual(await bytesOf(test, "lf"), utf8("è\nx\n"));
  assert.deepEqual(
    Buffer.from(await bytesOf(test, "wide")),
    Buffer.from("\ufeffè\r\nx\r\n", "utf16le"),
  );
  assert.deepEqual(await bytesOf(test, "mark"), utf8("\ufeffè\nx\n"));
  assert.deepEqual(Buffer.from(await bytesOf(test, "latin")), Buffer.from("\xe8\nx\n", "latin1"));
});

Deno.test("write refuses the content that the file has already", async () => {
  await using test = await makeToolContext({ files: { f: "a\r\n" } });
  for (const content of ["a\r\n", "a\n"]) {
    await assert.rejects(
      run(test, "f", content),
      (error) =>
        error instanceof ToolError && error.kind === "user" && /already/.test(error.message),
    );
  }
});

Deno.test("write refuses directories and binary files", async () => {
  await using test = await makeToolContext({
    files: { "dir/f": "", image: new Uint8Array([1, 0]) },
  });
  await assert.rejects(run(test, "dir", "x"), /dir: it is a directory/);
  await assert.rejects(run(test, "image", "x"), /binary/);
});

Deno.test("write refuses when the file changed after it was planned", async () => {
  await using test = await makeToolContext({ files: { f: "old" } });
  const input = { file_path: "f", content: "new" };
  const plan = await write.plan?.(input, test.context);
  await Deno.writeTextFile(join(test.cwd, "f"), "other");
  await assert.rejects(
    Promise.resolve(write.run(input, { ...test.context, plan })),
    /changed since it was read/,
  );
  assert.equal(await Deno.readTextFile(join(test.cwd, "f")), "other");
});

Deno.test("write describes and previews itself in a line", () => {
  assert.equal(write.describe({ file_path: "f", content: "a\nb\n" }), "f (2 lines)");
  const data = {
    file_path: "/f",
    bytes_written: 1,
    patch_number: 1,
    recently_modified: [],
    created: true,
  };
  assert.deepEqual(write.preview?.(data, 3), ["created, 1 byte"]);
});

Deno.test("write tells the model and the person of new syntax errors", async () => {
  await using test = await makeToolContext();
  const input = { file_path: "a.ts", content: "foo(1;\n" };
  const data = dataOf(await planAndRun(write, input, { context: test.context }));
  assert.deepEqual(Object.keys(data), [
    "file_path",
    "bytes_written",
    "patch_number",
    "file_check",
    "recently_modified",
    "created",
  ]);
  assert.deepEqual(data.file_check, {
    checker: "typescript",
    passed: false,
    errors: [{ line: 1, message: "missing ')' for this '('", source: "foo(1;", marker: "   ^" }],
  });
  assert.deepEqual(write.preview?.(data, 3), [
    "created, 7 bytes",
    "1 new syntax error: line 1: missing ')' for this '('",
  ]);
});
