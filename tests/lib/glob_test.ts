/** Globs match what they match in bash, and what models mean by them. */
import assert from "node:assert/strict";
import { globMatcher } from "../../src/lib/glob.ts";

/** Globs, paths that match, and others that do not. */
const ROWS: readonly (readonly [glob: string, matching: string, others: string])[] = [
  ["*", "a a.b é", ".a a/b"],
  ["*.ts", "a.ts a.b.ts", ".ts .a.ts a.tsx x/a.ts"],
  ["./*.ts", "a.ts", "x/a.ts"],
  ["?", "a 1", "ab . /"],
  ["**", "a a/b/c", ".a a/.b .a/b"],
  ["**/*.ts", "a.ts x/a.ts x/y/a.ts", ".x/a.ts x/.a.ts"],
  ["**.ts", "a.ts", "x/a.ts"],
  ["a**", "a ab", "a/b"],
  ["x/**", "x x/a x/y/a", "xy x/.a"],
  ["*/**", "x/a x/y/a", "x"],
  ["x/**/a", "x/a x/y/a x/y/z/a", "xa x/ya x/.y/a"],
  ["x/**/**/a", "x/a x/y/z/a", "x"],
  ["x/*/a", "x/y/a", "x/a x/y/z/a x/.y/a"],
  ["**/.x/**", ".x/a y/.x/a", "x/a .x/.a"],
  [".*", ".a", "a x/.a"],
  ["[ab]*", "a bc", "c .a"],
  ["[!ab]*", "c", "a b .c"],
  ["[^ab]", "c", "a ab ."],
  ["[a-c][0-9]+", "a1 b23", "d1 a"],
  ["[z-a]", "", "a z"],
  ["[]a]", "] a", "b"],
  ["[[:digit:][:upper:]]", "1 A", "a ["],
  ["x[slug]", "xs x[slug]", "xt x[slu]"],
  ["[a", "[a", "a"],
  ["{a,b}.{ts,tsx}", "a.ts b.tsx", "c.ts {a,b}.ts"],
  ["{a,b/{c,d}}", "a b/c b/d", "b c"],
  ["{,x}a", "a xa", "x"],
  ["{a}", "{a}", "a"],
  ["{a,b", "{a,b", "a"],
  ["{8..11}", "8 9 10 11", "7 12 08 1"],
  ["{a..c}x", "ax cx", "dx"],
  ["@(a|b)", "a b", "ab"],
  ["?(a)b", "b ab", "aab"],
  ["*(a)b", "b aaab", "cb"],
  ["+(a|b)c", "ac abbac", "c"],
  ["+(+(a))b", "ab aaab", "b"],
  ["!(a|b)", "c ab", "a b .c x/a"],
  ["!(*.test).ts", "a.ts", "a.test.ts"],
  ["*.!(ts)", "a.tsx a.b", "a.ts .a"],
  ["x!(y/z)", "xy xy/", "xy/z"],
  ["(a|b)c", "ac bc", "c"],
  ["a|b", "a|b", "a b"],
  ["a+", "a+", "a aa"],
  ["!a", "!a", "a b"],
  ["\\*\\[", "*[", "a["],
  ["a\\", "a\\", "a"],
];

Deno.test("globs match whole paths, hidden names only where they spell the dot", () => {
  for (const [glob, matching, others] of ROWS) {
    const matches = globMatcher([glob]);
    const expect = (paths: string, expected: boolean) => {
      for (const path of paths.split(" ").filter(Boolean)) {
        assert.equal(matches(path), expected, `${glob} on ${path}`);
      }
    };
    expect(matching, true);
    expect(others, false);
  }
  assert.ok(globMatcher(["*"])("a\nb"));
  assert.ok(!globMatcher(["*"])(""));
});

Deno.test("globs may match hidden names like others, and all but what follows a !", () => {
  for (const [glob, path] of [["*", ".a"], ["**/b", ".a/b"], ["[!a]*", ".a"], ["!(a)", ".a"]]) {
    assert.ok(globMatcher([glob!], { dot: true })(path!), glob);
  }
  const matches = globMatcher(["!*.ts", "a.ts"], { negation: true });
  assert.deepEqual(["a.ts", "b.ts", "b.md"].map(matches), [true, false, true]);
  assert.ok(globMatcher(["!(a)"], { negation: true })("b"));
});

Deno.test("a glob that is matched in many ways is matched at once, and again where few are remembered", () => {
  const path = "a".repeat(4_000);
  for (const glob of [`${"*a".repeat(1_000)}b`, "+(+(+(+(a))))b", `{${"*a,".repeat(900)}b}b`]) {
    assert.ok(!globMatcher([glob])(path), glob);
    assert.ok(globMatcher([glob])(`${path}b`), glob);
  }
  const matches = globMatcher([`*a${"?".repeat(12)}b*`]);
  for (let round = 0; round < 2; round++) {
    for (let number = 0; number < 4_096; number++) {
      const bits = number.toString(2).padStart(12, "0").replaceAll("1", "a");
      assert.equal(matches(`a${bits}b`), true, bits);
      assert.equal(matches(`0${bits}b`), false, bits);
    }
  }
});
