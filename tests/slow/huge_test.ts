import assert from "node:assert/strict";
import { join } from "node:path";
import { measureTool } from "../support/tool_process.ts";

/** MiB a process may take, whatever it is asked for. */
const MAX_MEMORY = 200;

/** Asks a tool in a process of its own for something huge. */
async function ask(name: string, cwd: string, input: Record<string, unknown>): Promise<string> {
  const { text, memory } = await measureTool(name, { cwd, input });
  assert.ok(memory > 20, `${memory} MiB cannot be`);
  assert.ok(memory < MAX_MEMORY, `${name} took ${memory.toFixed(0)} MiB`);
  return text;
}

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-huge-" }));
  try {
    const directory = join(root, "project");
    await Deno.mkdir(directory);
    await work(directory);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("a file of 1 GB gets an answer or a clear error in little memory", async (t) => {
  await inDirectory(async (cwd) => {
    // Sparse: it has the size, but takes no room on the disk.
    await Deno.writeTextFile(join(cwd, "big.txt"), "a line of text\n".repeat(6_000));
    await Deno.truncate(join(cwd, "big.txt"), 1e9);
    await t.step("read whole is refused with a range that fits", async () => {
      const text = await ask("read", cwd, { file_paths: ["big.txt"] });
      assert.match(text, /Cannot read big\.txt whole: it has 1\.0 GB, more than 5\.0 MB/);
    });
    await t.step("read by offset stops once it has the lines", async () => {
      const text = await ask("read", cwd, { file_paths: ["big.txt"], offset: 5_000, limit: 2 });
      assert.match(text, /^ {2}5000\ta line of text\n {2}5001\ta line of text\n/m);
      assert.match(text, /Next: offset 5002/);
    });
    await t.step("a line without an end is refused", async () => {
      const text = await ask("read", cwd, { file_paths: ["big.txt"], offset: 6_001 });
      assert.match(text, /Cannot hold lines 6001 to 6001: they are too long/);
    });
    await t.step("grep passes it over as binary", async () => {
      assert.match(await ask("grep", cwd, { pattern: "line" }), /^Found 0 matches/);
    });
  });
});

Deno.test("a directory of 100,000 entries gets an answer in little memory", async (t) => {
  await inDirectory(async (cwd) => {
    for (let i = 0; i < 100_000; i++) Deno.openSync(join(cwd, `f${i}`), NEW).close();
    await t.step("ls shows the first and counts all", async () => {
      const text = await ask("ls", cwd, { file_path: "." });
      assert.match(text, /truncated: 50 of 100000 entries/);
    });
    await t.step("glob lists the newest and counts all", async () => {
      const text = await ask("glob", cwd, { pattern: "*" });
      assert.match(text, /The newest 50 of 100000 files/);
    });
    await t.step("glob finds some among them", async () => {
      const text = await ask("glob", cwd, { pattern: "**/f9999?" });
      assert.deepEqual(text.split("\n").sort(), ALL_NINES);
    });
    await t.step("read of a missing one names its neighbours", async () => {
      const text = await ask("read", cwd, { file_paths: ["f1000000"] });
      assert.match(text, /Cannot find f1000000: there is no such file or directory/);
    });
  });
});

const NEW: Deno.OpenOptions = { write: true, createNew: true };
const ALL_NINES = Array.from({ length: 10 }, (_, i) => `f9999${i}`);

Deno.test("a name with a newline is shown on one line, and refused as an argument", async () => {
  await inDirectory(async (cwd) => {
    await Deno.writeTextFile(join(cwd, "new\nline.txt"), "needle\n");
    assert.match(await ask("ls", cwd, { file_path: "." }), /"new\\nline\.txt"/);
    assert.equal(await ask("glob", cwd, { pattern: "*" }), '"new\\nline.txt"');
    assert.match(await ask("grep", cwd, { pattern: "needle" }), /^"new\\nline\.txt":$/m);
    const text = await ask("read", cwd, { file_paths: ["new\nline.txt"] });
    assert.match(text, /Cannot use the path "new\\nline\.txt": it contains a control character/);
  });
});
