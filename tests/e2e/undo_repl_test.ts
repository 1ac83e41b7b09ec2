/**
 * `/undo` and `/redo` as a person meets them.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { makePlace } from "../support/program.ts";
import { describeTree } from "../support/tree.ts";

Deno.test("/undo and /redo show what they will do, and ask before they delete a file", async () => {
  await using server = await startScriptedServer({ replies: [] });
  await using place = await makePlace({ endpoint: server.url, files: { "a.txt": "one\ntwo\n" } });
  await using session = startInTerminal(place);
  const send = async (text: string) => {
    await session.keys(text);
    await session.shows(`› ${text}`);
    await session.keys("Enter");
  };
  await session.shows(/^›/m);
  await send("!sed -i s/one/1/ a.txt");
  await session.shows("changed a.txt");
  await send("!rm a.txt; echo > b.txt");
  await session.shows("removed a.txt, created b.txt");
  await send("/undo list");
  await session.shows(/#2 [^]*bash rm a.txt; echo > b.txt: a.txt, b.txt \+1 -2/);
  await send("/undo");
  await session.shows("b.txt deleted, 1 line");
  await session.shows(/This deletes b\.txt\. Go on\?[^]*❯ No/);
  await session.keys("n");
  await session.shows("Nothing was changed.");
  await send("/undo");
  await session.shows(/Go on\?[^]*❯ No[^]*$/);
  await session.keys("y");
  await session.shows(/Took back change 2 \(bash\)[^]*recreated a.txt[^]*removed b.txt/);
  assert.equal(await place.read("a.txt"), "1\ntwo\n");
  await send("/undo");
  await session.shows(/1 - 1\n[^]*1 \+ one[^]*Took back change 1 \(bash\)[^]*restored a.txt/);
  assert.equal(await place.read("a.txt"), "one\ntwo\n");
  await send("/redo last 2");
  await session.shows(/Redo these 2 changes\?[^]*❯ No/);
  await session.keys("y");
  await session.shows(/Redid change 1 \(bash\)[^]*Redid change 2 \(bash\)/);
  assert.equal(await place.read("b.txt"), "\n");
  await send("/redo");
  await session.shows("nothing was undone since");
});

Deno.test("/undo takes back what a command of the model's did, in the sandbox where there is one", async () => {
  const command = "mv d e; ln a.txt b.txt; echo 2 >> b.txt; rm b.txt; chmod 600 c.txt";
  await using server = await startScriptedServer({
    replies: [{ calls: [{ name: "bash", arguments: { command } }] }, { text: "Done." }],
  });
  const files = { "a.txt": "one\n", "c.txt": "three\n" };
  await using place = await makePlace({ endpoint: server.url, files });
  await Deno.mkdir(join(place.dir, "d"));
  await place.write("d/f.txt", "four\n");
  const first = await describeTree(place.dir);
  await using session = startInTerminal(place, { args: ["-A", "go"] });
  await session.shows(/Done\.[^]*›$/);
  assert.notDeepEqual(await describeTree(place.dir), first);
  await session.keys("/undo");
  await session.shows("› /undo");
  await session.keys("Enter");
  await session.shows(/Go on\?[^]*❯ No/);
  await session.keys("y");
  await session.shows("Took back change 1 (bash)");
  assert.deepEqual(await describeTree(place.dir), first);
});

Deno.test("/undo takes back what a command in the background did after its call, which is told when it ends", async () => {
  const command = "until [ -e go ]; do sleep 0.02; done; echo generated > notes.md; rm a.txt";
  const input = { command, run_in_background: true };
  await using server = await startScriptedServer({
    replies: [{ calls: [{ name: "bash", arguments: input }] }, { text: "It runs." }],
  });
  const files = { "a.txt": "one\n", "notes.md": "mine\n" };
  await using place = await makePlace({ endpoint: server.url, files });
  const first = await describeTree(place.dir);
  await using session = startInTerminal(place, { args: ["-A", "go"] });
  await session.shows(/It runs\.[^]*›$/);
  await place.write("go", "");
  await session.shows(
    /task_1 has ended\. It, [^]* removed a\.txt,\s+created go,\s+changed\s+notes\.md\.[^]*›/,
  );
  await session.keys("/undo");
  await session.shows("› /undo");
  await session.keys("Enter");
  await session.shows(/or somebody else while it ran\.[^]*Go on\?[^]*❯ No/);
  await session.keys("y");
  await session.shows("Took back change 1 (bash)");
  assert.deepEqual(await describeTree(place.dir), first);
});
