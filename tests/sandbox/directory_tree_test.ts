import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { directoriesIn } from "../../src/lib/directory_listing.ts";
import { DirectoryTree } from "../../src/sandbox/directory_tree.ts";
import { randomNumbers, TEST_SEED } from "../support/random.ts";

/** Above what is looked at one by one. */
const DIRECTORIES = 300;
const ROUNDS = 60;
const CHANGES = 8;
const MARK = "mark";

/** All that is looked for below a directory, and all directories. */
function walk(directory: string, found: string[] = [], all: string[] = []) {
  all.push(directory);
  for (const { name, isDirectory } of Deno.readDirSync(directory)) {
    if (name === MARK) found.push(join(directory, name));
    if (isDirectory) walk(join(directory, name), found, all);
  }
  return { found: found.sort(), all };
}

Deno.test(`what lies in a large tree is known after every change (${TEST_SEED})`, async () => {
  const random = randomNumbers(TEST_SEED);
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)]!;
  const place = await Deno.makeTempDir({ prefix: "ally-test-" });
  const [root, outside] = [join(place, "root"), join(place, "outside")];
  fs.mkdirSync(outside);
  for (let at = 0; at < DIRECTORIES; at++) {
    fs.mkdirSync(join(root, `d${at % 20}`, `e${at}`), { recursive: true });
  }
  const tree = new DirectoryTree(() => [root], (directory, listing) => ({
    inner: directoriesIn(listing),
    found: listing.has(MARK) ? join(directory, MARK) : undefined,
  }));
  let count = 0;
  const change = (all: readonly string[]) => {
    const [one, other] = [pick(all.slice(1)), pick(all)];
    const inner = join(other, `n${count++}`);
    const kinds: readonly (() => void)[] = [
      () => fs.writeFileSync(join(one, MARK), ""),
      () => fs.rmSync(join(one, MARK), { force: true }),
      () => fs.mkdirSync(join(inner, "in"), { recursive: true }),
      () => fs.rmSync(one, { recursive: true }),
      () => fs.renameSync(one, inner),
      () => fs.renameSync(one, join(outside, `n${count}`)),
      // Another directory of the same name.
      () => {
        fs.renameSync(one, join(outside, `n${count}`));
        fs.cpSync(join(outside, `n${count}`), one, { recursive: true });
        fs.writeFileSync(join(one, MARK), "");
      },
      () => {
        fs.rmSync(one, { recursive: true });
        fs.mkdirSync(join(one, "again"), { recursive: true });
      },
    ];
    try {
      pick(kinds)();
    } catch {
      // It is gone, or cannot be moved into itself.
    }
  };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const { found, all } = walk(root);
      assert.deepEqual((await tree.search()).sort(), found, `round ${round}`);
      for (let at = 0; at < CHANGES; at++) change(all);
    }
  } finally {
    tree.close();
    await Deno.remove(place, { recursive: true });
  }
});
