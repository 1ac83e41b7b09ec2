/** Pages and their list on a terminal; the pager needs tmux. */
import assert from "node:assert/strict";
import { startInTerminal, startInTmux } from "../support/ally_terminal.ts";
import { makePlace, stage } from "../support/program.ts";
import { hasTmux } from "../support/tmux.ts";

/** Takes the page and says its title, then which line was typed first. */
const PAGER =
  'read -r title; cat >/dev/null; echo "At $title"; read -r typed </dev/tty; echo "Got $typed"';

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !hasTmux(), fn });
}

test("the first key typed at a page is the pager's, and those after it are ally's again", async () => {
  await using at = await stage([{ text: "Hello." }]);
  await using session = await startInTmux(at.place, { rows: 24, env: { PAGER } });
  const pages = [
    { topic: "settings", title: "At Settings", typed: "one" },
    { topic: "tools", title: "At Tools", typed: "two" },
  ];
  for (const { topic, title, typed } of pages) {
    await session.shows(/›$/);
    await session.keys("-l", `/help ${topic}`);
    await session.keys("Enter");
    await session.shows(title);
    await session.keys("-l", typed);
    await session.keys("Enter");
    await session.shows(`Got ${typed}`);
  }
  await session.shows(/›$/);
  await session.keys("-l", "hello");
  await session.keys("Enter");
  await session.shows("Hello.");
  assert.equal(at.server.requests.length, 1);
});

test("a page given on the command line leaves the keys to the pager, too", async () => {
  await using at = await stage([]);
  await using session = await startInTmux(at.place, {
    rows: 24,
    args: ["/help settings"],
    env: { PAGER },
  });
  await session.shows("At Settings");
  await session.keys("-l", "three");
  await session.keys("Enter");
  await session.shows("Got three");
  await session.shows(/›$/);
});

Deno.test("the list of topics is wrapped within the terminal, under what each is about", async () => {
  await using place = await makePlace();
  await using session = startInTerminal(place, { args: ["help"], columns: 60, rows: 200 });
  const screen = await session.shows("left 0");
  assert.match(screen, /^ {2}sessions {5}go on with a conversation, export it, delete\n {15}it$/m);
});
