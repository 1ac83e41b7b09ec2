/**
 * Settings, themes and the editor as a person at the prompt meets them.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { type Place, stage } from "../support/program.ts";
import type { TerminalSession } from "../support/terminal_session.ts";

async function say(session: TerminalSession, text: string): Promise<void> {
  await session.shows(/›$/);
  await session.keys("-l", text);
  await session.keys("Enter");
}

const config = async ({ home }: Place) =>
  JSON.parse(await Deno.readTextFile(join(home, "config.json")));

Deno.test("/settings finds a setting, shows where its value comes from, checks and changes it", async () => {
  await using at = await stage([]);
  await using session = startInTerminal(at.place);
  await say(session, "/settings warm");
  await session.shows(/❯ warm: [^\n]*true \(default\)/);
  await session.keys("Enter");
  await session.shows(/❯ true/);
  await session.keys("Down");
  await session.keys("Enter");
  await session.shows(/warm is now false [^]*❯ warm: [^\n]*false \(user\)/);
  assert.deepEqual(await config(at.place), { warm: false });
  await session.keys("C-u");
  await session.keys("-l", "temperature");
  await session.shows(/❯ temperature/);
  await session.keys("Enter");
  await session.shows(/temperature: [^]*\n› $|temperature: [^]*\n›$/);
  await session.keys("-l", "99");
  await session.keys("Enter");
  await session.shows(/temperature[^\n]*(2|must|not)[^]*❯ temperature/);
  assert.deepEqual(await config(at.place), { warm: false });
  await session.keys("C-u");
  await session.keys("-l", "warm:");
  await session.shows(/❯ warm/);
  await session.keys("-l", "\x1b[3~");
  await session.shows(/warm is no longer set[^]*❯ warm: [^\n]*true \(default\)/);
  await session.keys("C-u");
  await session.keys("-l", "endpoint:");
  await session.shows(/❯ endpoint: http:\/\/127\.0\.0\.1:\d+\/v1 \(/);
  await session.keys("Escape");
  await session.shows(/›$/);
});

Deno.test("/theme shows a sample of each theme, and the one chosen holds at once and from then on", async () => {
  await using at = await stage([]);
  await using session = startInTerminal(at.place);
  await say(session, "/theme");
  await session.shows(/❯ auto[^]*high-contrast[^]*fix the test[^]*\+ {2}return 1;/);
  await session.keys("Down");
  await session.keys("Down");
  await session.shows(/❯ light/);
  await session.keys("Enter");
  await session.shows("The theme is now light, here and in sessions to come.");
  assert.deepEqual(await config(at.place), { theme: "light" });
  await say(session, "/theme purple");
  await session.shows(/theme[^]*(auto|one of)/);
  assert.deepEqual(await config(at.place), { theme: "light" });
});

Deno.test("/editor puts what was written in $EDITOR into the line, and /keys shows the keys", async () => {
  await using at = await stage([{ text: "Read." }]);
  const editor = join(at.place.home, "..", "editor.sh");
  await writeProgram(editor, '#!/bin/sh\nprintf "%s and more\\n" "$(cat "$1")" > "$1"\n');
  await using session = startInTerminal(at.place, { env: { EDITOR: editor, PAGER: "cat" } });
  await say(session, "/editor words");
  await session.shows(/› words and more$/);
  await session.keys("Enter");
  await session.shows("Read.");
  await session.shows(/\n›$/);
  await say(session, "/keys");
  await session.shows(/Ctrl\+R[^]*Shift\+Tab/);
});
