import assert from "node:assert/strict";
import type { EventBody } from "../../src/core/event.ts";
import { stageRenderer } from "../support/renderer_stage.ts";
import { call, end, ended, FOOTER, START } from "../support/turn_facts.ts";

Deno.test("streamed text ends as the same screen whatever the pieces", async () => {
  const text = "# Hi\nSome **bold** 日本語 text that is longer than forty cells are.\n\n" +
    "```ts\nlet a = 1;\n```\n- a\n- b\n\n|x|y|\n|-|-|\n|1|2|\n";
  for (const columns of [80, 40, 12]) {
    const screens = await Promise.all([1, 5, 1000].map(async (size) => {
      const { terminal, clock, show } = stageRenderer({ columns, rows: 10 });
      await show(START);
      for (let at = 0; at < text.length; at += size) {
        clock.ms += 40;
        await show([{ type: "text_delta", text: text.slice(at, at + size) }]);
      }
      await show([
        { type: "message", message: { role: "assistant", content: text, calls: [] } },
        end(),
      ]);
      return terminal.screen;
    }));
    assert.ok(screens[2]?.includes("# Hi"));
    assert.equal(screens[0], screens[2]);
    assert.equal(screens[1], screens[2]);
  }
});

Deno.test("the waiting line turns in place, counts seconds, and leaves nothing behind", async () => {
  const { terminal, clock, tick, show } = stageRenderer({ columns: 40 });
  await show(START);
  assert.match(terminal.screen, /Thinking… 0s · Ctrl\+C to stop/);
  clock.ms = 12_300;
  tick();
  assert.match(terminal.screen, /Thinking… 12s · Ctrl\+C to stop/);
  assert.equal(terminal.screen.match(/Thinking/g)?.length, 1);
  assert.equal(terminal.cursorShown, false);
  await show([end()]);
  assert.equal(terminal.screen, `\n${FOOTER}`);
  assert.equal(clock.ticks.size, 0);
  assert.equal(terminal.cursorShown, true);
});

Deno.test("silence of the model is told by the waiting line, which goes on counting", async () => {
  const { terminal, clock, tick, show } = stageRenderer({ columns: 40 });
  const quiet = (ms: number): EventBody => ({
    type: "notice",
    level: "info",
    text: "waiting",
    waiting_ms: ms,
  });
  await show(START);
  clock.ms = 15_000;
  await show([quiet(15_000)]);
  clock.ms = 45_000;
  tick();
  assert.match(terminal.screen, /Waiting for the model… 45s · Ctrl\+C/);
  await show([{ type: "text_delta", text: "Hello" }]);
  clock.ms = 70_000;
  await show([quiet(15_000)]);
  tick();
  assert.match(
    terminal.screen,
    /Waiting for more… 15s/,
  );
  assert.equal(terminal.screen.includes("waiting"), false);
});

Deno.test("what is read of the prompt loses its key and its detail to the width, and no number is cut", async () => {
  const reading = { total: 18_400, cached: 14_900, read: 2_000, ms: 18_000 };
  for (
    const [columns, line] of [
      [80, "Reading 2,000 of 18,400 tokens, 14,900 cached, 14 s · Ctrl+C to stop"],
      [60, "Reading 2,000 of 18,400 tokens, 14,900 cached, 14 s"],
      [40, "Reading 2,000 of 18,400 tokens, 14 s"],
    ] as const
  ) {
    const { terminal, show } = stageRenderer({ columns });
    await show([...START, { type: "notice", level: "info", text: "reading", reading }]);
    assert.equal(terminal.screen.split("\n").at(-1)?.slice(2), line);
  }
});

Deno.test("no picture is wider than the screen or taller", async () => {
  for (const [columns, rows] of [[20, 5], [5, 3], [1, 1]] as const) {
    const { terminal, show } = stageRenderer({ columns, rows });
    await show([
      ...START,
      { type: "thinking_delta", text: "long thoughts about many things\n".repeat(5) },
      { type: "text_delta", text: "word ".repeat(200) },
      ...call("c1", "bash", "deno test --allow-all --parallel"),
      { type: "tool_output", call_id: "c1", text: "a long line of output\n".repeat(30) },
      ended("c1", "bash", ["one", "two", "three"]),
      end(),
    ]);
    assert.ok(terminal.screen.length > 0);
    assert.equal(terminal.screen.match(/Running/g), null);
  }
});

Deno.test("a long thought is cut short once it has ended", async () => {
  const { terminal, show } = stageRenderer();
  await show([
    ...START,
    { type: "thinking_delta", text: "first\nsecond\nthird\nfourth\nfifth" },
    { type: "text_delta", text: "Answer." },
    { type: "message", message: { role: "assistant", content: "Answer.", calls: [] } },
    end(),
  ]);
  const expected =
    `\n  first\n  second\n  … 3 more lines of thought, /show 1\n\nAnswer.\n\n${FOOTER}`;
  assert.equal(terminal.screen, expected);
});

