/**
 * Removing a repository below the workspace: the sandbox keeps what git obeys of it, so that a command which would leave
 * half of it does not begin, and a person is asked at once whether it may run outside.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { answerAll } from "../support/answered_turn.ts";
import { runAlly, stage } from "../support/program.ts";
import { hasBubblewrap } from "../support/sandbox.ts";
import { describeTree } from "../support/tree.ts";

const PREPARE = `git init -q . && for at in clone vendor/lib 'two words'; do
  git init -q "$at" && echo a > "$at/a.txt"; done`;

const LONG = "o".repeat(200);

async function makeStage(...commands: readonly string[]) {
  const calls = commands.map((command) => ({ calls: [{ name: "bash", arguments: { command } }] }));
  const at = await stage([...calls, { text: "done" }], {
    "dist/a.js": "",
    "-d/b.js": "",
    [LONG]: "",
  });
  const { success } = await new Deno.Command("bash", { args: ["-c", PREPARE], cwd: at.place.dir })
    .output();
  assert.ok(success);
  return at;
}

const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, fn, ignore: !hasBubblewrap() });

test("where nobody is asked, no repository is left half removed", async () => {
  await using at = await makeStage(
    "rm -rf clone",
    "rm -r ./clone/.git",
    "rm --recursive -f vendor",
    "rm -fr clo* 'two words'",
    "touch new && rm -rf vendor/lib; ls",
    "timeout 5 true; ! rm -rf 'two words'",
    "rm -rf clone/.g*",
    "ln -s vendor/lib new",
    "rm --r -f new/../lib",
    "rm -rf -- -d/../clone dist",
    // There are too many ways to match it for trying one after the other.
    `rm -rf ${"*o".repeat(25)}b`,
    "rm -rf dist new",
  );
  const { dir } = at.place;
  const before = await describeTree(dir);
  const { code } = await runAlly(at.place, { args: ["-p", "-A", "go"] });
  assert.equal(code, 0);
  const after = await describeTree(dir);
  assert.deepEqual(after, before.filter((line) => !line.includes("dist")));
  const told = JSON.stringify(await at.place.messages());
  assert.match(told, /Cannot remove clone: it is a repository, which the sandbox keeps; nothing/);
});

test("a person is asked once, and told that it runs outside of the sandbox", async () => {
  await using at = await makeStage("rm --r -f clone 'two words'");
  const { questions } = await answerAll(at.place, { answer: { kind: "allow" } });
  assert.deepEqual(questions.map(({ risk, offers }) => [risk, offers.length]), [["extreme", 0]]);
  assert.match(questions[0]!.why, /a repository, which .* outside of the sandbox/);
  const names = [...Deno.readDirSync(at.place.dir)].map(({ name }) => name);
  assert.deepEqual(names.filter((name) => /clone|two/.test(name)), []);
});

test("what does more than remove it, or removes the workspace's own, stays in the sandbox", async () => {
  const commands = [
    "rm -rf .git",
    "rm -rf .",
    "rm -rf clone && touch a",
    "X=clone; rm -rf $X",
    "rm -rf clone ../other",
    "rm -rf clone/*",
    "rm -rf clone away/back",
    "rm -rf clone .git/hooks",
  ];
  await using at = await makeStage(...commands);
  const { dir } = at.place;
  const other = join(dir, "../other");
  await Deno.mkdir(other);
  await Deno.symlink(other, join(dir, "away"));
  await Deno.symlink(join(dir, "dist"), join(other, "back"));
  const { questions } = await answerAll(at.place, { answer: { kind: "allow" } });
  const outside = questions.filter(({ why }) => /a repository, which/.test(why));
  assert.deepEqual(outside, []);
});

test("the question tells what it removes beside a repository that is not below the workspace", async () => {
  await using at = await makeStage(
    "rm -rf clone lnk/../kept",
    "rm -rf -- clone -d/../../docs/kept",
  );
  const { dir } = at.place;
  const docs = join(dir, "../docs");
  await Deno.mkdir(join(docs, "deep"), { recursive: true });
  await Deno.symlink(join(docs, "deep"), join(dir, "lnk"));
  const { questions } = await answerAll(at.place, { answer: { kind: "allow" } });
  assert.equal(questions.length, 2);
  for (const { why } of questions) {
    assert.match(why, /outside of the sandbox, .*\/docs\/kept as it/);
  }
});
