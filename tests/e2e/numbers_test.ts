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
  const session = startInTerminal(place, {
    rows: 30,
    env: { PAGER: "cat" },
    ...options,
    args: ["-A", "go"],
  });
  await session.shows(/All done\.[^]*›$/);
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
    { text: code, calls: [{ name: "todo_add", arguments: { tasks: [{ task: "x" }] } }] },
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
