/**
 * A session at a terminal, as a person uses it: Ctrl+C wherever it can be pressed, a resize, slash commands, a
 * session that goes on. What hangs on a real terminal, its keys, its size and its signals, needs tmux.
 */
import assert from "node:assert/strict";
import { startInTerminal, startInTmux } from "../support/ally_terminal.ts";
import { holdReply } from "../support/held_reply.ts";
import { runningWith, uniqueDuration } from "../support/processes.ts";
import { stage } from "../support/program.ts";
import type { TerminalSession } from "../support/terminal_session.ts";
import { hasTmux } from "../support/tmux.ts";
import { until } from "../support/wait.ts";

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !hasTmux(), fn });
}

async function say(session: TerminalSession, text: string): Promise<void> {
  await session.shows(/›$/);
  await session.keys("-l", text);
  await session.keys("Enter");
}

Deno.test("Ctrl+C during a stream keeps what was said and gives the prompt back", async () => {
  const text = Array.from({ length: 400 }, (_, index) => `word${index}`).join(" ");
  await using at = await stage([{ text, chunkSize: 8, hang: true }, { text: "Again here." }]);
  await using session = startInTerminal(at.place);
  await say(session, "talk");
  await session.shows(/word5 /);
  await session.keys("C-c");
  await session.shows(/Interrupted\.[^]*›$/);
  await at.server.untilClosedEarly();
  await say(session, "go on");
  await session.shows(/Again here\.[^]*›$/);
  const messages = at.server.requests[1]!.body.messages as { role: string; content: string }[];
  assert.match(messages[2]!.content, /^word0 [^]*\[Request interrupted by user\]$/);
});

test("Ctrl+C during a command ends it with all it started", async () => {
  const duration = uniqueDuration();
  const command = `touch up; sleep ${duration} & sleep ${duration}`;
  await using at = await stage([
    { calls: [{ name: "bash", arguments: { command } }] },
    { text: "Never mind." },
  ]);
  await using session = await startInTmux(at.place);
  await say(session, "sleep");
  await session.shows(/❯ Deny/);
  await session.keys("a");
  await until("the command", () => runningWith(duration).length > 0);
  await session.shows(/Running…/);
  await session.keys("C-c");
  await session.shows(/interrupted by the user[^]*›$/);
  assert.deepEqual(runningWith(duration), []);
  await say(session, "and now?");
  await session.shows(/Never mind\./);
  const messages = at.server.requests[1]!.body.messages as { role: string }[];
  assert.deepEqual(messages.map((message) => message.role), [
    "system",
    "user",
    "assistant",
    "tool",
    "user",
  ]);
});

Deno.test("Ctrl+C clears a half-typed line, and on an empty one leaves when pressed again", async () => {
  await using at = await stage([]);
  await using session = startInTerminal(at.place);
  await session.shows(/›$/);
  await session.keys("-l", "half typed");
  await session.shows(/› half typed$/);
  await session.keys("C-c");
  await session.shows(/›$/);
  await session.keys("C-c");
  await session.shows(/Press Ctrl\+C again to leave\.\n›$/);
  await session.keys("C-c");
  await session.shows(/left 0/);
  assert.equal(at.server.requests.length, 0);
});

Deno.test("the words for leaving and for help are no words for the model", async () => {
  await using at = await stage([]);
  await using session = startInTerminal(at.place);
  for (const word of ["help", "?"]) {
    await session.shows(/›$/);
    await session.keys(word, "Enter");
    await session.shows(new RegExp(`› ${word === "?" ? "\\?" : word}\n[^]*/compact[^]*›$`));
  }
  await session.keys("quit", "Enter");
  await session.shows(/left 0/);
  assert.equal(at.server.requests.length, 0);
});

test("three Ctrl+C in a row end the program whatever it does", async () => {
  await using at = await stage([{ text: "so far", hang: true }]);
  await using session = await startInTmux(at.place);
  await say(session, "talk");
  await session.shows(/so far/);
  await session.keys("C-c", "C-c", "C-c");
  await session.shows(/left (0|130)/);
});

test("a resize in the middle of a turn leaves the screen whole", async () => {
  const text = "A line that is longer than a narrow terminal is wide, to be wrapped.\n\n".repeat(3);
  const { reply, release } = holdReply({ text: `${text}The end.`, chunkSize: 6 }, 10);
  await using at = await stage([reply]);
  await using session = await startInTmux(at.place, { columns: 100, rows: 30 });
  await say(session, "talk");
  await session.shows(/longer than a narrow/);
  await session.resize(40, 20);
  release();
  const screen = await session.shows(/The end\.[^]*›$/);
  assert.equal(screen.split("The end.").length, 2);
});

