/**
 * An index that came to have paths in it which git adds to none is set aside, and none that git itself writes, in
 * whatever form.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { isFresh, timesOf } from "../../src/lib/path_signature.ts";
import { hasEntriesAt, lookAtIndexes, setIndexesAside } from "../../src/sandbox/index_paths.ts";
import { type RawEntry, writeIndex } from "../support/git_index.ts";
import { changeUnseen } from "../support/unseen_change.ts";
import { until } from "../support/wait.ts";

const LINK = 0o120000;
const DIRECTORY = 0o040000;

async function withDirectory(act: (dot: string) => Promise<void>): Promise<void> {
  const top = await Deno.realPath(await Deno.makeTempDir());
  await Deno.mkdir(join(top, ".git"));
  await act(join(top, ".git"));
  await Deno.remove(top, { recursive: true });
}

async function git(cwd: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("git", { args, cwd }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

const STRANGE: readonly RawEntry[] = [
  ...["", ".", "..", "../a", "a/../b", "/a", "a//b", "a/", "./a", "a/./b"],
  ...[".git/config", "a/.GIT/hooks/x", ".git", ".git .", ".git::$INDEX_ALLOCATION/config"],
  ...["git~1/config", "GIT~1", "a\\.git\\config", ".g\u200cit/config", "\ufeff.git/x"],
].map((path) => ({ path }));
const MORE: readonly RawEntry[] = [
  { path: ".gitmodules", mode: LINK },
  { path: "GITMOD~1", mode: LINK },
  { path: "a", length: 9 },
  { path: "a/", mode: LINK },
];

for (const entry of [...STRANGE, ...MORE]) {
  Deno.test(`an index with ${JSON.stringify(entry)} is set aside`, () =>
    withDirectory(async (dot) => {
      const before = lookAtIndexes([dot]);
      await Deno.writeFile(join(dot, "index"), writeIndex([{ path: "Z" }, entry]));
      const [aside, sentence] = setIndexesAside(before, [dot]);
      assert.equal(aside, join(dot, "index-set-aside"));
      assert.match(sentence!, /had entries that git itself makes none of/);
    }));
}

Deno.test("an index with unusual paths that git does track stays", () =>
  withDirectory(async (dot) => {
    const paths = ["...", "..a", ".github/x", ".gitmodules", "a.git/b", "git", "gitk~1", "gits/é"];
    const entries = [...paths.map((path) => ({ path })), { path: "dir/", mode: DIRECTORY }];
    await Deno.writeFile(join(dot, "index"), writeIndex(entries));
    assert.deepEqual(setIndexesAside(new Map(), [dot]), []);
  }));

Deno.test("an index that is none is set aside, one that is as before stays, and keeps no other name", () =>
  withDirectory(async (dot) => {
    const index = join(dot, "index");
    await Deno.writeTextFile(index, "DIRC");
    await until("the end of the second", () => !isFresh(timesOf(Deno.statSync(index))));
    const before = lookAtIndexes([dot]);
    assert.deepEqual(setIndexesAside(before, [dot]), []);
    assert.equal(setIndexesAside(new Map(), [dot])[0], `${index}-set-aside`);
    await Deno.writeFile(index, writeIndex([{ path: "a" }]));
    assert.deepEqual(setIndexesAside(new Map(), [dot]), []);
    const second = join(dot, "..", "second");
    await Deno.link(index, second);
    assert.deepEqual(setIndexesAside(new Map(), [dot]), []);
    assert.deepEqual(await Deno.readFile(index), await Deno.readFile(second));
    assert.notEqual((await Deno.stat(index)).ino, (await Deno.stat(second)).ino);
    assert.deepEqual([...Deno.readDirSync(dot)].map(({ name }) => name).sort(), [
      "index",
      "index-set-aside",
    ]);
  }));

Deno.test("an index that is written over within a second is looked at, though its time is set back", () =>
  withDirectory(async (dot) => {
    const index = join(dot, "index");
    const write = (path: string) => Deno.writeFileSync(index, writeIndex([{ path }]));
    const before = await changeUnseen(
      () => {
        write("agit/b");
        return index;
      },
      () => lookAtIndexes([dot]),
      () => write(".git/b"),
    );
    assert.equal(setIndexesAside(before, [dot])[0], `${index}-set-aside`);
  }));

const FORMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "version 4": [["update-index", "--index-version", "4"]],
  "blocks": [
    ["config", "index.threads", "2"],
    ["config", "index.recordOffsetTable", "true"],
    ["config", "index.recordEndOfIndexEntries", "true"],
    ["update-index", "--index-version", "4"],
  ],
  "a split index": [
    ["update-index", "--split-index"],
    ["update-index", "--chmod=+x", "f1"],
    ["rm", "-q", "--cached", "f2"],
  ],
};

for (const format of ["sha1", "sha256"]) {
  for (const [form, commands] of Object.entries(FORMS)) {
    Deno.test(`an index as git writes it stays: ${form}, ${format}`, () =>
      withDirectory(async (dot) => {
        const top = join(dot, "..");
        await Deno.remove(dot);
        await git(top, "init", "-q", "--object-format", format);
        for (let at = 0; at < 40; at++) await Deno.writeTextFile(join(top, `f${at}`), "");
        await git(top, "add", "-A");
        for (const args of commands) await git(top, ...args);
        assert.deepEqual(setIndexesAside(new Map(), [dot]), []);
        // Where git would begin to read is told in it.
        const bytes = await Deno.readFile(join(dot, "index"));
        const at = new TextDecoder("latin1").decode(bytes).indexOf("IEOT");
        assert.equal(at > 0, form === "blocks");
        if (at < 0) return;
        bytes[at + 15]! += 8;
        await Deno.writeFile(join(dot, "index"), bytes);
        assert.notDeepEqual(setIndexesAside(new Map(), [dot]), []);
      }));
  }
}

for (const kind of ["whole", "split"]) {
  Deno.test(`files below a path are found in a ${kind} index`, () =>
    withDirectory(async (dot) => {
      const top = join(dot, "..");
      await git(top, "init", "-q");
      await Deno.mkdir(join(top, "store"));
      for (const name of ["store/config", "stores"]) await Deno.writeTextFile(join(top, name), "");
      await git(top, "add", ".");
      if (kind === "split") await git(top, "update-index", "--split-index");
      const found = ["store", "stores", "stor"].map((path) => hasEntriesAt(dot, path));
      assert.deepEqual(found, [true, false, false]);
    }));
}