Deno.test("text that did not stream is taken from the message", async () => {
  const { terminal, show } = stageRenderer();
  await show([
    ...START,
    { type: "message", message: { role: "assistant", content: "All at once.", calls: [] } },
    end(),
  ]);
  assert.equal(terminal.screen, `\nAll at once.\n\n${FOOTER}`);
});

Deno.test("calls that run side by side are drawn one after the other", async () => {
  const { terminal, tick, show } = stageRenderer();
  await show([
    ...START,
    ...call("c1", "bash", "deno test"),
    ...call("c2", "grep", "total"),
    { type: "tool_output", call_id: "c1", text: "live one\n" },
    { type: "tool_output", call_id: "c2", text: "live two\n" },
  ]);
  tick();
  assert.match(terminal.screen, /● bash deno test\n {2}│ live one\n● grep total\n {2}│ live two\n/);
  await show([
    ended("c2", "grep", ["a.ts:1", "b.ts:2", "c.ts:3"]),
    ended("c1", "bash", ["ok"], 2100),
    end({ tool_calls: 2 }),
  ]);
  assert.equal(
    terminal.screen,
    "\n● grep total\n  ⎿ a.ts:1\n    b.ts:2\n    c.ts:3\n● bash deno test · 2.1s\n  ⎿ ok\n\n" +
      "1.2k in · 34 out · 2 calls · 1.5s",
  );
});

Deno.test("a result takes twelve lines at most", async () => {
  const { terminal, show } = stageRenderer();
  const lines = Array.from({ length: 14 }, (_, line) => `row ${line + 1}`);
  await show([...START, ...call("c1", "todo_add", "14 tasks"), ended("c1", "todo_add", lines)]);
  assert.deepEqual(terminal.screen.match(/row \d+/g), lines.slice(0, 12));
});

Deno.test("live output is shown by its last four lines only", async () => {
  const { terminal, tick, show } = stageRenderer();
  const text = Array.from({ length: 500 }, (_, line) => `line ${line}\n`).join("");
  await show([...START, ...call("c1", "bash", "x"), { type: "tool_output", call_id: "c1", text }]);
  tick();
  assert.deepEqual(terminal.screen.match(/line \d+/g), [
    "line 496",
    "line 497",
    "line 498",
    "line 499",
  ]);
});

Deno.test("a command that nobody is asked about is named by its call, with the lines that follow its first", async () => {
  const { terminal, show } = stageRenderer();
  const command = ["for f in *; do", ...Array.from({ length: 7 }, (_, row) => `  step ${row}`)];
  const text = command.join("\n");
  await show([
    ...START,
    ...call("c1", "bash", "for f in *; do … +7 lines"),
    {
      type: "tool_preview",
      call_id: "c1",
      previews: [{ kind: "command", command: text, cwd: "/work" }],
    },
    ended("c1", "bash", ["ok"]),
    end(),
  ]);
  assert.ok(
    terminal.screen.startsWith(`
● bash for f in *; do … +7 lines
      step 0
      step 1
    … +4 lines, /show 1
      step 6
  ⎿ ok
`),
    terminal.screen,
  );
});

Deno.test("calls that run stay within the screen: each loses output first, then they are counted", async () => {
  const output = Array.from({ length: 9 }, (_, line) => `line ${line}\n`).join("");
  const screens = [];
  for (const [count, rows] of [[2, 30], [4, 16], [9, 12]] as const) {
    const { terminal, tick, show } = stageRenderer({ rows });
    const names = Array.from({ length: count }, (_, index) => `c${index}`);
    await show(START);
    for (const id of names) {
      await show([...call(id, "bash", `job ${id}`), {
        type: "tool_output",
        call_id: id,
        text: output,
      }]);
    }
    for (let ticks = 0; ticks < 20; ticks++) tick();
    const lines = terminal.screen.split("\n");
    assert.ok(lines.length <= rows - 3, terminal.screen);
    const shown = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
    const more = /\+(\d+) more/.exec(terminal.screen)?.[1];
    screens.push([shown(/● bash job c\d · 2s$/), shown(/│ line/), more]);
  }
  assert.deepEqual(screens, [[2, 8, undefined], [4, 4, undefined], [5, 0, "4"]]);
});

