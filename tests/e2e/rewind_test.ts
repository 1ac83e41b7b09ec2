/**
 * Going back at a terminal: to before an earlier message, with files or without, and the session that is
 * kept of it.
 */
import assert from "node:assert/strict";
import type { TerminalSession } from "../support/terminal_session.ts";
import { join } from "node:path";
import { startInTerminal } from "../support/ally_terminal.ts";
import { runAlly, type Stage, stage } from "../support/program.ts";
import { until } from "../support/wait.ts";

async function say(session: TerminalSession, text: string): Promise<void> {
  await session.shows(/›$/);
  await session.keys("-l", text);
  await session.keys("Enter");
}

const write = (file_path: string, content: string) => ({
  calls: [{ name: "write", arguments: { file_path, content } }],
});

const SCRIPT = [
  { text: "Hello there." },
  write("new.txt", "one\n"),
  { text: "Wrote it." },
  { calls: [{ name: "bash", arguments: { command: "echo two >> new.txt; echo x > other.txt" } }] },
  { text: "Added to it." },
  { text: "Again." },
];

const FLAGS = ["--allow-write", "--allow-run", "--no-sandbox"];

async function talkThrice(at: Stage): Promise<TerminalSession> {
  const session = startInTerminal(at.place, { args: FLAGS });
  await say(session, "first");
  await session.shows("Hello there.");
  await say(session, "second");
  await session.shows("Wrote it.");
  await say(session, "third");
  await session.shows("Added to it.");
  return session;
}

function userWords(at: Stage): string[] {
  const messages = at.server.requests.at(-1)!.body.messages as { role: string; content: string }[];
  return messages.filter(({ role }) => role === "user").map(({ content }) => content);
}

Deno.test("/rewind 2 takes conversation and files back and puts the message into the line", async () => {
  await using at = await stage(SCRIPT, { "kept.txt": "kept\n" });
  await using session = await talkThrice(at);
  await say(session, "/rewind 2");
  const question = await session.shows(/❯ Cancel/);
  assert.match(question, /new\.txt.*deleted/);
  assert.match(question, /Go back to before "second"\?/);
  await session.keys("b");
  await session.shows(/› second$/);
  await assert.rejects(at.place.read("new.txt"), Deno.errors.NotFound);
  await assert.rejects(at.place.read("other.txt"), Deno.errors.NotFound);
  assert.equal(await at.place.read("kept.txt"), "kept\n");
  await session.keys("-l", ", but otherwise");
  await session.keys("Enter");
  await session.shows("Again.");
  assert.deepEqual(userWords(at), ["first", "second, but otherwise"]);
  const lines = await at.place.session();
  assert.equal(lines.filter(({ type }) => type === "rewind").length, 1);
  assert.ok(lines.some((line) => JSON.stringify(line).includes('"third"')), "nothing is rewritten");
});

Deno.test("after /rewind a turn keeps its own figures, though what was taken back ended in the same words", async () => {
  const said = (tokens: number) => ({
    text: "Done.",
    usage: { prompt_tokens: tokens, completion_tokens: 10 },
  });
  await using at = await stage([said(4_100), said(5_200), said(6_300)]);
  {
    await using session = startInTerminal(at.place, { args: FLAGS });
    await say(session, "first");
    await session.shows("4.1k in");
    await say(session, "second");
    await session.shows("5.2k in");
    await say(session, "/rewind 1");
    await session.shows(/Go back to before "second"\?[^]*❯ No/);
    await session.keys("y");
    await session.shows(/› second$/);
  }
  const exported = async () =>
    (await runAlly(at.place, { args: ["sessions", "export", "last", "--format", "html"] })).stdout;
  assert.match(await exported(), /4,100 tokens in/);
  await using again = startInTerminal(at.place, { args: ["-c"] });
  await again.shows(/first\s+Done\.\s+4\.1k in/);
  await say(again, "third");
  await again.shows("6.3k in");
  assert.match(await exported(), /4,100 tokens in[^]*6,300 tokens in/);
});

