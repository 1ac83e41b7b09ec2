/**
 * A plugin from its first command to a call of its tool, with its own tests, which run in processes of their own.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { has } from "../support/faults.ts";
import { makePlace, type Place, runAlly, stage } from "../support/program.ts";
import { putFile } from "../support/tool_context.ts";

const plugin = (place: Place, args: readonly string[]) =>
  runAlly(place, { args: ["plugin", ...args] });

/** A test that needs Python is skipped where there is none. */
function testWithPython(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !has("python3", "--version"), fn });
}

Deno.test("a new plugin is in order, its test passes, and its tool answers a call", async () => {
  const call = { calls: [{ name: "my_words_count", arguments: { text: "one two\nthree" } }] };
  await using at = await stage([call, { text: "Three." }]);
  const made = await plugin(at.place, ["new", "my-words"]);
  assert.equal(made.code, 0, made.stderr);
  const folder = join(at.place.home, "plugins", "my-words");
  assert.match(made.stdout, /^ {2}ally plugin test my-words$/m);
  const tested = await plugin(at.place, ["test", "my-words"]);
  assert.equal(tested.code, 0, tested.stdout + tested.stderr);
  assert.match(tested.stdout, /2 passed/);
  const byName = await plugin(at.place, ["check", "my-words"]);
  assert.match(byName.stdout, /^my-words 0\.1\.0 is in order/);
  const checked = await plugin(at.place, ["check", folder]);
  assert.deepEqual([checked.code, checked.stdout], [0, "my-words 0.1.0 is in order: 1 tool.\n"]);
  const done = await runAlly(at.place, { args: ["-p", "--allow-plugin=my-words", "count"] });
  assert.equal(done.code, 0, done.stderr);
  const { messages } = at.server.requests.at(-1)!.body as { messages: { content: string }[] };
  assert.match(messages.at(-1)!.content, /"words":\s*3/);
  const audit = JSON.parse((await plugin(at.place, ["audit", "my-words", "--json"])).stdout);
  assert.match(audit.plugins[0].used, /^\d{4}-/);
  assert.equal(audit.plugins[0].consent, "not allowed");
});

testWithPython("a new plugin in Python, in a folder of one's own, does the same", async () => {
  const call = { calls: [{ name: "words_count", arguments: { text: "one two" } }] };
  await using at = await stage([call, { text: "Two." }]);
  const made = await plugin(at.place, ["new", "words", "mine", "--lang", "py"]);
  assert.equal(made.code, 0, made.stderr);
  const tested = await plugin(at.place, ["test", "mine"]);
  assert.equal(tested.code, 0, tested.stdout + tested.stderr);
  assert.match(tested.stdout, /Ran 2 tests/);
  const done = await runAlly(at.place, {
    args: ["-p", "--plugin-dir", "mine", "--allow-plugin", "words", "count"],
  });
  assert.equal(done.code, 0, done.stderr);
  const { messages } = at.server.requests.at(-1)!.body as { messages: { content: string }[] };
  assert.match(messages.at(-1)!.content, /"words":\s*2/);
});

Deno.test("a plugin's test that fails, or reaches beyond its folder, ends ally plugin test with 1", async () => {
  await using place = await makePlace({ files: { "secret.txt": "secret" } });
  const folder = join(place.dir, "mine");
  await putFile(
    join(folder, "some_test.ts"),
    `
      Deno.test("fails", () => { throw new Error("broken"); });
      Deno.test("reaches", () => { Deno.readTextFileSync("../secret.txt"); });
    `,
  );
  const { code, stdout } = await plugin(place, ["test", "mine"]);
  assert.equal(code, 1, stdout);
  for (const says of [/broken/, /NotCapable/, /0 passed \| 2 failed/]) assert.match(stdout, says);
  await Deno.remove(join(folder, "some_test.ts"));
  const none = await plugin(place, ["test", "mine"]);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /There is no test in .*mine/);
});