Deno.test("the list of tasks is pinned while a turn runs, folded when all is done, and gone after that turn", async () => {
  const { terminal, renderer, tick, show } = stageRenderer({ rows: 24 });
  let done = 0;
  renderer.todos = () =>
    Array.from({ length: 4 }, (_, index) => ({
      task: `Task ${index + 1}`,
      status: index < done ? "done" : "pending",
    }));
  const change = async (id: string, next: number) => {
    done = next;
    const result = { success: true, error: "", message: `${done} of 4.`, todos: [] };
    const finish = ended(id, "todo_update", ["[x] all of it"]);
    await show([...call(id, "todo_update", ""), { ...finish, result } as EventBody]);
    tick();
  };
  await show(START);
  await change("c1", 1);
  assert.match(
    terminal.screen,
    /⎿ 1 of 4\.\n\n1 of 4 tasks done\n {2}✓ Task 1\n {2}● Task 2\n {2}○ Task 3\n {2}○ Task 4\n\n.*Running/,
  );
  await show([end(), ...START]);
  tick();
  assert.match(terminal.screen, /1 of 4 tasks done\n {2}✓ Task 1\n {2}● Task 2/);
  await change("c2", 4);
  assert.match(terminal.screen, /⎿ 4 of 4\.\n\n✓ 4 of 4 tasks done\n\n/);
  await show([end(), ...START]);
  tick();
  assert.doesNotMatch(terminal.screen, /tasks done/);
});

Deno.test("a failed call shows its error and what to do", async () => {
  const { terminal, show } = stageRenderer({ depth: "basic" });
  await show([...START, ...call("c1", "read", "a.ts"), {
    type: "tool_end",
    call_id: "c1",
    name: "read",
    duration_ms: 3,
    result: { success: false, error: "Cannot read a.ts: it is missing", suggestion: "Try b.ts" },
    preview: [],
  }]);
  assert.match(
    terminal.screen,
    /✗ read a\.ts\n {2}⎿ Cannot read a\.ts: it is missing\n {4}Try b\.ts/,
  );
  assert.ok(terminal.output.includes("\x1b[31mCannot read"));
});

Deno.test("a diff stands before the question, and the result follows it", async () => {
  const { terminal, renderer, show } = stageRenderer();
  const diff = "--- a\n+++ a\n@@ -9,3 +9,3 @@\n same\n-old\n+new\n end\n";
  await show([
    ...START,
    { type: "tool_start", call_id: "c1", name: "edit", input: {}, description: "a.ts" },
    { type: "tool_preview", call_id: "c1", previews: [{ kind: "diff", path: "a.ts", diff }] },
    { type: "tool_state", call_id: "c1", state: "awaiting_approval" },
  ]);
  const head = "\n● edit a.ts +1 -1\n   9   same\n  10 - old\n  10 + new\n  11   end";
  const resume = await renderer.suspend();
  assert.equal(terminal.screen, head);
  await show([{ type: "tool_state", call_id: "c1", state: "executing" }]);
  assert.equal(terminal.screen, head);
  resume();
  await show([ended("c1", "edit", ["1 edit"]), end({ tool_calls: 1 })]);
  assert.equal(terminal.screen, `${head}\n  ⎿ 1 edit\n\n1.2k in · 34 out · 1 call · 1.5s`);
});

Deno.test("a result that does not follow its own preview names its call again", async () => {
  const { terminal, show } = stageRenderer();
  const command = (text: string) => ({ kind: "command", command: text, cwd: "/work" }) as const;
  await show([
    ...START,
    ...call("c1", "bash", "one"),
    ...call("c2", "bash", "two"),
    { type: "tool_preview", call_id: "c1", previews: [command("one")] },
    { type: "tool_preview", call_id: "c2", previews: [command("two")] },
    { type: "tool_state", call_id: "c1", state: "awaiting_approval" },
    { type: "tool_state", call_id: "c2", state: "awaiting_approval" },
    ended("c1", "bash", ["1"]),
    ended("c2", "bash", ["2"]),
    end(),
  ]);
  assert.match(terminal.screen, /● bash \$ two\n● bash one\n {2}⎿ 1\n● bash two\n {2}⎿ 2\n/);
});

Deno.test("a reply that breaks off is disowned and begins anew", async () => {
  const { terminal, show } = stageRenderer();
  await show([
    ...START,
    { type: "text_delta", text: "Half of an ans" },
    { type: "request_start", turn: 1, messages: 2 },
    { type: "text_delta", text: "The whole answer." },
    { type: "message", message: { role: "assistant", content: "The whole answer.", calls: [] } },
    end(),
  ]);
  assert.equal(
    terminal.screen,
    "\nHalf of an ans\n\n! The reply broke off and is requested again: ignore the part above.\n\n" +
      `The whole answer.\n\n${FOOTER}`,
  );
});

Deno.test("what a command says is drawn as Markdown, set apart from the prompts", async () => {
  const { terminal, renderer, show } = stageRenderer();
  renderer.say("The model is **x**.\n\n```\ncode\n```");
  await renderer.flush();
  assert.equal(terminal.output, "\nThe model is x.\n\n  code\n\n");
  await show([{ type: "notice", level: "error", text: "There is no command /x." }]);
  assert.ok(terminal.output.endsWith("\n\n! There is no command /x.\n\n"));
});

