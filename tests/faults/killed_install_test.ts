import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { figure } from "../support/faults.ts";
import { makePlace, runAlly, spawnAlly } from "../support/program.ts";
import { randomNumbers, TEST_SEED } from "../support/random.ts";

/** Milliseconds in which an install is over. */
const LONGEST = 600;

const manifest = (version: number) =>
  JSON.stringify({
    manifest: 1,
    name: "big",
    version: String(version),
    description: "Many files",
    tools: [{
      name: "big_tool",
      description: "d",
      effects: ["read"],
      parameters: { type: "object", properties: {} },
      module: "./a.ts",
    }],
  });

Deno.test(`an install that is killed leaves the old plugin or the new one, whole (seed ${TEST_SEED})`, async () => {
  await using place = await makePlace();
  const source = join(place.dir, "src");
  await Deno.mkdir(source);
  await Deno.writeTextFile(join(source, "a.ts"), "export default () => 1;\n");
  const lay = async (version: number) => {
    await Deno.writeTextFile(join(source, "plugin.json"), manifest(version));
    for (let index = 0; index < 100; index++) {
      await Deno.writeTextFile(join(source, `f${index}`), String(version));
    }
  };
  const install = ["plugin", "install", "src", "--yes"];
  await lay(0);
  assert.equal((await runAlly(place, { args: install })).code, 0);
  const random = randomNumbers(TEST_SEED);
  let before = 0;
  const rounds = figure({ small: 8, full: 60 });
  for (let round = 1; round <= rounds; round++) {
    await lay(round);
    const child = spawnAlly(place, { args: install });
    const output = child.output();
    await delay(random() * LONGEST);
    try {
      child.kill("SIGKILL");
    } catch {
      // It was done already.
    }
    await output;
    const listed = await runAlly(place, { args: ["plugin", "list", "--json"] });
    const { plugins: [plugin] } = JSON.parse(listed.stdout);
    assert.ok([String(before), String(round)].includes(plugin.version), listed.stdout);
    before = Number(plugin.version);
    const folder = join(place.home, "plugins", "big");
    for (let index = 0; index < 100; index++) {
      assert.equal(await Deno.readTextFile(join(folder, `f${index}`)), plugin.version);
    }
  }
  assert.equal((await runAlly(place, { args: install })).code, 0);
  const names = await Array.fromAsync(Deno.readDir(join(place.home, "plugins")), (one) => one.name);
  assert.deepEqual(names.filter((name) => !name.startsWith(".staged-")), ["big"]);
});
