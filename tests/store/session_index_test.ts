/**
 * Summaries of sessions, and the index that keeps them: never older than the sessions' files.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { SessionSearch } from "../../src/store/session_search.ts";
import type { SearchableSummary } from "../../src/store/session_summary.ts";
import { SessionStore } from "../../src/store/sessions.ts";

async function inStore(
  test: (store: SessionStore, root: string) => Promise<void>,
): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "ally-index-" });
  try {
    await test(new SessionStore({ directory: join(root, "sessions") }), root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function talk(store: SessionStore, ...words: string[]): Promise<string> {
  const session = store.create({ cwd: "/w", onError: assert.fail });
  for (const content of words) await session.append({ role: "user", content });
  await session.finish();
  return session.header.id;
}

Deno.test("a list is the same from the index, and after a session was written to, renamed or removed", () =>
  inStore(async (store, root) => {
    const one = await talk(store, "first words", "second words");
    const two = await talk(store, "other words");
    const first = await store.recent();
    assert.deepEqual(first.map(({ turns, words }) => [turns, words]), [
      [1, "other words"],
      [2, "first words\nsecond words"],
    ]);
    await Deno.stat(join(root, "session_index.json"));
    assert.deepEqual(await store.recent(), first);
    await store.rename(one, "A name");
    assert.deepEqual((await store.recent()).map(({ id, title }) => [id, title]), [
      [two, "other words"],
      [one, "A name"],
    ]);
    await store.remove(two);
    assert.deepEqual((await store.recent()).map(({ id }) => id), [one]);
    const index = JSON.parse(await Deno.readTextFile(join(root, "session_index.json")));
    assert.deepEqual(Object.keys(index.sessions), [one]);
  }));

Deno.test("a damaged index, or one of another version, is made anew", () =>
  inStore(async (store, root) => {
    await talk(store, "words");
    const expected = await store.recent();
    const path = join(root, "session_index.json");
    const good = JSON.parse(await Deno.readTextFile(path));
    for (
      const text of [
        "{",
        "[]",
        JSON.stringify({ ...good, version: 99 }),
        JSON.stringify({ version: 1, sessions: { [expected[0]!.id]: { size: 1 } } }),
        JSON.stringify(good).replace('"title":"words"', '"title":7'),
      ]
    ) {
      await Deno.writeTextFile(path, text);
      assert.deepEqual(await store.recent(), expected, text);
    }
  }));

const summary = (id: string, title: string, words = ""): SearchableSummary => ({
  id,
  title,
  words,
  cwd: "/w",
  branch: "main",
  created: "",
  used: "",
  messages: 1,
  turns: 1,
  size: 1,
});

Deno.test("a search wants all words, prefers the title, and falls back to the title's letters", () => {
  const search = new SessionSearch([
    summary("1", "parser", "fix the lexer"),
    summary("2", "lexer of the parser"),
    summary("3", "docs", "write about the lexer and the parser"),
  ]);
  const ids = (typed: string) => search.find(typed).map(({ id }) => id);
  assert.deepEqual(ids(""), ["1", "2", "3"]);
  assert.deepEqual(ids("lexer PARSER"), ["2", "1", "3"]);
  assert.deepEqual(ids("write lexer"), ["3"]);
  assert.deepEqual(ids("lxpr"), ["2"]);
  assert.deepEqual(ids("zzz"), []);
  assert.deepEqual(ids("main"), ["1", "2", "3"]);
});
