import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { ToolError } from "../../src/core/errors.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { makeToolContext, putFile } from "../support/tool_context.ts";

const BY = { tool: "edit", callId: "call_1" };

/** Reads a file and commits a new text for it. */
async function change(workspace: Workspace, name: string, edit: (text: string) => string | null) {
  const path = await workspace.resolve(name);
  const { text } = await workspace.read(path);
  return await workspace.commit([{ path, before: text, after: edit(text) }], BY);
}

function isUserError(pattern: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof ToolError && error.kind === "user" && pattern.test(error.message);
}

async function namesIn(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map((entry) => entry.name).sort();
}

const ROUND_TRIPS: readonly { what: string; before: Uint8Array; after: Uint8Array }[] = [
  {
    what: "Windows line ends",
    before: Buffer.from("a\r\nX\r\n"),
    after: Buffer.from("a\r\nY\r\n"),
  },
  {
    what: "mixed line ends",
    before: Buffer.from("a\r\nb\nX\rc\n"),
    after: Buffer.from("a\r\nb\nY\rc\n"),
  },
  { what: "a missing final newline", before: Buffer.from("a\nX"), after: Buffer.from("a\nY") },
  { what: "a byte order mark", before: Buffer.from("\ufeffX"), after: Buffer.from("\ufeffY") },
  {
    what: "UTF-16",
    before: Buffer.from("\ufeffé X\n", "utf16le"),
    after: Buffer.from("\ufeffé Y\n", "utf16le"),
  },
  {
    what: "Latin-1",
    before: Buffer.from("caf\xe9 X\n", "latin1"),
    after: Buffer.from("caf\xe9 Y\n", "latin1"),
  },
  {
    what: "stray bytes",
    before: Buffer.from("é\xff\x81 X\n", "latin1"),
    after: Buffer.from("é\xff\x81 Y\n", "latin1"),
  },
];

for (const { what, before, after } of ROUND_TRIPS) {
  Deno.test(`commit() keeps ${what}, and undo() restores every byte`, async () => {
    await using test = await makeToolContext({ files: { f: before } });
    const file = join(test.cwd, "f");
    await change(test.workspace, "f", (text) => text.replace("X", "Y"));
    assert.deepEqual(Buffer.from(await Deno.readFile(file)), Buffer.from(after));
    await test.workspace.undo();
    assert.deepEqual(Buffer.from(await Deno.readFile(file)), Buffer.from(before));
  });
}

Deno.test("commit() keeps the mode and says what it wrote", async () => {
  await using test = await makeToolContext({ files: { "run.sh": "echo a\n" } });
  await Deno.chmod(join(test.cwd, "run.sh"), 0o751);
  const receipt = await change(test.workspace, "run.sh", () => "echo é\n");
  assert.deepEqual(receipt, {
    patchNumber: 1,
    bytesWritten: [8],
    recentlyModified: ["run.sh"],
    fileChecks: [{ checker: "bash", passed: true, errors: [] }],
  });
  assert.equal((await Deno.stat(join(test.cwd, "run.sh"))).mode! & 0o7777, 0o751);
  assert.deepEqual(await namesIn(test.cwd), ["run.sh"]);
});

Deno.test("commit() replaces the target of a link, and the link stays", async () => {
  await using test = await makeToolContext({ files: { "dir/real": "a" } });
  await Deno.symlink("dir/real", join(test.cwd, "link"));
  await change(test.workspace, "link", () => "b");
  assert.equal(await Deno.readLink(join(test.cwd, "link")), "dir/real");
  assert.equal(await Deno.readTextFile(join(test.cwd, "dir/real")), "b");
});

Deno.test("commit() leaves the content of another hard link as it was", async () => {
  await using test = await makeToolContext({ files: { f: "a" } });
  await Deno.link(join(test.cwd, "f"), join(test.outside, "other"));
  await change(test.workspace, "f", () => "b");
  assert.equal(await Deno.readTextFile(join(test.outside, "other")), "a");
});

