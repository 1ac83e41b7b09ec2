import assert from "node:assert/strict";
import { join } from "node:path";
import { KnownManifests } from "../../src/store/known_manifests.ts";

async function stage() {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-manifests-" }));
  const path = join(root, "home", "manifests.json");
  return {
    path,
    open: (version = "1.0.0") => new KnownManifests({ path, version }),
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

Deno.test("a manifest that passed is known to later runs, and no other text is", async () => {
  await using made = await stage();
  const first = made.open();
  assert.equal(first.has("a"), false);
  first.add("a");
  await first.save();
  const second = made.open();
  assert.equal(second.has("a"), true);
  assert.equal(second.has("a "), false);
  second.add("b");
  await second.save();
  assert.deepEqual(["a", "b"].map((text) => made.open().has(text)), [true, true]);
});

Deno.test("what another version of ally passed is checked again", async () => {
  await using made = await stage();
  const old = made.open("1.0.0");
  old.add("a");
  await old.save();
  assert.equal(made.open("1.0.1").has("a"), false);
});

Deno.test("a damaged file counts as empty, and a run without manifests makes none", async () => {
  await using made = await stage();
  await made.open().save();
  await assert.rejects(Deno.stat(made.path), Deno.errors.NotFound);
  await Deno.mkdir(join(made.path, ".."));
  for (const text of ["{", "[]", '{"version":"1.0.0","manifests":7}']) {
    await Deno.writeTextFile(made.path, text);
    const known = made.open();
    assert.equal(known.has("a"), false, text);
    known.add("a");
    await known.save();
    assert.equal(made.open().has("a"), true, text);
  }
});

Deno.test("of manifests that a run has not met few are remembered, the newest; all others stay", async () => {
  await using made = await stage();
  const text = (index: number) => `${index}`.padEnd(30_000);
  const isKnown = (index: number) => made.open().has(text(index));
  const known = made.open();
  for (let index = 0; index < 11; index++) known.add(text(index));
  await known.save();
  assert.deepEqual([0, 1, 10].map(isKnown), [true, true, true]);
  const later = made.open();
  assert.ok(later.has(text(1)));
  later.add(text(11));
  await later.save();
  assert.deepEqual([0, 1, 7, 8, 9, 10, 11].map(isKnown), [
    false,
    true,
    false,
    true,
    true,
    true,
    true,
  ]);
});

Deno.test("a file that cannot be written is no reason to fail", async () => {
  await using made = await stage();
  await Deno.writeTextFile(join(made.path, "..", "..", "home"), "no directory");
  const known = made.open();
  known.add("a");
  await known.save();
  assert.equal(made.open().has("a"), false);
});
