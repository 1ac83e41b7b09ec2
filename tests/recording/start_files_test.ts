import assert from "node:assert/strict";
import { join } from "node:path";
import { NO_MASKING } from "../../src/core/secrets.ts";
import { copyTree, gatherFiles } from "../../src/recording/start_files.ts";

async function scratch(): Promise<{ dir: string } & AsyncDisposable> {
  const dir = await Deno.realPath(await Deno.makeTempDir());
  return { dir, [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }) };
}

Deno.test("a large project, and one with a link that leads out, is not kept", async () => {
  await using large = await scratch();
  await Deno.writeTextFile(join(large.dir, "a.txt"), "x".repeat(1_000_001));
  assert.equal(await gatherFiles(large.dir, NO_MASKING), undefined);
  await using linked = await scratch();
  await Deno.symlink("../../etc/hosts", join(linked.dir, "out"));
  assert.equal(await gatherFiles(linked.dir, NO_MASKING), undefined);
});

Deno.test("a secret in a file that is no text is masked too, and the rest of the file stays as it is", async () => {
  await using from = await scratch();
  const before = new Uint8Array([0, 255, 254, 200]);
  const secret = new TextEncoder().encode("hunter22");
  await Deno.writeFile(join(from.dir, "a.db"), new Uint8Array([...before, ...secret, 255]));
  await Deno.writeFile(join(from.dir, "b.db"), before);
  const mask = (text: string) => text.replaceAll("hunter22", "[x]");
  const kept = await gatherFiles(from.dir, { ...NO_MASKING, mask });
  const { "a.db": a, "b.db": b } = kept as Record<string, { base64: string; masked?: true }>;
  const bytes = Uint8Array.fromBase64(a!.base64);
  assert.deepEqual([...bytes], [...before, ...new TextEncoder().encode("[x]"), 255]);
  assert.equal(a!.masked, true);
  assert.deepEqual([Uint8Array.fromBase64(b!.base64), b!.masked], [before, undefined]);
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
