import assert from "node:assert/strict";
import { join } from "node:path";
import { startInTerminal } from "../support/ally_terminal.ts";
import { archiveOf, startNpmRegistry } from "../support/npm_registry.ts";
import { makePlace, type Place, runAlly, type RunOptions } from "../support/program.ts";

const plugin = (place: Place, args: readonly string[], options: RunOptions = {}) =>
  runAlly(place, { args: ["plugin", ...args], ...options });

const MANIFEST = JSON.stringify({
  manifest: 1,
  name: "tracker",
  version: "1.0.0",
  description: "Issues of our tracker",
  permissions: { net: ["tracker.example.com"], env: ["TRACKER_TOKEN"] },
  tools: [{
    name: "tracker_search",
    description: "Search issues",
    effects: ["net"],
    parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    module: "./search.ts",
  }],
});
const FILES = { "plugin.json": MANIFEST, "search.ts": "export default () => 'found';\n" };
const NEXT = MANIFEST.replace("1.0.0", "1.1.0").replace('"env"', '"read":["."],"env"');

async function lay(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(folder, name), text);
  }
}

Deno.test("a plugin begun where something lies already, or under an odd name, is not begun", async () => {
  await using place = await makePlace({ files: { "mine": "" } });
  assert.match((await plugin(place, ["new", "x", "."])).stderr, /not empty: it holds mine/);
  assert.match((await plugin(place, ["new", "x", "mine"])).stderr, /Cannot make /);
  for (const name of ["../x", "X y", ".x"]) {
    const refused = await plugin(place, ["new", name]);
    assert.deepEqual([refused.code, refused.stdout], [2, ""], name);
  }
});

Deno.test("what a plugin may do is shown before it is installed, and nobody to ask means no", async () => {
  await using place = await makePlace();
  await lay(join(place.dir, "src"), FILES);
  const refused = await plugin(place, ["install", "src"]);
  assert.equal(refused.code, 2);
  assert.match(refused.stdout, /may reach tracker\.example\.com\n/);
  assert.match(refused.stdout, /may read the environment variable TRACKER_TOKEN\n/);
  assert.match(refused.stdout, /may not change files, read your files or start other programs/);
  assert.match(refused.stderr, /--yes/);
  assert.deepEqual(JSON.parse((await plugin(place, ["list", "--json"])).stdout), { plugins: [] });
});

Deno.test("a folder, an archive and a package of npm are installed alike, and replace each other", async () => {
  await using registry = await startNpmRegistry([
    { name: "@team/tracker", version: "3.1.4", files: { ...FILES, "plugin.json": NEXT } },
  ]);
  await using place = await makePlace();
  await lay(join(place.dir, "src"), FILES);
  await Deno.writeFile(join(place.dir, "t.tgz"), await archiveOf(FILES));
  const install = (source: string) =>
    plugin(place, ["install", source, "--yes"], { env: { npm_config_registry: registry.url } });
  const first = await install("src");
  assert.match(first.stdout, /Installed tracker 1\.0\.0/, first.stderr);
  assert.match((await install("t.tgz")).stdout, /is already installed and unchanged/);
  const third = await install("npm:@team/tracker@latest");
  assert.match(third.stdout, /now: may read the files of the working directory/, third.stderr);
  assert.match(third.stdout, /version 1\.0\.0 to 1\.1\.0/);
  const [listed] = JSON.parse((await plugin(place, ["list", "--json"])).stdout).plugins;
  assert.deepEqual([listed.version, listed.tools], ["1.1.0", ["tracker_search"]]);
  const audit = await plugin(place, ["audit"]);
  assert.match(
    audit.stdout,
    /^ +it +may read .*\n( +follows links .*\n)? +may reach tracker\.example\.com$/m,
  );
  assert.match(audit.stdout, /from\s+npm:@team\/tracker@3\.1\.4/);
  assert.match(audit.stdout, /sha256\s+[0-9a-f]{64} \(of 2 files\)/);
  assert.equal((await plugin(place, ["remove", "tracker"])).code, 0);
  const again = await plugin(place, ["remove", "tracker"]);
  assert.deepEqual([again.code, again.stdout], [2, ""]);
  assert.match((await plugin(place, ["remove", "../../etc"])).stderr, /There is no plugin/);
});

