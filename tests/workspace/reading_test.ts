import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { ToolError } from "../../src/core/errors.ts";
import { makeToolContext, putFile } from "../support/tool_context.ts";

Deno.test("read(), lines() and head() refuse what is not a regular file, at once", async () => {
  await using test = await makeToolContext({ files: { "dir/f": "" } });
  const fifo = join(test.cwd, "fifo");
  await new Deno.Command("mkfifo", { args: [fifo] }).output();
  using _listener = Deno.listen({ transport: "unix", path: join(test.cwd, "socket") });
  for (const name of ["dir", "fifo", "socket", "/dev/zero", "/proc/self/environ", "/sys/kernel"]) {
    const path = await test.workspace.resolve(name);
    const readings = [
      () => test.workspace.read(path),
      () => test.workspace.lines(path, { offset: 1, limit: 1 }),
      () => test.workspace.head(path, 10),
    ];
    for (const reading of readings) {
      await assert.rejects(
        reading(),
        (error) => error instanceof ToolError && error.kind === "user",
        name,
      );
    }
  }
  const path = await test.workspace.resolve("fifo");
  const change = { path, before: null, after: "x" };
  await assert.rejects(test.workspace.commit([change], { tool: "t", callId: "c" }), /a FIFO/);
});

Deno.test("info() gives kind, size and mode, and nothing for a missing file", async () => {
  await using test = await makeToolContext({ files: { f: "abc" } });
  await Deno.chmod(join(test.cwd, "f"), 0o600);
  const { workspace } = test;
  const info = await workspace.info(await workspace.resolve("f"));
  assert.deepEqual([info?.kind, info?.size, info?.mode], ["file", 3, 0o600]);
  assert.equal((await workspace.info(await workspace.resolve(".")))?.kind, "directory");
  assert.equal((await workspace.info(await workspace.resolve("/dev/null")))?.kind, "other");
  assert.equal(await workspace.info(await workspace.resolve("none")), undefined);
  assert.equal(await workspace.info(await workspace.resolve("f/below")), undefined);
});

Deno.test("read() of a missing file names the nearest ones", async () => {
  await using test = await makeToolContext({
    files: { "src/main.ts": "", "src/other.md": "", "lib/deep/config.json": "" },
  });
  const suggestionFor = async (name: string): Promise<string> => {
    const path = await test.workspace.resolve(name);
    const error = await test.workspace.read(path).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ToolError && error.kind === "user");
    return error.suggestion ?? "";
  };
  assert.equal(await suggestionFor("src/mian.ts"), "Did you mean src/main.ts?");
  assert.equal(await suggestionFor("src/main.js"), "Did you mean src/main.ts?");
  assert.equal(await suggestionFor("config.json"), "Did you mean lib/deep/config.json?");
  assert.match(await suggestionFor("nothing-like-it"), /glob or ls/);
});

Deno.test("read() refuses a binary file, and head() gives its first bytes", async () => {
  await using test = await makeToolContext({ files: { f: new Uint8Array([1, 0, 2]) } });
  const path = await test.workspace.resolve("f");
  await assert.rejects(test.workspace.read(path), /binary/);
  await assert.rejects(test.workspace.lines(path, { offset: 1, limit: 1 }), /binary/);
  assert.deepEqual(await test.workspace.head(path, 2), new Uint8Array([1, 0]));
});

Deno.test("lines() agrees with splitting the whole text, for every kind of line end", async () => {
  await using test = await makeToolContext({ files: { f: "a\r\nb\rc\n\nd" } });
  const path = await test.workspace.resolve("f");
  const all = await test.workspace.lines(path, { offset: 0, limit: 0 });
  assert.deepEqual(all, { path, lines: ["a", "b", "c", "", "d"], first: 1, total: 5 });
  const some = await test.workspace.lines(path, { offset: 2, limit: 2 });
  assert.deepEqual([some.lines, some.first, some.total], [["b", "c"], 2, 5]);
  const none = await test.workspace.lines(path, { offset: 9, limit: 0 });
  assert.deepEqual([none.lines, none.total], [[], 5]);
});

Deno.test("lines() joins lines, line ends and characters that lie across pieces of the file", async () => {
  const line = `${"é".repeat(32_767)}x`;
  await using test = await makeToolContext({ files: { f: `${line}\r\n${line}\r\nend\r\n` } });
  const path = await test.workspace.resolve("f");
  const found = await test.workspace.lines(path, { offset: 1, limit: 0 });
  assert.deepEqual(found.lines, [line, line, "end"]);
  assert.equal(found.total, 3);
});

Deno.test("lines() reads a file of a million lines from its middle", async () => {
  await using test = await makeToolContext();
  const text = Array.from({ length: 1_000_000 }, (_, index) => `line ${index + 1}\n`).join("");
  await putFile(join(test.cwd, "big"), text);
  const path = await test.workspace.resolve("big");
  const found = await test.workspace.lines(path, { offset: 500_000, limit: 2 });
  assert.deepEqual(found.lines, ["line 500000", "line 500001"]);
  assert.equal(found.total, 1_000_000);
});

Deno.test("lines() decodes UTF-16 and older encodings", async () => {
  await using test = await makeToolContext({
    files: {
      wide: Buffer.from("\ufeffé\nb\n", "utf16le"),
      latin: Buffer.from("caf\xe9\n", "latin1"),
    },
  });
  const linesOf = async (name: string) => {
    const path = await test.workspace.resolve(name);
    return (await test.workspace.lines(path, { offset: 1, limit: 0 })).lines;
  };
  assert.deepEqual(await linesOf("wide"), ["é", "b"]);
  assert.deepEqual(await linesOf("latin"), ["café"]);
});