Deno.test("commit() makes parent directories and deletes files", async () => {
  await using test = await makeToolContext({ files: { old: "x" } });
  const path = await test.workspace.resolve("a/b/new");
  await test.workspace.commit([{ path, before: null, after: "text" }], BY);
  assert.equal(await Deno.readTextFile(join(test.cwd, "a/b/new")), "text");
  await change(test.workspace, "old", () => null);
  assert.deepEqual(await namesIn(test.cwd), ["a"]);
});

Deno.test("commit() refuses a file that no longer holds what the change was planned on", async () => {
  await using test = await makeToolContext({ files: { f: "a" } });
  const path = await test.workspace.resolve("f");
  await putFile(join(test.cwd, "f"), "b");
  const stale = test.workspace.commit([{ path, before: "a", after: "c" }], BY);
  await assert.rejects(stale, isUserError(/changed since it was read/));
  assert.equal(await Deno.readTextFile(join(test.cwd, "f")), "b");
  await assert.rejects(
    test.workspace.commit([{ path, before: null, after: "c" }], BY),
    isUserError(/come to exist/),
  );
  await Deno.remove(join(test.cwd, "f"));
  await assert.rejects(
    test.workspace.commit([{ path, before: "b", after: "c" }], BY),
    isUserError(/removed/),
  );
  assert.deepEqual(await namesIn(test.cwd), []);
});

Deno.test("commit() of several files writes none if one has changed", async () => {
  await using test = await makeToolContext({ files: { a: "1", b: "1" } });
  const { workspace } = test;
  const changes = await Promise.all(["a", "b", "new"].map(async (name) => ({
    path: await workspace.resolve(name),
    before: name === "new" ? null : "1",
    after: "2",
  })));
  await putFile(join(test.cwd, "b"), "other");
  await assert.rejects(workspace.commit(changes, BY), isUserError(/b: it changed/));
  assert.equal(await Deno.readTextFile(join(test.cwd, "a")), "1");
  assert.deepEqual(await namesIn(test.cwd), ["a", "b"]);
  await putFile(join(test.cwd, "b"), "1");
  const receipt = await workspace.commit(changes, BY);
  assert.deepEqual(receipt.bytesWritten, [1, 1, 1]);
  assert.deepEqual(receipt.recentlyModified, ["new", "b", "a"]);
});

Deno.test("commit() of several files writes none if one cannot be written", async () => {
  await using test = await makeToolContext({ files: { a: "1" } });
  const { workspace } = test;
  const first = { path: await workspace.resolve("a"), before: "1", after: "2" };
  const made = { path: await workspace.resolve("made"), before: null, after: "2" };
  const below = { path: await workspace.resolve("a/below"), before: null, after: "2" };
  await assert.rejects(
    workspace.commit([first, made, below], BY),
    (error) =>
      error instanceof ToolError && error.kind === "system" && /a\/below/.test(error.message),
  );
  assert.equal(await Deno.readTextFile(join(test.cwd, "a")), "1");
  assert.deepEqual(await namesIn(test.cwd), ["a"]);
  assert.deepEqual(await workspace.listPatches(), []);
});

Deno.test("commit() changes nothing if the undo patch cannot be stored", async () => {
  await using test = await makeToolContext({ files: { f: "a" } });
  await putFile(test.patchDir, "in the way");
  await assert.rejects(
    change(test.workspace, "f", () => "b"),
    (error) => error instanceof ToolError && /undo patch.*nothing was changed/.test(error.message),
  );
  assert.equal(await Deno.readTextFile(join(test.cwd, "f")), "a");
  assert.deepEqual(await namesIn(test.cwd), ["f"]);
});

Deno.test("commit() refuses characters the file's encoding lacks, and files marked read-only", async () => {
  await using test = await makeToolContext({
    files: { latin: Buffer.from("caf\xe9", "latin1"), locked: "a" },
  });
  await assert.rejects(change(test.workspace, "latin", () => "→"), isUserError(/windows-1252/));
  await Deno.chmod(join(test.cwd, "locked"), 0o444);
  await assert.rejects(change(test.workspace, "locked", () => "b"), isUserError(/read-only/));
  assert.equal(await Deno.readTextFile(join(test.cwd, "locked")), "a");
});

