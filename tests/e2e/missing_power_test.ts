/**
 * A command that ran closed and failed for want of a power: ally asks for that power and runs the command again, or
 * tells the model what was denied.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { answerAll } from "../support/answered_turn.ts";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore: !hasBubblewrap() });
}

const FILES = {
  "gen.sh": "echo started; echo made > made.txt\n",
  "own.sh": "echo 'Error: EPERM: operation not permitted'; exit 1\n",
  "reach.sh": "exec 3<>/dev/tcp/192.0.2.1/9 2>&1\n",
};

const stateOf = (stdout: string) =>
  stdout.split("\n").filter((line) => /"type":"(tool_state|permission)"/.test(line))
    .map((line) => JSON.parse(line) as Record<string, string>)
    .map((event) => event.type === "permission" ? `${event.class} ${event.decision}` : event.state);

test("headless it is denied, told to the model, and counted", async () => {
  await using at = await guarded(["bash gen.sh", "bash own.sh"], { files: FILES });
  const done = await at.run(["--output-format", "stream-json"]);
  assert.equal(done.code, 3);
  const [lacking, own] = at.results().map((text) => JSON.parse(text));
  assert.match(lacking.suggestion, /needs to change files of the workspace; allow it with/);
  assert.equal(own.sandbox, undefined);
  assert.equal(own.suggestion, undefined);
  assert.deepEqual(stateOf(done.stdout), [
    ...["validating", "scheduled", "executing", "sensitive deny", "error"],
    ...["validating", "scheduled", "executing", "error"],
  ]);
  assert.equal(JSON.parse(done.stdout.trim().split("\n").at(-1)!).denied, 1);
  await assert.rejects(at.place.read("made.txt"));
});

test("what a rule allows is not closed", async () => {
  await using at = await guarded(["bash gen.sh"], { files: FILES });
  const done = await at.run(["--allow-run=bash"]);
  assert.equal(done.code, 0, done.stderr);
  assert.equal(at.results()[0], "started\n");
});

test("in a list a rule for the others gives the part that failed nothing", async () => {
  await using at = await guarded(["bash gen.sh && git add -A"], { files: FILES, repository: true });
  const done = await at.run(["--allow-run=git"]);
  assert.equal(done.code, 3, done.stderr);
  const [record] = at.results().map((text) => JSON.parse(text));
  assert.match(record.suggestion, /`bash gen.sh` failed because it needs to change files/);
  assert.match(record.suggestion, /name its program \(--allow-run=git,bash\)/);
});

test("what ran after the part that failed is not run twice; the model is told which part to run", async () => {
  const command = "bash gen.sh; git commit -q --allow-empty -m x; false";
  await using at = await guarded([command], { files: FILES, repository: true });
  await at.run(["--allow-run=git"]);
  const [record] = at.results().map((text) => JSON.parse(text));
  assert.match(record.suggestion, /Run `bash gen.sh` by itself: it can be given that then/);
  assert.equal((await at.git("log", "--oneline")).trim().split("\n").length, 2);
});

/** Lists with one part that lacks the workspace: what is asked first, and how it goes on. */
const LISTS: readonly {
  readonly list: string;
  readonly asks: RegExp;
  readonly then: RegExp;
  readonly result: RegExp;
  readonly commits: number;
}[] = [{
  list: "cat own.sh && bash gen.sh && cat made.txt && git commit -q --allow-empty -m x",
  asks: /safe: bash gen\.sh, closed, so that it changes nothing[^]*sensitive: git commit[^]*❯ Deny/,
  then:
    /safe: cat own\.sh\n[^]*sensitive: bash gen\.sh\n[^]*&& cat made\.txt` failed because it needs to change\s+files[^]*give it that, and run the command again\?[^]*❯ Deny/,
  result:
    /^\[It ran twice: the first run failed because `[^`]*bash gen\.sh[^`]*` needs [^\n]*\]\necho [^\n]*\nstarted\nmade\n/,
  commits: 2,
}, {
  list: "git commit -q --allow-empty -m x && cd sub && bash ../gen.sh && cat made.txt && pwd",
  asks: /sensitive: git commit[^]*❯ Deny/,
  then:
    /`bash \.\.\/gen\.sh && cat made\.txt && pwd`\s+failed because[^]*give it that, and go on\s+from there\?[^]*❯ Deny/,
  result:
    /^\[A part failed at first[^\n]*went on from there\.\]\nstarted\n[^\n]*Read-only file system\nstarted\nmade\n\S*\/sub\n$/,
  commits: 2,
}];

for (const { list, asks, then, result, commits } of LISTS) {
  test(`the part of a list that lacks a power gets it: ${list}`, async () => {
    await using at = await guarded([list], { files: FILES, repository: true });
    await Deno.mkdir(join(at.place.dir, "sub"));
    await using session = startInTerminal(at.place);
    await session.shows(/^›/m);
    await session.keys("go", "Enter");
    await session.shows(asks);
    await session.keys("a");
    await session.shows(then);
    await session.keys("a");
    await session.shows(/ally lives/);
    assert.match(at.results()[0]!, result);
    assert.equal((await at.git("log", "--oneline")).trim().split("\n").length, commits);
  });
}

/** Command lines that end well whatever becomes of the part that lacks the workspace, and what they print with it. */
const HIDING = {
  "bash gen.sh 2>&1 | tail -5": "started\n",
  "cat own.sh | bash gen.sh | cat": "started\n",
  "cat own.sh > /dev/null && bash gen.sh 2>&1 | tail -n 1 && echo done": "started\ndone\n",
  "bash gen.sh || true": "started\n",
  'bash gen.sh; echo "exit $?"': "started\nexit 0\n",
  "(bash gen.sh | cat)": "started\n",
  "for i in 1; do bash gen.sh 2>&1 | tail -1; done": "started\n",
  'x=$(bash gen.sh); echo "got $x"': "got started\n",
  "if bash gen.sh; then :; fi": "started\n",
};

for (const [list, printed] of Object.entries(HIDING)) {
  test(`what hides how a part ended does not hide what it lacked: ${list}`, async () => {
    await using at = await guarded([list], { files: FILES });
    await using session = startInTerminal(at.place);
    await session.shows(/^›/m);
    await session.keys("go", "Enter");
    await session.shows(/ failed because it needs to change\s+files[^]*❯ Deny/);
    await session.keys("a");
    await session.shows(/ally lives/);
    const [note, ...lines] = at.results()[0]!.split("\n");
    assert.match(note!, /^\[It ran twice: the first run failed because .* needs /);
    assert.equal(lines.join("\n"), printed);
    assert.equal(await at.place.read("made.txt"), "made\n");
  });
}

test("headless a pipe tells the model too what its part lacked, and it is counted", async () => {
  await using at = await guarded(["bash gen.sh 2>&1 | tail -5"], { files: FILES });
  const done = await at.run([]);
  assert.equal(done.code, 3, done.stderr);
  assert.match(
    at.results()[0]!,
    /^\[A part of it probably failed because it ran where it could change no file\. [^\]]*allow it with --allow-run[^\]]*\]\nstarted\n/,
  );
});

test("a commit that a function does not make is told of, though all ends well", async () => {
  const commands = [
    'commit() { git add -A && git commit -m "$1"; }; commit one; git log -1 --oneline',
  ];
  await using at = await guarded(commands, { files: FILES, repository: true });
  await at.place.write("more.txt", "more");
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /^\[A part of it probably failed because the sandbox keeps \.git/);
  assert.match(at.results()[0]!, /Run git by itself, not in a script, in a function or beside/);
});

test("husky is given git's configuration where a person allows that, and sets its hooks alone", async () => {
  await using at = await guarded(["./husky"], { repository: true });
  const setting = (value: string) => `git config core.hooksPath ${value}`;
  const lines = [setting(".husky/_"), "git config core.pager ./evil", "exit 0"];
  await writeProgram(join(at.place.dir, "husky"), `#!/bin/sh\n${lines.join("\n")}\n`);
  await using session = startInTerminal(at.place);
  await session.shows(/^›/m);
  await session.keys("go", "Enter");
  await session.shows(/husky installs or runs hooks of git[^]*❯ Deny/);
  await session.keys("a");
  await session.shows(/needs to change \.git and to\s+change git's configuration[^]*❯ Deny/);
  await session.keys("a");
  await session.shows(/ally lives/);
  assert.equal((await at.git("config", "core.hooksPath")).trim(), ".husky/_");
  assert.equal(await at.git("config", "core.pager"), "");
});

test("a part that fails for reasons of its own before a pipe is nothing to ask about", async () => {
  await using at = await guarded(["bash own.sh | cat", "grep -r EPERM . | head -1"], {
    files: { ...FILES, "notes.txt": "Error: EROFS: read-only file system, open 'out.json'\n" },
  });
  const done = await at.run([]);
  assert.equal(done.code, 0, done.stderr);
  assert.equal(at.results()[0], "Error: EPERM: operation not permitted\n");
});

for (const [flag, isSaid] of [["-A", false], ["--allow-run", true]] as const) {
  test(`${flag}: a part lacks the network only if it had none, whatever the others had`, async () => {
    const files = { "speak.sh": "echo 'Could not resolve host: x.org'; exit 1\n" };
    await using at = await guarded(["bash speak.sh | tail -3"], { files });
    await at.run([flag]);
    const [result] = at.results();
    assert.match(result!, /Could not resolve host/);
    assert.equal(/has no network in the sandbox/.test(result!), isSaid, result);
  });
}

test("no flag for commands gives them the network when they ask for it", async () => {
  await using at = await guarded(["bash reach.sh"], { files: FILES });
  const done = await at.run(["--allow-run"]);
  assert.equal(done.code, 3);
  assert.match(at.results()[0]!, /allow the network with --allow-net/);
});

test("a person gives the power, and the command runs again; /undo takes back what it did", async () => {
  await using at = await guarded(["bash gen.sh"], { files: FILES });
  await using session = startInTerminal(at.place);
  await session.shows(/^›/m);
  await session.keys("go", "Enter");
  await session.shows(
    /needs to change files of the workspace; give it that,\s+and run it\s+again\?[^]*❯ Deny/,
  );
  await assert.rejects(at.place.read("made.txt"));
  await session.keys("a");
  await session.shows(/ally lives/);
  assert.equal(await at.place.read("made.txt"), "made\n");
  assert.match(at.results()[0]!, /^\[It ran twice: the first run failed[^\n]*\]\nstarted\n/);
  await session.keys("/undo", "Enter");
  await session.shows(/This deletes made\.txt\. Go on\?[^]*❯ No/);
  await session.keys("y");
  await session.shows(/removed made\.txt/);
});

test("a person who denies it ends nothing else; the model is told", async () => {
  await using at = await guarded(["bash gen.sh", "ls"], { files: FILES });
  await using session = startInTerminal(at.place);
  await session.shows(/^›/m);
  await session.keys("go", "Enter");
  await session.shows(/run it\s+again\?[^]*❯ Deny/);
  await session.keys("d");
  await session.shows(/ally lives/);
  const record = JSON.parse(at.results()[0]!);
  assert.match(record.suggestion, /The user did not give it that\./);
  assert.match(at.results()[1]!, /gen\.sh/);
});

test("Always gives it the power at once the next time, until its script changes", async () => {
  await using at = await guarded(["bash gen.sh", "rm made.txt", "bash gen.sh"], { files: FILES });
  await using session = startInTerminal(at.place, { args: ["--allow-run=rm"] });
  await session.shows(/^›/m);
  await session.keys("go", "Enter");
  await session.shows(/run it\s+again\?[^]*❯ Deny/);
  await session.keys("w");
  await session.shows(/ally lives/);
  assert.equal(at.results()[2], "started\n");
  assert.equal(await at.place.read("made.txt"), "made\n");
});

test("what a first run changed is taken back before the second, as the question says", async () => {
  const files = {
    "notes.txt": "one\n",
    "release.sh": "echo two >> notes.txt; git commit -qam x\n",
  };
  await using at = await guarded(["bash release.sh"], { files, repository: true });
  await using session = startInTerminal(at.place, { args: ["--allow-run=bash"] });
  await session.shows(/^›/m);
  await session.keys("go", "Enter");
  await session.shows(
    /give it\s+that,\s+take\s+back\s+what\s+has\s+changed\s+in\s+the\s+meantime\s+\(notes\.txt\),\s+and\s+run\s+it\s+again\?[^]*❯ Deny/,
  );
  await session.keys("a");
  await session.shows(/ally lives/);
  assert.equal(await at.place.read("notes.txt"), "one\ntwo\n");
  assert.equal(await at.git("show", "HEAD:notes.txt"), "one\ntwo\n");
});

test("what has changed branches is not run again from the beginning", async () => {
  const command = "git branch made && sh write.sh";
  const files = { "write.sh": "touch ~/outside\n" };
  await using at = await guarded([command], { repository: true, files });
  await using session = startInTerminal(at.place);
  await session.shows(/^›/m);
  await session.keys("go", "Enter");
  await session.shows(/git branch changes the repository[^]*❯ Deny/);
  await session.keys("a");
  await session.shows(/ally lives/);
  assert.match(at.results()[0]!, /Git has changed branches or tags before, so that it is not run/);
  assert.match(await at.git("branch"), /made/);
});

test("headless the model is told that a command which failed had changed branches", async () => {
  const commands = ["git worktree add ../feature -b feature"];
  await using at = await guarded(commands, { repository: true });
  await at.run(["-A"]);
  const { suggestion } = JSON.parse(at.results()[0]!);
  assert.match(suggestion, /keeps \S+\/feature\S* as it is\. Git has changed branches or tags/);
});

test("what only writes a place outside that it names asks once, and begins outside", async () => {
  const commands = ["git worktree add ../feature -b feature", "git branch"];
  await using at = await guarded(commands, { repository: true });
  await using session = startInTerminal(at.place);
  await session.shows(/^›/m);
  await session.keys("go", "Enter");
  await session.shows(
    /writes outside the workspace: \.\.\/feature[^]*run\s+outside of the sandbox,\s+which\s+keeps\s+\S+\/feature\s+as\s+it\s+is[^]*❯ Deny/,
  );
  await session.keys("a");
  await session.shows(/ally lives/);
  assert.match(at.results()[0]!, /^\[It ran outside of the sandbox\.\]\n/);
  assert.match(at.results()[1]!, /^\+ feature$/m);
});

/** A repository of which the workspace is the directory `part`. */
async function aroundPart(commands: readonly string[]) {
  const files = { "part/in.txt": "one\n", "other/out.txt": "one\n" };
  const at = await guarded(commands, { files, repository: true });
  await at.git("switch", "-qc", "next");
  for (const path of Object.keys(files)) await at.place.write(path, "two\n");
  await at.git("commit", "-qam", "next");
  await at.git("switch", "-q", "-");
  return at;
}

const WITHIN = ["git switch next", "git switch -qc mine"];

test("headless git writes no half of a tree that goes beyond the workspace; the rest goes on", async () => {
  await using at = await aroundPart(WITHIN);
  await at.run(["-A", "-C", "part"]);
  const { error } = JSON.parse(at.results()[0]!);
  assert.match(
    error,
    /git switch changes files in all of \S+, a repository of which the workspace/,
  );
  assert.match(error, /start ally in \S+, or with --add-dir \S+:/);
  assert.equal((await at.git("branch", "--show-current")).trim(), "mine");
  assert.equal((await at.git("status", "--short", "-uno")).trim(), "");
});

test("the directory that is named makes all of the repository the workspace's", async () => {
  await using at = await aroundPart(WITHIN);
  await at.run(["-A", "-C", "part", "--add-dir", at.place.dir]);
  assert.equal(await at.place.read("other/out.txt"), "two\n");
});

test("a person may let git write a tree that goes beyond the workspace outside of the sandbox", async () => {
  await using at = await aroundPart(["git switch next"]);
  await using session = startInTerminal(at.place, { args: ["-C", "part", "--allow-run=git"] });
  await session.shows(/^›/m);
  await session.keys("go", "Enter");
  await session.shows(/workspace\s+is\s+only\s+a\s+part[^]*outside\s+of\s+the\s+sandbox[^]*❯ Deny/);
  await session.keys("a");
  await session.shows(/ally lives/);
  assert.match(at.results()[0]!, /^\[It ran outside of the sandbox\.\]\n/);
  assert.equal(await at.place.read("other/out.txt"), "two\n");
});

test("what git leaves as it is while all ends well is told, by its place", async () => {
  await using at = await aroundPart(["git switch next"]);
  await at.run(["-A", "--deny-write=other"]);
  assert.match(
    at.results()[0]!,
    /^\[A part of it probably failed because the sandbox keeps \S+\/other\/out\.txt as it is\. Git went on/,
  );
});

test("a list of which a part writes a place outside is refused before it begins, with what to do", async () => {
  const command = "git worktree add ../feature -b feature && ls ../feature";
  await using at = await guarded([command], { repository: true });
  await using session = startInTerminal(at.place);
  await session.shows(/^›/m);
  await session.keys("go", "Enter");
  await session.shows(/ally lives/);
  const { error, suggestion } = JSON.parse(at.results()[0]!);
  assert.match(
    error,
    /no sandbox lets `git worktree add \.\.\/feature -b feature` write \S+\/feature,/,
  );
  assert.match(suggestion, /^Run `git worktree add \.\.\/feature -b feature` by itself/);
  assert.doesNotMatch(await at.git("branch"), /feature/);
});

test("what a command made of the ignored file that it runs is not run with more, nor outside of the sandbox", async () => {
  const own = "set -e; echo 'echo evil > ~/evil' > $0.new; mv $0.new $0; echo hello > ~/hello\n";
  const reach = `set -e; echo 'echo evil > evil.txt' > $0.new; mv $0.new $0; ${FILES["reach.sh"]}`;
  await using at = await guarded(["sh ignored/own.sh", "bash ignored/reach.sh"], {
    repository: true,
    files: { ".gitignore": "ignored\n", "ignored/own.sh": own, "ignored/reach.sh": reach },
  });
  const { questions } = await answerAll(at.place, { answer: { kind: "allow" } });
  assert.ok(questions.some(({ outsideSandbox }) => outsideSandbox));
  assert.ok(questions.some(({ why }) => /the network/.test(why)));
  for (const [index, name] of ["own", "reach"].entries()) {
    const told = new RegExp(`not run again: it changed \\S+/ignored/${name}.sh, which decides`);
    assert.match(at.results()[index]!, told);
  }
  for (const path of [join(at.place.env.HOME!, "evil"), join(at.place.dir, "evil.txt")]) {
    await assert.rejects(Deno.lstat(path));
  }
});
