/**
 * Every part of a command has its own powers, through the front door: what the project's code tries beside a command
 * that has keys, the network or git's own directory must fail, and that command must do its work.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runningWith, uniqueDuration } from "../support/processes.ts";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";
import { until } from "../support/wait.ts";

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore: !hasBubblewrap() });
}

/** Code of the project that takes what it can get. */
const THIEF = [
  'cat "$HOME/.ssh/id_test" 2>/dev/null && echo STOLE KEY',
  "(echo x > .git/objects/evil) 2>/dev/null && echo WROTE GIT",
  "(exec 3<>/dev/tcp/127.0.0.1/$PORT) 2>/dev/null && echo REACHED NETWORK",
  "(exec 3<>/dev/tcp/1.1.1.1/53) 2>/dev/null && echo REACHED NETWORK",
  "[ -S /run/docker.sock ] && echo SAW SOCKET",
  "echo tried all",
];

/** A repository with that code, whose upstream can be fetched from. */
async function withThief(commands: readonly string[]) {
  const at = await guarded(commands, { repository: true });
  const home = at.place.env.HOME!;
  await Deno.mkdir(join(home, ".ssh"));
  await Deno.writeTextFile(join(home, ".ssh", "id_test"), "HUSH");
  await at.place.write("thief.sh", `PORT=${at.port}\n${THIEF.join("\n")}\n`);
  await at.place.write(
    "Makefile",
    "test:\n\t@bash thief.sh > out.txt; cat out.txt >> loot.txt; cat out.txt\n",
  );
  return at;
}

const LISTS = [
  "git fetch -q . ; make test",
  "git fetch -q . && make test",
  "git fetch -q . | make test",
  "make test | git fetch -q .",
  "(git fetch -q .; make test)",
  "{ git fetch -q .; make test; } | cat",
  "cd . && git fetch -q . && make test",
  "git fetch -q . && for x in 1; do make test; done",
  "for x in 1; do git fetch -q .; make test; done",
  "x=1; git fetch -q .; make test",
  "set -euo pipefail; export X=1\ngit fetch -q .; make test",
  "x=$(pwd); git fetch -q .; make test",
  "bash -c 'git fetch -q .; make test'",
  "git commit -q --allow-empty -m x; make test",
  'git commit -q --allow-empty -m "$(make test)"',
  "ssh -V; make test",
  "curl --version; make test",
];

test("the project's code gets no power of the commands beside it", async () => {
  await using at = await withThief(LISTS);
  await at.run(["--allow-run"]);
  const loot = await at.place.read("loot.txt");
  assert.doesNotMatch(loot, /HUSH|STOLE|WROTE|REACHED|SAW/);
  assert.equal(loot.match(/tried all/g)?.length, LISTS.length, at.results().join("\n---\n"));
});

test("-A gives it the network, and neither keys nor sockets nor git's directory", async () => {
  // What ssh gets, to see that there is something to take.
  const ssh = "ssh -F ~/.ssh/config_test a.example; make test";
  const commands = [ssh, "docker ps; make test", ...LISTS.slice(0, 6)];
  await using at = await withThief(commands);
  await Deno.writeTextFile(join(at.place.env.HOME!, ".ssh", "config_test"), "HUSH\n");
  await at.run(["-A"]);
  const loot = await at.place.read("loot.txt");
  assert.match(at.results()[0]!, /config_test line 1: .*hush/i);
  assert.match(loot, /REACHED NETWORK/);
  assert.doesNotMatch(loot, /HUSH|STOLE|WROTE|SAW/);
  assert.equal(loot.match(/tried all/g)?.length, commands.length, at.results().join("\n---\n"));
});

test("add, test and commit in one list work, and only git writes its directory", async () => {
  await using at = await withThief([
    "echo a > a.txt && git add -A && make test && git commit -q -m second && git log --oneline | wc -l",
  ]);
  const done = await at.run(["--allow-run"]);
  assert.match(at.results()[0]!, /tried all\n2\n/, done.stderr);
  assert.match(await at.git("log", "-1", "--stat"), /second[^]*a\.txt/);
});

test("options and variables that a script begins with leave each part its powers", async () => {
  await using at = await withThief([
    'set -euo pipefail\nexport NAME=second\ngit add -A\nmake test\ngit commit -q -m "$NAME"\nfalse\ntouch no.txt',
  ]);
  const done = await at.run(["--allow-run"]);
  assert.match(at.results()[0]!, /tried all/, done.stderr);
  assert.match(await at.git("log", "-1", "--stat"), /second[^]*Makefile/);
  await assert.rejects(at.place.read("no.txt"));
});

test("a time limit ends all parts, and none is started after it", async () => {
  const duration = uniqueDuration();
  await using at = await guarded([
    { command: "git add -A; make slow; touch after.txt; git add -A", timeout: 1 },
  ], { repository: true, files: { Makefile: `slow:\n\tsleep ${duration}\n` } });
  await at.run(["--allow-run"]);
  assert.match(at.results()[0]!, /ended after its limit of 1 second/);
  assert.doesNotMatch(await at.git("status", "--porcelain"), /after/);
  assert.deepEqual(runningWith(duration), []);
});

test("a command in parts goes on in the background, and ends when it is told to", async () => {
  const duration = uniqueDuration();
  await using at = await guarded([
    { command: `git add -A; echo begun; make slow`, run_in_background: true },
    { bash_output: "task_1", timeout: 1 },
    { bash_kill: "task_1" },
  ], { repository: true, files: { Makefile: `slow:\n\tsleep ${duration}\n` } });
  await at.run(["--allow-run"]);
  const [, looked, killed] = at.results();
  assert.match(looked!, /task_1 has been running/);
  assert.match(killed!, /task_1 was stopped/);
  await until("the end of its parts", () => runningWith(duration).length === 0);
});
