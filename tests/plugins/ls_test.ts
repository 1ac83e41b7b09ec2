import assert from "node:assert/strict";
import { join } from "node:path";
import ls from "../../plugins/ls/mod.ts";
import { ToolError } from "../../src/api.ts";
import { dataOf, makeToolContext } from "../support/tool_context.ts";

Deno.test("ls lists directories first, each group by name, with facts about each", async () => {
  await using test = await makeToolContext({
    files: { "b.txt": "12345", "Makefile": "", "z/f": "", "a.d/f": "" },
  });
  await Deno.chmod(join(test.cwd, "b.txt"), 0o640);
  const when = new Date(1_700_000_000_500);
  await Deno.utime(join(test.cwd, "b.txt"), when, when);
  const result = await ls.run({ file_path: "." }, test.context);
  const data = dataOf(result);
  assert.deepEqual(data.files.map((entry) => entry.name), ["a.d", "z", "Makefile", "b.txt"]);
  assert.deepEqual(data.files[3], {
    name: "b.txt",
    path: join(test.cwd, "b.txt"),
    type: "file",
    size: 5,
    modified: 1_700_000_000.5,
    permissions: "640",
    extension: ".txt",
  });
  assert.equal(data.files[0]?.size, null);
  assert.equal(data.files[0]?.extension, undefined);
  assert.deepEqual(
    [data.total_count, data.shown_count, data.truncated, data.directory_path, data.guidance],
    [4, 4, false, test.cwd, undefined],
  );
  assert.equal(result.ok && result.text, ".:\na.d/\nz/\nMakefile  0 B\nb.txt  5 B");
});

Deno.test("ls leaves out what matches an ignore glob", async () => {
  await using test = await makeToolContext({
    files: { "a.pyc": "", "b.py": "", ".hidden": "", "__pycache__/x": "", "node_modules/y": "" },
  });
  const ignore = ["*.pyc", "__pycache__/", "**/node_modules/**", ".h*"];
  const data = dataOf(await ls.run({ file_path: ".", ignore }, test.context));
  assert.deepEqual(data.files.map((entry) => entry.name), ["b.py"]);
  const all = dataOf(await ls.run({ file_path: ".", ignore: [] }, test.context));
  assert.equal(all.total_count, 5);
});

Deno.test("ls shows at most 50 entries and says what to do", async () => {
  const names = Array.from({ length: 60 }, (_, index) => `f${String(index).padStart(2, "0")}`);
  await using test = await makeToolContext({
    files: Object.fromEntries(names.map((name) => [name, ""])),
  });
  const result = await ls.run({ file_path: "." }, test.context);
  const data = dataOf(result);
  assert.deepEqual([data.shown_count, data.total_count, data.truncated], [50, 60, true]);
  assert.equal(data.files.at(-1)?.name, "f49");
  assert.match(data.guidance ?? "", /truncated: 50 of 60/);
  assert.ok(result.ok && result.text?.includes(data.guidance ?? "?"));
});

Deno.test("ls of an empty directory says so", async () => {
  await using test = await makeToolContext();
  const result = await ls.run({ file_path: "." }, test.context);
  assert.equal(result.ok && result.text, ".:\n[empty]");
});

Deno.test("ls refuses a file and a missing directory, with similar names", async () => {
  await using test = await makeToolContext({ files: { "src/main.ts": "" } });
  await assert.rejects(ls.run({ file_path: "src/main.ts" }, test.context), /not a directory/);
  await assert.rejects(
    ls.run({ file_path: "scr" }, test.context),
    (error) => error instanceof ToolError && /mean src\?/.test(error.suggestion ?? ""),
  );
});

Deno.test("ls keeps one entry a line whatever the names hold", async () => {
  await using test = await makeToolContext({ files: { "a\nb\x1b[2J": "" } });
  await Deno.symlink("nowhere", join(test.cwd, "dangling"));
  const result = await ls.run({ file_path: "." }, test.context);
  assert.equal(
    result.ok && result.text,
    '.:\n"a\\nb\\u001b[2J"  0 B\ndangling  (not a regular file)',
  );
});

Deno.test("ls previews the count and the names", async () => {
  await using test = await makeToolContext({ files: { "d/f": "", "x": "" } });
  const data = dataOf(await ls.run({ file_path: "." }, test.context));
  assert.deepEqual(ls.preview?.(data, 3), ["2 entries", "d/  x"]);
  assert.equal(ls.describe({ file_path: "src" }), "src");
});
