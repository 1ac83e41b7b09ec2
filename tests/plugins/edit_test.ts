import assert from "node:assert/strict";
import { join } from "node:path";
import edit from "../../plugins/edit/mod.ts";
import { describeNearest } from "../../plugins/edit/nearest.ts";
import { ToolError } from "../../src/api.ts";
import { assertLinear } from "../support/growth.ts";
import { dataOf, makeToolContext, planAndRun } from "../support/tool_context.ts";
import type { TestContext } from "../support/tool_context.ts";

type EditInput = Parameters<typeof edit.run>[0];

function run(test: TestContext, input: Omit<EditInput, "file_path">) {
  return planAndRun(edit, { file_path: "f", ...input }, { context: test.context });
}

function textOf(test: TestContext): Promise<string> {
  return Deno.readTextFile(join(test.cwd, "f"));
}

async function errorOf(
  test: TestContext,
  input: Omit<EditInput, "file_path">,
): Promise<ToolError> {
  const error = await run(test, input).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ToolError, `expected an error, got ${JSON.stringify(error)}`);
  return error;
}

Deno.test("edit replaces one text and says what it did", async () => {
  await using test = await makeToolContext({ files: { f: "a\nb\nc\n" } });
  assert.deepEqual(dataOf(await run(test, { old_string: "b", new_string: "x\ny" })), {
    edits_applied: 1,
    lines_added: 2,
    lines_removed: 1,
    file_path: join(test.cwd, "f"),
    patch_number: 1,
    recently_modified: ["f"],
  });
  assert.equal(await textOf(test), "a\nx\ny\nc\n");
});

Deno.test("edit applies several edits in order, each on what the one before left", async () => {
  await using test = await makeToolContext({ files: { f: "a b\n" } });
  const data = dataOf(
    await run(test, {
      edits: [{ old_string: "a", new_string: "b" }, {
        old_string: "b b",
        new_string: "done",
        replace_all: false,
      }],
    }),
  );
  assert.equal(data.edits_applied, 2);
  assert.equal(await textOf(test), "done\n");
});

Deno.test("edit applies all edits or none", async () => {
  await using test = await makeToolContext({ files: { f: "a\n" } });
  const edits = [{ old_string: "a", new_string: "b" }, { old_string: "zz", new_string: "y" }];
  const error = await errorOf(test, { edits });
  assert.match(error.message, /Cannot edit f \(edit 2 of 2\): old_string is not in the file/);
  assert.equal(await textOf(test), "a\n");
});

Deno.test("edit refuses a text that is not unique and lists its lines", async () => {
  await using test = await makeToolContext({ files: { f: "x\na\nx\n\nx x\n" } });
  const error = await errorOf(test, { old_string: "x", new_string: "y" });
  assert.equal(error.kind, "user");
  assert.match(error.message, /occurs 4 times, in lines 1, 3, 5\./);
  assert.match(error.suggestion ?? "", /replace_all/);
  assert.equal(await textOf(test), "x\na\nx\n\nx x\n");
});

Deno.test("edit with replace_all replaces every place", async () => {
  await using test = await makeToolContext({ files: { f: "x\nx x\n" } });
  await run(test, { old_string: "x", new_string: "$&", replace_all: true });
  assert.equal(await textOf(test), "$&\n$& $&\n");
});

Deno.test("edit with an empty new_string deletes", async () => {
  await using test = await makeToolContext({ files: { f: "a\nb\n" } });
  await run(test, { old_string: "a\n", new_string: "" });
  assert.equal(await textOf(test), "b\n");
});

Deno.test("edit matches line ends of either kind and keeps those of the file", async () => {
  await using test = await makeToolContext({ files: { f: "a\r\nb\r\nc\r\n" } });
  await run(test, { old_string: "a\nb\n", new_string: "x\ny\nz\n" });
  assert.equal(await textOf(test), "x\r\ny\r\nz\r\nc\r\n");
});

