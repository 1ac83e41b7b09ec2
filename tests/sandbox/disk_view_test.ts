/**
 * What is remembered of the disk: asked again where something has changed that the answer hangs on, and only there.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type DiskView, remember } from "../../src/sandbox/disk_view.ts";
import { changeUnseen } from "../support/unseen_change.ts";

/** So many that the directory is listed; the first is there. */
const MANY = ["file", ...Array.from({ length: 9 }, (_, index) => `n${index}`)];

for (
  const [what, look, change, isLookedAtAgain] of [
    [
      "something else comes to be",
      (disk: DiskView, at: string) => disk.has(join(at, "a")),
      (at: string) => Deno.writeTextFileSync(join(at, "b"), ""),
      false,
    ],
    [
      "what was sought comes to be",
      (disk: DiskView, at: string) => disk.has(join(at, "sub", "deep")),
      (at: string) => Deno.mkdirSync(join(at, "sub", "deep"), { recursive: true }),
      true,
    ],
    [
      "something else comes to be where many names were sought",
      (disk: DiskView, at: string) => MANY.map((name) => disk.has(join(at, name))),
      (at: string) => Deno.writeTextFileSync(join(at, "b"), ""),
      false,
    ],
    [
      "the last of many names that were sought comes to be",
      (disk: DiskView, at: string) => MANY.map((name) => disk.has(join(at, name))),
      (at: string) => Deno.writeTextFileSync(join(at, MANY.at(-1)!), ""),
      true,
    ],
    [
      "the first of many names that were sought goes",
      (disk: DiskView, at: string) => MANY.map((name) => disk.has(join(at, name))),
      (at: string) => Deno.removeSync(join(at, MANY[0]!)),
      true,
    ],
    [
      "what was there goes",
      (disk: DiskView, at: string) => disk.has(join(at, "file")),
      (at: string) => Deno.removeSync(join(at, "file")),
      true,
    ],
    [
      "a directory takes the place of a file",
      (disk: DiskView, at: string) => disk.has(join(at, "file")),
      (at: string) => {
        Deno.removeSync(join(at, "file"));
        Deno.mkdirSync(join(at, "file"));
      },
      true,
    ],
    [
      "a link leads elsewhere",
      (disk: DiskView, at: string) => disk.realPath(join(at, "link")),
      (at: string) => {
        Deno.removeSync(join(at, "link"));
        Deno.symlinkSync(join(at, "nowhere"), join(at, "link"));
      },
      true,
    ],
    [
      "what a link leads to goes",
      (disk: DiskView, at: string) => disk.realPath(join(at, "link")),
      (at: string) => Deno.removeSync(join(at, "inner", "target")),
      true,
    ],
    [
      "a name comes that fits",
      (disk: DiskView, at: string) => disk.namesIn(at, (name) => name.startsWith(".h")),
      (at: string) => Deno.writeTextFileSync(join(at, ".history"), ""),
      true,
    ],
    [
      "a name comes that does not fit",
      (disk: DiskView, at: string) => disk.namesIn(at, (name) => name.startsWith(".h")),
      (at: string) => Deno.writeTextFileSync(join(at, "history"), ""),
      false,
    ],
    [
      "any name comes where all were listed",
      (disk: DiskView, at: string) => disk.namesIn(at),
      (at: string) => Deno.writeTextFileSync(join(at, "b"), ""),
      true,
    ],
    [
      "another file takes a name where more hangs on it",
      (disk: DiskView, at: string) => {
        disk.watch(at);
        return disk.has(join(at, "file"));
      },
      (at: string) => {
        Deno.writeTextFileSync(join(at, "new"), "");
        Deno.renameSync(join(at, "new"), join(at, "file"));
      },
      true,
    ],
  ] as const
) {
  const verb = isLookedAtAgain ? "is looked at again" : "is remembered";
  Deno.test(`what was found on the disk ${verb} when ${what}`, () => {
    const at = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "ally-disk-" }));
    try {
      Deno.mkdirSync(join(at, "inner"));
      for (const name of ["file", "inner/target"]) Deno.writeTextFileSync(join(at, name), "");
      Deno.symlinkSync(join(at, "inner", "target"), join(at, "link"));
      const ask = remember((disk) => ({ answer: look(disk, at), askedAt: {} }));
      const first = ask();
      change(at);
      const second = ask();
      assert.equal(second === first, !isLookedAtAgain);
      assert.deepEqual(second, remember((disk) => ({ answer: look(disk, at), askedAt: {} }))());
    } finally {
      Deno.removeSync(at, { recursive: true });
    }
  });
}

Deno.test("what comes in the second of an earlier change is found, though the directory's time is set back", async () => {
  const place = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "ally-disk-" }));
  const asks: (() => boolean)[] = [];
  const first = await changeUnseen(
    () => Deno.makeTempDirSync({ dir: place }),
    (at) => {
      asks.push(remember((disk) => disk.has(join(at, "a"))));
      return asks.at(-1)!();
    },
    (at) => Deno.writeTextFileSync(join(at, "a"), ""),
  );
  assert.equal(first, false);
  assert.equal(asks.at(-1)!(), true);
  Deno.removeSync(place, { recursive: true });
});