Deno.test("commit() never writes through a directory that became a link after it was resolved", async () => {
  await using test = await makeToolContext({ files: { "dir/f": "a" } });
  const path = await test.workspace.resolve("dir/f");
  await test.workspace.read(path);
  await putFile(join(test.outside, "f"), "a");
  await Deno.rename(join(test.cwd, "dir"), join(test.cwd, "moved"));
  await Deno.symlink(test.outside, join(test.cwd, "dir"));
  await assert.rejects(test.workspace.commit([{ path, before: "a", after: "b" }], BY), ToolError);
  const create = {
    path: { ...path, absolute: join(test.cwd, "dir/new") },
    before: null,
    after: "b",
  };
  await assert.rejects(test.workspace.commit([create], BY), ToolError);
  assert.deepEqual(await namesIn(test.outside), ["f"]);
  assert.equal(await Deno.readTextFile(join(test.outside, "f")), "a");
});

Deno.test("commits asked for at once are made one after the other", async () => {
  await using test = await makeToolContext({ files: { f: "0" } });
  const path = await test.workspace.resolve("f");
  const receipts = await Promise.all(
    [0, 1, 2, 3].map((step) =>
      test.workspace.commit([{ path, before: `${step}`, after: `${step + 1}` }], BY)
    ),
  );
  assert.deepEqual(receipts.map((receipt) => receipt.patchNumber), [1, 2, 3, 4]);
  assert.equal(await Deno.readTextFile(join(test.cwd, "f")), "4");
});

Deno.test("recentlyModified holds the five files changed last, newest first", async () => {
  await using test = await makeToolContext();
  let recent: readonly string[] = [];
  for (const name of ["a", "b", "c", "d", "e", "f"]) {
    const path = await test.workspace.resolve(name);
    const receipt = await test.workspace.commit([{ path, before: null, after: name }], BY);
    recent = receipt.recentlyModified;
  }
  assert.deepEqual(recent, ["f", "e", "d", "c", "b"]);
  const receipt = await change(test.workspace, "c", () => "again");
  assert.deepEqual(receipt.recentlyModified, ["c", "f", "e", "d", "b"]);
});

Deno.test("view() shows files as earlier changes of the reply will leave them", async () => {
  await using test = await makeToolContext({ files: { f: "one", gone: "x", other: "o" } });
  const { workspace } = test;
  const [f, made, gone, other] = await Promise.all(
    ["f", "made", "gone", "other"].map((name) => workspace.resolve(name)),
  );
  const view = workspace.view([
    { path: f!, before: "one", after: "two" },
    { path: f!, before: "two", after: "three\nfour\n" },
    { path: made!, before: null, after: "new" },
    { path: gone!, before: "x", after: null },
  ]);
  assert.equal((await view.read(f!)).text, "three\nfour\n");
  assert.deepEqual((await view.lines(f!, { offset: 2, limit: 0 })).lines, ["four"]);
  assert.equal((await view.info(made!))?.size, 3);
  assert.equal(await view.staleness(f!), undefined);
  assert.equal(await view.info(gone!), undefined);
  await assert.rejects(view.read(gone!), ToolError);
  assert.equal((await view.read(other!)).text, "o");
  assert.equal((await workspace.read(f!)).text, "one");
  assert.equal(new TextDecoder().decode(await view.head(f!, 3)), "thr");
  assert.equal(workspace.view([]).pending, false);
});

Deno.test("list() follows links and tells where they lead", async () => {
  await using test = await makeToolContext({ files: { "dir/f": "abc" } });
  await Deno.symlink(test.outside, join(test.cwd, "dir/out"));
  await Deno.symlink("nowhere", join(test.cwd, "dir/dangling"));
  const entries = await test.workspace.list(await test.workspace.resolve("dir"));
  const shown = entries.map(({ name, kind, link, path }) => [name, kind, link, path.inside]).sort();
  assert.deepEqual(shown, [
    ["dangling", "other", true, true],
    ["f", "file", false, true],
    ["out", "directory", true, false],
  ]);
});
