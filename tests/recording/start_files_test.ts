import assert from "node:assert/strict";
import { join } from "node:path";
import { NO_MASKING } from "../../src/core/secrets.ts";
import {
  clearFiles,
  copyTree,
  gatherFiles,
  restoreFiles,
} from "../../src/recording/start_files.ts";

async function scratch(): Promise<{ dir: string } & AsyncDisposable> {
  const dir = await Deno.realPath(await Deno.makeTempDir());
  return { dir, [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }) };
}

Deno.test("files laid out are what was gathered: text, bytes, mode, time and links", async () => {
  await using from = await scratch();
  await using to = await scratch();
  await Deno.mkdir(join(from.dir, "src"));
  await Deno.writeTextFile(join(from.dir, "src/run.sh"), "echo é\n", { mode: 0o755 });
  await Deno.writeFile(join(from.dir, "a.bin"), new Uint8Array([0, 255, 254]));
  await Deno.symlink("src/run.sh", join(from.dir, "link"));
  const then = new Date("2020-01-02T03:04:05.678Z");
  await Deno.utime(join(from.dir, "a.bin"), then, then);
  const kept = await gatherFiles(from.dir, NO_MASKING);
  assert.ok(kept);
  restoreFiles(JSON.parse(JSON.stringify(kept)), to.dir);
  assert.equal(await Deno.readTextFile(join(to.dir, "link")), "echo é\n");
  assert.equal(((await Deno.stat(join(to.dir, "src/run.sh"))).mode ?? 0) & 0o777, 0o755);
  assert.deepEqual(await Deno.readFile(join(to.dir, "a.bin")), new Uint8Array([0, 255, 254]));
  assert.equal((await Deno.stat(join(to.dir, "a.bin"))).mtime?.getTime(), then.getTime());
});

Deno.test("a large project, and one with a link that leads out, is not kept", async () => {
  await using large = await scratch();
  await Deno.writeTextFile(join(large.dir, "a.txt"), "x".repeat(1_000_001));
  assert.equal(await gatherFiles(large.dir, NO_MASKING), undefined);
  await using linked = await scratch();
  await Deno.symlink("../../etc/hosts", join(linked.dir, "out"));
  assert.equal(await gatherFiles(linked.dir, NO_MASKING), undefined);
});

Deno.test("a file with secrets is kept masked, and what a clone has of it stays", async () => {
  await using from = await scratch();
  await using clone = await scratch();
  const mask = (text: string) => text.replaceAll("hunter22", "[x]");
  for (const { dir } of [from, clone]) await Deno.writeTextFile(join(dir, ".env"), "K=hunter22");
  await Deno.writeTextFile(join(clone.dir, "later.txt"), "added since");
  const kept = await gatherFiles(from.dir, { ...NO_MASKING, mask });
  assert.ok(kept && JSON.stringify(kept).includes("K=[x]"));
  clearFiles(clone.dir, kept);
  restoreFiles(kept, clone.dir);
  assert.equal(await Deno.readTextFile(join(clone.dir, ".env")), "K=hunter22");
  await assert.rejects(Deno.stat(join(clone.dir, "later.txt")), Deno.errors.NotFound);
});

Deno.test("a recording cannot lay out files outside of the copy, nor through a link", async () => {
  await using to = await scratch();
  const project = join(to.dir, "p");
  await Deno.mkdir(project);
  for (
    const files of [
      { "../x": { text: "" } },
      { "/x": { text: "" } },
      { "a/../../x": { text: "" } },
      { "l": { link: "../x" } },
      { "l": { link: "/etc/hosts" } },
    ]
  ) assert.throws(() => restoreFiles(files, project), /Cannot lay out '/);
  for (const path of [".git/config", "sub/.GIT/hooks/post-checkout", ".git"]) {
    assert.throws(() => restoreFiles({ [path]: { text: "" } }, project), /Cannot lay out '/);
  }
  assert.throws(() => restoreFiles({ x: { link: "y" }, "./x": { text: "through" } }, project));
  await assert.rejects(Deno.stat(join(to.dir, "x")), Deno.errors.NotFound);
});

Deno.test("a copied tree has everything but what is left out", async () => {
  await using from = await scratch();
  await using to = await scratch();
  await Deno.mkdir(join(from.dir, "a"));
  await Deno.writeTextFile(join(from.dir, "a/b.txt"), "b");
  await Deno.writeTextFile(join(from.dir, "r.jsonl"), "r");
  const target = join(to.dir, "copy");
  await copyTree(from.dir, target, { without: [join(from.dir, "r.jsonl")] });
  assert.equal(await Deno.readTextFile(join(target, "a/b.txt")), "b");
  assert.deepEqual([...Deno.readDirSync(target)].map(({ name }) => name), ["a"]);
});