Deno.test("at 40 columns without colours everything can be read and answered", async () => {
  await using at = await stage([
    {
      calls: [{ name: "write", arguments: { file_path: "日本語.txt", content: "語".repeat(30) } }],
    },
    { text: "Written." },
  ]);
  await using session = startInTerminal(at.place, {
    columns: 40,
    rows: 30,
    env: { NO_COLOR: "1" },
  });
  await say(session, "write it");
  const screen = await session.shows(/❯ Deny \(d, \d\)[^]*instead \(i,\s+\d\)/);
  assert.ok(screen.split("\n").every((line) => line.length <= 40));
  await session.keys("a");
  await session.shows(/Written\./);
  assert.equal(await at.place.read("日本語.txt"), "語".repeat(30));
});

test("a paste of many lines is one message", async () => {
  await using at = await stage([{ text: "Got it." }]);
  await using session = await startInTmux(at.place);
  await session.shows(/›$/);
  await session.paste("first line\nsecond line\n\nthird line");
  await session.keys("Enter");
  await session.shows(/Got it\./);
  const messages = at.server.requests[0]!.body.messages as { content: string }[];
  assert.equal(messages[1]!.content, "first line\nsecond line\n\nthird line");
});

Deno.test("slash commands, shell lines and undo work at the prompt", async () => {
  await using at = await stage(
    [
      { calls: [{ name: "write", arguments: { file_path: "new.txt", content: "x\n" } }] },
      { text: "Made it." },
      { text: "I saw it." },
    ],
  );
  await using session = startInTerminal(at.place, {
    args: ["--allow-write", "-m", "scripted"],
  });
  await say(session, "/help");
  await session.shows(/\/undo/);
  await say(session, "/modle");
  await session.shows(/Did you mean \/model\?/);
  await say(session, "/model other");
  await session.shows(/The model is now other/);
  await say(session, "make it");
  await session.shows(/Made it\./);
  assert.equal(at.server.requests[0]!.body.model, "other");
  await say(session, "/undo");
  await session.shows(/This deletes new\.txt\. Go on\?[^]*❯ No/);
  await session.keys("y");
  await session.shows(/Took back change 1[^]*›$/);
  await assert.rejects(at.place.read("new.txt"));
  await say(session, "!echo seen by both");
  await session.shows(/^seen by both$/m);
  await say(session, "what did I run?");
  await session.shows(/I saw it\./);
  assert.ok(at.server.requests.at(-1)!.text.includes("$ echo seen by both\\nseen by both"));
  await say(session, "/clear");
  await session.shows(/A new conversation begins/);
  await say(session, "/exit");
  await session.shows(/left 0/);
});

Deno.test("typed lines are recalled in the next session", async () => {
  await using at = await stage([{ text: "One." }]);
  {
    await using session = startInTerminal(at.place);
    await say(session, "a line to remember");
    await session.shows(/One\./);
    await say(session, "/exit");
    await session.shows(/left 0/);
  }
  await using session = startInTerminal(at.place);
  await session.shows(/›$/);
  await session.keys("Up");
  await session.shows(/› \/exit$/);
  await session.keys("Up");
  await session.shows(/› a line to remember$/);
});

Deno.test("leaving says how to go on; --continue and --resume say where the session stands", async () => {
  await using at = await stage([{ text: "The answer is 42." }]);
  {
    await using session = startInTerminal(at.place);
    await say(session, "/exit");
    assert.doesNotMatch(await session.shows("left 0"), /To go on/);
  }
  {
    await using session = startInTerminal(at.place, { args: ["question"] });
    await session.shows("The answer is 42.");
    await say(session, "/exit");
    await session.shows(/To go on: ally --resume \d{8}T\S+\nleft 0/);
  }
  {
    await using session = startInTerminal(at.place, { args: ["--continue"] });
    await session.shows(/question goes on\.\n[^]*› question\n\nThe answer is 42\.\n\n[^\n]+\n+›/);
  }
  await using session = startInTerminal(at.place, { args: ["--resume"] });
  await session.shows(/❯ question +1 turn/);
  await session.keys("Enter");
  await session.shows(/question goes on\.\n[^]*› question\n\nThe answer is 42\.\n\n[^\n]+\n+›/);
});

Deno.test("after a question that is left the next prompt stands apart", async () => {
  await using at = await stage([{ text: "Hello." }]);
  await using session = startInTerminal(at.place, { args: ["--no-sandbox", "-m", "other"] });
  await session.shows(/no sandbox[^]*›$/);
  await say(session, "/model");
  await session.shows(/Which model\?[^]*scripted/);
  await session.keys("Escape");
  await session.shows(/› \/model\n+Which model\? -\n\n›$/);
  await say(session, "hello");
  await session.shows(/Which model\? -\n\n› hello\n\nHello\.\n/);
});
