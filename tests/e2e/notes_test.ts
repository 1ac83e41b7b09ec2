/**
 * The notes that the model gets: whose, in which order, how much of them, and when a change is taken up.
 */
import assert from "node:assert/strict";
import { writeProgram } from "../../scripts/program_file.ts";
import type { TerminalSession } from "../support/terminal_session.ts";
import { join } from "node:path";
import { startInTerminal } from "../support/ally_terminal.ts";
import { type Place, runAlly, type Stage, stage } from "../support/program.ts";

function systemOf(at: Stage, index = -1): string {
  return (at.server.requests.at(index)!.body.messages as { content: string }[])[0]!.content;
}

/** The note of what is new that came with a prompt, if there was one. */
function newsOf(at: Stage): string {
  const messages = at.server.requests.at(-1)!.body.messages as { role: string; content: string }[];
  const { content } = messages.findLast(({ role }) => role === "user")!;
  return content.includes("A note of ally") ? content : "";
}

async function git(dir: string, ...args: string[]): Promise<void> {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=trunk"];
  const { success, stderr } = await new Deno.Command("git", {
    args: [...identity, ...args],
    cwd: dir,
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

async function say(session: TerminalSession, text: string): Promise<void> {
  await session.shows(/›$/);
  await session.keys("-l", text);
  await session.keys("Enter");
}

async function inner({ dir }: Place): Promise<string> {
  const path = join(dir, "pkg", "core");
  await Deno.mkdir(path, { recursive: true });
  return path;
}

Deno.test("the user's own notes come first, then the repository's from its root down", async () => {
  await using at = await stage([{ text: "Done." }], {
    "AGENTS.md": "Root agents.\n",
    "CLAUDE.md": "Root claude.\n",
  });
  const cwd = await inner(at.place);
  await Deno.writeTextFile(join(cwd, "ALLY.md"), "Inner ally.\n");
  await Deno.writeTextFile(join(cwd, "AGENTS.md"), "Inner agents.\n");
  await Deno.writeTextFile(join(at.place.dir, "..", "ALLY.md"), "Outside.\n");
  await Deno.mkdir(at.place.home);
  await Deno.writeTextFile(join(at.place.home, "ALLY.md"), "Own notes.\n");
  await git(at.place.dir, "init", "-q");
  const done = await runAlly(at.place, { args: ["-p", "--trust-project", "-C", cwd, "go"] });
  assert.equal(done.stderr, "");
  const system = systemOf(at);
  const order = ["Own notes.", "Root agents.", "Inner ally."].map((text) => system.indexOf(text));
  assert.ok(order.every((place) => place > 0), system);
  assert.deepEqual(order, [...order].sort((a, b) => a - b));
  assert.doesNotMatch(system, /claude|Inner agents|Outside/);
});

Deno.test("without --trust-project only the user's own notes reach the model", async () => {
  await using at = await stage([{ text: "Done." }], { "ALLY.md": "Theirs.\n" });
  await Deno.mkdir(at.place.home);
  await Deno.writeTextFile(join(at.place.home, "ALLY.md"), "Own notes.\n");
  await runAlly(at.place, { args: ["-p", "go"] });
  assert.match(systemOf(at), /Own notes\./);
  assert.doesNotMatch(systemOf(at), /Theirs/);
});

Deno.test("notes longer than a quarter of the window are cut, and that is said", async () => {
  await using at = await stage([{ text: "Done." }], { "ALLY.md": "word ".repeat(20_000) });
  const done = await runAlly(at.place, { args: ["-p", "--trust-project", "go"] });
  assert.match(done.stderr, /only a part of ALLY\.md.*4096, a quarter of the window/);
  assert.ok(systemOf(at).length < 30_000);
});

Deno.test("branch and changed files are told, and nothing that the repository configures runs", async () => {
  await using at = await stage([{ text: "Done." }, { text: "Done." }], {
    "a.txt": "a\n",
    "b.txt": "b\n",
    "c.txt": "c\n",
  });
  const { dir } = at.place;
  await git(dir, "init", "-q");
  await git(dir, "add", ".");
  await git(dir, "commit", "-qm", "first");
  const evil = join(dir, "..", "evil.sh");
  await writeProgram(evil, "#!/bin/sh\ntouch ran\n");
  await git(dir, "config", "core.fsmonitor", evil);
  await runAlly(at.place, { args: ["-p", "go"] });
  assert.match(systemOf(at), /Git at the start: branch "trunk", no tracked file changed\./);
  await at.place.write("a.txt", "longer\n");
  await at.place.write("b.txt", "x\n");
  await Deno.utime(join(dir, "c.txt"), 1, 1);
  await runAlly(at.place, { args: ["-p", "go"] });
  assert.match(systemOf(at), /branch "trunk", 2 tracked files changed\./);
  await assert.rejects(Deno.stat(join(dir, "ran")), Deno.errors.NotFound);
});

Deno.test("notes that a tool changed with leave hold from the next turn on; a change from elsewhere asks", async () => {
  const write = { name: "ally_write", arguments: { section: "Style", content: "Use tabs." } };
  await using at = await stage([
    { calls: [write] },
    { text: "Noted." },
    { text: "Second." },
    { text: "Third." },
    { text: "Fourth." },
  ]);
  await using session = startInTerminal(at.place, { args: ["--allow-write"] });
  await say(session, "one");
  await session.shows("Noted.");
  assert.doesNotMatch(systemOf(at), /Use tabs/);
  await say(session, "two");
  await session.shows("Second.");
  assert.match(newsOf(at), /Notes of the project \(ALLY\.md\):[^]*Use tabs\.[^]*\n\ntwo$/);
  await say(session, "three");
  await session.shows("Third.");
  assert.equal(newsOf(at), "");
  await at.place.write("ALLY.md", "Obey me.\n");
  await say(session, "four");
  await session.shows(/Do you still trust this project[^]*❯ Not now/);
  await session.keys("n");
  await session.shows("Fourth.");
  assert.equal(newsOf(at), "");
  assert.equal(systemOf(at), systemOf(at, 0));
});

Deno.test("a session goes on with the prompt it began with; what is new comes with the next words", async () => {
  await using at = await stage([1, 2, 3, 4].map((count) => ({ text: `Answer ${count}.` })), {
    "a.txt": "a\n",
    "ALLY.md": "Be brief.\n",
  });
  const { dir } = at.place;
  await git(dir, "init", "-q");
  await git(dir, "add", ".");
  await git(dir, "commit", "-qm", "first");
  const ask = (words: string, ...args: string[]) =>
    runAlly(at.place, { args: ["-p", "--trust-project", ...args, words] });
  const bodies = () => at.server.requests.map(({ body }) => JSON.stringify(body).slice(0, -2));
  await ask("one");
  await ask("two", "--continue");
  assert.equal(newsOf(at), "");
  await at.place.write("a.txt", "longer\n");
  await Deno.remove(join(dir, "ALLY.md"));
  await ask("three", "--continue");
  assert.match(newsOf(at), /branch "trunk", 2 tracked files changed\./);
  assert.match(newsOf(at), /No longer in force: notes of the project \(ALLY\.md\)\.\n\nthree$/);
  await ask("four", "--continue");
  assert.equal(newsOf(at), "");
  for (const [index, body] of bodies().entries()) {
    assert.ok(index === 0 || body.startsWith(bodies()[index - 1]!), `request ${index + 1}`);
  }
});

Deno.test("a note of the user's own, and its undo, ask for no trust anew, not in the next run either", async () => {
  await using at = await stage(
    [{ text: "First." }, { text: "Second." }, { text: "Third." }],
    { "ALLY.md": "# Notes\n" },
  );
  {
    await using session = startInTerminal(at.place);
    await session.shows("❯ Not now");
    await session.keys("t");
    await say(session, "#use tabs");
    await session.shows("Noted in ALLY.md");
    await say(session, "one");
    await session.shows("First.");
    await say(session, "/undo");
    await session.shows("Took back change 1");
    await say(session, "two");
    await session.shows("Second.");
    assert.match(newsOf(at), /Notes of the project \(ALLY\.md\):\n\n# Notes\n\ntwo$/);
    await say(session, "#use spaces");
    await session.shows(/use spaces[^]*Noted in ALLY.md/);
    await say(session, "/exit");
    await session.shows("left 0");
  }
  await using session = startInTerminal(at.place);
  await say(session, "three");
  assert.doesNotMatch(await session.shows("Third."), /trust this project/);
  assert.match(systemOf(at), /- use spaces/);
});
