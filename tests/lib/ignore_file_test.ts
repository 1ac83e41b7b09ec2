/** Rules of `.gitignore` mean what they mean to git. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { IgnoreFile } from "../../src/lib/ignore_file.ts";
import { randomNumbers, TEST_SEED } from "../support/random.ts";

const PARTS = "a|b|ab|a.b|*|a*|*.b|*b*|**|?|[ab]|[!a]|[^b]|[[:alpha:]]|\\a|\\*|a |a\\ |***|.a|[a|a["
  .split(
    "|",
  );
const NAMES = ["a", "b", "ab", "a.b", "b.a", "ba", "a ", ".a", "abc", "*", "a["];

Deno.test(`rules ignore what git ignores (${TEST_SEED})`, async () => {
  const next = randomNumbers(TEST_SEED);
  const random = (below: number) => Math.floor(next() * below);
  const pick = <T>(some: readonly T[]) => some[random(some.length)]!;
  const directory = await Deno.makeTempDir();
  const git = async (args: readonly string[], input = "") => {
    const child = new Deno.Command("git", {
      args: ["-C", directory, "-c", "core.ignoreCase=false", "-c", "core.quotePath=false", ...args],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    await new Blob([input]).stream().pipeTo(child.stdin);
    return new TextDecoder().decode((await child.output()).stdout);
  };
  await git(["init", "-q"]);
  let ignored = 0;
  for (let round = 0; round < 60; round++) {
    const text = Array.from({ length: 1 + random(3) }, () => {
      const parts = Array.from({ length: 1 + random(3) }, () => pick(PARTS));
      return pick(["", "", "!"]) + pick(["", "", "/"]) + parts.join("/") +
        pick(["", "", "/", "/**"]);
    }).join("\n");
    await Deno.writeTextFile(join(directory, ".gitignore"), text);
    const paths = Array.from(
      { length: 60 },
      () => Array.from({ length: 1 + random(4) }, () => pick(NAMES)).join("/"),
    );
    const found = await git(["check-ignore", "--no-index", "-z", "--stdin"], paths.join("\0"));
    const expected = new Set(found.split("\0"));
    const file = IgnoreFile.read(text);
    for (const path of paths) {
      const is = file?.test(path).ignored ?? false;
      assert.equal(is, expected.has(path), JSON.stringify({ text, path }));
      if (is) ignored++;
    }
  }
  assert.ok(ignored > 300);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("rules are read as git reads their lines", () => {
  const text = "# a\n\\#b\n!c\n\\!d\ne  \r\nf\\ \n\n/g\nh/\ni/**/\n";
  const file = IgnoreFile.read(text)!;
  const ignored = ["a", "#b", "c", "!d", "e", "f ", "g", "x/g", "h", "h/", "i/x/", "i/x"]
    .filter((path) => file.test(path).ignored);
  assert.deepEqual(ignored, ["#b", "!d", "e", "f ", "g", "h/", "i/x/"]);
  assert.equal(IgnoreFile.read("# only\n\n   \n"), undefined);
});

Deno.test("a rule that is matched in many ways is matched at once", () => {
  const deep = "a/".repeat(500);
  const file = IgnoreFile.read(`${"**/a/".repeat(40)}b\n${"*a".repeat(40)}b`)!;
  assert.equal(file.test(`${deep}${"a".repeat(250)}`).ignored, false);
  assert.equal(file.test(`${deep}b`).ignored, true);
});
