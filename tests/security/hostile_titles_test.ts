/**
 * Words that others chose for lists in which a person picks: titles of sessions, and prompts and resources of an MCP
 * server. They move nothing on the terminal, whether they are listed, completed, searched or opened again.
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { STARTED, startInTerminal } from "../support/ally_terminal.ts";
import { EVIL as EVERYTHING, found, withoutOwnStrings } from "../support/evil.ts";
import { writeServers } from "../support/mcp_place.ts";
import { type Place, runAlly, stage } from "../support/program.ts";
import type { TerminalSession } from "../support/terminal_session.ts";

/** What a pipe or an argument can hold of it. */
const EVIL = EVERYTHING.replaceAll("\0", "");

/** A word that people can type, and the attacker's text behind it. */
const TITLE = `pears ${EVIL}`;

async function assertHarmless(session: TerminalSession): Promise<void> {
  const output = new TextDecoder().decode(await session.output());
  assert.deepEqual(found(withoutOwnStrings(output)), []);
}

/** Two sessions, one of which begins with the attacker's words, which somebody piped in. */
async function talk(place: Place): Promise<void> {
  await runAlly(place, { args: ["-p", "apples"] });
  await runAlly(place, { args: ["-p"], input: TITLE });
}

Deno.test("a session's title is text in the list that --resume shows, found, renamed and opened", async () => {
  await using at = await stage([{ text: "One." }, { text: `Two ${EVIL}` }, { text: "Three." }]);
  await talk(at.place);
  await using session = startInTerminal(at.place, { args: ["--resume"] });
  await session.shows(/F2 renames, Delete deletes/);
  await session.keys("-l", "pears");
  await session.shows((screen) => /❯ pears start/.test(screen) && !/apples/.test(screen));
  await session.keys("-l", "\x1bOQ");
  await session.shows(/A new name for the session:\n› pears/);
  await session.keys("Escape");
  await session.shows(/❯ pears/);
  await session.keys("-l", "\x1b[3~");
  await session.shows(/Delete "pears[^]*❯ No/);
  await session.keys("Enter");
  await session.shows(/❯ pears/);
  await session.keys("Enter");
  await session.shows(/goes on\.[^]*›$/);
  await assertHarmless(session);
});

Deno.test("words of the command line are text in the line that they come back to", async () => {
  await using at = await stage([{ text: "One." }, { text: "Two." }]);
  await talk(at.place);
  // A colour is the one sequence that ally's own lines have.
  const args = ["--resume", `${TITLE} \x1b[31mred`];
  await using session = startInTerminal(at.place, { args });
  await session.shows(/F2 renames, Delete deletes/);
  await session.keys("Escape");
  await session.shows(/which session\? -[^]*› pears[^]*red/);
  await assertHarmless(session);
  const output = new TextDecoder().decode(await session.output());
  assert.equal(output.includes("\x1b[31mred"), false);
});

Deno.test("a session's title is text in /resume, /sessions, /tree and what completes them", async () => {
  await using at = await stage([{ text: "One." }, { text: `Two ${EVIL}` }]);
  await talk(at.place);
  await using session = startInTerminal(at.place);
  await session.shows(STARTED);
  await session.keys("-l", "/sessions");
  await session.keys("Enter");
  await session.shows(/pears[^]*›$/);
  await session.keys("-l", "/resume");
  await session.keys("Enter");
  await session.shows(/❯ pears[^]*apples/);
  await session.keys("Enter");
  await session.shows(/goes on\.[^]*›$/);
  await session.keys("-l", "/tree");
  await session.keys("Enter");
  await session.shows(/one branch[^]*›$/);
  await assertHarmless(session);
});

const SERVER = fileURLToPath(new URL("../support/listing_mcp_server.ts", import.meta.url));

Deno.test("names and descriptions of a server's prompts and resources are text in lists and completions", async () => {
  await using at = await stage([{ text: "Said." }]);
  await Deno.writeTextFile(`${at.place.dir}/../notes.txt`, "canaryrose\n");
  await writeServers(at.place.home, {
    s: { command: Deno.execPath(), args: ["run", "-A", "--no-config", SERVER, EVIL] },
  });
  await using session = startInTerminal(at.place);
  await session.shows(STARTED);
  // A restart waits for the server.
  await session.keys("-l", "/mcp restart s");
  await session.keys("Enter");
  await session.shows(/\/mcp restart s\n[^›]+\n›$/);
  await session.keys("-l", "/mcp s");
  await session.keys("Enter");
  await session.shows(/s running[^›]*\/s:plain[^›]*›$/);
  await session.keys("-l", "/s:");
  await session.shows(/❯ \/s:plain/);
  await session.keys("C-u");
  await session.keys("-l", "see @s:");
  await session.shows(/❯ s:note:one/);
  await session.keys("C-u");
  await session.keys("-l", "/s:plain");
  await session.keys("Enter");
  await session.shows(/Said\.[^]*›$/);
  await assertHarmless(session);
  // What a server's prompt says is words, whatever they would do where a person types them.
  assert.doesNotMatch(JSON.stringify(at.server.requests), /canaryrose/);
  await assert.rejects(Deno.stat(`${at.place.dir}/planted`), Deno.errors.NotFound);
});