Deno.test("edit with an empty old_string creates a file or fills an empty one", async () => {
  await using test = await makeToolContext();
  const data = dataOf(await run(test, { old_string: "", new_string: "a\nb\n" }));
  assert.deepEqual([data.lines_added, data.lines_removed], [2, 0]);
  assert.equal(await textOf(test), "a\nb\n");
  await Deno.writeTextFile(join(test.cwd, "f"), "");
  await run(test, {
    edits: [{ old_string: "", new_string: "c d\n" }, { old_string: "d", new_string: "e" }],
  });
  assert.equal(await textOf(test), "c e\n");
});

Deno.test("edit with an empty old_string refuses a file that holds something", async () => {
  await using test = await makeToolContext({ files: { f: "a" } });
  const error = await errorOf(test, { old_string: "", new_string: "b" });
  assert.match(error.message, /Cannot create f: it exists and is not empty/);
  const later = await errorOf(test, {
    edits: [{ old_string: "a", new_string: "b" }, { old_string: "", new_string: "c" }],
  });
  assert.match(later.message, /edit 2 of 2\): old_string is empty/);
  assert.equal(await textOf(test), "a");
});

Deno.test("edit refuses edits that change nothing", async () => {
  await using test = await makeToolContext({ files: { f: "a" } });
  const same = await errorOf(test, { old_string: "a", new_string: "a" });
  assert.equal(same.kind, "validation");
  assert.match(same.message, /are the same/);
  const back = await errorOf(test, {
    edits: [{ old_string: "a", new_string: "b" }, { old_string: "b", new_string: "a" }],
  });
  assert.match(back.message, /change nothing/);
});

Deno.test("edit says which argument is missing, or that there are two ways at once", async () => {
  await using test = await makeToolContext({ files: { f: "a" } });
  const cases: [Omit<EditInput, "file_path">, RegExp][] = [
    [{}, /old_string is missing/],
    [{ edits: [] }, /old_string is missing/],
    [{ old_string: "a" }, /new_string is missing/],
    [
      { old_string: "a", new_string: "b", edits: [{ old_string: "a", new_string: "c" }] },
      /both given/,
    ],
  ];
  for (const [input, pattern] of cases) {
    const error = await errorOf(test, input);
    assert.equal(error.kind, "validation");
    assert.match(error.message, pattern);
  }
});

Deno.test("edit accepts edits beside empty strings at top level", async () => {
  await using test = await makeToolContext({ files: { f: "a" } });
  await run(test, {
    old_string: "",
    new_string: "",
    edits: [{ old_string: "a", new_string: "b" }],
  });
  assert.equal(await textOf(test), "b");
});

Deno.test("edit of a missing file names similar ones", async () => {
  await using test = await makeToolContext({ files: { "main.ts": "" } });
  const input = { file_path: "mian.ts", old_string: "a", new_string: "b" };
  await assert.rejects(
    planAndRun(edit, input, { context: test.context }),
    (error) => error instanceof ToolError && /main\.ts/.test(error.suggestion ?? ""),
  );
});

Deno.test("edit tells how the nearest text differs, with its line", async () => {
  const text =
    'first\n\tif (a == b) {\n\t\treturn  "One";\n\t}\nlet total = count + 1;\nf();\n\tf();\n';
  await using test = await makeToolContext({ files: { f: text } });
  const cases: [string, RegExp][] = [
    [
      'if (a == b) {\n\treturn  "Two";\n}\nlet total',
      /nearest text is:\n.*\(line 3 has "\\treturn {2}\\"One" where old_string has "return {2}\\"Two"\)/s,
    ],
    ['\tif (a == b) {\nreturn  "One";', /only in indentation or trailing blanks from:\n2\t\tif/],
    ["  f(); \n", /Add surrounding lines/],
    ['return  "one";', /case from:\n3\t.*\n\(line 3 has "One" where old_string has "one"\)/],
    ["let total=count+1;", /only in blanks within the line from:\n5\tlet total/],
    ["  return  “One”;", /indentation and typographic quotes or dashes from:\n3\t/],
    ["LET total=count+1;", /only in blanks and case from:\n5\t/],
    [
      "let totals = counter + 1;",
      /nearest text is:\n5\tlet total = count \+ 1;\n\(line 5 has "total = count" where old_string has "totals = counter"\)/,
    ],
    ["     2\tif (a == b) {", /Leave out the line numbers/],
    ["first\n// ... existing code ...\nf();", /leaves out content.*several shorter ones in edits/],
    ["nothing of the kind at all", /Read the file again/],
  ];
  for (const [old_string, pattern] of cases) {
    const error = await errorOf(test, { old_string, new_string: "x" });
    assert.match(error.message, /old_string (is not in the file|occurs)/);
    assert.match(error.suggestion ?? "", pattern, old_string);
  }
});