Deno.test("an interrupted turn says so", async () => {
  const { terminal, show } = stageRenderer();
  await show([...START, { type: "text_delta", text: "So far" }, end({ reason: "interrupted" })]);
  assert.equal(terminal.screen, `\nSo far\n\n! Interrupted.\n\n${FOOTER}`);
});

Deno.test("a terminal without cursor movement gets whole lines and no escape sequence", async () => {
  const { terminal, show } = stageRenderer({ canRedraw: false });
  await show([
    ...START,
    { type: "text_delta", text: "One " },
    { type: "text_delta", text: "line.\n\n" },
    ...call("c1", "ls", "."),
    ended("c1", "ls", ["3 entries"]),
    end(),
  ]);
  assert.equal(terminal.output, `\nOne line.\n\n● ls .\n  ⎿ 3 entries\n\n${FOOTER}\n\n`);
});

Deno.test("nothing from a model, a tool or a name controls the terminal", async () => {
  const { terminal, show } = stageRenderer();
  const evil = "x\x1b[2J\x1b]0;t\x07\x9b1A\r\u202ey";
  await show([
    ...START,
    { type: "thinking_delta", text: evil },
    { type: "text_delta", text: `${evil}\n\n` },
    ...call("c1", evil, evil),
    {
      type: "tool_preview",
      call_id: "c1",
      previews: [
        { kind: "new_file", path: evil, content: evil },
        { kind: "deleted_file", path: evil, lines: 1 },
        { kind: "diff", path: evil, diff: `@@ -1 +1 @@\n-${evil}\n` },
        { kind: "command", command: evil, cwd: evil },
      ],
    },
    { type: "tool_output", call_id: "c1", text: evil },
    {
      type: "tool_end",
      call_id: "c1",
      name: evil,
      duration_ms: 1,
      result: { success: false, error: evil, suggestion: evil },
      preview: [evil],
    },
    { type: "notice", level: "error", text: evil },
    end({ reason: "error", error: evil }),
  ]);
  for (const sequence of ["\x1b[2J", "\x1b]", "\x9b", "\u202e"]) {
    assert.equal(terminal.output.includes(sequence), false, JSON.stringify(sequence));
  }
  assert.ok(terminal.screen.includes("\\x1b[2J"), "a command shows what hides in it");
});

Deno.test("streaming writes little more than the text, and each finished line once", async () => {
  const items = Array.from(
    { length: 100 },
    (_, n) =>
      `- **Point ${
        n + 1
      }**: a sentence about it that has some twenty words, with \`code\` and more than one row of text.`,
  );
  const code = Array.from({ length: 60 }, (_, n) => `  const value${n} = compute(${n});`);
  const text = [
    "# A long answer",
    "",
    ...items,
    "",
    "```ts",
    ...code,
    "```",
    "",
    "The end of it.",
    "",
  ].join("\n");
  const { terminal, clock, tick, show } = stageRenderer({ columns: 100, rows: 30, depth: "256" });
  await show(START);
  for (let at = 0, deltas = 0; at < text.length; at += 8) {
    await show([{ type: "text_delta", text: text.slice(at, at + 8) }]);
    clock.ms += 10;
    if (++deltas % 10 === 0) {
      clock.ms -= 100;
      tick();
    }
  }
  const message = { role: "assistant", content: text, calls: [] } as const;
  await show([{ type: "message", message }, end()]);
  const written = new TextEncoder().encode(terminal.output).length;
  assert.ok(written <= 3 * text.length, `${written} bytes for ${text.length}`);
  for (const n of [1, 50, 100]) {
    assert.equal(terminal.screen.split(`Point ${n}:`).length, 2);
    assert.equal(terminal.output.split(`Point ${n}\x1b`).length, 2);
  }
});

Deno.test("the seconds of a turn are ally's own: those of a question do not count", async () => {
  const { terminal, renderer, clock, tick, show } = stageRenderer();
  await show(START);
  clock.ms += 2000;
  const resume = await renderer.suspend();
  clock.ms += 60_000;
  resume();
  tick();
  await terminal.shown(/Thinking… 2s/);
  await show([end({ duration_ms: 62_100 })]);
  assert.match(terminal.screen, /· 2\.1s$/m);
  // As where an earlier session is picked from a list, and shown again.
  const leave = await renderer.suspend();
  clock.ms += 60_000;
  leave();
  await show([end({ duration_ms: 2_700 })]);
  assert.match(terminal.screen, /· 2\.7s$/m);
  // As where a command of the user's own asks, between two turns.
  const endWork = renderer.showWork("undo");
  const answer = await renderer.suspend();
  clock.ms += 8000;
  answer();
  endWork();
  await show([...START, end({ duration_ms: 9_800 })]);
  assert.match(terminal.screen, /· 9\.8s$/m);
});
