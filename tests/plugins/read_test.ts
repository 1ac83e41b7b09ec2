import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import read from "../../plugins/read/mod.ts";
import { ToolError } from "../../src/api.ts";
import { dataOf, makeToolContext, planAndRun, putFile } from "../support/tool_context.ts";
import type { TestContext } from "../support/tool_context.ts";

type ReadInput = Parameters<typeof read.run>[0];

function run(test: TestContext, input: ReadInput) {
  return planAndRun(read, input, { context: test.context });
}

async function contentOf(test: TestContext, input: ReadInput): Promise<string> {
  return dataOf(await run(test, input)).content;
}

async function errorOf(test: TestContext, input: ReadInput): Promise<ToolError> {
  const error = await run(test, input).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ToolError, `expected an error, got ${JSON.stringify(error)}`);
  return error;
}

/** Lines of about ten tokens each, numbers included. */
function longText(lines: number): string {
  return Array.from({ length: lines }, (_, index) => `this is line number ${index + 1} of it\n`)
    .join("");
}

Deno.test("read numbers the lines of each file below its name", async () => {
  await using test = await makeToolContext({ files: { "a.txt": "one\n\ntwo\n", "b.txt": "x" } });
  const result = await run(test, { file_paths: ["a.txt", "b.txt"] });
  const content = "=== a.txt ===\n     1\tone\n     2\t\n     3\ttwo\n\n=== b.txt ===\n     1\tx";
  assert.deepEqual(dataOf(result), { content, files_read: 2 });
  assert.ok(result.ok && result.text === content && result.budget === 1_500);
});

Deno.test("read makes a file ready to be changed", async () => {
  await using test = await makeToolContext({ files: { f: "a" } });
  await run(test, { file_paths: ["f"] });
  assert.equal(await test.workspace.staleness(await test.workspace.resolve("f")), undefined);
});

Deno.test("read with offset and limit shows those lines and where to go on", async () => {
  await using test = await makeToolContext({ files: { f: "a\nb\nc\nd\n" } });
  assert.equal(
    await contentOf(test, { file_paths: ["f"], offset: 2, limit: 2 }),
    "=== f ===\n     2\tb\n     3\tc\n[Lines 2-3 of 4. Next: offset 4]",
  );
  assert.equal(
    await contentOf(test, { file_paths: ["f"], offset: 4, limit: 0 }),
    "=== f ===\n     4\td",
  );
  assert.equal(
    await contentOf(test, { file_paths: ["f"], offset: 0, limit: 1 }),
    "=== f ===\n     1\ta\n[Lines 1-1 of 4. Next: offset 2]",
  );
});

Deno.test("read with an offset beyond the end says how many lines there are", async () => {
  await using test = await makeToolContext({ files: { f: "a\nb\n" } });
  const error = await errorOf(test, { file_paths: ["f"], offset: 9 });
  assert.equal(error.message, "Cannot read f from line 9: it has 2 lines.");
  assert.equal(error.kind, "user");
});

