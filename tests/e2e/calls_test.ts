/**
 * What a person at the terminal sees of calls: how a long result is shortened, and what is said of the calls of one
 * reply that were not all answered alike.
 */
import assert from "node:assert/strict";
import { startInTerminal } from "../support/ally_terminal.ts";
import { stage } from "../support/program.ts";
import type { TerminalSession } from "../support/terminal_session.ts";

async function say(session: TerminalSession, text: string): Promise<void> {
  await session.shows(/›$/);
  await session.keys("-l", text);
  await session.keys("Enter");
}

Deno.test("a long result shows both its ends; that of a failed command shows its end, where the error is", async () => {
  const script = "for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done";
  const commands = [script, `${script}; echo 'error: the real cause' >&2; exit 3`];
  await using at = await stage([
    { calls: commands.map((command) => ({ name: "bash", arguments: { command } })) },
    { text: "Done." },
  ]);
  await using session = startInTerminal(at.place, { args: ["--allow-run"] });
  await say(session, "run them");
  const screen = await session.shows(/Done\.[^]*›$/);
  assert.match(screen, /line 1\n *… \+7 lines, \/show 1\n *line 9\n/);
  assert.match(
    screen,
    /exited with code 3\n *… \+3 lines, \/show 2\n *line 4\n[^]*line 9\n *error: the real/,
  );
});

Deno.test("of calls that are chosen one by one, those that were allowed run, whatever was denied before", async () => {
  const write = (name: string) => ({
    name: "write",
    arguments: { file_path: name, content: "x\n" },
  });
  await using at = await stage([
    {
      calls: [
        write("a.txt"),
        write("b.txt"),
        { name: "ls", arguments: { file_path: "." } },
        write("c.txt"),
      ],
    },
  ]);
  await using session = startInTerminal(at.place);
  await say(session, "write them");
  await session.shows(/Allow these 3 calls\?[^]*❯ Deny all/);
  await session.keys("c");
  for (const [index, key] of ["a", "d", "a"].entries()) {
    await session.shows(new RegExp(`\\(${index + 1} of 3\\)[^]*❯ Deny`));
    await session.keys(key);
  }
  const screen = await session.shows(/Stopped: a call was denied[^]*›$/);
  assert.equal(screen.split("Not run").length, 2, screen);
  const names = [...Deno.readDirSync(at.place.dir)].map(({ name }) => name).toSorted();
  assert.deepEqual(names, ["a.txt", "c.txt"]);
});

Deno.test("of progress that overwrites its line, the last state is the line, for the model too", async () => {
  const command = "for n in 1 2 3; do printf '\\rdone %s0%%' $n; done; printf '\\r\\nended\\r\\n'";
  await using at = await stage([{ calls: [{ name: "bash", arguments: { command } }] }, {
    text: "Done.",
  }]);
  await using session = startInTerminal(at.place, { args: ["--allow-run"] });
  await say(session, "go");
  const screen = await session.shows(/Done\.[^]*›$/);
  assert.match(screen, /⎿ done 30%\n *ended\n/);
  const messages = at.server.requests[1]!.body.messages as { content: string }[];
  assert.match(messages.at(-1)!.content, /^done 30%\r\nended\r\n/);
});

Deno.test("a turn that goes on after a denied call is not said to be stopped", async () => {
  await using at = await stage([
    { calls: [{ name: "write", arguments: { file_path: "a.txt", content: "a" } }] },
    { text: "I could not." },
  ]);
  await using session = startInTerminal(at.place, { args: ["--deny-write", "go"] });
  const screen = await session.shows(/I could not\.[^]*! A call was denied\.[^]*›$/);
  assert.doesNotMatch(screen, /Stopped/);
});
