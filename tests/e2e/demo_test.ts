import assert from "node:assert/strict";
import { join } from "node:path";
import { makePlace, runAlly } from "../support/program.ts";

Deno.test("without a terminal the demo answers for itself, shows all, and says how to go on", async () => {
  await using place = await makePlace();
  const done = await runAlly(place, { args: ["demo"], env: { TMPDIR: place.dir } });
  assert.equal(done.code, 0);
  for (
    const shown of [
      "edit? Allow (there is no terminal",
      "FAILED: Hello World: got 'hello_world', wanted 'hello-world'",
      "+     tr -s ' ' '-'",
      "All three tests pass now",
      " task install ",
      "ally --endpoint http://localhost:11434/v1 --model NAME",
    ]
  ) assert.ok(done.stdout.includes(shown), shown);
  assert.ok(!done.stdout.includes("\x1b"));
  const project = /The scratch project is in (.+)/.exec(done.stdout)?.[1] ?? "";
  const script = await Deno.readTextFile(join(project, "slug.sh"));
  assert.match(script, /tr -s ' ' '-'/);
});
