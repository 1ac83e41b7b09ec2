import assert from "node:assert/strict";
import { join } from "node:path";
import { removePlugin, repairPluginFolder, stagePlugin } from "../../src/store/plugin_folder.ts";
import { PluginStore } from "../../src/store/plugin_records.ts";

interface Place extends AsyncDisposable {
  readonly directory: string;
  readonly records: PluginStore;
  readonly path: string;
}

async function makePlace(): Promise<Place> {
  const directory = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-plugins-" }));
  const path = join(directory, "home", "plugins.json");
  return {
    directory,
    path,
    records: new PluginStore({ path }),
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

const CONSENT = { hash: "h", version: "1", may: ["may"], files: { a: "1" }, allowed: "2026-01-01" };

Deno.test("what is remembered of a plugin is its owner's alone, and forgotten as a whole", async () => {
  await using place = await makePlace();
  const { records, path } = place;
  assert.deepEqual(await records.read("x"), {});
  await records.update("x", { consent: CONSENT });
  await records.update("x", { from: "npm:x@1" });
  assert.deepEqual(await records.read("x"), { consent: CONSENT, from: "npm:x@1" });
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  await records.update("x", { consent: undefined });
  assert.deepEqual(await records.read("x"), { from: "npm:x@1" });
  await records.forget("x");
  assert.deepEqual(await records.read("x"), {});
  assert.deepEqual(await records.read("__proto__"), {});
});

Deno.test("many that write at once lose nothing of each other", async () => {
  await using place = await makePlace();
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
  await Promise.all(
    names.map((name) => new PluginStore({ path: place.path }).update(name, { from: name })),
  );
  for (const name of names) assert.equal((await place.records.read(name)).from, name);
});

Deno.test("a file that is not understood allows nothing, is named, and is not touched", async () => {
  await using place = await makePlace();
  await Deno.mkdir(join(place.path, ".."));
  for (const text of ["{", "[]", '{"version":2,"plugins":{}}', '{"version":1,"plugins":{"x":7}}']) {
    await Deno.writeTextFile(place.path, text);
    await assert.rejects(place.records.read("x"), /Cannot use .*plugins\.json.*remove it/);
    await assert.rejects(place.records.update("x", { consent: CONSENT }), /Cannot use/);
    await place.records.recordUse("x");
    assert.equal(await Deno.readTextFile(place.path), text);
  }
});

const file = (path: string, text: string) => ({
  path,
  bytes: new TextEncoder().encode(text),
  executable: false,
});

async function namesIn(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory), ({ name }) => name)).sort();
}

Deno.test("a plugin is put in place as a whole, and what was staged for nothing goes away", async () => {
  await using place = await makePlace();
  const plugins = join(place.directory, "plugins");
  {
    await using staged = await stagePlugin(plugins, [file("plugin.json", "1"), file("a/b", "1")]);
    await staged.publish("x");
  }
  {
    await using _unused = await stagePlugin(plugins, [file("plugin.json", "3")]);
  }
  {
    await using staged = await stagePlugin(plugins, [file("plugin.json", "2")]);
    await staged.publish("x");
  }
  assert.deepEqual(await namesIn(plugins), ["x"]);
  assert.deepEqual(await namesIn(join(plugins, "x")), ["plugin.json"]);
  assert.equal(await Deno.readTextFile(join(plugins, "x", "plugin.json")), "2");
  await removePlugin(plugins, "x");
  assert.deepEqual(await namesIn(plugins), []);
  await assert.rejects(removePlugin(plugins, "x"), /There is no plugin 'x'/);
});

Deno.test("an install that was killed between two steps leaves the old plugin or the new one", async () => {
  await using place = await makePlace();
  const plugins = join(place.directory, "plugins");
  await Deno.mkdir(join(plugins, ".replaced-x"), { recursive: true });
  await Deno.mkdir(join(plugins, ".staged-old"));
  await Deno.utime(join(plugins, ".staged-old"), 0, 0);
  await Deno.mkdir(join(plugins, ".staged-new"));
  await repairPluginFolder(plugins);
  assert.deepEqual(await namesIn(plugins), [".staged-new", "x"]);
  await Deno.mkdir(join(plugins, ".replaced-x"));
  await repairPluginFolder(plugins);
  assert.deepEqual(await namesIn(plugins), [".staged-new", "x"]);
});
