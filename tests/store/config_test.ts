import assert from "node:assert/strict";
import { join } from "node:path";
import { changeConfig } from "../../src/store/config_edit.ts";
import { mergeProjectConfig, parseConfig, readConfig } from "../../src/store/config.ts";
import { projectRule } from "../../src/store/settings_table.ts";

const defaults = { max_turns: 100, max_parallel: 4, banned_commands: ["sudo"] };

Deno.test("a project sets what is free, and only makes stricter what protects the user", () => {
  const project = { model: "p", bash_timeout: 300, max_turns: 20, max_parallel: 64 };
  assert.deepEqual(mergeProjectConfig({ model: "u" }, { project, defaults }), {
    model: "p",
    bash_timeout: 300,
    max_turns: 20,
    max_parallel: 4,
  });
  assert.equal(mergeProjectConfig({ max_turns: 7 }, { project, defaults }).max_turns, 7);
});

Deno.test("a project's bans are added to the user's, or to the built-in ones; none is taken away", () => {
  const merged = (user: object, bans: string[]) =>
    mergeProjectConfig(user, { project: { banned_commands: bans }, defaults }).banned_commands;
  assert.deepEqual(merged({}, ["tac"]), ["sudo", "tac"]);
  assert.deepEqual(merged({}, []), ["sudo"]);
  assert.deepEqual(merged({ banned_commands: ["rev"] }, ["tac"]), ["rev", "tac"]);
  assert.deepEqual(merged({ banned_commands: [] }, ["tac"]), ["tac"]);
});

Deno.test("a project never says where keys and texts are sent, nor anything that is not known", () => {
  const project = { endpoint: "http://elsewhere/v1" };
  assert.deepEqual(mergeProjectConfig({ endpoint: "http://here/v1" }, { project, defaults }), {
    endpoint: "http://here/v1",
  });
  assert.deepEqual(mergeProjectConfig({}, { project, defaults }), {});
  for (const key of ["endpoint", "api_key", "constructor", "__proto__"]) {
    assert.equal(projectRule(key), "never", key);
  }
});

Deno.test("only known settings come out of a configuration; the rest is named", async () => {
  const { config, warnings } = await parseConfig(
    "c.json",
    '{"model":"m","__proto__":{"a":1},"x":2}',
  );
  assert.deepEqual(Object.entries(config), [["model", "m"]]);
  assert.equal(warnings.length, 2);
});

Deno.test("a byte order mark is no fault of a configuration, and stays when a key is changed", async () => {
  const directory = await Deno.makeTempDir();
  const path = join(directory, "config.json");
  try {
    await Deno.writeTextFile(path, '\ufeff{"model": "m"}\n');
    assert.deepEqual((await readConfig(path)).config, { model: "m" });
    assert.equal(await changeConfig(path, { model: "n" }), true);
    assert.equal(await Deno.readTextFile(path), '\ufeff{"model": "n"}\n');
    assert.equal(await changeConfig(path, { model: "n" }), false);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
