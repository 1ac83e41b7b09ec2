/**
 * What must not answer a question of the real program, and the signals and keys that end or stop it: the
 * session is saved, the terminal is as it was, the exit code is true. Needs tmux.
 */
import assert from "node:assert/strict";
import { quoteWord } from "../../src/lib/text.ts";
import { startInTmux } from "../support/ally_terminal.ts";
import { holdReply } from "../support/held_reply.ts";
import { allyCommand, type Place, spawnAlly, stage } from "../support/program.ts";
import { hasBubblewrap } from "../support/sandbox.ts";
import { hasTmux, TmuxSession } from "../support/tmux.ts";
import { until } from "../support/wait.ts";

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !hasTmux(), fn });
}

const TOUCH = { calls: [{ name: "bash", arguments: { command: "touch made" } }] };
const LONG = { text: Array.from({ length: 2000 }, (_, n) => `word${n}`).join(" "), delayMs: 20 };

async function say(session: TmuxSession, text: string): Promise<void> {
  await session.shows(/›$/);
  await session.keys("-l", text);
  await session.keys("Enter");
}

/** ally, then the state in which it leaves the terminal. */
function startThenStty(place: Place): Promise<TmuxSession> {
  const ally = allyCommand().map(quoteWord).join(" ");
  const noted = `sh -c 'echo $$ > ../pid; exec "$@"' sh ${ally}`;
  const command = `cd ${quoteWord(place.dir)}; ${noted}; echo "left $?"; stty -a; exec cat`;
  return TmuxSession.start(command, {
    columns: 80,
    rows: 40,
    env: { ...place.env, TMPDIR: place.dir, LANG: "C.UTF-8" },
  });
}

async function isMade(place: Place): Promise<boolean> {
  return await place.read("made").then(() => true, () => false);
}

test("keys typed before a question and while it appears do not answer it", async () => {
  const { reply, release } = holdReply({ text: "wait", ...TOUCH });
  await using at = await stage([reply]);
  await using session = await startInTmux(at.place);
  await say(session, "go");
  await session.shows(/wait/);
  await session.keys("a", "Up", "Up", "Enter");
  // However slow it is from here, the line holds something.
  await session.keys("b");
  release();
  for (let n = 0; !(await session.screen()).includes("Allow bash?"); n++) {
    await session.keys("a", "Up", "Up");
    assert.ok(n < 1000);
  }
  await session.keys("a", "w", "Enter");
  await session.shows(/To answer, press Esc or an arrow key first/);
  // A letter of its own shows that all before it has been read.
  await session.keys("Up", "Enter", "z");
  await session.shows(/To answer, press Esc or an arrow key first\.[^]*z$/);
  await session.keys("Up");
  await session.shows(/❯ Deny/);
  assert.equal(await isMade(at.place), false);
  await session.paste("a\ra\r");
  await session.paste("allow\n");
  await session.keys("-l", "\x1b]11;rgb:aaaa/aaaa/aaaa\x07");
  await session.keys("-l", "\x1b[?62;c");
  await session.shows(/❯ Deny/);
  // An Enter that is read together with what was pasted before it is no answer either; at the prompt a second does nothing.
  for (let n = 0; !(await session.screen()).includes("Stopped: a call was denied"); n++) {
    await session.keys("Enter");
    assert.ok(n < 1000);
  }
  assert.equal(await isMade(at.place), false);
});

test("an arrow key and Enter answer, and Always can be turned with the arrow keys", async () => {
  await using at = await stage([TOUCH, { text: "Done." }]);
  await using session = await startInTmux(at.place);
  await say(session, "go");
  await session.shows(/❯ Deny/);
  await session.keys("Up");
  if (hasBubblewrap()) {
    await session.shows(/❯ Always allow all commands that stay in the sandbox/);
    await session.keys("Up");
  }
  await session.shows(/❯ Always allow run=touch \* in this project/);
  await session.keys("Up");
  await session.shows(/❯ Always allow run=touch made in this project/);
  await session.keys("Right");
  await session.shows(/❯ Always allow run=touch made in this session/);
  await session.keys("Up");
  await session.shows(/❯ Allow/);
  await session.keys("Enter");
  await session.shows(/Done\./);
  assert.equal(await isMade(at.place), true);
});

