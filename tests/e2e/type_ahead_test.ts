/**
 * Typing while ally works: lines that wait and are shown, steer the turn, come back with Escape,
 * and are not lost when the turn is stopped.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { quoteWord } from "../../src/lib/text.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { holdReply } from "../support/held_reply.ts";
import { stage } from "../support/program.ts";
import type { TerminalSession } from "../support/terminal_session.ts";
import { until } from "../support/wait.ts";

const WORDS = "word ".repeat(300);
/** An answer that does not end. */
const ENDLESS = { text: WORDS, chunkSize: 5, hang: true } as const;

async function say(session: TerminalSession, text: string): Promise<void> {
  await session.shows(/›$/);
  await enter(session, text);
}

async function enter(session: TerminalSession, text: string): Promise<void> {
  await session.keys("-l", text);
  await session.keys("Enter");
}

function rolesAndWords(body: Record<string, unknown>): string[] {
  const messages = body.messages as { role: string; content: string }[];
  return messages.slice(1).map(({ role, content }) => `${role}: ${content.slice(0, 24)}`);
}

Deno.test("lines typed during a command steer the turn after it, in order", async () => {
  await using at = await stage([
    { calls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.1; done" } }] },
    { text: "Turned." },
  ]);
  await using session = startInTerminal(at.place, { args: ["--allow-run"] });
  await say(session, "begin");
  await session.shows(/Running…/);
  await enter(session, "first the docs");
  await enter(session, "then the tests");
  await session.keys("-l", "half a li");
  await session.shows(/queued: first the docs\n *queued: then the tests[^\n]*\n› half a li$/);
  await at.place.write("go", "");
  const screen = await session.shows(/Turned\.[^]*› half a li$/);
  assert.match(screen, /› first the docs[^]*› then the tests[^]*Turned/);
  const said = rolesAndWords(at.server.requests[1]!.body);
  assert.equal(said[0], "user: begin");
  assert.match(said[2]!, /^tool: /);
  assert.equal(said[3], "user: first the docs\n\nthen the");
  assert.equal(at.server.requests.length, 2);
});

Deno.test("a line typed before ally is ready is the first one it takes", async () => {
  await using at = await stage([{ text: "Quick answer." }]);
  await using session = startInTerminal(at.place);
  await enter(session, "be quick");
  await session.shows(/› be quick[^]*Quick answer\.[^]*›$/);
  assert.deepEqual(rolesAndWords(at.server.requests[0]!.body), ["user: be quick"]);
});

Deno.test("a line typed during a reply without calls begins the next turn; what only shows runs at once", async () => {
  const { reply, release } = holdReply({ text: `${WORDS}The end.` });
  await using at = await stage([reply, { text: "Second answer." }]);
  await using session = startInTerminal(at.place);
  await say(session, "talk");
  await session.shows(/word word/);
  await enter(session, "/todo");
  await session.shows(/No todos|0 of 0|todo list is empty|no todo/i);
  await enter(session, "next thing");
  await session.shows(/queued: next thing/);
  release();
  const screen = await session.shows(/Second answer\.[^]*›$/);
  assert.match(screen, /end\.[^]*› next thing[^]*Second answer/);
  assert.match(rolesAndWords(at.server.requests[1]!.body).at(-1)!, /^user: next thing/);
});

Deno.test("Escape gives back line after line, then stops the turn and keeps what was typed", async () => {
  await using at = await stage([ENDLESS]);
  await using session = startInTerminal(at.place);
  await say(session, "talk");
  await session.shows(/word word/);
  await enter(session, "one");
  await enter(session, "two");
  await session.shows(/queued: two/);
  await session.keys("Escape");
  await session.shows(/queued: one[^\n]*\n› two$/);
  await session.keys("Escape");
  await session.shows(/stop\n› one\n {2}two$/);
  await session.keys("Escape");
  await session.shows(/Interrupted\.[^]*› one\n {2}two$/);
  assert.equal(at.server.requests.length, 1);
});

Deno.test("Ctrl+C stops the turn and gives what waits back for editing, at 40 columns without colours", async () => {
  await using at = await stage([ENDLESS, { text: "Both." }]);
  await using session = startInTerminal(at.place, {
    columns: 40,
    env: { NO_COLOR: "1" },
  });
  await say(session, "talk");
  await session.shows(/word word/);
  await enter(session, "a line that is much longer than forty columns are wide");
  await session.keys("-l", "and the beginning of another one that is long");
  await session.shows(
    /queued: a line that is[^\n]*…\n› and the beginning of another one that\n {2}is long$/,
  );
  await session.keys("C-c");
  await session.shows(/Interrupted\.[^]*› a line that/);
  await session.keys("Enter");
  await session.shows(/Both\./);
  assert.equal(
    (at.server.requests[1]!.body.messages as { content: string }[]).at(-1)!.content,
    "a line that is much longer than forty columns are wide\n" +
      "and the beginning of another one that is long",
  );
});

Deno.test("however fast lines are sent one after the other, each is said by itself", async () => {
  const COUNT = 20;
  const code = "Look:\n\n```ts\nconst a = 1;\n```\n";
  await using at = await stage(
    Array.from({ length: COUNT }, (_, index) => ({ text: `${code}Answer ${index}.` })),
  );
  await using session = startInTerminal(at.place);
  await session.shows("›");
  for (let index = 0; index < COUNT; index++) await session.keys(`line ${index}`, "Enter");
  const said = () => {
    const messages = at.server.requests.at(-1)?.body.messages as {
      role: string;
      content: string;
    }[];
    return (messages ?? []).filter(({ role }) => role === "user")
      .flatMap(({ content }) => content.split("\n\n"));
  };
  await until("the last line", () => said().at(-1)?.endsWith(`line ${COUNT - 1}`) === true);
  assert.deepEqual(said(), Array.from({ length: COUNT }, (_, index) => `line ${index}`));
});

Deno.test("commands that are sent one after the other run one after the other; a question gets what waits back", async () => {
  await using at = await stage([{
    calls: [{ name: "write", arguments: { file_path: "a.txt", content: "a" } }],
  }, {
    text: "Written.",
  }]);
  await using session = startInTerminal(at.place, { args: ["--allow-write"] });
  await say(session, "write it");
  await session.shows(/Written\.[^]*›$/);
  for (let index = 0; index < 8; index++) {
    await session.keys("/tools", "Enter", "/rename again", "Enter");
  }
  await session.keys("/undo", "Enter", "and then", "Enter");
  await session.shows(/You were typing[^]*› and then$/);
  await session.keys("Up");
  await session.shows("❯ No");
  await session.keys("n");
  const screen = await session.shows(/› and then$/);
  assert.equal(screen.split("This session is now called again.").length - 1, 8);
  assert.equal(at.server.requests.length, 2);
});

Deno.test("words typed while ally works do not answer the question that comes meanwhile", async () => {
  const { reply, release } = holdReply({
    text: "Soon.",
    calls: [{ name: "write", arguments: { file_path: "b.txt", content: "two" } }],
  });
  await using at = await stage([reply, { text: "Done." }]);
  await using session = startInTerminal(at.place);
  await say(session, "edit please");
  await session.shows(/Soon\.[^]*stop/);
  await session.keys("-l", "and ");
  await session.shows(/› and$/);
  release();
  await session.shows(/Allow write\?[^]*You were typing[^]*› and$/);
  for (const key of "allow") await session.keys("-l", key);
  await session.shows(/Allow write\?[^]*› and allow$/);
  await assert.rejects(at.place.read("b.txt"), Deno.errors.NotFound);
  await session.keys("Up");
  await session.shows(/❯ [^\n]*\n?[^]*Deny \(d, \d\)/);
  await session.keys("-l", "d");
  await session.shows(/Denied write b\.txt[^]*› and allow$/);
  await assert.rejects(at.place.read("b.txt"), Deno.errors.NotFound);
});

Deno.test("the line typed while ally works finds files and earlier messages, and has $EDITOR, which holds the answer back", async () => {
  const { reply, release } = holdReply({ text: "Late words." }, 0);
  await using at = await stage([{ text: "Hello." }, reply]);
  await at.place.write("parser.ts", "");
  const editor = join(at.place.home, "..", "editor.sh");
  const script = `#!/bin/sh
cd ${quoteWord(at.place.dir)}
touch edits
until [ -e go ]; do sleep 0.1; done
echo anew > "$1"
`;
  await writeProgram(editor, script);
  await using session = startInTerminal(at.place, { env: { EDITOR: editor } });
  await say(session, "an earlier message");
  await session.shows(/Hello\.[^]*›$/);
  await enter(session, "go on");
  await session.shows(/stop$/);
  await session.keys("Up", "Up");
  await session.shows(/stop\n› an earlier message$/);
  await session.keys("C-u", "see @pars");
  await session.shows(/stop\n› see @pars\n❯ parser\.ts$/);
  await session.keys("Tab");
  await session.shows(/stop\n› see @parser\.ts$/);
  await session.keys("C-u", "C-r", "earl");
  await session.shows(/earlier › earl\n❯ an earlier message$/);
  await session.keys("Enter");
  await session.shows(/stop\n› an earlier message$/);
  await session.keys("C-g");
  await until("the editor", () => at.place.read("edits").then(() => true, () => false));
  release();
  assert.doesNotMatch(await session.screen(), /Late words/);
  await at.place.write("go", "");
  await session.shows(/Late words\.[^]*› anew$/);
});
