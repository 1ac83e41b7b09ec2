/**
 * What a session has cost, as a person asks for it, also after it was left and resumed.
 */
import assert from "node:assert/strict";
import { startInTerminal } from "../support/ally_terminal.ts";
import { runAlly, stage } from "../support/program.ts";
import type { TerminalSession } from "../support/terminal_session.ts";

async function say(session: TerminalSession, text: string): Promise<void> {
  await session.shows(/›$/);
  await session.keys("-l", text);
  await session.keys("Enter");
}

const usage = (prompt_tokens: number, completion_tokens: number, cached_tokens: number) => ({
  prompt_tokens,
  completion_tokens,
  prompt_tokens_details: { cached_tokens },
});

const SCRIPT = [
  { text: "One.", usage: usage(1000, 10, 0) },
  { text: "Two.", usage: usage(2000, 20, 1000) },
];

Deno.test("/cost counts all turns of a session by model and turn, without a price in tokens", async () => {
  await using at = await stage(SCRIPT);
  await runAlly(at.place, { args: ["-p", "first words"] });
  await using session = startInTerminal(at.place, { args: ["-c"] });
  await say(session, "second *new*");
  await session.shows("Two.");
  await say(session, "/cost");
  const screen = await session.shows(/No price is configured/);
  assert.match(screen, /2 turns: 3,000 tokens in, 30 out\n/);
  assert.match(screen, /scripted +│ +2 │ +3,000 │ +1,000 │ +30 │ +-/);
  assert.match(screen, /first words +│ +1 │ +1,000 │ +0 │ +10 │/);
  assert.match(screen, /second \*new\* +│ +1 │ +2,000 │ +1,000 │ +20 │/);
  assert.match(screen, /saved reading 1,000 tokens \(33%\)\./);
});

Deno.test("with a price /cost says money, and what the cache saved of it", async () => {
  await using at = await stage(SCRIPT);
  await Deno.mkdir(at.place.home);
  const prices = { input: 100, cached_input: 10, output: 1000 };
  await Deno.writeTextFile(`${at.place.home}/config.json`, JSON.stringify({ prices }));
  await runAlly(at.place, { args: ["-p", "first words"] });
  await using session = startInTerminal(at.place, { args: ["-c"] });
  await say(session, "second");
  await session.shows("Two.");
  await say(session, "/cost");
  const screen = await session.shows(/worth/);
  assert.match(screen, /2 turns: 3,000 tokens in, 30 out, cost 0\.240\n/);
  assert.match(screen, /worth 0\.0900\./);
});

Deno.test("/cost before the first turn says that there is nothing yet", async () => {
  await using at = await stage(SCRIPT);
  await using session = startInTerminal(at.place);
  await say(session, "/cost");
  await session.shows(/No turn of this session has ended/);
});
