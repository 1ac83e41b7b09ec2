/**
 * The status line of a session: what it takes from the run, from git and from a program of the user's.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startInTerminal } from "../support/ally_terminal.ts";
import { type Place, stage } from "../support/program.ts";

const USAGE = { prompt_tokens: 4000, completion_tokens: 20, cached_tokens: 3000 };
/** An answer that does not end. */
const ENDLESS = { text: "word ".repeat(40), chunkSize: 5, usage: USAGE, hang: true } as const;
const ON = { ALLY_STATUS_LINE: "auto" };

async function configure(place: Place, config: unknown): Promise<void> {
  await Deno.mkdir(place.home, { recursive: true });
  await Deno.writeTextFile(join(place.home, "config.json"), JSON.stringify(config));
}

/** A repository as its files are: a branch, and an index without entries. */
async function makeRepository({ dir }: Place, branch: string): Promise<void> {
  await Deno.mkdir(join(dir, ".git"));
  await Deno.writeTextFile(join(dir, ".git", "HEAD"), `ref: refs/heads/${branch}\n`);
}

Deno.test("while a turn runs, its status has the state of the session below it", async () => {
  await using at = await stage([{ text: "One.", usage: USAGE }, ENDLESS]);
  await makeRepository(at.place, "feature/cart");
  await using session = startInTerminal(at.place, { env: ON, args: ["--context-size", "16384"] });
  await session.keys("-l", "first");
  await session.keys("Enter");
  await session.shows(/One\./);
  await session.keys("-l", "second");
  await session.keys("Enter");
  await session.keys("-l", "a third");
  await session.keys("Enter");
  await session.shows(
    /queued: a third[^\n]*\nscripted · ▰▰▱▱▱▱▱▱ \d+% · 75% cached · feature\/cart · 1 queued/,
  );
});

Deno.test("the state stands below the prompt, as soon as there is some, and never above it", async () => {
  await using at = await stage([{ text: "One.", usage: USAGE }]);
  await using session = startInTerminal(at.place, { env: ON, args: ["--context-size", "16384"] });
  await session.shows(/›$/);
  await session.keys("-l", "first");
  await session.keys("Enter");
  const state = /\n›\nscripted · ▰▰▱▱▱▱▱▱ \d+% · 75% cached$/;
  assert.equal((await session.shows(state)).match(/cached/g)?.length, 1);
  await session.keys("-l", "/plan");
  await session.keys("Enter");
  await session.shows(/plan ›\nplan · scripted[^\n]*$/);
  await session.keys("-l", "/exit");
  await session.keys("Enter");
  const screen = await session.shows("left 0");
  assert.doesNotMatch(screen, /▰/);
});

Deno.test("a command in the background stands in the state until it has ended", async () => {
  const command = "until test -e stop; do sleep 0.05; done";
  await using at = await stage([
    { calls: [{ name: "bash", arguments: { command, run_in_background: true } }] },
    { text: "It runs." },
  ]);
  const args = ["--context-size", "16384", "--allow-run"];
  await using session = startInTerminal(at.place, { env: ON, args });
  await session.keys("-l", "start it");
  await session.keys("Enter");
  await session.shows(/It runs\.[^]*\n›\nscripted · [^\n]*% · 1 task$/);
  await at.place.write("stop", "");
  await session.shows(/\n›\nscripted · [^\n]*%$/);
});

Deno.test("a program of the user's gets the state and makes the line, whose controls are removed", async () => {
  await using at = await stage([ENDLESS]);
  await configure(at.place, {
    status_line: {
      command: ["sh", "-c", "cat >state.json; printf '\\033]0;t\\007%s\\nmore' mine; env >env.txt"],
    },
  });
  await using session = startInTerminal(at.place, { env: { ALLY_STATUS_LINE: "" } });
  await session.keys("-l", "go");
  await session.keys("Enter");
  await session.shows(/to stop\nmine\n?$/);
  const state = JSON.parse(await at.place.read("state.json"));
  assert.equal(state.model, "scripted");
  assert.equal(state.queued, 0);
  assert.doesNotMatch(await at.place.read("env.txt"), /OPENAI/);
});

Deno.test("a program that makes no line is told of once, and a project cannot name one", async () => {
  await using at = await stage([{ text: "One." }, { text: "Two." }]);
  await configure(at.place, { status_line: { command: ["sh", "-c", "exit 3"] } });
  await Deno.mkdir(join(at.place.dir, ".ally"));
  await at.place.write(".ally/config.json", '{"status_line":{"command":["touch","ran"]}}');
  await using session = startInTerminal(at.place, {
    env: { ALLY_STATUS_LINE: "" },
    args: ["--trust-project"],
  });
  for (const [line, answer] of [["first", "One."], ["second", "Two."]]) {
    await session.keys("-l", line!);
    await session.keys("Enter");
    await session.shows(answer!);
  }
  const screen = await session.shows(/ended with code 3/);
  assert.equal(screen.split("status_line made no status line").length, 2);
  await assert.rejects(at.place.read("ran"), Deno.errors.NotFound);
});

Deno.test("the state tells of the changes that there are once /undo and `!` have ended", async () => {
  const edit = { file_path: "a.txt", old_string: "one", new_string: "two" };
  await using at = await stage(
    [
      { calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] },
      { calls: [{ name: "edit", arguments: edit }] },
      { text: "Changed." },
    ],
    { "a.txt": "one\n" },
  );
  for (const args of [["init", "-q", "-b", "main"], ["add", "-A"]]) {
    await new Deno.Command("git", { args, cwd: at.place.dir }).output();
  }
  const args = ["--context-size", "16384", "--allow-write"];
  await using session = startInTerminal(at.place, { env: ON, args });
  const lines = [
    ["change it", /Changed\.[^]*\n›\nscripted[^\n]* · main, 1 change$/],
    ["/undo", /\n›\nscripted[^\n]* · main$/],
    ["! echo three > a.txt", /\n›\nscripted[^\n]* · main, 1 change$/],
  ] as const;
  for (const [line, state] of lines) {
    await session.keys("-l", line);
    await session.keys("Enter");
    await session.shows(state);
  }
});
