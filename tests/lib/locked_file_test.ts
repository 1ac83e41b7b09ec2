/** Whatever several processes keep in one file: who writes at the same time loses nothing of the others. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { updateLocked } from "../../src/lib/locked_file.ts";
import { editServer } from "../../src/mcp/config_file.ts";
import { changeConfig } from "../../src/store/config_edit.ts";
import { ModelProfiles } from "../../src/store/model_profiles.ts";
import { TrustStore } from "../../src/store/trust.ts";

const NAMES = Array.from({ length: 12 }, (_, index) => `n${index}`);

async function withDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "ally-test-" });
  try {
    await run(join(directory, "home"));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("decisions about many projects at once are all kept", () =>
  withDirectory(async (home) => {
    const path = join(home, "trust.json");
    const files = [{ path: "ALLY.md", text: "a", hash: "1" }];
    await Promise.all(
      NAMES.map((name) => new TrustStore({ path }).remember(name, { trusted: true, files })),
    );
    for (const name of NAMES) assert.equal((await new TrustStore({ path }).read(name)).size, 1);
  }));

Deno.test("settings that are changed at once are all changed", () =>
  withDirectory(async (home) => {
    const path = join(home, "config.json");
    const changes = { max_turns: 7, retries: 1, model: "m", stream: false, max_parallel: 2 };
    await Promise.all(
      Object.entries(changes).map(([key, value]) => changeConfig(path, { [key]: value })),
    );
    assert.deepEqual(JSON.parse(await Deno.readTextFile(path)), changes);
  }));

Deno.test("what is found out about models at once is all kept", () =>
  withDirectory(async (home) => {
    const path = join(home, "models.json");
    const key = (model: string) => ({ endpoint: "http://here", model });
    await Promise.all(
      NAMES.map((name) => new ModelProfiles(path).update(key(name), { streaming: true })),
    );
    for (const name of NAMES) {
      assert.equal(new ModelProfiles(path).find(key(name))?.streaming, true, name);
    }
  }));

Deno.test("servers that are added at once are all there", () =>
  withDirectory(async (home) => {
    const path = join(home, "mcp.json");
    await Promise.all(NAMES.map((name) => editServer(path, { name, value: { command: name } })));
    const { mcpServers } = JSON.parse(await Deno.readTextFile(path));
    assert.deepEqual(Object.keys(mcpServers).sort(), [...NAMES].sort());
  }));

Deno.test("a change that comes to nothing writes nothing; one that fails leaves the file as it was", () =>
  withDirectory(async (home) => {
    const path = join(home, "a.json");
    await updateLocked(path, () => Promise.resolve(undefined));
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
    await updateLocked(path, () => Promise.resolve("1"));
    await assert.rejects(updateLocked(path, () => Promise.reject(new Error("no"))), /^Error: no$/);
    assert.equal(await Deno.readTextFile(path), "1");
    assert.deepEqual(await Array.fromAsync(Deno.readDir(home), ({ name }) => name), ["a.json"]);
  }));
