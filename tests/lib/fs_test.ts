import assert from "node:assert/strict";
import { join } from "node:path";
import { DirectoryHandle } from "../../src/lib/directory_handle.ts";
import {
  errorCode,
  isMissing,
  openCanonical,
  PrivateFile,
  readLastLines,
  readSmallFile,
  reasonOf,
  replaceFile,
  StagedFile,
} from "../../src/lib/fs.ts";

async function tempDir(): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.realPath(await Deno.makeTempDir());
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

Deno.test("replaceFile() makes missing directories and leaves no temporary file", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "a/b/file");
  await replaceFile(path, new Uint8Array([1, 2]), { mode: 0o640 });
  assert.deepEqual(await Deno.readFile(path), new Uint8Array([1, 2]));
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o640);
  assert.equal((await Array.fromAsync(Deno.readDir(join(dir.path, "a/b")))).length, 1);
});

Deno.test("a staged file that is not published leaves nothing behind", async () => {
  await using dir = await tempDir();
  {
    using staged = await StagedFile.write(join(dir.path, "file"), new Uint8Array([1]));
    assert.ok(staged.inode > 0);
    assert.equal((await Array.fromAsync(Deno.readDir(dir.path))).length, 1);
  }
  assert.deepEqual(await Array.fromAsync(Deno.readDir(dir.path)), []);
});

Deno.test("a staged file reaches the directory it was staged in, though a link took its name", async () => {
  await using dir = await tempDir();
  const inner = join(dir.path, "inner");
  const outside = join(dir.path, "outside");
  await Deno.mkdir(inner);
  await Deno.mkdir(outside);
  using staged = await StagedFile.write(join(inner, "file"), new Uint8Array([1]));
  await Deno.rename(inner, join(dir.path, "moved"));
  await Deno.symlink(outside, inner);
  if (Deno.build.os === "linux") {
    staged.publish();
    assert.deepEqual(await Deno.readFile(join(dir.path, "moved/file")), new Uint8Array([1]));
  } else {
    assert.throws(() => staged.publish());
  }
  assert.deepEqual(await Array.fromAsync(Deno.readDir(outside)), []);
});

Deno.test("DirectoryHandle.open() refuses a path with a link in it", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(join(dir.path, "real"));
  await Deno.symlink("real", join(dir.path, "link"));
  assert.throws(() => DirectoryHandle.open(join(dir.path, "link")));
  DirectoryHandle.open(join(dir.path, "real"))[Symbol.dispose]();
});

Deno.test("openCanonical() does not follow a link and does not wait for a FIFO", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(join(dir.path, "file"), "text");
  await Deno.symlink("file", join(dir.path, "link"));
  await new Deno.Command("mkfifo", { args: [join(dir.path, "fifo")] }).output();
  const { handle, stats } = await openCanonical(join(dir.path, "fifo"));
  await handle.close();
  assert.ok(stats.isFIFO());
  const refused = await openCanonical(join(dir.path, "link")).catch((error: unknown) => error);
  assert.equal(errorCode(refused), "ELOOP");
  const missing = await openCanonical(join(dir.path, "none")).catch((error: unknown) => error);
  assert.ok(isMissing(missing));
});

Deno.test("without every permission files are still replaced, by their verified path", async () => {
  await using dir = await tempDir();
  const script = join(dir.path, "script.ts");
  const module = new URL("../../src/lib/fs.ts", import.meta.url).href;
  await Deno.writeTextFile(
    script,
    `import { replaceFile } from ${JSON.stringify(module)};
     await replaceFile(${JSON.stringify(join(dir.path, "sub/file"))}, new Uint8Array([7]));`,
  );
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-read", "--allow-write", "--no-prompt", script],
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  assert.deepEqual(await Deno.readFile(join(dir.path, "sub/file")), new Uint8Array([7]));
});

Deno.test("readSmallFile() reads regular files up to a size, and says what else is there", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "a");
  await Deno.writeTextFile(path, "x".repeat(2000));
  assert.equal((await readSmallFile(path, { maxBytes: 2000 })).length, 2000);
  await assert.rejects(
    readSmallFile(path, { maxBytes: 1000 }),
    /^Error: it has 2\.0 KB, more than 1\.0 KB$/,
  );
  await assert.rejects(readSmallFile(dir.path, { maxBytes: 1000 }), /it is not a regular file/);
});

Deno.test("lines added to a private file come back whole, as many as fit into the bytes looked at", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "new", "log");
  for (const line of ["first", "second", "third"]) {
    using file = PrivateFile.openEnd(path);
    file.appendLine(line);
  }
  await Deno.writeTextFile(path, "torn", { append: true });
  assert.deepEqual(await readLastLines(path, { maxBytes: 1000 }), ["first", "second", "third"]);
  assert.deepEqual(await readLastLines(path, { maxBytes: 12 }), ["third"]);
  if (Deno.build.os !== "windows") {
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    assert.equal((await Deno.stat(join(dir.path, "new"))).mode! & 0o777, 0o700);
  }
});

Deno.test({
  name: "a private file is not written through a link, nor to a pipe that nobody reads",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using dir = await tempDir();
    const outside = join(dir.path, "outside");
    const link = join(dir.path, "log");
    await Deno.symlink(outside, link);
    assert.throws(() => PrivateFile.openEnd(link), { code: "ELOOP" });
    await assert.rejects(Deno.lstat(outside), Deno.errors.NotFound);
    const pipe = join(dir.path, "pipe");
    await new Deno.Command("mkfifo", { args: [pipe] }).output();
    assert.throws(() => PrivateFile.openEnd(pipe), { code: "ENXIO" });
    for (const taken of [link, pipe]) {
      assert.throws(() => PrivateFile.create(taken), { code: "EEXIST" });
    }
    await assert.rejects(Deno.lstat(outside), Deno.errors.NotFound);
  },
});

Deno.test("reasonOf() tells an error of the system in plain words, any other by its message", async () => {
  const directory = await Deno.makeTempDir();
  const readingFails = (path: string) => Deno.readTextFile(path).catch((error) => error);
  const missing = await readingFails(join(directory, "none", "file"));
  assert.equal(reasonOf(missing), "there is no such file or directory");
  assert.equal(reasonOf(await readingFails(directory)), "it is a directory");
  await Deno.remove(directory);
  assert.equal(reasonOf(new Error("it is too large")), "it is too large");
});
