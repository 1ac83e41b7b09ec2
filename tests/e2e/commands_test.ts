/**
 * The commands that tell of the program itself, and the looks behind the screen, against the real program.
 */
import assert from "node:assert/strict";
import { VERSION } from "../../src/app/version.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { runAlly, stage } from "../support/program.ts";
import type { TerminalSession } from "../support/terminal_session.ts";

const READ = { calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] };

async function say(session: TerminalSession, text: string): Promise<void> {
  await session.shows(/›$/);
  await session.keys("-l", text);
  await session.keys("Enter");
}

Deno.test("/tools counts calls, /help NAME explains one command, /debug says where things are", async () => {
  await using at = await stage([READ, { text: "Seen." }], { "a.txt": "one\n" });
  // So wide that paths are in columns wherever temporary files are.
  await using session = startInTerminal(at.place, { columns: 240, rows: 60 });
  await say(session, "look");
  await session.shows(/Seen\./);
  await say(session, "/tools");
  await session.shows(/read +│ +read +│ +built in +│ +1 /);
  await say(session, "/help focus");
  await session.shows(/\/focus \[DIR\][^]*Work in one directory only[^]*\/focus src\/ui/);
  await say(session, "/help nothing");
  await session.shows(/There is no command or topic 'nothing'/);
  await say(session, "/debug");
  const version = RegExp.escape(VERSION);
  await session.shows(
    new RegExp(`ally +│ +${version}[^]*configuration +│[^]*config\\.json[^]*events +│ +off`),
  );
});

Deno.test("/debug on tells events and keeps them with secrets masked, until /debug off", async () => {
  const secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
  await using at = await stage([READ, { text: "Seen." }, { text: "Quiet." }], {
    "a.txt": `token ${secret}\n`,
  });
  await using session = startInTerminal(at.place, { columns: 100, rows: 60 });
  await say(session, "/debug on");
  await session.shows(/Events are shown as they happen/);
  await say(session, "look");
  const screen = await session.shows(/turn done: 2 requests, 1 call[^]*›$/);
  assert.match(screen, /request 1 to scripted: 2 messages/);
  assert.match(screen, /success \(executing \d/);
  await say(session, "/debug off");
  await say(session, "again");
  await session.shows(/Quiet\./);
  const logs = `${at.place.home}/logs`;
  const [log] = await Array.fromAsync(Deno.readDir(logs));
  const text = await Deno.readTextFile(`${logs}/${log!.name}`);
  const kinds = text.trim().split("\n").map((line) => JSON.parse(line).type);
  assert.ok(kinds.includes("tool_end") && !kinds.includes("text_delta"));
  assert.ok(!text.includes(secret));
  assert.ok(!text.includes("Quiet."));
  assert.equal((await Deno.stat(`${logs}/${log!.name}`)).mode! & 0o777, 0o600);
});

Deno.test("/init has the model write ALLY.md, which is asked about", async () => {
  const write = { file_path: "ALLY.md", content: "# Notes\n\nRun `deno test`.\n" };
  await using at = await stage([
    { calls: [{ name: "write", arguments: write }] },
    { text: "Written." },
  ]);
  await using session = startInTerminal(at.place);
  await say(session, "/init above all the tests");
  await session.shows(/❯ Deny/);
  await session.keys("a");
  await session.shows(/Written\./);
  assert.equal(await at.place.read("ALLY.md"), write.content);
  const messages = at.server.requests[0]!.body.messages as { content: string }[];
  assert.match(messages[1]!.content, /^Write ALLY\.md[^]*The user adds: above all the tests$/);
});

Deno.test("thinking is shown whole, in part or not at all, and never sent back", async () => {
  const thinking = Array.from({ length: 9 }, (_, n) => `thought number ${n}`).join("\n");
  for (
    const [mode, shows, hides] of [
      ["full", /thought number 8[^]*Said\.[^]*›$/, /more lines? of thought/],
      ["short", /thought number 0[^]*more lines of thought[^]*Said\.[^]*›$/, /number 8/],
      ["off", /Said\.[^]*›$/, /thought/],
    ] as const
  ) {
    await using at = await stage([{ thinking, text: "Said." }, { text: "More." }]);
    await Deno.mkdir(at.place.home, { recursive: true });
    await Deno.writeTextFile(
      `${at.place.home}/config.json`,
      JSON.stringify({ show_thinking: mode }),
    );
    await using session = startInTerminal(at.place);
    await say(session, "think");
    const screen = await session.shows(shows);
    assert.doesNotMatch(screen, hides);
    await say(session, "on");
    await session.shows(/More\./);
    assert.doesNotMatch(at.server.requests[1]!.text, /thought number/);
  }
});

Deno.test("--verbose tells requests and states on standard error, --debug keeps a log too", async () => {
  await using at = await stage([READ, { text: "Seen." }], { "a.txt": "one\n" });
  const { code, stdout, stderr } = await runAlly(at.place, { args: ["-p", "-v", "look"] });
  assert.equal(code, 0);
  assert.equal(stdout, "Seen.\n");
  assert.match(stderr, /debug: request 1 to scripted: 2 messages/);
  assert.match(stderr, /debug: \S+ executing \(scheduled/);
  await using other = await stage([{ text: "Seen." }]);
  const done = await runAlly(other.place, { args: ["-p", "--debug", "look"] });
  const path = /events are logged to (\S+\.jsonl)/.exec(done.stderr)?.[1];
  assert.match(await Deno.readTextFile(path!), /"type":"turn_end"/);
});

Deno.test("with stream false a reply is asked for as a whole, and read", async () => {
  const message = { role: "assistant", content: "Whole." };
  const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] });
  const headers = { "content-type": "application/json" };
  await using at = await stage([{ body, headers }]);
  await Deno.mkdir(at.place.home, { recursive: true });
  await Deno.writeTextFile(`${at.place.home}/config.json`, JSON.stringify({ stream: false }));
  const { code, stdout, stderr } = await runAlly(at.place, { args: ["-p", "say"] });
  assert.equal(stdout, "Whole.\n", stderr);
  assert.equal(code, 0);
  assert.equal(at.server.requests[0]!.body.stream, false);
});
