/** A page in the pager of the real program. Needs tmux. */
import assert from "node:assert/strict";
import { startInTmux } from "../support/ally_terminal.ts";
import { stage } from "../support/program.ts";
import { hasTmux } from "../support/tmux.ts";

/** Takes the page, then says which line was typed first. */
const PAGER = "cat >/dev/null; echo type; read -r typed </dev/tty; echo the pager got: $typed";

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !hasTmux(), fn });
}

test("the first key typed at a page is the pager's, and those after it are ally's again", async () => {
  await using at = await stage([{ text: "Hello." }]);
  await using session = await startInTmux(at.place, { rows: 24, env: { PAGER } });
  for (const [line, typed] of [["/help settings", "one"], ["/help tools", "two"]] as const) {
    await session.shows(/›$/);
    await session.keys("-l", line);
    await session.keys("Enter");
    await session.shows(/^type$/m);
    await session.keys("-l", typed);
    await session.keys("Enter");
    await session.shows(`the pager got: ${typed}`);
    await session.keys("C-l");
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
  await session.shows(/^type$/m);
  await session.keys("-l", "three");
  await session.keys("Enter");
  await session.shows("the pager got: three");
  await session.shows(/›$/);
});
