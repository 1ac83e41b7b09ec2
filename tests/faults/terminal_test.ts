/**
 * Terminals that are small, dumb, foreign, resized without end, stopped or gone, and input that never ends: the
 * real program stays usable or ends in order. Needs tmux.
 */
import assert from "node:assert/strict";
import { quoteWord } from "../../src/lib/text.ts";
import { startInTmux } from "../support/ally_terminal.ts";
import { found, withoutOwnStrings } from "../support/evil.ts";
import { isRunning, runningWith, uniqueDuration } from "../support/processes.ts";
import { allyCommand, type Place, runAlly, stage } from "../support/program.ts";
import { hasTmux, TmuxSession } from "../support/tmux.ts";
import { until } from "../support/wait.ts";

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !hasTmux(), fn });
}

const TOUCH = { calls: [{ name: "bash", arguments: { command: "touch made" } }] };

async function isMade(place: Place): Promise<boolean> {
  return await place.read("made").then(() => true, () => false);
}

/** ally in a terminal, with its process id. */
async function startNoted(
  place: Place,
  options: { columns?: number; rows?: number; env?: Record<string, string> } = {},
): Promise<{ session: TmuxSession; pid: number }> {
  const ally = allyCommand().map(quoteWord).join(" ");
  const noted = `sh -c 'echo $$ > ../pid; exec "$@"' sh ${ally}`;
  const command = `cd ${quoteWord(place.dir)}; ${noted}; echo "left $?"; stty -a; exec cat`;
  const session = await TmuxSession.start(command, {
    columns: options.columns ?? 80,
    rows: options.rows ?? 30,
    env: { ...place.env, TMPDIR: place.dir, LANG: "C.UTF-8", ...options.env },
  });
  const pid = Number(await until("its pid", () => place.read("../pid")));
  return { session, pid };
}

async function say(session: TmuxSession, text: string, prompt = /›$/): Promise<void> {
  await session.shows(prompt);
  await session.keys("-l", text);
  await session.keys("Enter");
}

/** The program's output as text. */
async function sentTo(session: TmuxSession): Promise<string> {
  return new TextDecoder().decode(await session.output());
}

for (const [columns, rows] of [[20, 5], [5, 3], [1, 1]] as const) {
  test(`a terminal of ${columns} columns and ${rows} rows is answered by letter and by arrow`, async () => {
    await using at = await stage([TOUCH, { text: "Ok." }, TOUCH, { text: "No." }]);
    const { session, pid } = await startNoted(at.place, { columns, rows });
    await using _ = session;
    for (
      const [keys, made] of [[["a"], true], [["Up", "Up", "Down", "Down", "Enter"], false]] as const
    ) {
      await session.shows((screen) => screen.endsWith("›"));
      await session.keys("-l", "go");
      await session.keys("Enter");
      await session.shows((screen) =>
        columns > 2 ? screen.slice(screen.lastIndexOf("›")).includes("❯") : screen.endsWith("\nd")
      );
      for (const key of keys) await session.keys(key);
      const requests = made ? 2 : 3;
      await until("an answer", () => at.server.requests.length === requests);
      await session.shows((screen) => screen.endsWith("›"));
      assert.equal(await isMade(at.place), made);
      await Deno.remove(`${at.place.dir}/made`).catch(() => {});
    }
    assert.equal(isRunning(pid), true);
  });
}

test("what is decided on is whole in a terminal of 20 columns and 5 rows", async () => {
  const names = Array.from({ length: 40 }, (_, n) => `name${n}`).join(" ");
  await using at = await stage([
    { calls: [{ name: "bash", arguments: { command: `touch ${names}` } }] },
  ]);
  await using session = await startInTmux(at.place, { columns: 20, rows: 5 });
  await say(session, "go");
  const screen = await session.shows(/❯/);
  const flat = screen.replace(/\s+/g, "");
  for (let n = 0; n < 40; n++) assert.ok(flat.includes(`name${n}`), `name${n}`);
  // The answers that have no room are reached by the arrows.
  const chosen = (screen: string) => screen.slice(screen.lastIndexOf("❯")).replace(/\s+/g, "");
  for (const label of ["Deny(d", "instead(i", "Editcommand(e", "Allow(a"]) {
    await session.shows((screen) => chosen(screen).includes(label));
    await session.keys("Down");
  }
});

