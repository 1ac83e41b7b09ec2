/**
 * Going another way in a conversation, and going back to the first one: `/tree`, `/fork` and `--fork`.
 */
import assert from "node:assert/strict";
import { startInTerminal } from "../support/ally_terminal.ts";
import { runAlly, type Stage, stage } from "../support/program.ts";
import type { TerminalSession } from "../support/terminal_session.ts";

async function say(session: TerminalSession, text: string): Promise<void> {
  await session.shows(/›$/);
  await session.keys("-l", text);
  await session.keys("Enter");
}

const SCRIPT = ["One.", "Two.", "Three.", "Four.", "Five."].map((text) => ({ text }));

function userWords(at: Stage): string[] {
  const messages = at.server.requests.at(-1)!.body.messages as { role: string; content: string }[];
  return messages.filter(({ role }) => role === "user").map(({ content }) => content);
}

/** "first", "second", then back and "other" in place of "second". */
async function talkTwoWays(at: Stage): Promise<TerminalSession> {
  const session = startInTerminal(at.place);
  await say(session, "first");
  await session.shows("One.");
  await say(session, "second");
  await session.shows("Two.");
  await say(session, "/rewind 1");
  await session.shows(/❯ No/);
  await session.keys("y");
  await session.shows(/› second$/);
  await session.keys("C-c");
  await say(session, "other");
  await session.shows("Three.");
  return session;
}

Deno.test("/tree shows both ways, goes to the other one, and the session is resumed on it", async () => {
  await using at = await stage(SCRIPT);
  {
    await using session = await talkTwoWays(at);
    await say(session, "/tree");
    await session.shows(/first\n\s*├─ here other\n\s*└─ 1 {4}second[^]*❯ stay here/);
    await session.keys("Down");
    await session.keys("Enter");
    await session.shows(
      /goes on from that branch\. Files stay[^]*› first\n\nOne\.[^]*› second\n\nTwo\./,
    );
    await say(session, "third");
    await session.shows("Four.");
    assert.deepEqual(userWords(at), ["first", "second", "third"]);
    await session.shows(/[s%]\n+›$/);
    await session.keys("C-d");
    await session.shows("left 0");
  }
  await using session = startInTerminal(at.place, { args: ["-c"] });
  const screen = await session.shows(/Four\.[^]*›$/);
  assert.doesNotMatch(screen, /other/);
  await say(session, "/tree 1");
  await session.shows(/› other\n\nThree\./);
  await say(session, "/tree 7");
  await session.shows(/There is no branch '7': 1 branch was left/);
});

Deno.test("/tree of a conversation with one branch says how there come to be more", async () => {
  await using at = await stage(SCRIPT);
  await using session = startInTerminal(at.place);
  await say(session, "/tree");
  await session.shows(/has one branch: this one\. Going back with \/rewind/);
});

Deno.test("/fork 1 goes on with a copy from before the last message, and the session stays as it was", async () => {
  await using at = await stage(SCRIPT);
  {
    await using session = startInTerminal(at.place);
    await say(session, "/fork");
    await session.shows("There is nothing to copy yet.");
    await say(session, "first");
    await session.shows("One.");
    await say(session, "second");
    await session.shows("Two.");
    await say(session, "/fork 1");
    await session.shows(/A copy goes on as session [^]*› second$/);
    await session.keys("-l", " in another way");
    await session.keys("Enter");
    await session.shows("Three.");
    assert.deepEqual(userWords(at), ["first", "second in another way"]);
    await session.shows(/[s%]\n+›$/);
    await session.keys("C-d");
    await session.shows("left 0");
  }
  const { stdout } = await runAlly(at.place, { args: ["sessions", "list", "--json"] });
  const [copy, original] = JSON.parse(stdout);
  assert.equal(copy.title, "first (fork)");
  assert.equal(copy.forked_from, original.id);
  assert.equal(original.turns, 2);
  assert.equal((await runAlly(at.place, { args: ["-p", "-r", original.id, "third"] })).code, 0);
  assert.deepEqual(userWords(at), ["first", "second", "third"]);
});

Deno.test("a copy of a session and a resumed one go on with what the server has counted", async () => {
  const usage = { prompt_tokens: 2_600, completion_tokens: 16 };
  const env = { ALLY_CONTEXT_SIZE: "20000" };
  await using at = await stage([{ text: "One.", usage }, { text: "Two.", usage }]);
  const counted = /2,616 of 20,000 tokens \(13%\) are in use, \w+ here and by the server/;
  {
    await using session = startInTerminal(at.place, { env });
    await say(session, "first");
    await session.shows("One.");
    await say(session, "/fork");
    await session.shows("A copy goes on");
    await say(session, "/context");
    await session.shows(counted);
    await say(session, "second");
    await session.shows("Two.");
    await say(session, "/exit");
    await session.shows("left 0");
  }
  for (const flag of ["--resume", "--fork"]) {
    await using session = startInTerminal(at.place, { env, args: [flag, "last"] });
    await say(session, "/context");
    await session.shows(counted);
  }
});

Deno.test("--fork goes on with a copy, headless too, and goes with neither --continue nor --resume", async () => {
  await using at = await stage(SCRIPT);
  await runAlly(at.place, { args: ["-p", "first"] });
  const list = async () =>
    JSON.parse((await runAlly(at.place, { args: ["sessions", "list", "--json"] })).stdout);
  const [{ id }] = await list();
  assert.equal((await runAlly(at.place, { args: ["-p", "--fork", id, "second"] })).code, 0);
  assert.deepEqual(userWords(at), ["first", "second"]);
  const [copy, original] = await list();
  assert.deepEqual([original.id, original.turns, copy.turns], [id, 1, 2]);
  const unsaved = await runAlly(at.place, { args: ["-p", "--no-session", "--fork", id, "third"] });
  assert.equal(unsaved.code, 0);
  assert.deepEqual(userWords(at), ["first", "third"]);
  assert.equal((await list()).length, 2);
  for (const args of [["--fork", id, "-c"], ["--fork", id, "-r", id]]) {
    const refused = await runAlly(at.place, { args: ["-p", ...args, "x"] });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /--fork <ID>.*cannot be used with option/);
  }
  const missing = await runAlly(at.place, { args: ["-p", "--fork", "1234", "x"] });
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /No session of this directory has the id '1234'/);
});