Deno.test("a plugin that is broken, or holds a link, is not installed, and the old one stays", async () => {
  await using place = await makePlace();
  const source = join(place.dir, "src");
  await lay(source, FILES);
  assert.equal((await plugin(place, ["install", "src", "--yes"])).code, 0);
  await Deno.symlink("/etc/passwd", join(source, "link"));
  assert.match((await plugin(place, ["install", "src", "--yes"])).stderr, /link is a link/);
  await Deno.remove(join(source, "link"));
  await Deno.remove(join(source, "search.ts"));
  const missing = await plugin(place, ["install", "src", "--yes"]);
  assert.match(missing.stderr, /plugin\.json:1: tracker_search: there is no file \.\/search\.ts/);
  await lay(source, { "plugin.json": '{\n  "name": "tracker",\n  "version": 3\n}' });
  const broken = await plugin(place, ["install", "src", "--yes"]);
  assert.deepEqual([broken.code, broken.stdout], [2, ""]);
  assert.match(broken.stderr, /plugin\.json:3:\d+: version/);
  const checked = await plugin(place, ["check", "src", "--json"]);
  assert.equal(checked.code, 1);
  assert.equal(
    JSON.parse(checked.stdout).problems.some((one: { line: number }) => one.line === 3),
    true,
  );
  const [listed] = JSON.parse((await plugin(place, ["list", "--json"])).stdout).plugins;
  assert.deepEqual([listed.version, listed.usable], ["1.0.0", true]);
  assert.deepEqual(
    await Array.fromAsync(Deno.readDir(join(place.home, "plugins")), ({ name }) => name),
    [
      "tracker",
    ],
  );
});

Deno.test("check says which folder holds no plugin", async () => {
  await using place = await makePlace();
  const { code, stderr } = await plugin(place, ["check"]);
  assert.equal(code, 2);
  assert.ok(
    stderr.includes(`There is no plugin.json in ${place.dir}. Name a plugin's folder`),
    stderr,
  );
});

Deno.test("a key of the manifest that is misspelled is named wherever plugins are read, and other people's are left alone", async () => {
  await using place = await makePlace();
  await plugin(place, ["new", "tally", "src"]);
  const path = join(place.dir, "src", "plugin.json");
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, text.replace('"permissions"', '"homepage": "x", "permisions"'));
  const { code, stdout, stderr } = await plugin(place, ["check", "src"]);
  assert.equal(code, 1);
  const told =
    /^plugin\.json:\d+:\d+: permisions: there is no such key\. Did you mean permissions\?\n$/;
  assert.match(stdout + stderr, told);
  await Deno.mkdir(join(place.home, "plugins"), { recursive: true });
  await Deno.rename(join(place.dir, "src"), join(place.home, "plugins", "tally"));
  const run = await runAlly(place, { args: ["plugin", "list"] });
  assert.match(
    run.stdout + run.stderr,
    /permisions: there is no such key\. Did you mean permissions\?/,
  );
});

Deno.test("the schema of the manifest is printed as JSON", async () => {
  await using place = await makePlace();
  const { stdout } = await plugin(place, ["schema"]);
  assert.equal(JSON.parse(stdout).properties.name.type, "string");
});

Deno.test("at a terminal an install asks, and Enter alone is no", async () => {
  await using place = await makePlace();
  await lay(join(place.dir, "src"), FILES);
  await using no = startInTerminal(place, { args: ["plugin", "install", "src"] });
  await no.shows("❯ No");
  await no.keys("Enter");
  await no.shows("left 1");
  await using yes = startInTerminal(place, { args: ["plugin", "install", "src"] });
  await yes.shows("❯ No");
  await yes.keys("y");
  await yes.shows("Installed tracker 1.0.0");
});
