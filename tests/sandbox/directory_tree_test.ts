import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { directoriesIn } from "../../src/lib/directory_listing.ts";
import { DirectoryTree } from "../../src/sandbox/directory_tree.ts";
import { randomNumbers, TEST_SEED } from "../support/random.ts";
import { changeUnseen } from "../support/unseen_change.ts";

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

/** A tree on the disk, what searches it, and which directories that listed. */
async function makeTree() {
  const place = await Deno.makeTempDir({ prefix: "ally-test-" });
  const root = join(place, "root");
  for (let at = 0; at < DIRECTORIES; at++) {
    fs.mkdirSync(join(root, `d${at % 20}`, `e${at}`), { recursive: true });
  }
  const listed: string[] = [];
  const tree = new DirectoryTree(() => [root], (directory, listing) => {
    listed.push(directory);
    return {
      inner: directoriesIn(listing),
      ...(listing.has(MARK) && { found: [join(directory, MARK)] }),
    };
  });
  return { place, root, tree, listed };
}

Deno.test(`what lies in a large tree is known after every change (${TEST_SEED})`, async () => {
  const random = randomNumbers(TEST_SEED);
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)]!;
  const { place, root, tree } = await makeTree();
  const outside = join(place, "outside");
  fs.mkdirSync(outside);
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
      const lister = random() < 0.5 ? tree.openLister() : undefined;
      for (const directory of all) lister?.open(directory)?.[Symbol.dispose]();
      assert.deepEqual((await tree.search()).sort(), found, `round ${round}`);
      for (let at = 0; at < CHANGES; at++) change(all);
    }
  } finally {
    tree.close();
    await Deno.remove(place, { recursive: true });
  }
});

Deno.test({
  name: "what somebody else has walked is not listed again, and what has changed since is",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { place, root, tree, listed } = await makeTree();
    const [changed, first] = [join(root, "d7", "e127"), join(root, MARK)];
    fs.writeFileSync(join(changed, MARK), "");
    try {
      const { all } = walk(root);
      const lister = tree.openLister();
      for (const directory of all) lister.open(directory)?.[Symbol.dispose]();
      const learned = new Set(listed);
      assert.equal(learned.size, listed.length);
      assert.ok(learned.size > all.length / 4, `${learned.size} of ${all.length}`);
      fs.rmSync(join(changed, MARK));
      fs.writeFileSync(first, "");
      assert.deepEqual(await tree.search(), [first]);
      const again = listed.slice(learned.size).filter((directory) => learned.has(directory));
      assert.deepEqual(again, learned.has(changed) ? [changed] : []);
      for (const directory of all) lister.open(directory)?.[Symbol.dispose]();
      assert.equal(listed.length, all.length + again.length);
    } finally {
      tree.close();
      await Deno.remove(place, { recursive: true });
    }
  },
});

Deno.test("a walk on its way while a search runs does not mislead either", async () => {
  const { place, root, tree } = await makeTree();
  try {
    const { all } = walk(root);
    const lister = tree.openLister();
    for (const directory of all.slice(0, 250)) lister.open(directory)?.[Symbol.dispose]();
    const searched = tree.search();
    for (const directory of all.slice(250)) lister.open(directory)?.[Symbol.dispose]();
    assert.deepEqual(await searched, []);
    const marks = all.slice(1).map((directory) => join(directory, MARK));
    for (const mark of marks) fs.writeFileSync(mark, "");
    assert.deepEqual((await tree.search()).sort(), marks.sort());
  } finally {
    tree.close();
    await Deno.remove(place, { recursive: true });
  }
});

Deno.test("what comes in the second of an earlier change is found, though the directory's time is set back", async () => {
  const root = await Deno.makeTempDir({ prefix: "ally-test-" });
  const tree = new DirectoryTree(() => [root], (directory, listing) => ({
    inner: directoriesIn(listing),
    ...(listing.has(MARK) && { found: [join(directory, MARK)] }),
  }));
  const marks: string[] = [];
  try {
    await tree.search();
    const found = await changeUnseen(
      () => fs.mkdtempSync(join(root, "d")),
      () => tree.search(),
      (directory) => {
        marks.push(join(directory, MARK));
        fs.writeFileSync(marks.at(-1)!, "");
      },
    );
    assert.deepEqual(found.sort(), marks.slice(0, -1).sort());
    assert.deepEqual((await tree.search()).sort(), marks.sort());
  } finally {
    tree.close();
    await Deno.remove(root, { recursive: true });
  }
});
