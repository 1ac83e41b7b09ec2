import assert from "node:assert/strict";
import { join } from "node:path";
import type { ProjectFile } from "../../src/core/project.ts";
import { TrustStore } from "../../src/store/trust.ts";

const NOTES: ProjectFile = { path: "ALLY.md", text: "a", hash: "1" };
const CONFIG: ProjectFile = { path: ".ally/config.json", text: "{}", hash: "2" };

async function place(): Promise<AsyncDisposable & { path: string; store: TrustStore }> {
  const root = await Deno.makeTempDir({ prefix: "ally-test-" });
  const path = join(root, "home", "trust.json");
  return {
    path,
    store: new TrustStore({ path }),
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

Deno.test("a decision is kept by directory and file; a later one about another file leaves it", async () => {
  await using at = await place();
  assert.equal((await at.store.read("/p")).size, 0);
  await at.store.remember("/p", { trusted: true, files: [NOTES] });
  await at.store.remember("/q", { trusted: true, files: [NOTES] });
  await at.store.remember("/p", { trusted: false, files: [CONFIG] });
  const decisions = await at.store.read("/p");
  assert.equal(decisions.get("ALLY.md")?.trusted, true);
  assert.equal(decisions.get("ALLY.md")?.text, "a");
  assert.equal(decisions.get(".ally/config.json")?.trusted, false);
  assert.deepEqual([...(await at.store.read("/q")).keys()], ["ALLY.md"]);
  assert.equal((await at.store.read("__proto__")).size, 0);
  assert.equal((await Deno.stat(at.path)).mode! & 0o777, 0o600);
  assert.equal((await Deno.stat(join(at.path, ".."))).mode! & 0o777, 0o700);
});

Deno.test("a file that is damaged, of another version or unreadable is named and never written over", async () => {
  for (const text of ["", "{", "[]", '{"version":2,"projects":{}}', '{"version":1}', "\0\0"]) {
    await using at = await place();
    await Deno.mkdir(join(at.path, ".."));
    await Deno.writeTextFile(at.path, text);
    await assert.rejects(
      at.store.read("/p"),
      /Cannot use .*trust\.json: .*Correct it, or remove it: then each project is asked/,
    );
    await assert.rejects(at.store.remember("/p", { trusted: true, files: [NOTES] }), /Cannot use/);
    assert.equal(await Deno.readTextFile(at.path), text);
  }
});

Deno.test("an entry that is not understood counts as no decision, and the others hold", async () => {
  await using at = await place();
  await at.store.remember("/p", { trusted: true, files: [NOTES, CONFIG] });
  const value = JSON.parse(await Deno.readTextFile(at.path));
  value.projects["/p"]["ALLY.md"].trusted = "yes";
  await Deno.writeTextFile(at.path, JSON.stringify(value));
  assert.deepEqual([...(await at.store.read("/p")).keys()], [".ally/config.json"]);
});
