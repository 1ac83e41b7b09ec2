/**
 * Every tip is true as far as a test can see: what stands between backticks is a command, an option, a key or a mark
 * that exists.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { parseArguments } from "../../src/cli/args.ts";
import { findTopic } from "../../src/help/topics.ts";
import { TIPS } from "../../src/help/tips.ts";
import { route } from "../../src/slash/table.ts";
import { takeTip } from "../../src/store/tip_of_the_day.ts";
import { STARTED, startInTerminal } from "../support/ally_terminal.ts";
import { makePlace } from "../support/program.ts";

/** Words of a command line; what stands between quotes is one. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, one, two, three]) =>
    one ?? two ?? three ?? ""
  );
}

/** Whether a thing named in a tip is there. */
async function exists(thing: string): Promise<boolean> {
  const program = /(?:^|\| )ally (.+)$/.exec(thing)?.[1];
  if (program !== undefined) {
    const words = wordsOf(program);
    // Words that name no command would be a prompt.
    const { kind } = await parseArguments(words, { cwd: "/" });
    return kind !== "run" || words[0]?.startsWith("-") === true;
  }
  if (thing.startsWith("/") || thing.startsWith("#")) return route(thing).kind === "command";
  if (thing.startsWith("!")) return route(thing).kind === "shell";
  const pages = await Promise.all(
    ["prompt", "agents", "keys"].map((name) => findTopic(name)!.load()),
  );
  const known = pages.join("\n");
  if (thing === "@general") return known.includes("general");
  if (thing.startsWith("@")) return known.includes("`@path`");
  return known.includes(thing);
}

for (const tip of TIPS) {
  Deno.test(`the tip is true: ${tip}`, async () => {
    const things = [...tip.matchAll(/`([^`]+)`/g)].map(([, thing]) => thing!);
    assert.ok(things.length > 0, "it names nothing that could be tried");
    for (const thing of things) assert.ok(await exists(thing), thing);
    assert.ok(tip.length <= 110, `${tip.length} characters`);
  });
}

Deno.test("takeTip() gives one tip a day, none on the first, and begins anew after the last", async () => {
  const dir = await Deno.makeTempDir({ prefix: "ally-tips-" });
  const path = join(dir, "tips.json");
  const days = ["01", "01", "02", "02", "03", "05", "06"];
  const shown: (number | undefined)[] = [];
  for (const day of days) shown.push(await takeTip(path, { day: `2026-01-${day}`, count: 3 }));
  assert.deepEqual(shown, [undefined, undefined, 0, undefined, 1, 2, 0]);
  await Deno.writeTextFile(path, "no JSON");
  assert.equal(await takeTip(path, { day: "2026-01-07", count: 3 }), undefined);
  await Deno.remove(dir, { recursive: true });
});

Deno.test("a tip stands under the banner once a day, and not where tips are off", async () => {
  const text = TIPS[1]!.replaceAll("`", "").slice(0, 30);
  const cases = [
    { config: {}, args: [], isShown: true },
    { config: { tips: false }, args: [], isShown: false },
    { config: {}, args: ["--no-session"], isShown: false },
    { config: { unknown_setting: 1 }, args: [], isShown: false },
  ];
  for (const { config, args, isShown } of cases) {
    await using place = await makePlace();
    await Deno.mkdir(place.home);
    const endpoint = "http://127.0.0.1:9/v1";
    await Deno.writeTextFile(
      join(place.home, "config.json"),
      JSON.stringify({ endpoint, model: "m", ...config }),
    );
    const state = { day: "2026-01-01", next: 1 };
    await Deno.writeTextFile(join(place.home, "tips.json"), JSON.stringify(state));
    for (const again of isShown ? [false, true] : [false]) {
      await using screen = startInTerminal(place, { args });
      const shown = await screen.shows(STARTED);
      assert.equal(shown.includes(`Tip: ${text}`), isShown && !again, shown);
      await screen.keys("C-d");
    }
  }
});
