import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Workspace } from "../../src/workspace/workspace.ts";
import { figure } from "../support/faults.ts";
import { randomNumbers, TEST_SEED } from "../support/random.ts";
import { makeToolContext, type TestContext } from "../support/tool_context.ts";
import { describeTree } from "../support/tree.ts";

const KILLS = figure({ small: 30, full: 200 });
const PROGRAM = fileURLToPath(new URL("../support/save_loop.ts", import.meta.url));

/** Lets the loop run for a while and kills it. */
async function killAfter(ms: number, test: TestContext): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", PROGRAM, test.cwd, test.patchDir],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "ready\n");
  await delay(ms);
  child.kill("SIGKILL");
  await child.status;
  await reader.cancel();
}

/** The one generation that all files are of; "" if there are none. */
async function generation(test: TestContext): Promise<string> {
  const found = new Set<string>();
  let files = 0;
  for (const line of await describeTree(test.cwd)) {
    assert.doesNotMatch(line, /\.tmp /, "no temporary file stays");
    const name = line.split(" ")[0] ?? "";
    if (name.endsWith("/")) continue;
    files++;
    found.add(await Deno.readTextFile(join(test.cwd, name)));
  }
  assert.ok(files === 0 || files === 10, `${files} of 10 files are there`);
  assert.ok(found.size <= 1, `files are of generations ${[...found]}`);
  return [...found][0] ?? "";
}

Deno.test(`after ${KILLS} times kill -9 in edits of ten files every file is wholly old or wholly new, and undo still works (seed ${TEST_SEED})`, async () => {
  await using test = await makeToolContext();
  const random = randomNumbers(TEST_SEED);
  for (let kill = 0; kill < KILLS; kill++) {
    await killAfter(random() * 60, test);
    const workspace = new Workspace({ cwd: test.cwd, patchDir: test.patchDir });
    const problems = (await workspace.recover()).filter(({ problem }) => problem !== undefined);
    assert.deepEqual(problems, []);
    const now = await generation(test);
    const left = await Array.fromAsync(Deno.readDir(test.patchDir), ({ name }) => name)
      .catch(() => []);
    assert.deepEqual(left.filter((name) => /pending|ing\.json$/.test(name)), []);
    if (now === "") continue;
    assert.equal((await workspace.listPatches()).length, Number(now), "a patch a generation");
    await workspace.undo();
    assert.equal(await generation(test), now === "1" ? "" : `${Number(now) - 1}`);
    await workspace.redo();
    assert.equal(await generation(test), now);
  }
});
