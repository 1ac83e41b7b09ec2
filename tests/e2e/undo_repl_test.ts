/**
 * `/undo` and `/redo` as a person meets them.
 */
import assert from "node:assert/strict";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { makePlace } from "../support/program.ts";

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
  await session.shows("changed a.txt, b.txt");
  await send("/undo list");
  await session.shows(/#2 [^]*bash rm a.txt; echo > b.txt: a.txt, b.txt \+1 -2/);
  await send("/undo");
  await session.shows("b.txt deleted, -1");
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
  await send("/redo 2");
  await session.shows(/Make again these 2 changes\?[^]*❯ No/);
  await session.keys("y");
  await session.shows(/Made again change 1 \(bash\)[^]*Made again change 2 \(bash\)/);
  assert.equal(await place.read("b.txt"), "\n");
  await send("/redo");
  await session.shows("nothing was undone since");
});
