/**
 * The demo, which takes its time to be read: with each answer of a person, recorded and run again, and beside the
 * user's own sessions. `tests/e2e/demo_test.ts` runs it once.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startInTerminal, startInTmux } from "../support/ally_terminal.ts";
import { makePlace, type Place, runAlly } from "../support/program.ts";
import { programsOnly, sandboxFlags } from "../support/sandbox.ts";
import { hasTmux } from "../support/tmux.ts";

const PROMPT_BYTE = "Answer briefly, in Markdown";

/** The demo's scratch project in a place. */
async function scratch(place: Place): Promise<string> {
  for await (const entry of Deno.readDir(place.dir)) {
    if (entry.name.startsWith("ally-demo-")) return join(place.dir, entry.name, "slug");
  }
  throw new Error("there is no scratch project");
}

Deno.test({
  name: "the demo, answered Allow each time, fixes the scratch project",
  ignore: !hasTmux(),
  fn: answerAllow,
});

async function answerAllow(): Promise<void> {
  await using place = await makePlace();
  await using session = await startInTmux(place, { args: ["demo"] });
  let screen = await session.shows(/❯ Deny \(d, \d\)/);
  while (!screen.includes("left 0")) {
    await session.keys("a");
    await session.shows((screen) => !screen.includes("❯ Deny"));
    screen = await session.shows(/❯ Deny \(d, \d\)|left 0/);
  }
  assert.match(screen, /FAILED: Hello World: got 'hello_world'/);
  assert.match(screen, /\+ {5}tr -s ' ' '-'/);
  assert.match(screen, /All three tests pass now/);
  assert.match(await Deno.readTextFile(join(await scratch(place), "slug.sh")), /tr -s ' ' '-'/);
}

Deno.test("the demo, answered Deny, stops and changes nothing", async () => {
  await using place = await makePlace();
  await using session = startInTerminal(place, { args: ["demo"] });
  await session.shows(/❯ Deny \(d, \d\)/);
  await session.keys("Enter");
  const screen = await session.shows(/left 0/);
  assert.match(screen, /Stopped: a call was denied/);
  assert.match(await Deno.readTextFile(join(await scratch(place), "slug.sh")), /tr ' ' '_'/);
});

Deno.test("the demo, answered Always, asks about the tests again once what they source is changed", async () => {
  await using place = await makePlace();
  // Without a sandbox, which would run the command unasked.
  const PATH = await programsOnly(place, ["bash", "git", "sh", "tr"]);
  await using session = startInTerminal(place, { args: ["demo"], env: { PATH } });
  await session.shows(/Always allow run=sh test\.sh in this project \(w, 2\)[^]*❯ Deny/);
  await session.keys("w");
  await session.shows(/edit slug\.sh[^]*❯ Deny/);
  await session.keys("a");
  await session.shows(
    /Allowed edit slug\.sh[^]*Always allow run=sh test\.sh in this project[^]*❯ Deny/,
  );
  await session.keys("w");
  const screen = await session.shows(/left 0/);
  assert.match(screen, /All three tests pass now/);
});

Deno.test("the demo, told what to do instead, passes the words to the model", async () => {
  await using place = await makePlace();
  await using session = startInTerminal(place, { args: ["demo"] });
  await session.shows(/❯ Deny \(d, \d\)/);
  await session.keys("i");
  await session.shows(/›\nEsc goes back to the answers$/);
  await session.keys("-l", "only explain it");
  await session.keys("Enter");
  const screen = await session.shows(/left 0/);
  assert.match(screen, /You would rather have: only explain it/);
});

Deno.test("the demo, recorded, runs again offline, and fails when one byte of the prompt changes", async () => {
  await using place = await makePlace();
  const env = { TMPDIR: place.dir };
  const recorded = await runAlly(place, { args: ["demo", "--record", "demo.jsonl"], env });
  assert.equal(recorded.code, 0, recorded.stderr);
  const { mode } = await Deno.stat(join(place.dir, "demo.jsonl"));
  assert.equal((mode ?? 0) & 0o777, 0o600);
  const same = await runAlly(place, { args: ["replay", ...sandboxFlags(), "demo.jsonl"] });
  assert.equal(same.code, 0, same.stdout);
  assert.equal(same.stdout, "As recorded: 5 requests in 1 turn.\n");

  const text = await place.read("demo.jsonl");
  assert.ok(text.includes(PROMPT_BYTE));
  await place.write("demo.jsonl", text.replace(PROMPT_BYTE, "Answer briefly; in Markdown"));
  const other = await runAlly(place, { args: ["replay", ...sandboxFlags(), "demo.jsonl"] });
  assert.equal(other.code, 1);
  for (
    const shown of [
      /^Turn 1, request 1 is not as recorded \(.*demo\.jsonl, line 4\):$/m,
      /^ {2}message 1 \(system\):$/m,
      /^ {4}recorded: .*Answer briefly; in Markdown/m,
      /^ {4}now: .*Answer briefly, in Markdown/m,
      /ally replay --update demo\.jsonl/,
    ]
  ) assert.match(other.stdout, shown);
  const json = await runAlly(place, {
    args: ["replay", ...sandboxFlags(), "--json", "demo.jsonl"],
  });
  assert.equal(json.code, 1);
  const { same: isSame, difference } = JSON.parse(json.stdout);
  assert.equal(isSame, false);
  assert.deepEqual([difference.turn, difference.request, difference.line], [1, 1, 4]);
  assert.equal(difference.parts[0].where, "message 1 (system)");

  const update = await runAlly(place, {
    args: ["replay", ...sandboxFlags(), "--update", "demo.jsonl"],
  });
  assert.equal(update.code, 0, update.stdout);
  const again = await runAlly(place, { args: ["replay", ...sandboxFlags(), "demo.jsonl"] });
  assert.equal(again.code, 0, again.stdout);
});

Deno.test("the demo touches neither the user's sessions nor their settings", async () => {
  await using place = await makePlace({ endpoint: "http://127.0.0.1:1/v1" });
  const done = await runAlly(place, { args: ["demo"], env: { TMPDIR: place.dir } });
  assert.equal(done.code, 0);
  await assert.rejects(Deno.stat(place.home), Deno.errors.NotFound);
});
