/**
 * A session that goes on is shown as it was left: its last turns, folded, drawn by the same views.
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

const read = (file_path: string) => ({
  calls: [{ name: "read", arguments: { file_paths: [file_path] } }],
});

const SCRIPT = [
  { text: "Reply one." },
  { text: "Reply **two**." },
  read("a.txt"),
  read("missing.txt"),
  { text: "- a list\n- of two" },
  { text: "Reply four." },
];

const FILES = { "a.txt": "alpha\nbeta\n" };

/** Four turns, one after the other. */
async function talk(at: Stage): Promise<void> {
  await runAlly(at.place, { args: ["-p", "first"] });
  for (const words of ["second", "third", "fourth"]) {
    await runAlly(at.place, { args: ["-p", "-c", words] });
  }
}

Deno.test("--continue shows the last three turns again, and how many there were before", async () => {
  await using at = await stage(SCRIPT, FILES);
  await talk(at);
  const requests = at.server.requests.length;
  await using session = startInTerminal(at.place, { args: ["-c"] });
  const screen = await session.shows(/Reply four\.[^]*›$/);
  assert.match(screen, /first goes on\.\n+· 1 earlier turn;/);
  assert.match(screen, /\n› second\n\nReply two\.\n[^]*\n› third\n/);
  assert.doesNotMatch(screen, /Reply one/);
  assert.match(screen, /\n● read a\.txt\n {2}⎿ [^\n]*\n/);
  assert.match(screen, /\n✗ read missing\.txt\n {2}⎿ [^\n]*missing\.txt/);
  assert.match(screen, /• a list\n• of two\n/);
  // The line under a turn: calls and time are those of then.
  assert.match(screen, /of two\n\n[^\n]*2 calls · [^\n]*\n/);
  assert.equal(at.server.requests.length, requests, "nothing is asked again");
});

Deno.test("/resume shows the last turns too, and what is said next follows them", async () => {
  await using at = await stage([...SCRIPT.slice(0, 2), { text: "Elsewhere." }, { text: "Back." }]);
  await runAlly(at.place, { args: ["-p", "first"] });
  await runAlly(at.place, { args: ["-p", "-c", "second"] });
  await using session = startInTerminal(at.place);
  await say(session, "something else");
  await session.shows("Elsewhere.");
  await say(session, "/resume first");
  await session.shows(/first goes on\.[^]*› first\n\nReply one\.[^]*› second\n\nReply two\./);
  await say(session, "third");
  await session.shows("Back.");
  const sent = at.server.requests.at(-1)!.body.messages as { role: string; content: string }[];
  assert.deepEqual(sent.filter(({ role }) => role === "user").map(({ content }) => content), [
    "first",
    "second",
    "third",
  ]);
});

Deno.test("calls of resumed turns have numbers that bring their whole results: /show N, Ctrl+O, /copy N", async () => {
  const bash = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });
  const edit = { file_path: "a.txt", old_string: "beta", new_string: "gamma" };
  await using at = await stage([
    bash("seq 1 15"),
    bash("echo short"),
    bash("seq 1 20; exit 3"),
    read("a.txt"),
    { calls: [{ name: "edit", arguments: edit }] },
    { text: "Done." },
  ], FILES);
  await runAlly(at.place, { args: ["-A", "-p", "go"] });
  await using session = startInTerminal(at.place, { args: ["-A", "-c"], env: { PAGER: "cat" } });
  const screen = await session.shows(/Done\.[^]*all allowed ›$/);
  assert.match(screen, /● bash seq 1 15.*\n {2}⎿ 1\n {4}… \+14 lines, \/show 1\n● bash echo/);
  assert.match(screen, /● bash echo short.*\n {2}⎿ short\n✗ bash seq/);
  assert.match(screen, /exited with code 3\n {4}… \+20 lines, \/show 2\n● read a\.txt/);
  assert.match(screen, /\/show 3\n● edit a\.txt.*\n {2}⎿ .*\n {4}… \+\d+ lines, \/show 4\n\n/);
  await say(session, "/show 1");
  await session.shows(
    /1 · result · bash seq 1 15 · 15 lines\n1\n2\n[^]*14\n15\n\n.*all allowed ›$/,
  );
  await say(session, "/show 2");
  await session.shows(/exited with code 3\n1\n2\n[^]*19\n20\n\n.*all allowed ›$/);
  await session.keys("C-o");
  await session.shows(/4 · result · edit a\.txt[^]*\n-beta\n\+gamma\n[^]*all allowed ›$/);
  await say(session, "/copy 1");
  await session.shows("Copied 35 characters");
});

