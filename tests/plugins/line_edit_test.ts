import assert from "node:assert/strict";
import lineEdit from "../../plugins/line_edit/mod.ts";
import { replaceLines } from "../../plugins/line_edit/replace.ts";
import { runCalls } from "../../src/tools/scheduler.ts";
import { type Call, type Harness, harness, toolCall } from "../support/agent_harness.ts";

const READ: Call = ["read", { file_paths: ["f"] }, "call_r"];

function change(start_line: number, end_line: number, new_content: string | string[]): Call {
  return ["line_edit", { file_path: "f", edits: [{ start_line, end_line, new_content }] }];
}

/** Runs the calls of one reply and gives their errors, "" for a success. */
async function reply(made: Harness, calls: readonly Call[]): Promise<string[]> {
  const { signal } = new AbortController();
  const { results } = await runCalls(calls.map(toolCall), { deps: made.deps, signal });
  return results.map(({ record }) => record.error);
}

function opened(f: string): Promise<Harness> {
  return harness({ files: { f }, rules: { allowAll: true } });
}

Deno.test("replaceLines() gives each new line the end of the one it replaces", () => {
  const lines = ["x", "y", "z", "w"];
  assert.equal(
    replaceLines("a\r\nb\nc\rd\n", [{ start: 1, end: 3, lines }]),
    "x\r\ny\nz\rw\rd\n",
  );
});

Deno.test("replaceLines() gives lines put behind the last one the end that most lines have", () => {
  assert.equal(replaceLines("a\r\nb", [{ start: 2, end: 2, lines: ["b", "c"] }]), "a\r\nb\r\nc");
  assert.equal(replaceLines("a\rb", [{ start: 2, end: 2, lines: ["b", "c"] }]), "a\rb\rc");
  assert.equal(replaceLines("a", [{ start: 1, end: 1, lines: ["b", "c"] }]), "b\nc");
});

Deno.test("replaceLines() keeps the final line end, or that there is none", () => {
  assert.equal(replaceLines("a\nb", [{ start: 2, end: 2, lines: [] }]), "a");
  assert.equal(replaceLines("a\nb\n", [{ start: 2, end: 2, lines: [] }]), "a\n");
  assert.equal(replaceLines("a\nb", [{ start: 1, end: 2, lines: [] }]), "");
});

Deno.test("line_edit refuses numbers that an earlier call of the reply moved, and takes others", async () => {
  await using made = await opened("1\n2\n3\n4\n");
  await reply(made, [READ]);
  const [first, moved, before] = await reply(made, [
    change(2, 2, ["x", "y"]),
    change(3, 3, "z"),
    change(1, 1, "w"),
  ]);
  assert.deepEqual([first, before], ["", ""]);
  assert.match(
    moved ?? "",
    /may have moved lines from 2 on, so 3 is uncertain; nothing was written/,
  );
  assert.equal(await made.read("f"), "w\nx\ny\n3\n4\n");
});

Deno.test("line_edit refuses moved numbers in later replies until the file is read again", async () => {
  await using made = await opened("1\n2\n3\n");
  await reply(made, [READ]);
  await reply(made, [["edit", { file_path: "f", old_string: "1\n", new_string: "" }]]);
  const [refused] = await reply(made, [change(2, 2, "x")]);
  assert.match(refused ?? "", /may have moved lines from 1 on/);
  assert.deepEqual(await reply(made, [READ]), [""]);
  assert.deepEqual(await reply(made, [change(2, 2, "x")]), [""]);
  assert.equal(await made.read("f"), "2\nx\n");
});

Deno.test("line_edit goes on after changes that moved nothing", async () => {
  await using made = await opened("1\n2\n3\n");
  await reply(made, [READ]);
  await reply(made, [["edit", { file_path: "f", old_string: "1", new_string: "a" }]]);
  assert.deepEqual(await reply(made, [change(2, 2, "b"), change(3, 3, "c")]), ["", ""]);
  assert.equal(await made.read("f"), "a\nb\nc\n");
});

Deno.test("line_edit changes a file that the model wrote itself", async () => {
  await using made = await opened("");
  await reply(made, [["write", { file_path: "g", content: "1\n2\n" }]]);
  const edits = [{ start_line: 2, end_line: 2, new_content: "x" }];
  assert.deepEqual(await reply(made, [["line_edit", { file_path: "g", edits }]]), [""]);
  assert.equal(await made.read("g"), "1\nx\n");
});

Deno.test("line_edit describes and previews itself in a line", () => {
  const edits = [
    { start_line: 3, end_line: 3, new_content: "" },
    { start_line: 7, end_line: 9, new_content: "" },
  ];
  assert.equal(lineEdit.describe({ file_path: "f", edits }), "f (line 3, 7-9)");
  const data = {
    edits_applied: 2,
    lines_added: 0,
    lines_removed: 4,
    file_path: "/f",
    patch_number: 1,
    recently_modified: [],
  };
  assert.deepEqual(lineEdit.preview?.(data, 3), ["2 edits, +0 -4"]);
});
