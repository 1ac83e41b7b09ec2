/**
 * Saved sessions as a script handles them.
 */
import assert from "node:assert/strict";
import { startAcp } from "../support/acp_client.ts";
import { join } from "node:path";
import { startInTerminal } from "../support/ally_terminal.ts";
import { type Place, runAlly, stage } from "../support/program.ts";

async function sessions(place: Place, ...args: string[]) {
  return await runAlly(place, { args: ["sessions", ...args] });
}

const TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

Deno.test("sessions are listed with their titles, shown, exported once, and deleted with leave only", async () => {
  await using at = await stage([
    { calls: [{ name: "ls", arguments: { file_path: "." } }] },
    { text: "Two \x1b[31mfiles\x1b[0m." },
    { text: "Yes." },
  ], { "a.txt": "" });
  const { place } = at;
  assert.match((await sessions(place, "list")).stdout, /no sessions in this directory yet/);
  await runAlly(place, { args: ["-p", "what is\nhere?"] });
  await runAlly(place, { args: ["-p", "second question"] });
  const list = JSON.parse((await sessions(place, "list", "--json")).stdout);
  assert.deepEqual(list.map((one: { title: string }) => one.title), [
    "second question",
    "what is here?",
  ]);
  const [second, first] = list;
  assert.equal(first.messages, 4);
  assert.equal(first.cwd, place.dir);
  const shown = await sessions(place, "show", first.id);
  assert.match(
    shown.stdout,
    /^# what is here\?\n[^]*## User\n\nwhat is\nhere\?\n\n## Assistant\n\n<details>\n<summary>ls: done<\/summary>/,
  );
  assert.match(shown.stdout, /Two files\.\n$/);
  const object = JSON.parse((await sessions(place, "show", first.id, "--json")).stdout);
  assert.equal(object.messages.length, 4);
  assert.equal(object.title, "what is here?");
  const asJson = await sessions(place, "export", first.id, "--json");
  assert.deepEqual(JSON.parse(asJson.stdout), object);
  const out = await sessions(place, "export", first.id, "talk.md");
  assert.match(out.stdout, /Wrote .*talk\.md/);
  assert.equal(await place.read("talk.md"), shown.stdout);
  const twice = await sessions(place, "export", first.id, "talk.md");
  assert.equal(twice.code, 2);
  assert.match(twice.stderr, /it is there already; --force overwrites it/);
  for (const more of [[], ["--force"]]) {
    const inside = await sessions(place, "export", first.id, ".", ...more);
    assert.match(inside.stderr, /it is a directory\. Name a file in it/);
  }
  assert.equal((await sessions(place, "export", first.id, "talk.md", "--force")).code, 0);
  const unasked = await sessions(place, "delete", first.id);
  assert.equal(unasked.code, 2);
  assert.match(unasked.stderr, /Cannot ask without a terminal\. Confirm with --yes\./);
  assert.equal((await sessions(place, "delete", first.id, "--yes")).code, 0);
  const left = JSON.parse((await sessions(place, "list", "--json")).stdout);
  assert.deepEqual(left.map((one: { id: string }) => one.id), [second.id]);
  assert.equal((await sessions(place, "show", first.id)).code, 2);
});

Deno.test("a session that began with piped input alone is listed by its words", async () => {
  await using at = await stage([{ text: "Yes." }]);
  await runAlly(at.place, { args: ["-p"], input: "piped\nwords" });
  assert.match((await sessions(at.place, "list")).stdout, / piped words\n$/);
});

Deno.test("where one of several sessions cannot be deleted, it is said which are gone", async () => {
  await using at = await stage([{ text: "One." }, { text: "Two." }]);
  const { place } = at;
  for (const words of ["one", "two"]) await runAlly(place, { args: ["-p", words] });
  const listed = JSON.parse((await sessions(place, "list", "--json")).stdout);
  const [open, other] = listed.map(({ id }: { id: string }) => id);
  await using editor = await startAcp(place);
  const held = { sessionId: open, cwd: place.dir, mcpServers: [] };
  await editor.agent.request("session/resume", held);
  const { code, stdout, stderr } = await sessions(place, "delete", other, open, "--yes");
  assert.deepEqual([code, stdout], [2, `Deleted ${other}.\n`], stderr);
  assert.match(stderr, /Cannot delete session \S+: an ally has it open/);
});

Deno.test("a session that is named twice is deleted once", async () => {
  await using at = await stage([{ text: "Yes." }]);
  await runAlly(at.place, { args: ["-p", "hi"] });
  const { code, stdout } = await sessions(at.place, "delete", "last", "last", "--yes", "--json");
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).length, 1);
});

Deno.test("--all finds the sessions of other directories; without it they are not touched", async () => {
  await using at = await stage([{ text: "Here." }, { text: "There." }]);
  const { place } = at;
  const other = join(place.dir, "other");
  await Deno.mkdir(other);
  await runAlly(place, { args: ["-p", "here"] });
  await runAlly(place, { args: ["-p", "-C", other, "there"] });
  const titles = async (...args: string[]) => {
    const { stdout } = await sessions(place, "list", "--json", ...args);
    return JSON.parse(stdout).map((one: { title: string }) => one.title).sort();
  };
  assert.deepEqual(await titles(), ["here"]);
  assert.deepEqual(await titles("--all"), ["here", "there"]);
  const all = JSON.parse((await sessions(place, "list", "--json", "--all")).stdout);
  const { id } = all.find((one: { title: string }) => one.title === "there");
  const refused = await sessions(place, "delete", id, "--yes");
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /No session has the id .*--all/);
  assert.equal((await sessions(place, "delete", id, "--yes", "--all")).code, 0);
  assert.deepEqual(await titles("--all"), ["here"]);
});

Deno.test("an export holds no secret, even of a session that was saved when nothing was masked", async () => {
  await using at = await stage([{ text: "Noted." }]);
  const { place } = at;
  await Deno.mkdir(place.home);
  await Deno.writeTextFile(join(place.home, "config.json"), '{"mask_secrets":false}');
  await runAlly(place, { args: ["-p", `the token is ${TOKEN}`] });
  assert.ok((await place.session()).some((line) => JSON.stringify(line).includes(TOKEN)));
  for (const args of [["show", "last"], ["show", "last", "--json"], ["export", "last"]]) {
    const { stdout } = await sessions(place, ...args);
    assert.match(stdout, /\[secret:/);
    assert.doesNotMatch(stdout, new RegExp(TOKEN));
  }
});

Deno.test("at a terminal, deleting asks, and Enter alone keeps the session", async () => {
  await using at = await stage([{ text: "Here." }]);
  const { place } = at;
  await runAlly(place, { args: ["-p", "here"] });
  const left = async () => JSON.parse((await sessions(place, "list", "--json")).stdout).length;
  const ask = () => startInTerminal(place, { args: ["sessions", "delete", "last"] });
  {
    await using terminal = await ask();
    await terminal.shows(/Delete session .* for good\?[^]*❯ No/);
    await terminal.keys("Enter");
    await terminal.shows(/Nothing was deleted\.[^]*left 1/);
  }
  assert.equal(await left(), 1);
  await using terminal = await ask();
  await terminal.shows(/❯ No/);
  await terminal.keys("y");
  await terminal.shows(/Deleted .*\.[^]*left 0/);
  assert.equal(await left(), 0);
});
