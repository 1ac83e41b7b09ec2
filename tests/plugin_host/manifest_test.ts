import assert from "node:assert/strict";
import { join } from "node:path";
import { pluginEntries } from "../../src/plugin_host/entries.ts";
import { hashFolder } from "../../src/plugin_host/folder_hash.ts";
import { loadPlugins } from "../../src/plugin_host/loader.ts";
import { readManifest } from "../../src/plugin_host/manifest.ts";
import { repeatedKeys } from "../../src/plugin_host/manifest_lines.ts";
import { PLUGIN_SCHEMA } from "../../src/plugin_host/manifest_schema.ts";
import { createPatternCheck } from "../../src/plugin_host/patterns.ts";
import type { Plugin } from "../../src/plugin_host/plugin.ts";

const TRACKER = `{
  "manifest": 1,
  "name": "tracker",
  "version": "1.0.0",
  "description": "Issues of our tracker",
  "permissions": { "net": ["tracker.example.com"], "env": ["TRACKER_TOKEN"] },
  "tools": [
    {
      "name": "tracker_search",
      "description": "Search issues",
      "effects": ["net"],
      "parameters": {
        "type": "object",
        "properties": { "query": { "type": "string" } },
        "required": ["query"]
      },
      "module": "./search.ts"
    },
    {
      "name": "tracker_report", "description": "Weekly report", "effects": ["read"],
      "parameters": { "type": "object", "properties": {} },
      "command": "python3", "args": ["report.py"], "timeout": 120
    }
  ]
}`;

async function read(text: string): Promise<Plugin> {
  const reading = await readManifest(text, { folder: "/plugins/tracker" });
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.plugin;
}

Deno.test("a manifest is read with its defaults", async () => {
  const { tools, permissions } = await read(TRACKER);
  assert.deepEqual(permissions.env, ["TRACKER_TOKEN"]);
  assert.deepEqual(tools.map(({ program }) => program), [
    { kind: "module", module: "./search.ts" },
    { kind: "command", command: "python3", args: ["report.py"] },
  ]);
  assert.deepEqual(tools.map(({ timeout }) => timeout), [60, 120]);
  assert.equal(tools[0]?.parameters.additionalProperties, false);
});

Deno.test("a tool without effects counts as one that runs a program", async () => {
  const effectsOf = async (effects: string) =>
    (await read(TRACKER.replace('      "effects": ["net"],\n', effects))).tools[0]?.effects;
  assert.deepEqual(await effectsOf(""), ["exec"]);
  assert.deepEqual(await effectsOf('"effects": [],'), ["exec"]);
  assert.deepEqual(await effectsOf('"effects": ["read"],'), ["read"]);
});

