/**
 * The files of a recording laid out: what was gathered comes out, and nothing that a hostile recording says of a file
 * reaches anything outside of the directory.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { NO_MASKING } from "../../src/core/secrets.ts";
import { layOutFiles } from "../../src/recording/lay_out.ts";
import { clearFiles, gatherFiles } from "../../src/recording/start_files.ts";
import { followLinks } from "../../src/workspace/paths.ts";
import { describeTree } from "../support/tree.ts";

async function scratch(): Promise<{ dir: string } & AsyncDisposable> {
  const dir = await Deno.realPath(await Deno.makeTempDir());
  return { dir, [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }) };
}

function layOut(files: Record<string, unknown>, directory: string): void {
  layOutFiles(files, directory, { follow: (path) => followLinks(path, directory) });
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
  layOut(JSON.parse(JSON.stringify(kept)), to.dir);
  assert.equal(await Deno.readTextFile(join(to.dir, "link")), "echo é\n");
  assert.equal(((await Deno.stat(join(to.dir, "src/run.sh"))).mode ?? 0) & 0o777, 0o755);
  assert.deepEqual(await Deno.readFile(join(to.dir, "a.bin")), new Uint8Array([0, 255, 254]));
  assert.equal((await Deno.stat(join(to.dir, "a.bin"))).mtime?.getTime(), then.getTime());
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
  layOut(kept, clone.dir);
  assert.equal(await Deno.readTextFile(join(clone.dir, ".env")), "K=hunter22");
  await assert.rejects(Deno.stat(join(clone.dir, "later.txt")), Deno.errors.NotFound);
});

const text = (content = "theirs\n") => ({ text: content });
const link = (target: string) => ({ link: target });
const many = (count: number, name: (index: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), text("")]));

/** What a recording says of its files, by what is hostile in it; each is refused. */
const REFUSED: readonly (readonly [string, Record<string, unknown>])[] = [
  ["a path upwards", { "../x": text() }],
  ["a path upwards in the middle", { "a/../../x": text() }],
  ["a path upwards that stays inside", { "a/../x": text() }],
  ["an absolute path", { "/x": text() }],
  ["a path with an empty part", { "a//x": text() }],
  ["a path with a dot", { "./x": text() }],
  ["an empty path", { "": text() }],
  ["a path that ends in a slash", { "a/": text() }],
  ["a path with a NUL", { "a\0b": text() }],
  ["a name that no system takes", { ["x".repeat(300)]: text() }],
  ["a link upwards", { l: link("../x") }],
  ["an absolute link", { l: link("/etc/hosts") }],
  ["an absolute link to nothing", { l: link("/nowhere/at/all") }],
  ["a link through a link", { "a/b/up": link("../.."), "l": link("a/b/up/../victim.txt") }],
  [
    "links that only together lead out",
    { "d/e/f.txt": text(), "s": link("d/e"), "t": link("s/../../../victim.txt") },
  ],
  ["a chain whose first link comes last", {
    "a": link("z/../../.."),
    "z": link("d/e"),
    "d/e/f": text(),
  }],
  ["a circle of links", { a: link("b"), b: link("a") }],
  ["a link to a process's files", { l: link("/proc/self/environ") }],
  ["a file through a link of its own", { "l": link(".."), "l/victim.txt": text() }],
  ["a file through a link to a directory of its own", {
    "d/x": text(),
    "l": link("d"),
    "l/y": text(),
  }],
  ["a file where another is a directory", { "a": text(), "a/b": text() }],
  ["a directory where another is a file", { "a/b": text(), "a": text() }],
  ["git's configuration", { ".git/config": text() }],
  ["a file in place of git's directory", { ".git": text("gitdir: /elsewhere") }],
  ["a link in place of git's directory", { ".git": link("d"), "d/HEAD": text() }],
  ["git's hooks in capitals, further below", { "sub/.GIT/hooks/post-checkout": text() }],
  ["git's directory with an invisible character", { ".g\u200cit/config": text() }],
  ["git's directory in full width", { "\uff0egit/config": text() }],
  ["git's directory with a dot at its end", { ".git./config": text() }],
  ["git's directory as a stream of it", { ".git::$INDEX_ALLOCATION/config": text() }],
  ["git's directory by its short name", { "GIT~1/config": text() }],
  ["a FIFO", { f: { fifo: true } }],
  ["a device", { d: { device: [1, 3] } }],
  ["a hard link", { h: { hardlink: "../victim.txt" } }],
  ["a file that is a link too", { f: { text: "x", link: "../victim.txt" } }],
  ["bytes that are none", { f: { base64: "*" } }],
  ["a text that is none", { f: { text: 5 } }],
  ["a file that is null", { f: null }],
  ["a file that is a list", { f: ["x"] }],
  ["too many files", many(401, (index) => `f${index}`)],
  ["too much", { f: text("x".repeat(9_000_000)) }],
  ["directories without end", { [`${"a/".repeat(70)}f`]: text() }],
];

Deno.test("what a hostile recording says of its files is refused, and reaches nothing outside of the copy", async () => {
  await using root = await scratch();
  await Deno.writeTextFile(join(root.dir, "victim.txt"), "mine\n", { mode: 0o600 });
  const before = await describeTree(root.dir);
  for (const [name, files] of REFUSED) {
    const project = join(root.dir, "project");
    await Deno.mkdir(project);
    assert.throws(() => layOut(files, project), /^UsageError: Cannot lay out /, name);
    assert.deepEqual(await describeTree(root.dir, { except: ["project"] }), before, name);
    await Deno.remove(project, { recursive: true });
  }
});

Deno.test("odd files that harm nobody are laid out as far as they are files", async () => {
  await using root = await scratch();
  layOut({
    "a..b": text("a"),
    "...": text("b"),
    ".gitignore": text("c"),
    "digit~1": text("d"),
    "mode": { text: "e", mode: 0o6777, modified: 1e300 },
    "lies": { text: "f", mode: "0777", modified: "now", masked: "yes" },
    "to nothing": link("missing"),
    "inside": link("a..b"),
    "later": link("a/../a..b"),
    "a/x": text("g"),
  }, root.dir);
  const { mode, mtime } = await Deno.stat(join(root.dir, "mode"));
  assert.equal((mode ?? 0) & 0o7000, 0);
  assert.ok(mtime!.getTime() <= Date.now() + 1000);
  assert.equal(await Deno.readTextFile(join(root.dir, "later")), "a");
  assert.equal(await Deno.readTextFile(join(root.dir, "lies")), "f");
});

Deno.test("what stands where a file is to be is not written, a file with another name included", async () => {
  await using root = await scratch();
  const project = join(root.dir, "project");
  await Deno.mkdir(join(project, "d"), { recursive: true });
  await Deno.writeTextFile(join(root.dir, "victim.txt"), "mine\n");
  await Deno.link(join(root.dir, "victim.txt"), join(project, "hard.txt"));
  await Deno.symlink("../victim.txt", join(project, "soft.txt"));
  await Deno.symlink("..", join(project, "out"));
  for (const path of ["hard.txt", "soft.txt", "out/victim.txt", "out/new.txt", "d"]) {
    for (const masked of [false, true]) {
      const files = { [path]: { ...text(), masked } };
      if (path === "hard.txt" && masked) layOut(files, project);
      else assert.throws(() => layOut(files, project), /Cannot lay out/, path);
    }
  }
  assert.equal(await Deno.readTextFile(join(root.dir, "victim.txt")), "mine\n");
  assert.deepEqual([...Deno.readDirSync(root.dir)].length, 2);
});