test("a dumb terminal asks without moving the cursor, and typed ahead text does not answer", async () => {
  await using at = await stage([TOUCH, { text: "Ok." }, TOUCH]);
  await using session = await startInTmux(at.place, { env: { TERM: "dumb" } });
  await session.shows(/› $|›$/);
  // Deno itself erases a line before the program begins.
  const before = (await sentTo(session)).length;
  await say(session, "go", /› $|›$/);
  await session.shows(/\[a\/w\/p\/(?:s\/)?d\/i\/e\]/);
  await session.keys("a");
  await session.shows(/Ok\./);
  assert.equal(await isMade(at.place), true);
  await Deno.remove(`${at.place.dir}/made`);
  await session.keys("-l", "go on");
  await session.keys("Enter");
  await session.keys("a");
  await session.shows(/\[Esc, then a\/w\/p\/(?:s\/)?d\/i\/e\]/);
  await session.keys("a", "Enter");
  await session.keys("Escape");
  await session.shows(/(\[a\/w\/p\/(?:s\/)?d\/i\/e\][^]*){2}/);
  await session.keys("Enter");
  await session.shows(/Stopped: a call was denied/);
  assert.equal(await isMade(at.place), false);
  // deno-lint-ignore no-control-regex
  assert.deepEqual((await sentTo(session)).slice(before).match(/.*\x1b.*/g), null);
});

test("without a UTF-8 locale only ASCII is sent", async () => {
  await using at = await stage([
    {
      text: "größer 日本 ✓ … \u009b2J",
      calls: [{ name: "bash", arguments: { command: "touch 語" } }],
    },
    { text: "Ok." },
  ]);
  await using session = await startInTmux(at.place, { env: { LANG: "C", LC_ALL: "C" } });
  await say(session, "go", />$/);
  await session.shows(/\$ touch \\u8a9e[^]*> Deny/);
  await session.keys("a");
  await session.shows(/Ok\./);
  const sent = await session.output();
  assert.equal(sent.some((byte) => byte > 0x7e), false);
});

test("a storm of resizes in a question and in a stream leaves ally usable", async () => {
  const text = "A line that is wrapped in a narrow terminal, and not in a wide one. ".repeat(20);
  await using at = await stage([{ text, delayMs: 10, ...TOUCH }, { text: "Ok." }]);
  await using session = await startInTmux(at.place);
  await say(session, "go");
  const sizes = Array.from({ length: 60 }, (_, n) => [10 + (n * 37) % 120, 4 + (n * 13) % 40]);
  await session.shows(/A line/);
  for (const [columns = 80, rows = 24] of sizes) await session.resize(columns, rows);
  await session.shows(/Allow bash/);
  for (const [columns = 80, rows = 24] of sizes) await session.resize(columns, rows);
  await session.resize(80, 40);
  await session.shows(/❯ Deny \(d, \d\)/);
  await session.keys("a");
  await session.shows(/Ok\.[^]*›$/);
});

test("a stop from outside leaves the terminal in order, and going on takes it again", async () => {
  await using at = await stage([TOUCH, { text: "Ok." }]);
  const ally = allyCommand().map(quoteWord).join(" ");
  await using session = await TmuxSession.start("exec bash --norc --noprofile", {
    columns: 80,
    rows: 40,
    env: { ...at.place.env, LANG: "C.UTF-8" },
  });
  await session.keys(
    "-l",
    `cd ${quoteWord(at.place.dir)}; sh -c 'echo $$ > ../pid; exec "$@"' sh ${ally}`,
  );
  await session.keys("Enter");
  await say(session, "go");
  await session.shows(/❯ Deny/);
  const pid = Number(await at.place.read("../pid"));
  for (
    const [round, stop] of [() => session.keys("C-z"), () => Deno.kill(pid, "SIGTSTP")].entries()
  ) {
    await stop();
    await session.shows(new RegExp(`(Stopped[^]*){${round + 1}}[$#] ?$`));
    await session.keys("-l", "stty -a | grep -o ' icanon'; fg");
    await session.keys("Enter");
    await session.shows(new RegExp(`(^ icanon\n[^]*){${round + 1}}❯ Deny`, "m"));
  }
  await session.keys("a");
  await session.shows(/Ok\./);
});

