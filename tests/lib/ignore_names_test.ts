/** Which names may be ignored is told without asking about each path, and never too few. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { IgnoreRules } from "../../src/lib/ignore_rules.ts";
import { randomNumbers, TEST_SEED } from "../support/random.ts";

const PARTS = [
  "a",
  "b",
  "ab",
  "a.b",
  "b.a",
  "*",
  "a*",
  "*.b",
  "*b*",
  "**",
  "?",
  "[ab]",
  "\\a",
  "é",
  "a ",
];
const NAMES = ["a", "b", "ab", "a.b", "b.a", "ba", "é", "a ", "*", "A", "a\nb"];
const FILES = [".gitignore", ".ignore", ".rgignore"];

Deno.test(`a name that cannot be ignored is told from those that may be (${TEST_SEED})`, async () => {
  const next = randomNumbers(TEST_SEED);
  const random = (below: number) => Math.floor(next() * below);
  const pick = <T>(some: readonly T[]) => some[random(some.length)]!;
  const line = () => {
    const parts = Array.from({ length: 1 + random(3) }, () => pick(PARTS));
    const marks = [pick(["", "", "!", "#"]), pick(["", "", "/"]), pick(["", "", "/"])];
    return `${marks[0]}${marks[1]}${parts.join("/")}${marks[2]}`;
  };
  let told = 0;
  for (let round = 0; round < 120; round++) {
    const files = new Map<string, string>();
    for (const directory of ["/r", "/r/a", "/r/a/b", "/r/ab"]) {
      if (random(2) === 0) continue;
      const lines = Array.from({ length: 1 + random(3) }, line);
      files.set(join(directory, pick(FILES)), lines.join(pick(["\n", "\r\n"])));
    }
    const head = (path: string) => {
      const text = files.get(path);
      return Promise.resolve(text === undefined ? undefined : new TextEncoder().encode(text));
    };
    const exists = (path: string) => Promise.resolve(path === "/r/.git");
    const visit = async (directory: string, rules: IgnoreRules, depth: number): Promise<void> => {
      const names = rules.namesIn(directory);
      for (const name of NAMES) {
        const path = join(directory, name);
        for (const isDirectory of [false, true]) {
          const isIgnored = rules.isIgnored(path, { directory: isDirectory });
          const shown = JSON.stringify({ path, isDirectory, files: [...files] });
          assert.ok(!isIgnored || names.test(name), shown);
          if (!names.test(name)) told++;
          if (!isDirectory || isIgnored || depth === 0) continue;
          const own = FILES.filter((file) => files.has(join(path, file)));
          const below = await rules.forSubdirectory(path, { names: new Set(own), head });
          await visit(path, below, depth - 1);
        }
      }
    };
    const root = pick(["/r", "/r/a"]);
    await visit(root, await IgnoreRules.at(root, { head, exists }), 2);
  }
  assert.ok(told > 1000);
});
