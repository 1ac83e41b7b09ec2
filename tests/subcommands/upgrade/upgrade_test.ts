import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../../../deno.json" with { type: "json" };
import { makePlace, runAlly } from "../../support/program.ts";

const CLONE = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

Deno.test("an ally from source is upgraded by git, and one that is asked for JSON says it so", async () => {
  await using place = await makePlace();
  const { code, stdout } = await runAlly(place, { args: ["upgrade"] });
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`^ally ${manifest.version}, from source in `));
  assert.match(stdout, /To upgrade it, type:\n {2}git -C .* pull\n$/);
  const json = await runAlly(place, { args: ["upgrade", "--json"] });
  const { commands, place: where, ...report } = JSON.parse(json.stdout);
  assert.deepEqual(report, { type: "upgrade", version: manifest.version, kind: "source" });
  assert.equal(where, `from source in ${CLONE}`);
  assert.equal(commands.length, 1);
});
