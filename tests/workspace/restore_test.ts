import assert from "node:assert/strict";
import { join } from "node:path";
import { blobId, type FileSide } from "../../src/workspace/patch.ts";
import { isInState, restore, type Step } from "../../src/workspace/restore.ts";
import { describeTree } from "../support/tree.ts";

interface Scene extends AsyncDisposable {
  readonly dir: string;
  side(text: string): FileSide;
  run(steps: readonly Step[], damaged?: string): Promise<void>;
}

/** A directory, and contents known by their text. */
async function makeScene(): Promise<Scene> {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-test-" }));
  const texts = new Map<string, string>();
  return {
    dir,
    side(text) {
      const object = blobId(new TextEncoder().encode(text));
      texts.set(object, text);
      return { kind: "file", mode: 0o644, object };
    },
    run: (steps, damaged) =>
      restore(steps, {
        roots: { cwd: dir, all: [dir] },
        token: "token",
        read: (side) => {
          const text = texts.get(side.object ?? "");
          if (text === undefined || text === damaged) throw new Error("damaged");
          return Promise.resolve(new TextEncoder().encode(text));
        },
      }),
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
}

Deno.test("restore() puts everything back when a step fails after others were taken", async () => {
  await using scene = await makeScene();
  const { dir, side } = scene;
  await Deno.writeTextFile(join(dir, "a"), "old", { mode: 0o644 });
  await Deno.mkdir(join(dir, "gone"), { mode: 0o750 });
  await Deno.chmod(join(dir, "gone"), 0o750);
  await Deno.symlink("a", join(dir, "link"));
  const first = await describeTree(dir);
  const steps: Step[] = [
    { path: join(dir, "a"), from: side("old"), to: side("new") },
    { path: join(dir, "gone"), from: { kind: "directory", mode: 0o750 }, to: null },
    { path: join(dir, "link"), from: { kind: "link", target: "a" }, to: side("file") },
    { path: join(dir, "deep"), from: null, to: { kind: "directory", mode: 0o755 } },
    { path: join(dir, "deep", "file"), from: null, to: side("never") },
  ];
  await assert.rejects(scene.run(steps, "never"), /damaged/);
  assert.deepEqual(await describeTree(dir), first);
  await scene.run(steps);
  assert.deepEqual((await describeTree(dir)).map((line) => line.replace(/ \w{64}$/, "")), [
    "a 644",
    "deep/ 755",
    "deep/file 644",
    "link 644",
  ]);
});

Deno.test("restore() changes permission bits alone without replacing the file", async () => {
  await using scene = await makeScene();
  const path = join(scene.dir, "a");
  await Deno.writeTextFile(path, "same", { mode: 0o644 });
  const { ino } = await Deno.stat(path);
  const from = scene.side("same");
  await scene.run([{ path, from, to: { ...from, mode: 0o4750 } }]);
  const after = await Deno.stat(path);
  assert.deepEqual([after.ino, after.mode! & 0o7777], [ino, 0o4750]);
});

Deno.test("restore() leaves a directory that holds something of somebody else's", async () => {
  await using scene = await makeScene();
  const path = join(scene.dir, "made");
  await Deno.mkdir(path);
  await Deno.writeTextFile(join(path, "theirs"), "x");
  await scene.run([{ path, from: { kind: "directory" }, to: null }]);
  assert.equal(await Deno.readTextFile(join(path, "theirs")), "x");
});

Deno.test("restore() never writes through a directory that has become a link", async () => {
  await using scene = await makeScene();
  await using outside = await makeScene();
  await Deno.symlink(outside.dir, join(scene.dir, "dir"));
  const path = join(scene.dir, "dir", "file");
  await assert.rejects(scene.run([{ path, from: null, to: scene.side("text") }]));
  assert.deepEqual(await describeTree(outside.dir), []);
});

Deno.test("isAt() tells files, links and directories apart, with their permission bits", async () => {
  await using scene = await makeScene();
  const { dir } = scene;
  const roots = { cwd: dir, all: [dir] };
  await Deno.writeTextFile(join(dir, "a"), "text", { mode: 0o644 });
  await Deno.symlink("a", join(dir, "link"));
  const side = scene.side("text");
  assert.equal(await isInState(join(dir, "a"), side, roots), true);
  assert.equal(await isInState(join(dir, "a"), { ...side, mode: 0o600 }, roots), false);
  assert.equal(await isInState(join(dir, "a"), scene.side("other"), roots), false);
  assert.equal(await isInState(join(dir, "link"), side, roots), false);
  assert.equal(await isInState(join(dir, "link"), { kind: "link", target: "a" }, roots), true);
  assert.equal(await isInState(join(dir, "link"), { kind: "link", target: "b" }, roots), false);
  assert.equal(await isInState(dir, { kind: "directory" }, roots), true);
  assert.equal(await isInState(join(dir, "none"), null, roots), true);
  assert.equal(await isInState(join(dir, "a"), null, roots), false);
});

Deno.test("restore() gives no permission bits to what a link leads to that came in a file's place", async () => {
  await using outside = await makeScene();
  await using scene = await makeScene();
  const [secret, path] = [join(outside.dir, "secret"), join(scene.dir, "a")];
  await Deno.writeTextFile(secret, "x", { mode: 0o600 });
  const side = scene.side("x");
  for (const kind of ["file", "directory"] as const) {
    await Deno.symlink(kind === "file" ? secret : outside.dir, path);
    const mode = (bits: number) => kind === "file" ? { ...side, mode: bits } : { kind, mode: bits };
    const before = await describeTree(outside.dir);
    await assert.rejects(scene.run([{ path, from: mode(0o644), to: mode(0o777) }]));
    assert.deepEqual(await describeTree(outside.dir), before);
    assert.equal((await Deno.stat(outside.dir)).mode! & 0o777, 0o700);
    await Deno.remove(path);
  }
});

Deno.test("restore() gives its permission bits back to a file that nobody may read", async () => {
  await using scene = await makeScene();
  const path = join(scene.dir, "a");
  await Deno.writeTextFile(path, "x");
  await Deno.chmod(path, 0);
  const side = scene.side("x");
  await scene.run([{ path, from: { ...side, mode: 0 }, to: { ...side, mode: 0o640 } }]);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o640);
});
