/**
 * An ally that is killed while a command runs cannot undo what that did to repositories: the next one in the same
 * workspace does, before anything runs, and says so.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { type Finished, runAlly, spawnAlly } from "../support/program.ts";
import { type Guarded, guarded, hasBubblewrap } from "../support/sandbox.ts";
import { until } from "../support/wait.ts";

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore: !hasBubblewrap() });
}

/** Makes a repository that runs a program of the workspace when git looks at it. */
const MAKE = [
  "mkdir -p v/.git/hooks v/.git/refs v/.git/objects",
  'echo "ref: refs/heads/main" > v/.git/HEAD',
  'printf "[core]\\nrepositoryformatversion=0\\nfsmonitor=./h.sh\\n" > v/.git/config',
].join("; ");
/** Says that all before it is done, and goes on. */
const WAIT = "touch up; sleep 1000";

/** What a hook plants in git's own directory. */
const PLANT = `#!/bin/sh
git config core.fsmonitor ./h.sh
printf '[alias]\\n\\tst = !./h.sh\\n' >> .git/config
printf '[core]\\n\\tpager = ./h.sh\\n' > .git/config.worktree
mkdir -p .git/info .git/modules/m
echo '* filter=x' > .git/info/attributes
printf '[core]\\n\\tfsmonitor = ./h.sh\\n' > .git/modules/m/config
ln -s ../../out .git/outlink
${WAIT}
`;

/** Begins an ally, and waits until its command has done what it was to do. */
async function beginAlly({ place }: Guarded, args: readonly string[]): Promise<Deno.ChildProcess> {
  const child = spawnAlly(place, { args: ["-p", ...args, "go"] });
  await until("the command", () => exists(join(place.dir, "up")));
  return child;
}

/** Kills it, its command included. */
async function kill(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await Promise.all([child.output(), child.status]);
}

/** Has an ally killed while its command runs. */
async function runKilled(at: Guarded, args: readonly string[]): Promise<void> {
  await kill(await beginAlly(at, args));
  await Deno.remove(join(at.place.dir, "up"));
}

function exists(path: string): Promise<boolean> {
  return Deno.lstat(path).then(() => true, () => false);
}

function namesIn(directory: string): string[] {
  return Array.from(Deno.readDirSync(directory), ({ name }) => name).sort();
}

/** What is left to review. */
function recordsOf({ place }: Guarded): string[] {
  return namesIn(join(place.home, "unreviewed"));
}

const SAID = /An ally was killed while its commands ran/;

function assertSaid({ code, stderr }: Finished, what: RegExp): void {
  assert.equal(code, 0, stderr);
  assert.match(stderr, SAID);
  assert.match(stderr, what);
}

function assertQuiet({ code, stderr }: Finished): void {
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, SAID);
}

test("a repository that a command made when ally was killed is set aside by the next ally", async () => {
  await using at = await guarded([`${MAKE}; ${WAIT}`]);
  await runKilled(at, ["-A"]);
  assert.deepEqual(namesIn(at.place.dir), [".git", "v"]);
  assertSaid(await at.run(["--no-sandbox"]), /v\/\.git-set-aside/);
  assert.deepEqual(namesIn(at.place.dir), ["v"]);
  assert.deepEqual(namesIn(join(at.place.dir, "v")), [".git-set-aside"]);
  assert.match(await at.place.read("v/.git-set-aside/config"), /fsmonitor/);
  assert.deepEqual(recordsOf(at), []);
  assertQuiet(await at.run([]));
});

test("it is found from a directory below, and from one above", async () => {
  for (const [before, after] of [["sub", "."], [".", "sub"]] as const) {
    await using at = await guarded([`${MAKE}; ${WAIT}`], { repository: true });
    await Deno.mkdir(join(at.place.dir, "sub"));
    const there = (name: string) => ({ ...at.place, dir: join(at.place.dir, name) });
    await runKilled({ ...at, place: there(before) }, ["-A"]);
    assertSaid(await runAlly(there(after), { args: ["-p", "go"] }), /v\/\.git-set-aside/);
  }
});

/** A repository whose hook, which lies in the workspace, plants what git obeys, and waits. */
async function withHook(): Promise<Guarded> {
  const at = await guarded(["git checkout -q -b y"], { repository: true });
  await Deno.mkdir(join(at.place.dir, ".husky"));
  await writeProgram(join(at.place.dir, ".husky", "post-checkout"), PLANT);
  await at.git("config", "core.hooksPath", ".husky");
  await at.git("config", "extensions.worktreeConfig", "true");
  await at.git("config", "alias.mine", "status");
  await Deno.remove(join(at.place.dir, ".git", "info"), { recursive: true });
  return at;
}

for (const flag of ["--allow-run=git", "-A"]) {
  test(`what a hook did to a repository when ally was killed is undone by the next ally (${flag})`, async () => {
    await using at = await withHook();
    const before = await at.place.read(".git/config");
    await runKilled(at, [flag]);
    assert.match(await at.place.read(".git/config"), /fsmonitor/);
    assertSaid(await at.run([]), /config-set-aside.*outlink-set-aside/s);
    assert.equal(await at.place.read(".git/config"), before);
    assert.equal(await at.place.read(".git/HEAD"), "ref: refs/heads/y\n");
    assert.doesNotMatch(await at.place.read(".git/modules/m/config"), /fsmonitor/);
    for (const name of ["config.worktree", "info/attributes", "outlink"]) {
      assert.equal(await exists(join(at.place.dir, ".git", name)), false, name);
    }
    assert.match(await at.place.read(".git/config-set-aside"), /st = !\.\/h\.sh/);
    assertQuiet(await at.run([]));
  });
}

