/**
 * ally is killed while a command runs: what the command had done to the files can be taken back in the next session.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startInTerminal } from "../support/ally_terminal.ts";
import { runningWith, uniqueDuration } from "../support/processes.ts";
import { spawnAlly } from "../support/program.ts";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";
import { describeTree } from "../support/tree.ts";
import { until } from "../support/wait.ts";

/** Milliseconds after which the last change is known. */
const NOTED_MS = 300;

const COMMANDS: readonly (readonly [what: string, command: string])[] = [
  ["changed files", "echo 2 > f1.txt; echo 3 >> f2.txt; chmod 600 f3.txt"],
  [
    "made and removed files",
    "rm f1.txt; echo new > new.txt; mkdir -p n/m; echo x > n/m/x; ln -s f2.txt l",
  ],
  [
    "moved and removed directories",
    "mv d e; echo 5 > e/in.txt; rm -r k; mkdir k; echo y > k/y; mv f2.txt k/z",
  ],
  ["changed what it had before", "echo 2 > f1.txt"],
];

for (const files of [5, 300]) {
  for (const [what, command] of COMMANDS) {
    Deno.test({
      name: `what a command ${what} of ${files} when ally was killed is taken back by /undo`,
      ignore: !hasBubblewrap(),
      async fn() {
        const duration = uniqueDuration();
        const ends = `${command}; sleep ${duration}`;
        await using at = await guarded(["echo 1 > first.txt; echo 1 > f1.txt", ends], {
          repository: true,
        });
        const { place } = at;
        for (let index = 0; index < files; index++) {
          await place.write(`f${index}.txt`, `file ${index}\n`);
        }
        for (const name of ["d/in.txt", "k/a/b.txt"]) {
          await Deno.mkdir(join(place.dir, name, ".."), { recursive: true });
          await place.write(name, `${name}\n`);
        }
        await place.write(".gitignore", "*.log\n");
        await at.git("add", "-A");
        await at.git("commit", "-q", "-m", "all");
        const child = spawnAlly(place, { args: ["-p", "-A", "go"] });
        const look = () => describeTree(place.dir, { except: [".git"] });
        await until("the first command", () => at.results().length === 1);
        const isFirst = await place.read("f1.txt").catch(() => "");
        assert.ok(["1\n", "2\n", ""].includes(isFirst));
        await until("the second command", () => runningWith(duration).length > 0);
        await delay(NOTED_MS);
        child.kill("SIGKILL");
        await child.output();
        await until("its end", () => runningWith(duration).length === 0);
        const after = await look();
        {
          await using session = startInTerminal(place, { args: ["--continue"] });
          await session.shows(/What it did until then is change\s+2/);
          await session.shows(/^›/m);
          await session.keys("/undo");
          await session.keys("Enter");
          await session.shows(/Go on\?[^]*❯ No|Took back change 2/);
          if (!(await session.screen()).includes("Took back")) await session.keys("y");
          await session.shows("Took back change 2 (bash)");
        }
        const back = await look();
        assert.notDeepEqual(back, after);
        await at.git("stash", "-q", "-u");
        assert.equal(
          await at.git("stash", "show", "--name-status", "-u", "stash@{0}"),
          "M\tf1.txt\nA\tfirst.txt\n",
        );
        assert.equal(await at.git("show", "stash@{0}:f1.txt"), "1\n");
      },
    });
  }
}

Deno.test({
  name:
    "what a task did after its call when ally was killed is taken back, and what ally did with it",
  ignore: !hasBubblewrap(),
  async fn() {
    const duration = uniqueDuration();
    const command =
      `until [ -e go ]; do sleep 0.05; done; echo 2 > a.txt; rm b.txt; sleep ${duration}`;
    const write = (file_path: string, content: string) => ({
      calls: [{ name: "write", arguments: { file_path, content } }],
    });
    await using at = await guarded([
      { command, run_in_background: true },
      write("c.txt", "1\n"),
      write("c.txt", "2\n"),
      write("new/d.txt", "1\n"),
      write("go", ""),
      { text: "I wait.", hang: true },
    ], { repository: true, files: { "a.txt": "1\n", "b.txt": "1\n" } });
    const { place } = at;
    const look = () => describeTree(place.dir, { except: [".git"] });
    const first = await look();
    const child = spawnAlly(place, { args: ["-p", "-A", "go"] });
    await until("the last call", () => at.results().length === 5);
    await until("the task's change", () => place.read("b.txt").then(() => false, () => true));
    await delay(NOTED_MS);
    child.kill("SIGKILL");
    await child.output();
    await until("its end", () => runningWith(duration).length === 0);
    await using session = startInTerminal(place, { args: ["--continue"] });
    await session.shows(/What it did until then is change\s+5/);
    await session.shows(/^›/m);
    const send = async (text: string) => {
      await session.keys(text);
      await session.shows(`› ${text}`);
      await session.keys("Enter");
    };
    await send("/undo list");
    await session.shows(/#5 [^]*: a.txt, b.txt \+1 -2/);
    await send("/undo last 5");
    await session.shows(/Take back these 5 changes\?[^]*❯ No/);
    await session.keys("y");
    await session.shows("Took back change 1 (write)");
    assert.deepEqual(await look(), first);
  },
});
