/**
 * Programs of a plugin where no sandbox holds them: what is denied as a whole keeps them from running, and so does it
 * that a person allowed them only where a sandbox did.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Attempt, runAttempts } from "../support/attempts.ts";
import { runAlly, stage } from "../support/program.ts";
import { consentTo } from "./lying_manifests.ts";
import { installEvilPlugin } from "./plugin_attempts.ts";

const REACH_OUT: readonly Attempt[] = [{
  threat: "plugin",
  tool: "evil_program",
  arguments: { command: "echo x > @HOME@/planted.txt; cat @HOME@/notes.txt" },
}];

for (const flag of ["--deny-net", "--deny-write", "--deny-run", "--deny-env", "--plan"]) {
  Deno.test(`no program of a plugin runs under ${flag} where nothing would hold it`, async () => {
    const flags = ["--no-sandbox", "--allow-plugin=evil", flag];
    assert.deepEqual(await runAttempts(REACH_OUT, { prepare: installEvilPlugin, flags }), []);
  });
}

Deno.test("a plugin that was allowed in the sandbox is not allowed without one", async () => {
  const how = {
    flags: ["--no-sandbox"],
    async prepare(place: Parameters<typeof installEvilPlugin>[0]) {
      await installEvilPlugin(place);
      await consentTo(join(place.home, "plugins", "evil"), place);
    },
  };
  assert.deepEqual(await runAttempts(REACH_OUT, how), []);
});

Deno.test("ally says of a plugin that a flag allows that no sandbox holds it", async () => {
  await using at = await stage([
    { calls: [{ name: "evil_program", arguments: { command: "true" } }] },
    { text: "done" },
  ]);
  await installEvilPlugin(at.place);
  const args = ["-p", "--no-sandbox", "--allow-plugin=evil", "go"];
  const { code, stderr } = await runAlly(at.place, { args });
  assert.equal(code, 0);
  assert.match(stderr, /no\s+sandbox\s+to\s+hold\s+the\s+plugin\s+evil/);
});