Deno.test("edit says that an edit seems to be applied already", async () => {
  await using test = await makeToolContext({ files: { f: "a\nlet total = 2;\n" } });
  const error = await errorOf(test, { old_string: "let sum = 1;", new_string: "let total = 2;\n" });
  assert.match(error.suggestion ?? "", /^Already applied\? new_string is in the file, in line 2/);
});

Deno.test("edit finds the nearest text in a large file in linear time", async () => {
  const line = (index: number) => `const value${index} = compute(${index}, "${index * 7}");\n`;
  const text = (lines: number) => Array.from({ length: lines }, (_, index) => line(index)).join("");
  const edit = { old_string: "const valve77 = computed(77", new_string: "" };
  await using test = await makeToolContext({ files: { f: text(50_000) } });
  const error = await errorOf(test, edit);
  assert.match(error.suggestion ?? "", /nearest text|Read the file again/);
  const nearest = { wanted: edit.old_string, next: edit.new_string };
  await assertLinear((size) => describeNearest(text(size), nearest), { size: 50_000 });
});

Deno.test("edit plans through the view of an earlier change and commits after it", async () => {
  await using test = await makeToolContext({ files: { f: "a\n" } });
  const { context, workspace } = test;
  const first = { file_path: "f", old_string: "a", new_string: "b" };
  const second = { file_path: "f", old_string: "b", new_string: "c" };
  const plan = await edit.plan!(first, context);
  const next = await edit.plan!(second, { ...context, files: workspace.view(plan.changes) });
  await edit.run(first, { ...context, plan });
  const data = dataOf(await edit.run(second, { ...context, plan: next }));
  assert.equal(data.patch_number, 2);
  assert.equal(await textOf(test), "c\n");
});

Deno.test("edit describes and previews itself in a line", () => {
  assert.equal(edit.describe({ file_path: "f", old_string: "a", new_string: "b" }), "f");
  const edits = [{ old_string: "a", new_string: "b" }, { old_string: "c", new_string: "d" }];
  assert.equal(edit.describe({ file_path: "f", edits }), "f (2 edits)");
  const data = {
    edits_applied: 1,
    lines_added: 2,
    lines_removed: 3,
    file_path: "/f",
    patch_number: 1,
    recently_modified: [],
  };
  assert.deepEqual(edit.preview?.(data, 3), ["1 edit, +2 -3"]);
});

Deno.test("edit tells of the syntax errors it brought, not of those that were there", async () => {
  await using test = await makeToolContext({ files: { "a.py": "x = = 1\ny = 2\n" } });
  const input = { file_path: "a.py", old_string: "y = 2", new_string: "y = (2" };
  const data = dataOf(await planAndRun(edit, input, { context: test.context }));
  assert.deepEqual(data.file_check, {
    checker: "python",
    passed: false,
    errors: [{ line: 2, message: "missing ')' for this '('", source: "y = (2", marker: "    ^" }],
    message: "1 error was there before this change.",
  });
  assert.deepEqual(edit.preview?.(data, 3), [
    "1 edit, +1 -1",
    "1 new syntax error: line 2: missing ')' for this '('",
  ]);
});