test("what git itself was to do stays when ally is killed: a new repository, a branch", async () => {
  await using at = await guarded([`git init -q made && git checkout -q -b y; ${WAIT}`], {
    repository: true,
  });
  await runKilled(at, ["-A"]);
  assertQuiet(await at.run([]));
  assert.match(await at.git("-C", "made", "status"), /No commits yet/);
  assert.equal(await at.git("branch", "--show-current"), "y\n");
});

test("each of several commands that ran at once is reviewed, and those that have ended are not", async () => {
  await using at = await guarded([
    { command: `${MAKE}; ${WAIT}`, run_in_background: true },
    "git init -q made && git -C made config user.name somebody",
    { command: "mkdir -p w/.git/objects w/.git/refs; echo x > w/.git/HEAD" },
    WAIT.replace("up", "up2"),
  ], { repository: true });
  const child = await beginAlly(at, ["-A"]);
  await until("the last command", () => exists(join(at.place.dir, "up2")));
  assert.deepEqual(namesIn(join(at.place.dir, "w")), [".git-set-aside"]);
  await kill(child);
  const names = () => ["made", "v", "w"].map((name) => namesIn(join(at.place.dir, name)));
  await at.run([]);
  assert.deepEqual(names(), [[".git"], [".git-set-aside"], [".git-set-aside"]]);
  assert.match(await at.place.read("made/.git/config"), /name = somebody/);
});

test("after a restart, where disks may have other numbers, a repository is known by what it is", async () => {
  await using at = await guarded([`${MAKE}; ${WAIT}`], { repository: true });
  await at.git("init", "-q", "own");
  await runKilled(at, ["-A"]);
  const session = join(at.place.home, "unreviewed", recordsOf(at)[0]!);
  const record = join(session, namesIn(session)[0]!);
  const text = await Deno.readTextFile(record);
  const other = text.replaceAll(/"\d+:(\d+)"/g, '"7:$1"');
  assert.notEqual(other, text);
  await Deno.writeTextFile(record, other);
  assertSaid(await at.run([]), /v\/\.git-set-aside$/m);
  assert.equal(await exists(join(at.place.dir, "own", ".git")), true);
  assert.equal(await at.git("branch", "--show-current"), "main\n");
});

test("nothing is said where nothing was done, nothing is left, and what only reads is not noted", async () => {
  await using at = await guarded([WAIT], { repository: true });
  const tree = namesIn(join(at.place.dir, ".git"));
  await runKilled(at, ["-A"]);
  assert.equal(recordsOf(at).length, 1);
  assertQuiet(await at.run([]));
  assert.deepEqual(recordsOf(at), []);
  assert.deepEqual(namesIn(join(at.place.dir, ".git")), tree);
  await using reads = await guarded(["cat a.txt"], { files: { "a.txt": "a\n" } });
  assertQuiet(await reads.run([]));
  await using writes = await guarded(["touch b.txt; cat ~/home/unreviewed/*/*"]);
  assertQuiet(await writes.run(["-A"]));
  assert.match(writes.results()[0]!, /cat: .*No such file/);
  assert.deepEqual(recordsOf(writes), []);
  assert.equal(await exists(join(reads.place.home, "unreviewed")), false);
});

test("what an ally that lives has to review is left to it", async () => {
  await using at = await guarded([`${MAKE}; ${WAIT}`]);
  const child = await beginAlly(at, ["-A"]);
  assertQuiet(await at.run([]));
  assert.equal(recordsOf(at).length, 1);
  assert.equal(await exists(join(at.place.dir, "v", ".git")), true);
  await kill(child);
  assertSaid(await at.run([]), /v\/\.git-set-aside/);
});

test("a damaged record is told of and removed, and one of a directory that is gone is removed", async () => {
  await using at = await guarded([`${MAKE}; ${WAIT}`]);
  await runKilled(at, ["-A"]);
  const session = join(at.place.home, "unreviewed", recordsOf(at)[0]!);
  const record = join(session, namesIn(session)[0]!);
  assert.equal((await Deno.stat(record)).mode! & 0o777, 0o600);
  const text = await Deno.readTextFile(record);
  await Deno.writeTextFile(record, text.slice(0, -20));
  assertSaid(await at.run([]), /the record of what to look at is damaged/);
  assert.deepEqual(recordsOf(at), []);
  assertQuiet(await at.run([]));
  const left = join(at.place.home, "unreviewed", "1-gone");
  await Deno.mkdir(left);
  await Deno.rename(at.place.dir, `${at.place.dir}-moved`);
  await Deno.mkdir(at.place.dir);
  await Deno.writeTextFile(join(left, "1.json"), text);
  assertQuiet(await at.run([]));
  assert.deepEqual(recordsOf(at), []);
});

test("a command that may write does not run where its record cannot be saved, and others do", async () => {
  await using at = await guarded(["touch made.txt", "cat a.txt"], { files: { "a.txt": "text\n" } });
  await Deno.mkdir(at.place.home, { recursive: true });
  await Deno.writeTextFile(join(at.place.home, "unreviewed"), "");
  await at.run(["-A"]);
  const [writes, reads] = at.results();
  assert.match(
    writes!,
    /Cannot run it: what to compare repositories with after it cannot be saved/,
  );
  assert.match(reads!, /text/);
  assert.deepEqual(namesIn(at.place.dir), ["a.txt"]);
});
