/**
 * A command that ran closed and failed for want of a power: ally asks for that power and runs the command again, or
 * tells the model what was denied.
 */
import assert from "node:assert/strict";
import { startInTerminal } from "../support/ally_terminal.ts";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore: !hasBubblewrap() });
}

const FILES = {
  "gen.sh": "echo started; echo made > made.txt\n",
  "own.sh": "echo 'Error: EPERM: operation not permitted'; exit 1\n",
  "reach.sh": "exec 3<>/dev/tcp/192.0.2.1/9 2>&1\n",
};

const stateOf = (stdout: string) =>
  stdout.split("\n").filter((line) => /"type":"(tool_state|permission)"/.test(line))
    .map((line) => JSON.parse(line) as Record<string, string>)
    .map((event) => event.type === "permission" ? `${event.class} ${event.decision}` : event.state);

test("headless it is denied, told to the model, and counted", async () => {
  await using at = await guarded(["bash gen.sh", "bash own.sh"], { files: FILES });
  const done = await at.run(["--output-format", "stream-json"]);
  assert.equal(done.code, 3);
  const [lacking, own] = at.results().map((text) => JSON.parse(text));
  assert.match(lacking.suggestion, /needs to change files of the workspace; allow it with/);
  assert.equal(own.sandbox, undefined);
  assert.equal(own.suggestion, undefined);
  assert.deepEqual(stateOf(done.stdout), [
    ...["validating", "scheduled", "executing", "sensitive deny", "error"],
    ...["validating", "scheduled", "executing", "error"],
  ]);
  assert.equal(JSON.parse(done.stdout.trim().split("\n").at(-1)!).denied, 1);
  await assert.rejects(at.place.read("made.txt"));
});

test("what a rule allows is not closed", async () => {
  await using at = await guarded(["bash gen.sh"], { files: FILES });
  const done = await at.run(["--allow-run=bash"]);
  assert.equal(done.code, 0, done.stderr);
  assert.equal(at.results()[0], "started\n");
});

test("no flag for commands gives them the network when they ask for it", async () => {
  await using at = await guarded(["bash reach.sh"], { files: FILES });
  const done = await at.run(["--allow-run"]);
  assert.equal(done.code, 3);
  assert.match(at.results()[0]!, /allow the network with --allow-net/);
});

test("a person gives the power, and the command runs again; /undo takes back what it did", async () => {
  await using at = await guarded(["bash gen.sh"], { files: FILES });
  await using session = startInTerminal(at.place);
  await session.shows(/^›/m);
  await session.keys("go", "Enter");
  await session.shows(
    /needs to change files of the workspace; give it that,\s+and run it\s+again\?[^]*❯ Deny/,
  );
  await assert.rejects(at.place.read("made.txt"));
  await session.keys("a");
  await session.shows(/ally lives/);
  assert.equal(await at.place.read("made.txt"), "made\n");
  assert.match(at.results()[0]!, /^\[It ran twice: the first run failed[^\n]*\]\nstarted\n/);
  await session.keys("/undo", "Enter");
  await session.shows(/This deletes made\.txt\. Go on\?[^]*❯ No/);
  await session.keys("y");
  await session.shows(/removed made\.txt/);
});

test("a person who denies it ends nothing else; the model is told", async () => {
  await using at = await guarded(["bash gen.sh", "ls"], { files: FILES });
  await using session = startInTerminal(at.place);
  await session.shows(/^›/m);
  await session.keys("go", "Enter");
  await session.shows(/run it\s+again\?[^]*❯ Deny/);
  await session.keys("d");
  await session.shows(/ally lives/);
  const record = JSON.parse(at.results()[0]!);
  assert.match(record.suggestion, /The user did not give it that\./);
  assert.match(at.results()[1]!, /gen\.sh/);
});

test("Always gives it the power at once the next time, until its script changes", async () => {
  await using at = await guarded(["bash gen.sh", "rm made.txt", "bash gen.sh"], { files: FILES });
  await using session = startInTerminal(at.place, { args: ["--allow-run=rm"] });
  await session.shows(/^›/m);
  await session.keys("go", "Enter");
  await session.shows(/run it\s+again\?[^]*❯ Deny/);
  await session.keys("w");
  await session.shows(/ally lives/);
  assert.equal(at.results()[2], "started\n");
  assert.equal(await at.place.read("made.txt"), "made\n");
});