Deno.test("changes of resumed turns are shown and taken back by their numbers, and what is no longer kept says so", async () => {
  const edit = (old_string: string, new_string: string) => ({
    calls: [{ name: "edit", arguments: { file_path: "a.txt", old_string, new_string } }],
  });
  await using at = await stage([
    read("a.txt"),
    edit("beta", "gamma"),
    edit("alpha", "omega"),
    { text: "Done." },
  ], FILES);
  await runAlly(at.place, { args: ["-A", "-p", "go"] });
  const [project] = await Array.fromAsync(Deno.readDir(`${at.place.home}/projects`));
  await Deno.remove(`${at.place.home}/projects/${project!.name}/patches/000001.json`);
  await using session = startInTerminal(at.place, { args: ["-A", "-c"], env: { PAGER: "cat" } });
  const screen = await session.shows(/Done\.[^]*all allowed ›$/);
  const numbers = [...screen.matchAll(/\/show (\d+)/g)].map(([, number]) => number);
  assert.deepEqual(numbers, ["1", "2", "3"]);
  await say(session, "/diff 3");
  await session.shows(
    /3 · edit a\.txt · 1 file · \+1 -1\n[^]*- alpha\n1 \+ omega\n[^]*all allowed ›$/,
  );
  await say(session, "/undo 3");
  await session.shows(/Took back change 2 \(edit\):/);
  assert.equal(await Deno.readTextFile(`${at.place.dir}/a.txt`), "alpha\ngamma\n");
  await say(session, "/undo 3");
  await session.shows("Cannot undo change 2: it has been undone already.");
  await say(session, "/undo 2");
  await session.shows("Cannot undo change 1: it was made too long ago to be kept.");
  await say(session, "/diff 2");
  await session.shows("to be kept. /show 2 shows what");
  await say(session, "/undo 1");
  await session.shows("1 is the result of read a.txt (3 lines), which changed no file.");
});

Deno.test("a session of an earlier version, which kept nothing of its screen, is shown from its messages", async () => {
  await using at = await stage(SCRIPT, FILES);
  await talk(at);
  const [project] = await Array.fromAsync(Deno.readDir(`${at.place.home}/projects`));
  const sessions = `${at.place.home}/projects/${project!.name}/sessions`;
  const [file] = await Array.fromAsync(Deno.readDir(sessions));
  const path = `${sessions}/${file!.name}`;
  const lines = (await Deno.readTextFile(path)).split("\n")
    .filter((line) => !/^\{"type":"(call|turn)"/.test(line));
  await Deno.writeTextFile(path, lines.join("\n"));
  await using session = startInTerminal(at.place, { args: ["-c"] });
  const screen = await session.shows(/Reply four\.[^]*›$/);
  assert.match(screen, /● read a\.txt\n/);
  assert.match(screen, /✗ read missing\.txt\n/);
  assert.doesNotMatch(screen, /could not be read/);
});

Deno.test("what was masked stays masked when it is shown again", async () => {
  const token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
  await using at = await stage([read("a.txt"), { text: `It is ${token}.` }], { "a.txt": token });
  await runAlly(at.place, { args: ["-p", `what is ${token}?`] });
  await using session = startInTerminal(at.place, { args: ["-c"] });
  const screen = await session.shows(/It is \[secret:[^]*›$/);
  assert.doesNotMatch(screen, new RegExp(token));
});

Deno.test("a call that was denied is shown as denied where the session goes on, and in a copy of it", async () => {
  const call = { name: "write", arguments: { file_path: "a.txt", content: "x" } };
  await using at = await stage([{ calls: [call] }, { text: "Not then." }]);
  assert.equal((await runAlly(at.place, { args: ["-p", "write it"] })).code, 3);
  const { stdout } = await runAlly(at.place, { args: ["sessions", "show", "last"] });
  assert.match(stdout, /write: denied/);
  await using session = startInTerminal(at.place, { args: ["-c"] });
  const screen = await session.shows(/Not then\.[^]*›$/);
  assert.match(screen, /⊘ write/);
});