const FAULTS: readonly [from: string, to: string, line: number, says: RegExp][] = [
  ['"net": [', '"nett": [', 6, /permissions\.nett: there is no such key/],
  ['["net"]', '["fly"]', 11, /effects/],
  ['"timeout": 120', '"timeout": 1200', 22, /timeout: 1200 is greater than 600/],
  ['"./search.ts"', '"../search.ts"', 17, /module: it must be a file below the plugin's folder/],
  ['"./search.ts"', '"./data/search.ts"', 17, /module: it must be a file below/],
  ['"./search.ts"', '"./Data/search.ts"', 17, /module: it must be a file below/],
  ['"./search.ts"', '"/etc/search.ts"', 17, /module: it must be a file below/],
  ['"python3"', '"../python3"', 22, /command: it must be a program, or a file of the plugin/],
  [
    '      "module": "./search.ts"\n',
    '      "timeout": 1\n',
    8,
    /has either "module" or "command"/,
  ],
  ['["query"]', '["word"]', 15, /'word' is required but is not a property/],
  ['"name": "tracker_report"', '"name": "tracker_search"', 20, /an earlier tool has this name/],
  ['"type": "string"', '"type": "strnig"', 14, /query\.type: it must be one of string, number/],
  ['"type": "string"', '"pattern": "("', 14, /query\.pattern: it is not a regular expression/],
  ['"type": "string"', '"$ref": "#/x"', 14, /query\.\$ref: it must lead to a part/],
  ['"net": [', '"read": ["${plugin}/../.."], "net": [', 6, /read\[0\]: it must not contain '\.\.'/],
  ['"net": [', '"write": ["./a\\u0000"], "net": [', 6, /write\[0\]: it must not contain control/],
  ['"net": [', '"read": ["a"], "net": [', 6, /read\[0\]: it must be "\.", "\.\/PATH"/],
  [
    '"args": ["report.py"]',
    '"args": ["a\\u0000"]',
    22,
    /args\[0\]: it must not contain the character/,
  ],
  ['"name": "tracker_report"', '"name": "Tracker_Search"', 20, /an earlier tool has this name/],
  ['"name": "tracker",', '"name": "Not a name",', 3, /name/],
  ['"version": "1.0.0",', "", 1, /version/],
  ['  "manifest": 1,\n', "", 1, /^it has no "manifest": write "manifest": 1$/],
  [
    '"manifest": 1',
    '"manifest": 2',
    2,
    /^manifest: this ally reads version 1: write "manifest": 1$/,
  ],
  ['"parameters": {', '"schema": {', 8, /it has no "parameters": write the JSON Schema/],
  [
    '"parameters": {',
    '"schema": {',
    12,
    /\.schema: there is no such key; a tool has name, .*parameters/,
  ],
  [
    '"effects": ["net"]',
    '"effects": ["net"], "requiresConfirmation": true',
    11,
    /no such key; .*effects/,
  ],
  [
    '"description": "Search issues",',
    '"description": "Search issues"',
    11,
    /not valid JSON: comma/,
  ],
];

Deno.test("what is wrong with a manifest is told with its line", async () => {
  for (const [from, to, line, says] of FAULTS) {
    const text = TRACKER.replace(from, to);
    assert.notEqual(text, TRACKER, from);
    const reading = await readManifest(text, { folder: "/p" });
    assert.equal(reading.ok, false, to);
    const problems = reading.ok ? [] : reading.problems;
    const told = problems.map((one) => `${one.line}: ${one.message}`).join("\n");
    assert.ok(problems.some((one) => one.line === line && says.test(one.message)), told);
  }
});

Deno.test("a manifest that passed is remembered and not checked again, a wrong one never is", async () => {
  const passed = new Set<string>();
  const checked = {
    has: (text: string) => passed.has(text),
    add: (text: string) => void passed.add(text),
  };
  const wrong = TRACKER.replace('"tracker_search"', '"tracker search"');
  assert.equal((await readManifest(wrong, { folder: "/p", checked })).ok, false);
  assert.deepEqual([...passed], []);
  const first = await readManifest(TRACKER, { folder: "/p", checked });
  assert.deepEqual([...passed], [TRACKER]);
  assert.deepEqual(await readManifest(TRACKER, { folder: "/p", checked }), first);
  // Only what is remembered skips the checks: this one would not pass them.
  passed.add(wrong);
  assert.equal((await readManifest(wrong, { folder: "/p", checked })).ok, true);
});

Deno.test("a pattern of a manifest is judged in bounded time, and said in words to the model", async () => {
  const properties = {
    key: { type: "string", pattern: "^(a+)+$", description: "A key" },
    list: { type: "array", items: { pattern: "^[A-Z]+-\\d+\\/x$" } },
  };
  const plugin = await read(TRACKER.replace(
    '"properties": { "query"',
    `"properties": { ${JSON.stringify(properties).slice(1, -1)}, "query"`,
  ));
  const [tool] = plugin.tools;
  const { key, list } = tool?.parameters.properties ?? {};
  assert.deepEqual(key, { type: "string", description: "A key. Matches ^(a+)+$" });
  assert.deepEqual(list?.items, { description: "Matches ^[A-Z]+-\\d+\\/x$" });
  const check = createPatternCheck(tool?.patterns ?? []);
  check({ key: "aaa", list: ["AB-12/x"] });
  assert.throws(() => check({ key: `${"a".repeat(50_000)}!` }), /Invalid 'key': it does not match/);
  assert.throws(() => check({ list: ["AB-12/x", "ab"] }), /Invalid 'list\[\]'/);
});

Deno.test("a key that is there twice is told with its line", () => {
  const text = TRACKER.replace('"version"', '"name": "other",\n  "version"');
  const [problem, ...more] = repeatedKeys(text);
  assert.deepEqual([problem?.line, problem?.message], [4, 'the key "name" is there twice']);
  assert.deepEqual([more, repeatedKeys(TRACKER)], [[], []]);
});

Deno.test("a value of none of several shapes is told once", async () => {
  const text = TRACKER.replace('"net": [', '"read": "a", "net": [');
  const reading = await readManifest(text, { folder: "/p" });
  const told = reading.ok ? [] : reading.problems.map(({ message }) => message);
  assert.deepEqual(told, ["permissions.read: it must be true or a list"]);
});

Deno.test("the published schema is the one that manifests are judged by", async () => {
  const path = new URL("../../plugins/plugin.schema.json", import.meta.url);
  assert.deepEqual(JSON.parse(await Deno.readTextFile(path)), PLUGIN_SCHEMA);
});

Deno.test("a tool whose name is taken, or is another plugin's too, gets its plugin's name", async () => {
  const tool = (name: string) => ({
    name,
    description: "x",
    effects: ["read"],
    parameters: { type: "object" },
    command: "true",
  });
  const plugin = (name: string, tools: string[]) =>
    read(
      JSON.stringify({ manifest: 1, name, version: "1", description: "x", tools: tools.map(tool) }),
    );
  const plugins = await Promise.all([
    plugin("one", ["read", "search", "alone"]),
    plugin("two", ["Search", "LineEdit"]),
    plugin("three", ["one__search"]),
  ]);
  const { entries, problems } = pluginEntries(plugins, {
    taken: ["read", "line_edit"],
    context: { roots: () => ["/"], home: "" },
    host: () => Promise.reject(new Error("nothing is loaded")),
  });
  assert.deepEqual(entries.map(({ definition }) => definition.name), [
    "one__read",
    "one__search",
    "alone",
    "two__Search",
    "two__LineEdit",
  ]);
  assert.match(problems.join(), /one__search of the plugin three is left out/);
});

Deno.test("a broken plugin is told of and left out, and the rest are loaded", async () => {
  const root = await Deno.makeTempDir();
  try {
    const write = async (name: string, text: string | undefined) => {
      await Deno.mkdir(join(root, name), { recursive: true });
      if (text !== undefined) await Deno.writeTextFile(join(root, name, "plugin.json"), text);
    };
    await write("a-good", TRACKER);
    await write("b-broken", TRACKER.replace('"./search.ts"', "7"));
    await write("c-empty", undefined);
    await write("d-twin", TRACKER);
    await write("e-torn", TRACKER.slice(0, 96));
    await Deno.mkdir(join(root, "f-folder", "plugin.json"), { recursive: true });
    await Deno.mkdir(join(root, "g-link"));
    await Deno.symlink("../a-good/plugin.json", join(root, "g-link", "plugin.json"));
    await write(".staged", TRACKER);
    const { plugins, problems } = await loadPlugins({ installed: root, development: [] });
    assert.deepEqual(plugins.map(({ name }) => name), ["tracker"]);
    const told = problems.map((one) => one.slice(one.lastIndexOf("/") + 1));
    assert.equal(told.length, 6);
    assert.match(
      told[0] ?? "",
      /^b-broken is left out: plugin\.json line 17 column 17: tools\[0\]/,
    );
    assert.match(told[1] ?? "", /^c-empty is left out: it has no plugin\.json/);
    assert.match(told[2] ?? "", /^d-twin is left out: another one is named 'tracker'/);
    assert.match(told[3] ?? "", /^e-torn is left out: plugin\.json line 5/);
    const development = await loadPlugins({ installed: root, development: [join(root, "d-twin")] });
    assert.equal(development.plugins[0]?.development, true);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("the hash of a folder changes with each byte, name and mode in it, and not with its own data", async () => {
  const root = await Deno.makeTempDir();
  try {
    const seen = new Set<string>();
    const next = async () => {
      const hash = await hashFolder(root);
      const known = seen.has(hash);
      seen.add(hash);
      return !known;
    };
    await Deno.writeTextFile(join(root, "a"), "1");
    assert.ok(await next());
    await Deno.writeTextFile(join(root, "a"), "2");
    assert.ok(await next());
    await Deno.rename(join(root, "a"), join(root, "b"));
    assert.ok(await next());
    await Deno.chmod(join(root, "b"), 0o755);
    assert.ok(await next());
    await Deno.mkdir(join(root, "c"));
    await Deno.rename(join(root, "b"), join(root, "c", "b"));
    assert.ok(await next());
    await Deno.mkdir(join(root, "data"));
    await Deno.writeTextFile(join(root, "data", "state"), "1");
    assert.equal(await next(), false);
    await Deno.symlink("c/b", join(root, "link"));
    await assert.rejects(hashFolder(root), /link is a link/);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
