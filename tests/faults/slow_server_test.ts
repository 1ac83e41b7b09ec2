/** Servers that take long, through the real program: what is told while nothing comes. */
import assert from "node:assert/strict";
import { runAlly, stage } from "../support/program.ts";

Deno.test("a slow first token is told on standard error after 15 and 45 seconds", async () => {
  await using at = await stage([{ stall: true }]);
  await Deno.mkdir(at.place.home);
  await Deno.writeTextFile(`${at.place.home}/config.json`, '{"request_timeout":47}');
  const done = await runAlly(at.place, { args: ["-p", "x"] });
  assert.equal(done.code, 75);
  assert.match(done.stderr, /waiting 15 s for the model's first words\n/);
  assert.match(done.stderr, /waiting 45 s for the model's first words\n/);
});

Deno.test("a stall within a reply is told, then the reply is asked for again", async () => {
  await using at = await stage([{ text: "Hel", hang: true }, { text: "Hello" }]);
  await Deno.mkdir(at.place.home);
  await Deno.writeTextFile(`${at.place.home}/config.json`, '{"idle_timeout":17}');
  const done = await runAlly(at.place, { args: ["-p", "x"] });
  assert.equal(done.code, 0);
  assert.equal(done.stdout, "Hello\n");
  assert.match(done.stderr, /waiting 15 s for more of the reply\n/);
  assert.match(done.stderr, /nothing arrived for 17 seconds; asking again/);
});
