/** What an ally that runs from source says, and what becomes of its home; one that is installed is in tests/slow. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { exists } from "../../../src/lib/fs.ts";
import { startInTerminal } from "../../support/ally_terminal.ts";
import { makePlace, type Place, runAlly } from "../../support/program.ts";

const CLONE = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

/** ally's home in the place where it is by default. */
function defaultHome(place: Place): { home: string; env: Readonly<Record<string, string>> } {
  const home = join(dirname(place.home), ".ally");
  return { home, env: { ALLY_HOME: home } };
}

async function fill(home: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await Deno.mkdir(dirname(join(home, name)), { recursive: true });
    await Deno.writeTextFile(join(home, name), "");
  }
}

Deno.test("an ally from source names its folder; its home stays without a terminal, and with --yes", async () => {
  await using place = await makePlace();
  const { home, env } = defaultHome(place);
  await fill(home, ["config.json"]);
  for (const args of [["uninstall"], ["uninstall", "--yes"]]) {
    const { code, stdout } = await runAlly(place, { args, env });
    assert.equal(code, 1);
    assert.ok(stdout.includes(`delete its folder:\n  ${CLONE}\n`), stdout);
    assert.match(stdout, /settings, keys, sessions and undo stay in .*\.ally\./);
    assert.ok(exists(join(home, "config.json")));
  }
});

Deno.test("--purge removes ~/.ally as a whole", async () => {
  await using place = await makePlace();
  const { home, env } = defaultHome(place);
  await fill(home, ["config.json", "projects/a/sessions/1.jsonl", "mine.txt"]);
  const { stdout } = await runAlly(place, { args: ["uninstall", "--purge"], env });
  assert.ok(stdout.includes(`Removed ${home}.`), stdout);
  assert.ok(!exists(home));
});

Deno.test("--purge removes of another home only what is ally's", async () => {
  await using place = await makePlace();
  await fill(place.home, ["config.json", "projects/a/sessions/1.jsonl", "keys/x", "mine.txt"]);
  const { stdout } = await runAlly(place, { args: ["uninstall", "--purge"] });
  assert.match(stdout, /these are not, and stay: mine\.txt/);
  assert.deepEqual([...Deno.readDirSync(place.home)].map(({ name }) => name), ["mine.txt"]);
  await Deno.remove(join(place.home, "mine.txt"));
  await runAlly(place, { args: ["uninstall", "--purge"] });
  assert.ok(!exists(place.home));
});

Deno.test("at a terminal it asks about its home, and Enter alone keeps it", async () => {
  for (const [key, stays] of [["Enter", true], ["y", false]] as const) {
    await using place = await makePlace();
    const { home, env } = defaultHome(place);
    await fill(home, ["config.json"]);
    await using session = startInTerminal(place, { args: ["uninstall"], env, columns: 200 });
    await session.shows(/with your settings, keys, sessions and undo\?[^]*❯ No/);
    await session.keys(key);
    await session.shows("left 1");
    assert.equal(exists(home), stays);
  }
});
