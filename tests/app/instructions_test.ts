import assert from "node:assert/strict";
import { runAllyProcess, stage } from "../support/program.ts";

Deno.test("the model is told the day where the person is", async () => {
  await using at = await stage([{ text: "East." }, { text: "West." }]);
  // 26 hours apart: it is never the same day in both.
  for (const TZ of ["Pacific/Kiritimati", "Etc/GMT+12"]) {
    await runAllyProcess(at.place, { args: ["-p", "hi"], env: { TZ } });
  }
  const days = at.server.requests.map(({ text }) => /Date: (\d{4}-\d\d-\d\d)\./.exec(text)?.[1]);
  assert.equal(new Set(days).size, 2, days.join());
});