Deno.test("the picker goes back with the conversation alone, and /rewind undo brings it back", async () => {
  await using at = await stage(SCRIPT);
  await using session = await talkThrice(at);
  await say(session, "/rewind");
  await session.shows(/❯ Cancel/);
  await session.keys("Up");
  await session.shows(/❯ third \(1\)/);
  await session.keys("Enter");
  await session.shows(/Conversation only[^]*❯ Cancel/);
  await session.keys("c");
  await session.shows(/› third$/);
  assert.equal(await at.place.read("new.txt"), "one\ntwo\n");
  await session.keys("C-c");
  await say(session, "/rewind undo");
  await session.shows("4 messages are back");
  await say(session, "fourth");
  await session.shows("Again.");
  assert.deepEqual(userWords(at), ["first", "second", "third", "fourth"]);
});

Deno.test("what comes back into the line is what was typed, not what was sent", async () => {
  await using at = await stage([{ text: "Seen." }, { text: "Ran." }], {
    "a.txt": "content of a\n",
  });
  await using session = startInTerminal(at.place);
  await say(session, "look at @a.txt");
  await session.shows("Seen.");
  assert.match(userWords(at)[0]!, /content of a/);
  await say(session, "!echo hi");
  await session.shows(/^hi$/m);
  await say(session, "/rewind 2");
  await session.shows(/before "look at @a\.txt"[^]*❯ No/);
  await session.keys("n");
  await say(session, "/rewind 1");
  await session.shows(/before "!echo hi"[^]*❯ No/);
  await session.keys("y");
  await session.shows(/› !echo hi$/);
});

Deno.test("files that somebody changed since stay, and that is said before anything happens", async () => {
  await using at = await stage(SCRIPT);
  await using session = await talkThrice(at);
  await at.place.write("new.txt", "mine\n");
  await say(session, "/rewind 2");
  await session.shows(/Files cannot go back: new\.txt changed since[^]*❯ No/);
  await session.keys("y");
  await session.shows(/› second$/);
  assert.equal(await at.place.read("new.txt"), "mine\n");
  assert.equal(await at.place.read("other.txt"), "x\n");
});

Deno.test("a session that went back is resumed as it was left", async () => {
  await using at = await stage(SCRIPT);
  await using session = await talkThrice(at);
  await say(session, "/rewind 2");
  await session.shows(/❯ Cancel/);
  await session.keys("c");
  await session.shows(/› second$/);
  await session.keys("C-c");
  await session.keys("C-d");
  await session.shows("left 0");
  const done = await runAlly(at.place, { args: ["-p", "-c", "later"] });
  assert.equal(done.code, 0);
  assert.deepEqual(userWords(at), ["first", "later"]);
});

Deno.test("/rename, /export, /sessions and /resume: a name, a copy, the list, and back", async () => {
  await using at = await stage([{ text: "Hello there." }, { text: "New talk." }]);
  await using session = startInTerminal(at.place);
  await say(session, "first words");
  await session.shows("Hello there.");
  await say(session, "/rename The *big* plan");
  await session.shows("now called The *big* plan");
  await say(session, "/export");
  await session.shows(/Wrote the-big-plan\.md/);
  const document = await at.place.read("the-big-plan.md");
  assert.match(document, /^# The \*big\* plan\n[^]*## User\n\nfirst words\n[^]*Hello there\./);
  await at.place.write("kept.md", "mine\n");
  await say(session, "/export kept.pdf");
  await session.shows(/Cannot export to kept\.pdf: [^]*Name it\s+kept\.md/);
  await say(session, "/export kept.md");
  await session.shows(/kept\.md is there already[^]*❯ No/);
  await session.keys("n");
  await session.shows("Nothing was written.");
  assert.equal(await at.place.read("kept.md"), "mine\n");
  await say(session, "/clear");
  await session.shows("A new conversation begins");
  await say(session, "/resume BIG");
  await session.shows(/The \*big\* plan goes on\.[^]*› first words\n\nHello there\./);
  await say(session, "/sessions");
  await session.shows(/The \*big\* plan this +│ - +│ now +│ +1 │ +[\d.]+ KB/);
  await session.keys("C-d");
  await session.shows("left 0");
  const listed = await runAlly(at.place, { args: ["sessions", "list"] });
  assert.match(listed.stdout, /now +1 turn +[\d.]+ .*B +- +The \*big\* plan/);
  await until("the removal of the session", async () => {
    const done = await runAlly(at.place, { args: ["sessions", "delete", "last", "--yes"] });
    return done.code === 0;
  });
  const projects = await Array.fromAsync(Deno.readDir(join(at.place.home, "projects")));
  const sessions = join(at.place.home, "projects", projects[0]!.name, "sessions");
  assert.deepEqual(await Array.fromAsync(Deno.readDir(sessions)), []);
});
