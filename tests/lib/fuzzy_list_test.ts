import assert from "node:assert/strict";
import { FuzzyList } from "../../src/lib/fuzzy_list.ts";

const PATHS = [
  "README.md",
  "src/README.md",
  "src/ui/line_editor.ts",
  "tests/ui/line_editor_test.ts",
  "plugins/line_edit/mod.ts",
  "src/ui/markdown.ts",
  "src/ui/markdown_table.ts",
  "src/modes/interactive/",
  "src/modes/interactive/interactive_session.ts",
  "src/model/overflow.ts",
  "docs/größe und länge.md",
  "文書/報告書.md",
];
/** Enough others for the list to be narrowed before it is ranked, which hold all letters of most queries. */
const MANY = Array.from(
  { length: 1500 },
  (_, index) => `unlikely/deeply/nested/${index}/administration_and_manuals/rest_of_it_all.txt`,
);

async function firstOf(query: string, texts: readonly string[]): Promise<string | undefined> {
  return (await new FuzzyList(texts).find(query, { limit: 5 })).best[0]?.text;
}

Deno.test("what is meant by a few letters comes first, in a short list and in a long one", async () => {
  const table: readonly (readonly [string, string])[] = [
    ["readme", "README.md"],
    ["READ", "README.md"],
    ["srcread", "src/README.md"],
    ["lineed", "src/ui/line_editor.ts"],
    ["led", "src/ui/line_editor.ts"],
    ["ui/line", "src/ui/line_editor.ts"],
    ["editest", "tests/ui/line_editor_test.ts"],
    ["mark", "src/ui/markdown.ts"],
    ["marktab", "src/ui/markdown_table.ts"],
    ["intses", "src/modes/interactive/interactive_session.ts"],
    ["interactive/", "src/modes/interactive/"],
    ["overfl", "src/model/overflow.ts"],
    ["größe", "docs/größe und länge.md"],
    ["länge", "docs/größe und länge.md"],
    ["報告", "文書/報告書.md"],
  ];
  for (const [query, wanted] of table) {
    assert.equal(await firstOf(query, PATHS), wanted, query);
    assert.equal(await firstOf(query, [...MANY, ...PATHS]), wanted, `${query} among many`);
  }
});

Deno.test("letter by letter, and back, the same is found as at once", async () => {
  const list = new FuzzyList([...MANY, ...PATHS]);
  for (const query of ["l", "li", "lin", "line", "lin", "linx", "src", "s", "zzz", ""]) {
    const options = { limit: 20 };
    const fresh = await new FuzzyList(list.texts).find(query, options);
    assert.deepEqual(await list.find(query, options), fresh, query);
  }
});

Deno.test("all that has the letters is counted, and no more than asked for is returned", async () => {
  const list = new FuzzyList([...MANY, ...PATHS]);
  const { best, total } = await list.find("rest", { limit: 3 });
  assert.equal(best.length, 3);
  assert.ok(total >= MANY.length, String(total));
  assert.deepEqual(await list.find("zzz", { limit: 3 }), { best: [], total: 0 });
  assert.equal((await list.find("", { limit: 3 })).total, list.texts.length);
});

Deno.test("the letters that match are told by their offsets, in order", async () => {
  const { best: [match] } = await new FuzzyList(PATHS).find("uiline", { limit: 1 });
  assert.equal(match?.text, "src/ui/line_editor.ts");
  assert.equal(match?.marks.map((at) => match.text[at]).join(""), "uiline");
});

Deno.test("a bonus lifts a text over others that match as well, but not over much better ones", async () => {
  for (const texts of [PATHS, [...MANY, ...PATHS]]) {
    const list = new FuzzyList(texts);
    const bonus = new Map([["src/ui/markdown_table.ts", 0.15], ["src/README.md", 0.15]]);
    const first = async (query: string) => (await list.find(query, { limit: 1, bonus })).best[0];
    assert.equal((await first("mark"))?.text, "src/ui/markdown_table.ts");
    assert.equal((await first("line_editor"))?.text, "src/ui/line_editor.ts");
  }
});

Deno.test("a text with a bonus is ranked, however many others are likelier", async () => {
  const names = Array.from({ length: 3000 }, (_, index) => `e${index}.ts`);
  const bonus = new Map([["some/very/long/way/to/the_end.ts", 1]]);
  const list = new FuzzyList([...names, ...bonus.keys()]);
  const { best } = await list.find("e", { limit: 1, bonus });
  assert.equal(best[0]?.text, "some/very/long/way/to/the_end.ts");
});

Deno.test("a search that is no longer wanted ends", async () => {
  const list = new FuzzyList(Array.from({ length: 100_000 }, (_, index) => `a/b/c/d${index}`));
  const wanted = new AbortController();
  const search = list.find("abc", { limit: 1, signal: wanted.signal });
  wanted.abort();
  await assert.rejects(search, { name: "AbortError" });
});
