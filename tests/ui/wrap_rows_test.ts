import assert from "node:assert/strict";
import { run } from "../../src/cli/run.ts";
import { cellWidth } from "../../src/ui/wrap.ts";
import { wrapRows } from "../../src/ui/wrap_rows.ts";
import { createMemoryIo } from "../support/memory_io.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";

const TABLE = "Keys:\n  first   default  a value of several words\n  second  flag     short";

Deno.test("rows that fit stay as they are", () => {
  assert.deepEqual(wrapRows(TABLE, 80), TABLE.split("\n"));
});

Deno.test("the last column is broken between words and set in as it began", () => {
  assert.deepEqual(wrapRows(TABLE, 36), [
    "Keys:",
    "  first   default  a value of",
    "                   several words",
    "  second  flag     short",
  ]);
});

Deno.test("rows become records, all of them, where the last column has too little room", () => {
  assert.deepEqual(wrapRows(TABLE, 24), [
    "Keys:",
    "  first",
    "    default  a value of",
    "    several words",
    "  second",
    "    flag  short",
  ]);
});

Deno.test("a word stays whole if it has room in a record, or set in less far", () => {
  assert.deepEqual(wrapRows("a_long_key  /home/one/project/file.ts", 30), [
    "a_long_key",
    "  /home/one/project/file.ts",
  ]);
  assert.deepEqual(wrapRows("          /home/one/project", 20), ["  /home/one/project"]);
  assert.deepEqual(wrapRows("  /home/one/project", 17), ["/home/one/project"]);
});

/** What people read, and programs through a pipe. */
const LISTS = [
  ["--help"],
  ["help"],
  ["help", "mcp", "--help"],
  ["config", "list"],
  ["permissions", "list"],
  ["sessions", "list"],
  ["plugin", "list"],
  ["skills", "list"],
  ["hooks", "list"],
  ["mcp", "list"],
  ["permissions", "explain", "rm -rf build && git push"],
];

Deno.test("lists keep every word whole on terminals of any width, and their form through a pipe", async () => {
  const home = await Deno.makeTempDir();
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => Deno.remove(home, { recursive: true }));
  const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== "");
  const show = async (args: readonly string[], terminal?: MemoryTerminal) => {
    const io = createMemoryIo({ env: { HOME: home }, cwd: home, ...terminal && { terminal } });
    assert.equal(await run(args, io), 0, args.join(" "));
    return io.output;
  };
  for (const args of LISTS) {
    const piped = await show(args);
    for (const columns of [100, 60, 40, 20]) {
      const shown = await show(args, new MemoryTerminal({ columns, rows: 30 }));
      const about = `${args.join(" ")} at ${columns} columns:\n${shown}`;
      assert.ok(shown.split("\n").every((line) => cellWidth(line.trimEnd()) < columns), about);
      const words = new Set(wordsOf(shown));
      const short = wordsOf(piped).filter((word) => cellWidth(word) < columns);
      assert.deepEqual(short.filter((word) => !words.has(word)), [], about);
    }
  }
});
