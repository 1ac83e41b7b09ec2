/**
 * What was shown shortened has a number, and the number brings the whole.
 */
import assert from "node:assert/strict";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal, type TerminalOptions } from "../support/ally_terminal.ts";
import { makePlace, type Place } from "../support/program.ts";
import type { TerminalSession } from "../support/terminal_session.ts";

interface Stage extends AsyncDisposable {
  readonly place: Place;
  readonly session: TerminalSession;
  /** Types a line, and waits for what it brings. */
  say(line: string, brings: string | RegExp): Promise<string>;
}

/** A session whose model has given its replies to "go". */
async function stage(
  replies: readonly ScriptedReply[],
  { files = {}, ...options }: TerminalOptions & { files?: Record<string, string> } = {},
): Promise<Stage> {
  const server = await startScriptedServer({ replies: [...replies, { text: "All done." }] });
  const place = await makePlace({ endpoint: server.url, files });
  const session = startInTerminal(place, { rows: 30, ...options, args: ["-A", "go"] });
  await session.shows(/All done\.[^]*\n›/);
  return {
    place,
    session,
    async say(line, brings) {
      await session.keys("-l", line);
      await session.shows(`› ${line}`);
      await session.keys("Enter");
      await session.shows(brings);
      return await session.shows(/\n›$/);
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
  assert.match(await test.say("/show 1", "1 · bash"), /1 · bash seq 1 15\n1\n2\n3\n[^]*14\n15\n/);
  const failed = await test.say("/show 2", "2 · bash");
  assert.match(failed, /2 · bash seq 1 20; exit 3\nCommand exited with code 3\n1\n2\n[^]*19\n20\n/);
  const list = await test.say("/show", "size");
  assert.match(list, /1 │ result │ bash seq 1 15 +│ 15 lines\n +2 │ .* │ 21 lines/);
});

Deno.test("a result cut at the right edge has a number as well", async () => {
  const line = "word".repeat(40);
  await using test = await stage([bash(`echo '${line}'`)]);
  assert.match(await test.session.screen(), /⎿ wordword.*…\n +\/show 1\n/);
  const screen = await test.say("/show 1", "1 · bash");
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
