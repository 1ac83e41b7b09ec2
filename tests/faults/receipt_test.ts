/**
 * The receipt of a run that is killed, and of one whose disk is full: what it holds is checked, and is enough to take
 * the run back.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { canMount, smallDisk } from "../support/faults.ts";
import { makePlace, runAlly, spawnAlly, stage } from "../support/program.ts";
import { verifyJson } from "../support/receipt.ts";
import { describeTree } from "../support/tree.ts";

const write = (content: string) => ({
  calls: [{ name: "write", arguments: { file_path: "b.txt", content } }],
});
const edit = {
  calls: [
    { name: "read", arguments: { file_paths: ["a.txt"] } },
    {
      name: "edit",
      arguments: { file_path: "a.txt", old_string: "one", new_string: "two" },
    },
  ],
};

Deno.test("the receipt of a run that is killed ends early, and takes the run back", async () => {
  await using at = await stage([edit, write("new\n"), { text: "so far", hang: true }], {
    "a.txt": "one\n",
  });
  const before = await describeTree(at.place.dir);
  const args = ["-p", "-A", "--receipt", "r.jsonl", "--output-format", "stream-json", "go"];
  const child = spawnAlly(at.place, { args });
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; !text.includes('"type":"text_delta"');) {
    const { value, done } = await reader.read();
    assert.ok(!done, text);
    text += value;
  }
  child.kill("SIGKILL");
  await reader.cancel();
  await child.stderr.cancel();
  assert.equal((await child.status).signal, "SIGKILL");
  assert.equal(await at.place.read("a.txt"), "two\n");

  const { code, report } = await verifyJson(at.place);
  assert.deepEqual(
    [code, report.ok, report.complete, report.broken, report.torn],
    [0, true, false, undefined, undefined],
  );
  const states = report.files.map((
    { path, state },
  ) => [path.slice(at.place.dir.length + 1), state]);
  assert.deepEqual(states, [["a.txt", "as_recorded"], ["b.txt", "as_recorded"]]);
  const { stdout } = await runAlly(at.place, { args: ["verify", "r.jsonl"] });
  assert.match(stdout, /It ends before its run did: ally was stopped/);

  const undone = await runAlly(at.place, { args: ["undo", "--receipt", "r.jsonl"] });
  assert.equal(undone.code, 0, undone.stderr);
  assert.deepEqual(await describeTree(at.place.dir, { except: ["r.jsonl"] }), before);
});

Deno.test({
  name:
    "a receipt whose disk is full is told of once, written whole once there is space, and takes the run back",
  ignore: !canMount(),
  async fn() {
    await using place = await makePlace({ files: { "a.txt": "one\n" } });
    using disk = smallDisk(join(place.dir, "small"), { kilobytes: 256 });
    const before = await describeTree(place.dir, { except: ["small"] });
    await using server = await startScriptedServer({
      replies: [
        () => {
          disk.fill();
          return edit;
        },
        write("new\n"),
        () => {
          disk.free();
          return { text: "Done." };
        },
      ],
    });
    const file = "small/r.jsonl";
    const env = { OPENAI_BASE_URL: server.url };
    const done = await runAlly(place, { args: ["-p", "-A", "--receipt", file, "go"], env });
    assert.equal(done.code, 0, done.stderr);
    assert.equal(done.stderr.match(/The receipt \S+ is not whole: /g)?.length, 1, done.stderr);
    const checked = await runAlly(place, { args: ["verify", "--json", file] });
    const { ok, complete } = JSON.parse(checked.stdout);
    assert.deepEqual([checked.code, ok, complete], [0, true, true], checked.stdout);
    const undone = await runAlly(place, { args: ["undo", "--receipt", file] });
    assert.equal(undone.code, 0, undone.stderr);
    assert.deepEqual(await describeTree(place.dir, { except: ["small"] }), before);
  },
});

Deno.test({
  name: "a receipt whose disk stays full is told of, lacks its end, and holds up to there",
  ignore: !canMount(),
  async fn() {
    await using place = await makePlace({ files: { "a.txt": "one\n" } });
    using disk = smallDisk(join(place.dir, "small"), { kilobytes: 256 });
    const file = "small/r.jsonl";
    await using server = await startScriptedServer({
      replies: [edit, () => {
        disk.fill();
        return write("new\n");
      }, { text: "Done." }],
    });
    const env = { OPENAI_BASE_URL: server.url };
    const done = await runAlly(place, { args: ["-p", "-A", "--receipt", file, "go"], env });
    assert.match(done.stderr, /The receipt \S+ is not whole: /);
    assert.equal(await place.read("b.txt"), "new\n");
    const { code, stdout } = await runAlly(place, { args: ["verify", "--json", file] });
    const { ok, complete, broken, files } = JSON.parse(stdout);
    assert.deepEqual([code, ok, complete], [1, false, false], stdout);
    assert.match(broken.why, /^the end is missing: ally wrote \d+ lines$/);
    assert.deepEqual(files.map((one: { state: string }) => one.state), ["as_recorded"]);
  },
});
