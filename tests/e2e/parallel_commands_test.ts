/**
 * Commands of one reply that can change nothing run at once, and come to what they would come to one after the other.
 */
import assert from "node:assert/strict";
import { startInTerminal } from "../support/ally_terminal.ts";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore: !hasBubblewrap() });
}

/** One reply that runs these commands. */
function together(...inputs: (string | Record<string, unknown>)[]) {
  const calls = inputs.map((input, index) => ({
    id: `c${index}`,
    name: "bash",
    arguments: typeof input === "string" ? { command: input } : input,
  }));
  return { calls };
}

/** "c0 executing", "c0 end", in the order in which they were told. */
function stepsOf(stdout: string): string[] {
  return stdout.trim().split("\n").map((line) => JSON.parse(line)).flatMap((event) =>
    event.type === "tool_end"
      ? [`${event.call_id} end`]
      : event.type === "tool_state" && event.state === "executing"
      ? [`${event.call_id} executing`]
      : []
  );
}

test("three commands that only read run at once, and their results keep their order", async () => {
  const reply = together("sleep 0.6; echo one", "echo two", "sleep 0.2; echo three");
  await using at = await guarded([reply]);
  const done = await at.run(["--output-format", "stream-json"]);
  assert.equal(done.code, 0, done.stderr);
  assert.deepEqual(at.results(), ["one\n", "two\n", "three\n"]);
  const steps = stepsOf(done.stdout);
  assert.deepEqual(steps.slice(0, 3), ["c0 executing", "c1 executing", "c2 executing"]);
  assert.deepEqual(steps.slice(3), ["c0 end", "c1 end", "c2 end"]);
});

Deno.test("without a sandbox commands that are known to read run at once", async () => {
  await using at = await guarded([together("ls", "wc -c a.txt", "touch b.txt", "pwd")], {
    files: { "a.txt": "one\n" },
  });
  const done = await at.run(["--no-sandbox", "-A", "--output-format", "stream-json"]);
  assert.deepEqual(stepsOf(done.stdout), [
    ...["c0 executing", "c1 executing", "c0 end", "c1 end"],
    ...["c2 executing", "c2 end", "c3 executing", "c3 end"],
  ]);
});

test("max_parallel limits how many run at once", async () => {
  await using at = await guarded([together("sleep 0.3; echo one", "echo two", "echo three")]);
  const env = { ALLY_MAX_PARALLEL: "1" };
  const done = await at.run(["--output-format", "stream-json"], { env });
  const steps = stepsOf(done.stdout);
  assert.deepEqual(steps, ["c0", "c1", "c2"].flatMap((id) => [`${id} executing`, `${id} end`]));
});

test("what may change files, or stays behind, runs alone", async () => {
  const reply = together(
    "echo a",
    "echo b > b.txt",
    "sort b.txt",
    { command: "sleep 5", run_in_background: true },
    "echo c",
  );
  await using at = await guarded([reply]);
  const done = await at.run(["--output-format", "stream-json", "--allow-run"]);
  assert.equal(done.code, 0, done.stdout);
  assert.equal(at.results()[2], "b\n");
  const ids = ["c0", "c1", "c2", "c3", "c4"];
  const alone = ids.flatMap((id) => [`${id} executing`, `${id} end`]);
  assert.deepEqual(stepsOf(done.stdout), alone);
});

test("a command that is given a power runs alone, and what began beside it runs again", async () => {
  const files = { "gen.sh": "sleep 0.3; echo new > made.txt\n", "made.txt": "old\n" };
  await using at = await guarded([together("bash gen.sh", "sort made.txt", "wc -l gen.sh")], {
    files,
  });
  await using session = startInTerminal(at.place);
  await session.shows(/^›/m);
  await session.keys("go", "Enter");
  await session.shows(/give it that,\s+and run it\s+again\?[^]*❯ Deny/);
  await session.keys("a");
  await session.shows(/ally lives/);
  const [generated, read] = at.results();
  assert.match(generated!, /^\[It ran twice/);
  assert.equal(read, "new\n");
  await session.keys("/undo", "Enter");
  await session.shows(/restored made\.txt/);
  assert.equal(await at.place.read("made.txt"), "old\n");
});
