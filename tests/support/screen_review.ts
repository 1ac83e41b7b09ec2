/**
 * Runs the script of `screens.ts` at a real terminal and compares each screen with the one that was reviewed, or writes
 * it where ALLY_WRITE_SCREENS is set.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { startInTmux } from "./ally_terminal.ts";
import { makePlace } from "./program.ts";
import { normalizeScreen, replyToScreen, SCREEN_FILES, SCREEN_STEPS } from "./screens.ts";
import { DEADLINE_MS } from "./terminal_session.ts";
import type { TmuxSession } from "./tmux.ts";

/** Columns and rows. */
export const SCREEN_SIZES = ["100x30", "60x20", "20x10"] as const;

const FIXTURES = join(import.meta.dirname!, "../fixtures/screens");
/** Milliseconds between two looks at a screen that is to be still. */
const STILL_MS = 250;
const MAX_REPLIES = 100;

/** Goes through the steps, up to the one named `last`. @throws {AssertionError} a screen is another one */
export async function reviewScreens(
  size: (typeof SCREEN_SIZES)[number],
  { last }: { last?: string } = {},
): Promise<void> {
  const [columns = 0, rows = 0] = size.split("x").map(Number);
  await using server = await startScriptedServer({
    replies: Array.from({ length: MAX_REPLIES }, () => replyToScreen),
  });
  await using place = await makePlace({ endpoint: server.url, files: SCREEN_FILES });
  await using session = await startInTmux(place, {
    columns,
    rows,
    env: { TERM: "xterm-256color" },
  });
  for (const { name, keys, shows } of SCREEN_STEPS) {
    for (const one of keys) await session.keys(...one);
    await session.shows(shows);
    if (name === undefined) continue;
    await review(session, `${name}.${size}`);
    if (name === last) return;
  }
}

async function review(session: TmuxSession, name: string): Promise<void> {
  const path = join(FIXTURES, `${name}.txt`);
  if (Deno.env.has("ALLY_WRITE_SCREENS")) {
    await Deno.mkdir(FIXTURES, { recursive: true });
    return await Deno.writeTextFile(path, `${await stillScreen(session)}\n`);
  }
  const reviewed = (await Deno.readTextFile(path)).replace(/\n$/, "");
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const screen = normalizeScreen(await session.visible());
    if (screen === reviewed) return;
    if (Date.now() > deadline) assert.equal(screen, reviewed, `the screen ${name}`);
    await delay(STILL_MS);
  }
}

/** The screen once it is the same twice. */
async function stillScreen(session: TmuxSession): Promise<string> {
  for (let before = "";;) {
    await delay(STILL_MS);
    const screen = normalizeScreen(await session.visible());
    if (screen === before) return screen;
    before = screen;
  }
}
