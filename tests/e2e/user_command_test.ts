/**
 * `!command`: its output as it comes, its seconds and how it is stopped, and the terminal for a program that needs it.
 */
import assert from "node:assert/strict";
import { startInTerminal, startInTmux } from "../support/ally_terminal.ts";
import { holdReply } from "../support/held_reply.ts";
import { stage } from "../support/program.ts";
import { runningWith, uniqueDuration } from "../support/processes.ts";
import { hasTmux } from "../support/tmux.ts";
import { until } from "../support/wait.ts";

Deno.test("a command that takes long counts its seconds, and Esc or Ctrl+C stops it", async () => {
  await using at = await stage([]);
  await using session = startInTerminal(at.place);
  await session.shows(/^›$/m);
  for (const key of ["Escape", "C-c"]) {
    const seconds = uniqueDuration();
    await session.keys(`!sleep ${seconds}`, "Enter");
    await session.shows(new RegExp(`sleep ${seconds}… \\ds · Ctrl\\+C to stop`));
    await session.keys(key);
    await session.shows(/Command interrupted by the user\.\n\n›$/);
    await until("the end of the command", () => runningWith(seconds).length === 0);
  }
});

Deno.test("output stands as it comes, and progress overwrites its line", async () => {
  await using at = await stage([{ text: "I see." }]);
  await using session = startInTerminal(at.place);
  await session.shows(/^›$/m);
  await session.keys("!printf 'a\\n10%%\\r'; sleep 0.5; printf '100%%\\nb'; exit 3", "Enter");
  await session.shows(/^a\n100%\nb\nCommand exited with code 3\n\n›$/m);
  await session.keys("and now", "Enter");
  await session.shows(/I see\./);
  const messages = at.server.requests.at(-1)?.body.messages as { content: string }[];
  assert.match(messages.map(({ content }) => content).join("\n"), /I ran this command:[^]*100%/);
});

Deno.test("a server goes on in the background, and what it changed is told when it ends", async () => {
  await using at = await stage([]);
  await using session = startInTerminal(at.place);
  await session.shows(/^›$/m);
  const wait = "until [ -e go ]; do sleep 0.02; done";
  await session.keys(`!echo listening on port 80; ${wait}; echo 1 > made.txt`, "Enter");
  await session.shows("task_1 runs in the background until ally ends.");
  await at.place.write("go", "");
  await session.shows(/task_1 has ended\. It, [^]* created go, made\.txt\./);
});

const inTmux = { ignore: !hasTmux() };

Deno.test(
  "a program that needs the terminal gets it, and what is typed at it is not ally's",
  inTmux,
  async () => {
    await using at = await stage([{ text: "I see." }]);
    await using session = await startInTmux(at.place);
    await session.shows(/^›$/m);
    await session.keys("!read -p 'Who? ' name; echo \"it is $name\" | tee who.txt", "Enter");
    await session.shows(/^Who\? $|^Who\?$/m);
    await session.keys("ann", "Enter");
    await session.shows(/it is ann\n(?:.*\n)*›$/);
    assert.equal(await at.place.read("who.txt"), "it is ann\n");
    await session.keys("and now", "Enter");
    await session.shows(/I see\./);
    const messages = at.server.requests.at(-1)?.body.messages as { content: string }[];
    const told = messages.map(({ content }) => content).join("\n");
    assert.match(told, /I ran this command:\n\n\$ read -p[^]*It had the terminal/);
    assert.doesNotMatch(told, /\bann\b/);
    await session.keys("/undo", "Enter");
    await session.shows(/who\.txt/);
  },
);

Deno.test(
  "!! gives the terminal to any command; of one that waited in the queue after a key",
  inTmux,
  async () => {
    const { reply, release } = holdReply({ text: "Slow." });
    await using at = await stage([reply]);
    await using session = await startInTmux(at.place);
    await session.shows(/^›$/m);
    await session.keys("!!test -t 0 && test -t 1 && echo a terminal", "Enter");
    await session.shows(/^a terminal\n(?:.*\n)*›$/m);
    await session.keys("wait", "Enter");
    await session.shows(/Ctrl\+C to stop/);
    await session.keys("!!test -t 0 && echo once more", "Enter");
    await session.shows(/queued/);
    release();
    await session.shows(/Press a key to give it the terminal/);
    await session.keys("Space");
    await session.shows(/^once more\n(?:.*\n)*›$/m);
  },
);
