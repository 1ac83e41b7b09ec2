/**
 * What was shown shortened has a number, and the number brings the whole.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { makePlace, type Place } from "../support/program.ts";
import type { TerminalSession } from "../support/terminal_session.ts";

interface Stage extends AsyncDisposable {
  readonly place: Place;
  readonly session: TerminalSession;
  /** Types a line, and waits for what it brings. */
  say(line: string, brings: string | RegExp): Promise<string>;
}

interface StageOptions {
  readonly files?: Record<string, string>;
  /** The model's last words. */
  readonly last?: string;
  /** Programs that are installed, as scripts. */
  readonly programs?: Record<string, string>;
  readonly env?: Record<string, string>;
  readonly rows?: number;
}

/** A session whose model has given its replies to "go". */
async function stage(
  replies: readonly ScriptedReply[],
  { files = {}, last = "All done.", programs = {}, env = {}, rows = 30 }: StageOptions = {},
): Promise<Stage> {
  const server = await startScriptedServer({ replies: [...replies, { text: last }] });
  const place = await makePlace({ endpoint: server.url, files });
  const bin = join(place.env.HOME!, "bin");
  await Deno.mkdir(bin);
  for (const [name, script] of Object.entries(programs)) {
    await writeProgram(join(bin, name), `#!/bin/sh\n${script}\n`);
  }
  const session = startInTerminal(place, {
    rows,
    env: { PAGER: "cat", PATH: `${bin}:/usr/bin:/bin`, ...env },
    args: ["-A", "go"],
  });
  await session.shows(/\d out · [^]*›$/);
  return {
    place,
    session,
    async say(line, brings) {
      await session.keys("-l", line);
      await session.shows(`› ${line}`);
      await session.keys("Enter");
      await session.shows(brings);
      return await session.shows(/›$/);
    },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

/** A call of bash. */
function bash(command: string): ScriptedReply {
  return { calls: [{ name: "bash", arguments: { command } }] };
}

Deno.test("a shortened result has a number, and /show N brings all of it", async () => {
  await using test = await stage([bash("seq 1 15"), bash("echo short"), bash("seq 1 20; exit 3")]);
  const screen = await test.session.screen();
  assert.match(screen, /⎿ 1[^]*… \+13 lines, \/show 1\n[^]*15\n/);
  assert.match(screen, /⎿ short\n/);
  assert.match(screen, /Command exited with code 3[^]*… \+\d+ lines, \/show 2\n[^]*20\n/);
  assert.match(
    await test.say("/show 1", "1 · result · bash"),
    /1 · result · bash seq 1 15 · 15 lines\n1\n2\n3\n[^]*14\n15\n/,
  );
  const failed = await test.say("/show 2", "2 · result · bash");
  assert.match(
    failed,
    /2 · result · bash seq 1 20; exit 3 · 21 lines\nCommand exited with code 3\n1\n2\n[^]*19\n20\n/,
  );
  const list = await test.say("/show", "size");
  assert.match(list, /1 │ result │ bash seq 1 15 +│ 15 lines\n +2 │ .* │ 21 lines/);
});

Deno.test("a result cut at the right edge has a number as well", async () => {
  const line = "word".repeat(40);
  await using test = await stage([bash(`echo '${line}'`)]);
  assert.match(await test.session.screen(), /⎿ wordword.*…\n +\/show 1\n/);
  const screen = await test.say("/show 1", "1 · result · bash");
  assert.equal(screen.replaceAll("\n", "").includes(line), true);
});

Deno.test("a number that nothing has is refused, with those there are", async () => {
  await using test = await stage([]);
  await test.say("/show", "Nothing has a number yet");
  await test.say(
    "/show 3",
    "Nothing has the number 3: numbers stand beside what is shown shortened",
  );
  await test.say("/show x", "'x' is not a number. Use /show N, or /show for a list.");
});

/** A call that writes numbered lines. */
function write(name: string, lines: number): ScriptedReply {
  const content = Array.from({ length: lines }, (_, index) => `line ${index + 1}\n`).join("");
  return { calls: [{ name: "write", arguments: { file_path: name, content } }] };
}

Deno.test("a shortened change, a thought and a block of code have numbers that bring all of them", async () => {
  const thought = Array.from({ length: 9 }, (_, index) => `thought ${index + 1}`).join("\n");
  const long = `echo ${"long ".repeat(30)}end`;
  const code = `Try:\n\n\`\`\`sh\n${long}\n\`\`\`\n\n- or\n\n  \`\`\`\n  plain\n  \`\`\`\n\nFine.`;
  await using test = await stage([
    { thinking: thought, ...write("a.txt", 50) },
    write("b.txt", 5),
    { text: code, calls: [{ name: "ls", arguments: { file_path: "." } }] },
  ]);
  const screen = await test.session.screen();
  assert.match(screen, /thought 2\n {2}… 7 more lines of thought, \/show 1\n/);
  assert.match(screen, /a\.txt new, 50 lines[^]*… 33 more lines, \/show 2\n[^]*50 \+ line 50\n/);
  assert.match(screen, /b\.txt new, 5 lines\n.*1 \+ line 1[^]*5 \+ line 5\n/);
  assert.match(
    screen,
    /Try:\n\n {2}sh · \/copy 3\n {2}echo long[^]*end\n\n• or\n\n {4}\/copy 4\n {4}plain\n/,
  );
  assert.match(
    await test.say("/show 1", "1 · thought · 9 lines"),
    /thought 1\n[^]*thought 8\nthought 9\n\n.*›$/,
  );
  assert.match(
    await test.say("/show 2", "2 · change · a.txt"),
    /\n49 \+ line 49\n50 \+ line 50\n\n.*›$/,
  );
  assert.match(await test.say("/show 3", "3 · code · sh"), /3 · code · sh · 1 line\necho long/);
  assert.match(await test.say("/show 4", "4 · code"), /\nplain\n\n.*›$/);
});

Deno.test("what an agent shows shortened has a number of the main session", async () => {
  const answer = "# Found\n\nOne.\n\nTwo.\n\nThree.\n\nFour.";
  await using test = await stage([
    {
      calls: [{
        name: "agent",
        arguments: { agents: [{ agent_name: "general", task_prompt: "look" }] },
      }],
    },
    bash("seq 1 9; exit 1"),
    { text: answer },
  ]);
  const screen = await test.session.screen();
  assert.match(screen, /⎿ # Found\n +… \+3 lines, \/show 1\n +Four\.\n/);
  const whole = await test.say("/show 1", "1 · answer");
  assert.match(whole, /general · 9 lines\nFound\n\nOne\.[^]*Four\.\n\n.*›$/);
});

Deno.test("the number of an agent's call brings what the agents called, in order, and how each ended", async () => {
  const tasks = [{ agent_name: "general", task_prompt: "look around" }];
  await using test = await stage([
    { calls: [{ name: "agent", arguments: { agents: tasks } }] },
    { calls: [...bash("echo first; echo more").calls!, ...bash("echo oh; exit 3").calls!] },
    { calls: [{ name: "read", arguments: { file_paths: ["missing.txt"] } }] },
    { text: "Nothing there." },
  ]);
  assert.match(await test.session.screen(), /· 3 calls ·[^]*… \+\d+ lines, \/show 1\n/);
  const listed = await test.say("/show 1", "1 · result · agent");
  assert.match(
    listed,
    /\n\ngeneral look around\n {2}● bash echo first; echo more.*\n {4}⎿ first\n {2}✗ bash echo oh; exit 3.*\n {4}⎿ .*code 3.*\n {2}✗ read missing\.txt\n {4}⎿ .*missing\.txt.*\n\n.*›$/,
  );
});

Deno.test("/undo N and /diff N take the number of a change, and say what another number is", async () => {
  await using test = await stage([
    write("a.txt", 50),
    write("b.txt", 50),
    bash("seq 1 20"),
    { text: "```sh\necho hi\n```\n\nSo.", ...write("c.txt", 3) },
  ]);
  const diff = await test.say("/diff 2", "2 · change · b.txt");
  assert.match(diff, /b\.txt new, 50 lines\n[^]*30 \+ line 30\n[^]*50 \+ line 50\n\n.*›$/);
  await test.say("/diff 3", "3 is the result of bash seq 1 20 (20 lines), which changed no file.");
  await test.say("/undo 3", "3 is the result of bash seq 1 20 (20 lines), which changed no file.");
  await test.say("/undo 4", "4 is code in sh (1 line), which changed no file. /undo last 4 takes");
  await test.say("/undo 7", "Nothing has the number 7: they go from 1 to 4. /undo last 7 takes");
  await test.session.keys("-l", "/undo 1");
  await test.session.keys("Enter");
  await test.session.shows(/This deletes a\.txt\. Go on\?[^]*❯ No/);
  await test.session.keys("y");
  await test.session.shows(/Took back change \d+ \(write\):\n+.*removed a\.txt/);
  assert.deepEqual(
    [await test.place.read("b.txt"), await test.place.read("c.txt")].map(countLines),
    [
      50,
      3,
    ],
  );
  await assert.rejects(test.place.read("a.txt"));
  await test.session.shows(/›$/);
  await test.say("/undo 1", "it has been undone already");
});

Deno.test("/diff shows what the session has changed by file, as one change each, and /diff FILE one", async () => {
  const edit = (old_string: string, new_string: string) => ({
    calls: [{ name: "edit", arguments: { file_path: "a.txt", old_string, new_string } }],
  });
  await using test = await stage(
    [
      { calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] },
      edit("two", "zwei"),
      edit("zwei", "deux"),
      bash("echo x > made.txt; rm gone.txt; echo y > back.txt"),
      bash("rm back.txt"),
    ],
    { files: { "a.txt": "one\ntwo\nthree\n", "gone.txt": "1\n2\n", "other.txt": "o\n" } },
  );
  const all = await test.say("/diff", "changes of this session");
  assert.match(all, /changes of this session · 3 files · \+2 -3\n/);
  assert.match(all, /a\.txt +│ +\+1 │ +-1\n *gone\.txt +│ +\+0 │ +-2\n *made\.txt +│ +\+1 │ +-0\n/);
  assert.match(
    all,
    /2 - two\n *2 \+ deux\n[^]*gone\.txt deleted, 2 lines\n[^]*made\.txt new, 1 line\n/,
  );
  assert.equal(all.includes("zwei\n\n"), false);
  const one = await test.say("/diff a.txt", "changes of this session · 1 file · +1 -1");
  assert.equal(one.split("/diff a.txt")[1]?.includes("gone.txt"), false);
  await test.say("/diff other.txt", "other.txt was not changed in this session.");
});

Deno.test("/diff lists files by the numbers in their names", async () => {
  await using test = await stage([bash("for n in 199 24 3; do echo $n > file$n.txt; done")]);
  const all = await test.say("/diff", "changes of this session");
  assert.match(all, /\n *file3\.txt .*\n *file24\.txt .*\n *file199\.txt /);
});

Deno.test("/diff says that nothing was changed", async () => {
  await using test = await stage([]);
  await test.say("/diff", "Nothing was changed in this session.");
});

function countLines(text: string): number {
  return text.split("\n").length - 1;
}

/** What was handed to the terminal's clipboard, newest last. */
async function clipboards(session: TerminalSession): Promise<string[]> {
  const output = new TextDecoder().decode(await session.output());
  // deno-lint-ignore no-control-regex
  return [...output.matchAll(/\x1b\]52;c;([\w+/=]*)\x1b\\/g)]
    .map(([, text = ""]) => new TextDecoder().decode(Uint8Array.fromBase64(text)));
}

const LONG = `echo "${"long ".repeat(40)}"; # käse 日本`;
const ANSWER =
  `Do **this**:\n\n\`\`\`sh\n${LONG}\n  more\n\`\`\`\n\nor\n\n\`\`\`py\nprint(1)\n\`\`\``;

Deno.test("/copy takes the last answer as Markdown, its last code, or a number, and hands it to the terminal", async () => {
  await using test = await stage([], { last: ANSWER });
  await test.say("/copy", /Copied 273 characters by the terminal \(OSC 52\)/);
  await test.say("/copy code", "Copied 8 characters");
  await test.say("/copy 1", /Copied 2\d\d characters/);
  assert.deepEqual(await clipboards(test.session), [ANSWER, "print(1)", `${LONG}\n  more`]);
  await test.say("/copy 9", "Nothing has the number 9: they go from 1 to 2.");
  await test.say("/copy all", "'all' cannot be copied. Use /copy, /copy code or /copy N.");
});

Deno.test("/copy and /save mask secrets, and /copy uses the desktop's program where there is one", async () => {
  const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
  await using test = await stage([bash(`seq 1 9; echo ${secret}`)], {
    programs: { xclip: 'cat >"$HOME/copied"; echo "$@" >>"$HOME/copied"' },
    env: { DISPLAY: ":9" },
  });
  await test.say("/copy 1", /Copied \d+ characters by xclip and by the terminal \(OSC 52\)\./);
  const [sent = ""] = await clipboards(test.session);
  assert.match(sent, /^1\n2\n[^]*9\n/);
  assert.equal(sent.includes(secret), false);
  const copied = await Deno.readTextFile(join(test.place.env.HOME!, "copied"));
  assert.equal(copied, `${sent}-selection clipboard\n`);
  await test.say("/save 1 saved.txt", "Wrote saved.txt (");
  assert.equal(await test.place.read("saved.txt"), `${sent}\n`);
});

Deno.test("/save writes code to a file, asks before it overwrites one, and can be undone", async () => {
  await using test = await stage([], { last: ANSWER, files: { "b.sh": "old\n" } });
  await test.say("/save 1 a.sh", "Wrote a.sh (");
  assert.equal(await test.place.read("a.sh"), `${LONG}\n  more\n`);
  await test.session.keys("-l", "/save 2 b.sh");
  await test.session.keys("Enter");
  await test.session.shows(/b\.sh is there already\. Overwrite it\?[^]*❯ No/);
  await test.session.keys("n");
  await test.session.shows(/Nothing was written\.\n\n.*›$/);
  assert.equal(await test.place.read("b.sh"), "old\n");
  await test.say("/save 2 b.sh --force", "Wrote b.sh (");
  assert.equal(await test.place.read("b.sh"), "print(1)\n");
  await test.say("/undo", /Took back change 2 \(save\):[^]*restored b\.sh/);
  assert.equal(await test.place.read("b.sh"), "old\n");
  await test.say("/save 1", "Say what is saved, and where: /save N FILE.");
  await test.say("/save 1 /etc/passwd", "/etc/passwd is outside of the workspace.");
});

Deno.test("/run runs code after a question, as a command that the person typed", async () => {
  const blocks = [
    ["sh", "echo one >made.txt\necho sum $((40 + 2))"],
    ["console", "$ echo from the prompt\nfrom the prompt"],
    ["py", "print('py', 6 * 7)"],
    ["rust", "fn main() {}"],
    ["", "echo no language"],
    ["sh", "echo a\u202eb"],
  ];
  const text = blocks.map(([language, code]) => `\`\`\`${language}\n${code}\n\`\`\``).join("\n\n");
  await using test = await stage([], {
    last: text,
    rows: 60,
    programs: { python3: 'echo "ran: $(cat)"' },
  });
  const run = async (number: number, answer: string, brings: string | RegExp) => {
    await test.session.keys("-l", `/run ${number}`);
    await test.session.keys("Enter");
    await test.session.shows(/Run this as you, outside of the sandbox\?[^]*❯ No[^›]*$/);
    await test.session.keys(answer);
    await test.session.shows(brings);
    return await test.session.shows(/›$/);
  };
  await run(1, "n", "Nothing was run.");
  await assert.rejects(test.place.read("made.txt"));
  await run(1, "y", "sum 42\n");
  assert.equal(await test.place.read("made.txt"), "one\n");
  await run(2, "y", /sandbox\? yes\nfrom the prompt\n\n/);
  await run(3, "y", "ran: print('py', 6 * 7)");
  await test.say("/run 4", "Code 4 is rust, which ally does not run. /save 4 FILE writes it");
  await test.say("/run 5", "Code 5 names no language.");
  await test.say("/run 6", "Code 6 holds characters that cannot be seen, so it is not run.");
  await test.say("/run 7", "Nothing has the number 7");
  await test.say("/run", "Say which code is run: /run N.");
});

Deno.test("Ctrl+O at the prompt shows all of what was shortened last, and keeps the line", async () => {
  await using test = await stage([bash("seq 1 15"), { text: "```sh\necho hi\n```" }]);
  const { session } = test;
  await session.keys("-l", "half a ");
  await session.keys("C-o");
  await session.shows(/1 · result · bash seq 1 15 · 15 lines\n1\n2\n[^]*14\n15\n\n.*› half a$/);
  await session.keys("-l", "line");
  await session.shows(/› half a line$/);
  await session.keys("C-c");
  await session.shows(/›$/);
});

Deno.test("Ctrl+O while ally works leaves the turn and what is typed alone", async () => {
  const server = await startScriptedServer({
    replies: [bash("seq 1 15"), bash("until [ -e go ]; do sleep 0.05; done"), { text: "Done." }],
  });
  await using place = await makePlace({ endpoint: server.url });
  await using session = startInTerminal(place, { args: ["-A", "go"], env: { PAGER: "cat" } });
  await session.shows(/\/show 1[^]*until/);
  await session.keys("-l", "typed");
  await session.shows(/typed/);
  await session.keys("C-o");
  await session.shows(
    /1 · result · bash seq 1 15 · 15 lines\n1\n2\n[^]*14\n15\n[^]*until[^]*typed/,
  );
  await place.write("go", "");
  // The prompt says what is allowed, the line of a turn does not.
  await session.shows(/Done\.[^]*all allowed › typed$/);
  await session.keys("C-c", "C-d");
  await session.shows("left 0");
  await server.close();
});

Deno.test("Ctrl+O says where nothing was shortened", async () => {
  await using test = await stage([]);
  await test.session.keys("C-o");
  await test.session.shows(/Nothing was shortened yet\.[^]*›$/);
});

Deno.test("of a result that was cut for the model the number brings all that the command wrote", async () => {
  await using test = await stage([bash("seq 1 20000")]);
  await test.say("/save 1 all.txt", "Wrote all.txt (108.9 KB)");
  const lines = (await test.place.read("all.txt")).split("\n");
  assert.deepEqual([lines[0], lines[9_999], lines[19_999]], ["1", "10000", "20000"]);
});
