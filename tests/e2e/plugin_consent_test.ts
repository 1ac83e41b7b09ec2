import assert from "node:assert/strict";
import { join } from "node:path";
import { startInTerminal } from "../support/ally_terminal.ts";
import { runAlly, type Stage, stage } from "../support/program.ts";

const CALL = { calls: [{ name: "x_count", arguments: { text: "one two three" } }] };

async function stageWithPlugin(texts: readonly string[]): Promise<Stage> {
  const at = await stage(texts.flatMap((text) => [CALL, { text }]));
  const made = await runAlly(at.place, { args: ["plugin", "new", "x"] });
  assert.equal(made.code, 0, made.stderr);
  return at;
}

async function changePlugin({ place }: Stage): Promise<void> {
  await Deno.writeTextFile(join(place.home, "plugins", "x", "count.ts"), "// more\n", {
    append: true,
  });
}

Deno.test("without a terminal a plugin runs only if a flag names it; else the model is told, and the exit code is 3", async () => {
  await using at = await stageWithPlugin(["No.", "No.", "Yes."]);
  const refused = await runAlly(at.place, { args: ["-p", "count"] });
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, /The plugin x may not run: it was not allowed yet/);
  const { messages } = at.server.requests.at(-1)!.body as { messages: { content: string }[] };
  assert.match(messages.at(-1)!.content, /--allow-plugin=x/);
  const other = await runAlly(at.place, { args: ["-p", "--allow-plugin=y", "count"] });
  assert.equal(other.code, 3);
  assert.match(other.stderr, /--allow-plugin=y allows nothing/);
  const allowed = await runAlly(at.place, { args: ["-p", "--allow-plugin=y,x", "count"] });
  assert.equal(allowed.code, 0, allowed.stderr);
});

Deno.test("a plugin that was not asked for is neither run nor mentioned", async () => {
  await using at = await stage([{ text: "Hello." }]);
  await runAlly(at.place, { args: ["plugin", "new", "x"] });
  const done = await runAlly(at.place, { args: ["-p", "hello"] });
  assert.deepEqual([done.code, done.stderr], [0, ""]);
});

Deno.test("the first use asks; always holds, without a terminal too, until a file of the plugin changes", async () => {
  await using at = await stageWithPlugin(["First.", "Second.", "Third.", "Fourth."]);
  {
    await using screen = startInTerminal(at.place);
    await screen.shows("Ctrl+C stops");
    await screen.keys("count", "Enter");
    const asked = await screen.shows("❯ Deny");
    assert.match(asked, /Let the plugin x run\? It is used for the first time\./);
    assert.match(asked, /may not change files/);
    await screen.keys("w");
    await screen.shows("First.");
    await screen.keys("/plugins", "Enter");
    await screen.shows("always allowed as it is");
  }
  const held = await runAlly(at.place, { args: ["-p", "count"] });
  assert.equal(held.code, 0, held.stderr);
  await changePlugin(at);
  const changed = await runAlly(at.place, { args: ["-p", "count"] });
  assert.match(changed.stderr, /it changed since it was allowed/);
  const audit = await runAlly(at.place, { args: ["plugin", "audit"] });
  assert.match(audit.stdout, /changed since it was allowed on .*: asks again/);
  assert.match(audit.stdout, /changed: count\.ts/);
  await using screen = startInTerminal(at.place, { columns: 40 });
  await screen.shows("/help");
  await screen.keys("count", "Enter");
  const asked = await screen.shows("❯ Deny");
  assert.match(asked, /changed: count\.ts/);
  await screen.keys("Enter");
  await screen.shows("Fourth.");
  assert.match(await screen.screen(), /Denied the plugin x/);
});

Deno.test("/plugins allows a plugin beforehand, and takes that back", async () => {
  await using at = await stageWithPlugin(["First.", "Second."]);
  await using screen = startInTerminal(at.place);
  await screen.shows("Ctrl+C stops");
  await screen.keys("/plugins allow x", "Enter");
  await screen.shows("❯ Deny");
  await screen.keys("a");
  await screen.shows("x may run.");
  await screen.keys("count", "Enter");
  await screen.shows("First.");
  await screen.keys("/plugins audit x", "Enter");
  await screen.shows("last use: 20");
  await screen.keys("/plugins forget y", "Enter");
  await screen.shows("There is no plugin 'y'");
  await screen.keys("/plugins forget x", "Enter");
  await screen.shows("asks again before it runs");
});

Deno.test("a question about a call of a plugin shows all that the plugin is given", async () => {
  const note = `${"first this, ".repeat(30)}then that`;
  const call = { calls: [{ name: "x_send", arguments: { note } }] };
  await using at = await stage([call, { text: "Done." }]);
  const folder = join(at.place.home, "plugins", "x");
  await Deno.mkdir(folder, { recursive: true });
  const parameters = { type: "object", properties: { note: { type: "string" } } };
  const tools = [{ name: "x_send", description: "Sends", parameters, command: "cat" }];
  const manifest = { manifest: 1, name: "x", version: "1", description: "x", tools };
  await Deno.writeTextFile(join(folder, "plugin.json"), JSON.stringify(manifest));
  await using screen = startInTerminal(at.place);
  await screen.shows("Ctrl+C stops");
  await screen.keys("send", "Enter");
  const asked = await screen.shows("❯ Deny");
  assert.match(asked, /Allow x_send\?/);
  assert.match(asked, /then that/);
});