test("Ctrl+C twice within two seconds quits in the middle of a stream, saved", async () => {
  await using at = await stage([LONG]);
  await using session = await startThenStty(at.place);
  await say(session, "talk");
  await session.shows(/word9 /);
  await session.keys("C-c", "C-c");
  const screen = await session.shows(/left (?:0|130)[^]*icanon/);
  assert.match(screen, /[^-]icanon/);
  const saved = JSON.stringify(await at.place.session());
  assert.match(saved, /word9 [^"]*\[Request interrupted by user\]/);
});

test("fifty Ctrl+C in a second end it, wherever they come, saved and with the terminal in order", async () => {
  const command = "touch started; sleep 100";
  for (
    const [reply, ready] of [
      [LONG, /word9 /],
      [TOUCH, /❯ Deny/],
      [{ calls: [{ name: "bash", arguments: { command } }] }, /❯ Deny/],
    ] as const
  ) {
    await using at = await stage([reply]);
    await using session = await startThenStty(at.place);
    await say(session, "talk");
    await session.shows(ready);
    if (reply !== LONG && reply !== TOUCH) {
      await session.keys("a");
      await until("the command", () => at.place.read("started").then(() => true));
    }
    await session.keys(...Array.from({ length: 50 }, () => "C-c"));
    const screen = await session.shows(/left (?:0|130)[^]*icanon/);
    assert.match(screen, /[^-]icanon/);
    assert.match(screen, /[^-]echo\b/);
    assert.match(JSON.stringify(await at.place.session()), /talk/);
  }
});

test("Ctrl+Z stops it in a question too, and fg brings the question back", async () => {
  await using at = await stage([TOUCH, { text: "Done." }]);
  const { env } = at.place;
  await using session = await TmuxSession.start("exec bash --norc --noprofile", {
    columns: 80,
    rows: 40,
    env: { ...env, LANG: "C.UTF-8" },
  });
  await session.keys(
    "-l",
    `cd ${quoteWord(at.place.dir)}; ${allyCommand().map(quoteWord).join(" ")}`,
  );
  await session.keys("Enter");
  await say(session, "go");
  await session.shows(/❯ Deny/);
  await session.keys("C-z");
  await session.shows(/Stopped/);
  await session.keys("-l", "stty -a | grep -c ' icanon'");
  await session.keys("Enter");
  await session.shows(/^1$/m);
  await session.keys("-l", "fg");
  await session.keys("Enter");
  const screen = await session.shows(/fg\n[^]*❯ Deny[^]*Edit/);
  assert.equal(screen.split("fg\n")[1]!.match(/Allow bash\?/g)?.length, 1);
  await session.keys("a");
  await session.shows(/Done\.[^]*^›/m);
  await session.keys("C-d");
  await session.shows(/[$#] ?$/);
  assert.equal(await isMade(at.place), true);
});

test("after Ctrl+Z the shell's words stand alone, and fg brings back what stood there", async () => {
  await using at = await stage([]);
  await using session = await TmuxSession.start("exec bash --norc --noprofile", {
    columns: 80,
    rows: 40,
    env: { ...at.place.env, LANG: "C.UTF-8" },
  });
  // bash tells the name of what was stopped: one that leaves the end of the row below the cursor to be seen.
  const ally = `a=(${allyCommand().map(quoteWord).join(" ")})`;
  await session.keys("-l", `cd ${quoteWord(at.place.dir)}; ${ally}; clear; "\${a[@]}"`);
  await session.keys("Enter");
  await session.shows(/^›$/m);
  await session.keys("-l", "one");
  await session.shows(/^› one$/m);
  await session.keys("C-j");
  await session.keys("-l", `${"x".repeat(60)}-end`);
  await session.shows(/^› one\n +x+-end$/m);
  await session.keys("Up", "Home");
  // What comes together with other keys could be part of a paste, and stops nothing.
  await session.keys("-l", "no");
  await session.shows(/^› noone\n +x+-end$/m);
  await session.keys("C-z");
  const screen = await session.shows(/Stopped[^]*[$#] ?$/);
  assert.doesNotMatch(screen, /-end/);
  await session.keys("-l", "fg");
  await session.keys("Enter");
  await session.shows(/fg\n[^]*› noone\n +x+-end/);
});

for (const [signal, code] of [["TERM", 143], ["HUP", 129]] as const) {
  test(`SIG${signal} in a question denies, saves, and leaves with ${code}`, async () => {
    await using at = await stage([TOUCH]);
    await using session = await startThenStty(at.place);
    await say(session, "go");
    await session.shows(/❯ Deny/);
    Deno.kill(Number(await at.place.read("../pid")), `SIG${signal}`);
    const screen = await session.shows(new RegExp(`left ${code}[^]*icanon`));
    assert.match(screen, /[^-]icanon/);
    assert.equal(await isMade(at.place), false);
    const saved = await at.place.messages();
    assert.match(JSON.stringify(saved.at(-1)), /interrupted|denied/);
  });
}

Deno.test("a reader that leaves ends a run with the code of SIGPIPE, saved", async () => {
  await using at = await stage([{ text: "word ".repeat(3000), chunkSize: 5, delayMs: 5 }]);
  const child = spawnAlly(at.place, { args: ["-p", "--output-format", "stream-json", "x"] });
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  const { code } = await child.status;
  await child.stderr.cancel();
  assert.equal(code, 141);
  assert.match(JSON.stringify(await at.place.session()), /Request interrupted by user/);
});