test("a terminal that is gone ends ally, with its command and a saved session", async () => {
  const duration = uniqueDuration();
  const command = `touch started; sleep ${duration}`;
  await using at = await stage([{ calls: [{ name: "bash", arguments: { command } }] }]);
  const { session, pid } = await startNoted(at.place);
  await say(session, "go");
  await session.shows(/❯ Deny/);
  await session.keys("a");
  await until("the command", () => runningWith(`sleep ${duration}`).length > 0);
  await session[Symbol.asyncDispose]();
  await until("its end", () => !isRunning(pid));
  assert.deepEqual(runningWith(duration), []);
  const saved = await at.place.session();
  assert.match(JSON.stringify(saved.at(-1)), /interrupted/);
});

test("binary output leaves the terminal as it was", async () => {
  const command = "head -c 300000 /dev/urandom; printf '\\033[?1049h\\033(0\\016'";
  await using at = await stage([
    { calls: [{ name: "bash", arguments: { command } }] },
    { text: "Seen." },
  ]);
  await using session = await startInTmux(at.place, { rows: 60, args: ["--allow-run"] });
  await say(session, "go");
  await session.shows(/Seen\.[^]*›$/);
  await session.keys("-l", "!head -c 300000 /dev/urandom");
  await session.keys("Enter");
  await session.shows(/›$/);
  await session.keys("-l", "still here");
  await session.shows(/› still here$/);
  assert.deepEqual(found(withoutOwnStrings(await sentTo(session))), []);
});

test("a paste of 50 MB is refused with a word, and the next line is taken", async () => {
  await using at = await stage([{ text: "Ok." }]);
  await using session = await startInTmux(at.place);
  await session.shows(/›$/);
  await session.pasteFile(async (path) => {
    const file = await Deno.open(path, { create: true, write: true });
    const line = new TextEncoder().encode(`${"x".repeat(99)}\n`.repeat(10_000));
    for (let n = 0; n < 50; n++) await file.write(line);
    file.close();
  });
  await session.shows(/A paste of 50\.0 MB is too large/);
  await say(session, "short");
  await session.shows(/Ok\./);
});

Deno.test("input that never ends, is closed, or is nothing, does not hang or spin", async () => {
  for (
    const [redirect, code, words] of [
      ["yes |", 2, /Standard input is larger than/],
      ["cat /dev/zero |", 2, /Standard input is larger than|not text/],
      ["true |", 0, /Ok\./],
    ] as const
  ) {
    await using at = await stage([{ text: "Ok." }]);
    const { stdout, stderr, status } = await shell(at.place, `${redirect} ally -p hello`);
    assert.equal(status, code, redirect);
    assert.match(stdout + stderr, words);
  }
  for (const redirect of ["<&-", "</dev/null", "</dev/zero", "</dev/full"]) {
    await using at = await stage([TOUCH, { text: "Ok." }]);
    const { status, stderr } = await shell(at.place, `ally -p hello ${redirect}`);
    assert.equal(status, 3, redirect);
    assert.match(stderr, /denied/);
    assert.equal(await isMade(at.place), false);
  }
});

Deno.test("a full disk behind standard output is said, and is no success", async () => {
  await using at = await stage([{ text: "Ok." }]);
  const { status, stderr } = await shell(at.place, "ally -p hello > /dev/full");
  assert.equal(status, 1);
  assert.match(stderr, /Standard output cannot be written: No space left/);
});

Deno.test("print mode takes no terminal's word for an answer", async () => {
  await using at = await stage([TOUCH, { text: "Ok." }]);
  const { code } = await runAlly(at.place, { args: ["-p", "go"], input: "a\na\ny\n" });
  assert.equal(code, 3);
  assert.equal(await isMade(at.place), false);
});

/** Runs a shell line in which `ally` is the program. */
async function shell(
  place: Place,
  line: string,
): Promise<{ stdout: string; stderr: string; status: number }> {
  const ally = allyCommand().map(quoteWord).join(" ");
  const { stdout, stderr, code } = await new Deno.Command("bash", {
    args: ["-c", `ally() { ${ally} "$@"; }; ${line}`],
    cwd: place.dir,
    clearEnv: true,
    env: { ...place.env },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { stdout: decoder.decode(stdout), stderr: decoder.decode(stderr), status: code };
}