Deno.test("read goes on past a file that fails, and fails if all do", async () => {
  await using test = await makeToolContext({ files: { "main.ts": "x\n", "dir/f": "" } });
  const data = dataOf(await run(test, { file_paths: ["mian.ts", "main.ts", "dir"] }));
  assert.equal(data.files_read, 1);
  assert.match(data.content, /=== mian\.ts ===\n\[Error: Cannot find mian\.ts.*mean main\.ts\?\]/);
  assert.match(data.content, /=== main\.ts ===\n {5}1\tx/);
  assert.match(data.content, /=== dir ===\n\[Error: .*directory/);
  const alone = await errorOf(test, { file_paths: ["mian.ts"] });
  assert.equal(alone.kind, "user");
  assert.match(alone.suggestion ?? "", /main\.ts/);
  const both = await errorOf(test, { file_paths: ["mian.ts", "dir"] });
  assert.match(both.message, /mian\.ts.*dir/);
});

Deno.test("read says that a file is empty or binary", async () => {
  await using test = await makeToolContext({
    files: { empty: "", image: new Uint8Array([137, 80, 0, 1]) },
  });
  assert.equal(
    await contentOf(test, { file_paths: ["empty", "image"] }),
    "=== empty ===\n[Empty file]\n\n=== image ===\n[Binary file - content not displayed]",
  );
});

Deno.test("read calls a file of nothing but a byte order mark empty", async () => {
  for (const mark of [[0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]]) {
    await using test = await makeToolContext({ files: { f: new Uint8Array(mark) } });
    assert.equal(await contentOf(test, { file_paths: ["f"] }), "=== f ===\n[Empty file]");
  }
});

Deno.test("read shows a file named twice once", async () => {
  await using test = await makeToolContext({ files: { f: "a" } });
  assert.equal(dataOf(await run(test, { file_paths: ["f", "f"] })).files_read, 1);
});

Deno.test("read cuts lines over 2,000 characters and says so", async () => {
  await using test = await makeToolContext({ files: { f: `${"a".repeat(3_000)}\nshort\n` } });
  const [, first, second] = (await contentOf(test, { file_paths: ["f"] })).split("\n");
  assert.equal(first, `     1\t${"a".repeat(2_000)}... [line cut: it has 3000 characters]`);
  assert.equal(second, "     2\tshort");
});

Deno.test("read shows a long file of one line, because it is cut", async () => {
  await using test = await makeToolContext({ files: { f: "a".repeat(1_000_000) } });
  assert.match(await contentOf(test, { file_paths: ["f"] }), /it has 1000000 characters/);
});

Deno.test("read refuses more than the budget, with a range that fits", async () => {
  for (const lines of [250, 5_000]) {
    await using test = await makeToolContext({ files: { f: longText(lines) } });
    const error = await errorOf(test, { file_paths: ["f"] });
    assert.equal(error.kind, "user");
    assert.match(error.message, /Cannot read f \(.*KB\): it has about \d+ tokens.*may return 1500/);
    const told = Number(/about (\d+) tokens/.exec(error.message)?.[1]);
    assert.ok(told > lines * 7 && told < lines * 13, `${told} tokens for ${lines} lines`);
    const limit = Number(/offset 1, limit (\d+)/.exec(error.suggestion ?? "")?.[1]);
    assert.ok(limit > 100);
    const content = await contentOf(test, { file_paths: ["f"], offset: 1, limit });
    assert.ok(content.includes(`[Lines 1-${limit} of ${lines}.`));
  }
});

Deno.test("read refuses a range over the budget, from the same offset on", async () => {
  await using test = await makeToolContext({ files: { f: longText(5_000) } });
  const error = await errorOf(test, { file_paths: ["f"], offset: 1_000, limit: 3_000 });
  assert.match(error.message, /the lines wanted have about \d+ tokens/);
  const limit = Number(/offset 1000, limit (\d+)/.exec(error.suggestion ?? "")?.[1]);
  const content = await contentOf(test, { file_paths: ["f"], offset: 1_000, limit });
  assert.match(content, /^ {2}1000\tthis is line number 1000/m);
});

Deno.test("read refuses files that only together are over the budget", async () => {
  await using test = await makeToolContext({ files: { a: longText(100), b: longText(100) } });
  const error = await errorOf(test, { file_paths: ["a", "b"] });
  assert.match(error.message, /2 files at once.*a \d+, b \d+; one read may return 1500/);
  assert.match(error.suggestion ?? "", /fewer files.*limit \d+/);
  assert.equal(dataOf(await run(test, { file_paths: ["a"] })).files_read, 1);
});

Deno.test("read follows the budget it is given", async () => {
  await using test = await makeToolContext({
    files: { f: longText(5_000) },
    limits: { readTokens: 100_000 },
  });
  assert.match(await contentOf(test, { file_paths: ["f"] }), /5000\tthis is line number 5000/);
});

Deno.test("read wants offset or limit for a file over 5 MB", async () => {
  await using test = await makeToolContext();
  await putFile(join(test.cwd, "big"), longText(200_000));
  const error = await errorOf(test, { file_paths: ["big"] });
  assert.match(error.message, /Cannot read big whole: it has \d\.\d MB, more than 5\.0 MB/);
  assert.match(error.suggestion ?? "", /offset 1, limit \d+/);
  const content = await contentOf(test, { file_paths: ["big"], offset: 150_000, limit: 1 });
  assert.match(
    content,
    /150000\tthis is line number 150000 of it\n\[Lines 150000-150000 of 200000/,
  );
});

Deno.test("read decodes other encodings", async () => {
  await using test = await makeToolContext({
    files: { wide: Buffer.from("\ufeffé\r\n", "utf16le"), latin: Buffer.from("\xe9\n", "latin1") },
  });
  assert.equal(
    await contentOf(test, { file_paths: ["wide", "latin"] }),
    "=== wide ===\n     1\té\n\n=== latin ===\n     1\té",
  );
});

Deno.test("read stops when its call is cancelled", async () => {
  await using test = await makeToolContext({ files: { f: "a" }, signal: AbortSignal.abort() });
  await assert.rejects(run(test, { file_paths: ["f"] }), { name: "AbortError" });
});

Deno.test("read describes its files and previews their first lines", () => {
  assert.equal(read.describe({ file_paths: ["a", "b"] }), "a, b");
  assert.equal(read.describe({ file_paths: ["a", "b", "c", "d"] }), "4 files");
  assert.equal(
    read.describe({ file_paths: ["a"], offset: 5, limit: 1 }),
    "a (from line 5, 1 line)",
  );
  const content = "=== f ===\n     1\tone\n     2\ttwo\n     3\tthree";
  assert.deepEqual(read.preview?.({ content, files_read: 1 }, 2), ["     1\tone", "     2\ttwo"]);
});
