/**
 * What only a real terminal shows: that prompts, questions and the key watcher take turns on one keyboard, and
 * that the terminal is left as it was found. Needs tmux; without it the tests are skipped.
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { quoteWord } from "../../src/lib/text.ts";
import { hasTmux, TmuxSession } from "../support/tmux.ts";

const PROGRAM = fileURLToPath(new URL("../support/ui_session.ts", import.meta.url));
const START = [Deno.execPath(), "run", "-A", PROGRAM].map(quoteWord).join(" ");
const COMMAND = `${START}; echo "left $?"; stty -a; exec cat`;

async function start(columns: number, env: Record<string, string> = {}): Promise<TmuxSession> {
  const session = await TmuxSession.start(COMMAND, { columns, rows: 20, env });
  await session.shows(/^›$/m);
  return session;
}

async function send(session: TmuxSession, text: string): Promise<void> {
  await session.keys(text);
  await session.shows(`› ${text}`);
  await session.keys("Enter");
}

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !hasTmux(), fn });
}

test("prompts, questions and turns take turns on one keyboard, again and again", async () => {
  await using session = await start(80);
  for (const round of [1, 2]) {
    await send(session, "ask");
    await session.shows("❯ Deny (d");
    await session.keys("a");
    await session.shows(new RegExp(`(answer \\[\\{"kind":"allow"\\}\\][^]*){${round}}$`));
    await send(session, "turn");
    await session.shows(/not yet finished[^]*Writing… \d+s · Ctrl\+C to stop/);
    await session.keys(`ahead${round}`);
    await session.keys("C-c");
    await session.shows(`› ahead${round}`);
    await session.keys("Enter");
    await session.shows(`got "ahead${round}"`);
    await send(session, "ask");
    await session.shows("❯ Deny (d");
    await session.keys("Enter");
    await session.shows(new RegExp(`(answer \\[\\{"kind":"deny"\\}\\][^]*){${round}}$`));
  }
  await send(session, "ask");
  await session.shows("❯ Deny (d");
  await session.keys("i");
  await session.shows(/What to do instead\?\n› *\n/);
  await session.keys("use make", "Enter");
  await session.shows('answer [{"kind":"instead","text":"use make"}]');
  const screen = await session.screen();
  for (const leftover of ["Writing…", "Allow bash?"]) {
    assert.ok(!screen.includes(leftover), leftover);
  }
});

test("history, completion and a paste of many lines work in a real terminal", async () => {
  await using session = await start(40);
  await session.keys("Up");
  await session.shows("› from history");
  await session.keys("C-c");
  await session.keys("/he");
  await session.shows("› /he");
  await session.keys("Tab");
  await session.shows("› /help");
  await session.keys("C-c");
  await session.paste("one\ntwo 日本\nthree");
  await session.shows(/› one\n {2}two 日本\n {2}three/);
  await session.keys("Enter");
  await session.shows('got "one\\ntwo 日本\\nthree"');
  await session.paste(Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n"));
  await session.shows("› [paste 1: 30 lines]");
  await session.keys("Enter");
  await session.shows("line 29");
});

test("a resize in the middle of a turn leaves no remains", async () => {
  await using session = await start(80);
  await send(session, "turn");
  await session.shows("Ctrl+C to stop");
  await session.resize(30, 20);
  await session.shows(/^Some words that are not yet\nfinished, and so on$/m);
  await session.resize(60, 20);
  await session.shows(/^Some words that are not yet\s+finished, and so on\n\n\S Writing[^]*stop$/m);
  await session.keys("C-c");
  const screen = await session.shows("Interrupted");
  assert.equal(screen.match(/Some words/g)?.length, 1);
  assert.equal(screen.includes("Writing…"), false);
});

test("a message of several rows is edited where the keys say, and stands once however wide the terminal is", async () => {
  await using session = await start(80);
  await session.keys("-l", "narrowing a line must not leave its first rows twice, ");
  // Shift+Enter, as a terminal sends it that can tell.
  await session.keys("-l", "\x1b[13;2u");
  await session.keys("-l", "日本語 and 👩‍🚀 end");
  await session.shows(/^› narrowing[^\n]*twice,\n {2}日本語 and 👩‍🚀 end$/m);
  // Rows as the editor breaks them: until it has drawn, they are as tmux breaks or leaves those of the size before.
  const words = (first: string) =>
    new RegExp(`^› narrowing a line must not${first} twice,\\n {2}日本語 and 👩‍🚀 end$`, "m");
  for (
    const [columns, rows] of [
      [40, " leave its\\n {2}first rows"],
      [60, " leave its first rows"],
      [34, " leave\\n {2}its first rows"],
      [80, " leave its first rows"],
    ] as const
  ) {
    await session.resize(columns, 20);
    const screen = await session.shows(words(rows));
    assert.equal(screen.match(/narrowing/g)?.length, 1, screen);
  }
  await session.keys("C-w", "Home", "Delete", "Up", "End", "C-w", "C-w", "Enter");
  await session.shows(
    'got "narrowing a line must not leave its first \\n本語 and 👩‍🚀 "',
  );
});

test("after Ctrl+Z and fg the line editor has the keyboard again", async () => {
  const size = { columns: 80, rows: 20 };
  await using session = await TmuxSession.start("exec bash --norc --noprofile", size);
  await session.keys(START, "Enter");
  await session.shows(/^›$/m);
  await session.keys("abc");
  await session.shows("› abc");
  await session.keys("C-z");
  await session.shows("Stopped");
  await session.keys("fg", "Enter");
  await session.shows(/fg\n[^]*› abc$/);
  await session.keys("Left", "X", "Enter");
  await session.shows('got "abXc"');
});

test("the terminal is left as it was found", async () => {
  const environments: Record<string, string>[] = [{}, { TERM: "dumb" }, { NO_COLOR: "1" }];
  for (const env of environments) {
    await using session = await start(80, env);
    await session.keys("C-d");
    const screen = await session.shows(/left 0[^]*icanon/);
    assert.match(screen, /[^-]icanon/);
    assert.match(screen, /[^-]echo\b/);
  }
});
