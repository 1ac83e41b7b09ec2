/**
 * The list of sessions at a terminal: found by title and by what was said, renamed and deleted within the list.
 */
import assert from "node:assert/strict";
import { startInTerminal } from "../support/ally_terminal.ts";
import { runAlly, type Stage, stage } from "../support/program.ts";

const F2 = "\x1bOQ";
const DELETE = "\x1b[3~";

/** Three sessions; only the second one speaks of bananas, and not in its title. */
async function talkThrice(at: Stage): Promise<void> {
  await runAlly(at.place, { args: ["-p", "apples first"] });
  await runAlly(at.place, { args: ["-p", "pears second"] });
  await runAlly(at.place, { args: ["-p", "-c", "and a banana"] });
  await runAlly(at.place, { args: ["-p", "plums third"] });
}

const SCRIPT = [{ text: "One." }, { text: "Two." }, { text: "Three." }, { text: "Four." }];

async function titles(at: Stage): Promise<string[]> {
  const { stdout } = await runAlly(at.place, { args: ["sessions", "list", "--json"] });
  return JSON.parse(stdout).map((one: { title: string }) => one.title);
}

Deno.test("--resume lists sessions with their facts and finds one by a word that was said in it", async () => {
  await using at = await stage(SCRIPT);
  await Deno.mkdir(`${at.place.dir}/.git`);
  await at.place.write(".git/HEAD", "ref: refs/heads/topic\n");
  await talkThrice(at);
  await using session = startInTerminal(at.place, { args: ["--resume"] });
  const list = await session.shows(/F2 renames, Delete deletes/);
  assert.match(list, /❯ plums third +topic · 1 turn · [\d.]+ KB · now\n/);
  assert.match(list, /pears second +topic · 2 turns · /);
  await session.keys("-l", "banan");
  await session.shows((screen) => /❯ pears second/.test(screen) && !/apples/.test(screen));
  await session.keys("Enter");
  await session.shows(/pears second goes on\.[^]*› and a banana\n\nThree\./);
});

Deno.test("a session is renamed and deleted within the list, and the order of use stays", async () => {
  await using at = await stage(SCRIPT);
  await talkThrice(at);
  {
    await using session = startInTerminal(at.place);
    await session.shows(/›$/);
    await session.keys("-l", "/resume");
    await session.keys("Enter");
    await session.shows(/❯ plums third/);
    await session.keys("-l", "apples");
    await session.shows(/❯ apples first/);
    await session.keys("-l", F2);
    await session.shows(/A new name for the session:\n› apples first/);
    await session.keys("C-u");
    await session.keys("-l", "fruit of the \x1b[31mfirst");
    await session.keys("Enter");
    await session.shows(/apples\n+❯ fruit/);
    await session.keys("C-u");
    await session.keys("-l", "pears");
    await session.shows(/❯ pears second/);
    await session.keys("-l", DELETE);
    await session.shows(/Delete "pears second" for good\?[^]*❯ No/);
    await session.keys("Enter");
    await session.shows(/❯ pears second/);
    await session.keys("-l", DELETE);
    await session.shows(/❯ No/);
    await session.keys("y");
    await session.shows(/nothing matches/);
    await session.keys("Escape");
    await session.shows(/›$/);
    await session.keys("C-d");
    await session.shows("left 0");
  }
  const left = await titles(at);
  assert.equal(left.length, 2);
  assert.equal(left[0], "plums third");
  assert.match(left[1]!, /^fruit of the/);
});
