/**
 * Turns of random text, calls, agents, tasks, questions and typing on screens of random size, which change meanwhile:
 * what was written stands there once, in order.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { EventBody } from "../../src/core/event.ts";
import { createAsk } from "../../src/ui/ask.ts";
import { EditedLine } from "../../src/ui/edited_line.ts";
import { LineInput } from "../../src/ui/line_input.ts";
import { BASH, never } from "../support/ask_stage.ts";
import { randomNumbers, TEST_SEED, testCount } from "../support/random.ts";
import { stageRenderer } from "../support/renderer_stage.ts";
import { call, end, ended, START } from "../support/turn_facts.ts";

/** Lines of Markdown; each has a word of its own. */
const KINDS: readonly ((word: string, filler: string) => string)[] = [
  (word, filler) => `${word} ${filler}`,
  (word, filler) => `\n${word} **bold ${filler}** and \`code\``,
  (word, filler) => `- ${word} ${filler}`,
  (word, filler) => `  - nested ${word} ${filler}`,
  (word, filler) => `1. ${word} ${filler}`,
  (word) => `\n# ${word}`,
  (word, filler) => `> ${word} ${filler}`,
  (word, filler) => `\n\`\`\`ts\nconst ${word} = 1; // ${filler}\n\`\`\``,
  (word, filler) => `\n| ${word} | b |\n|---|---|\n| ${filler.slice(0, 6)} | 日本 |\n`,
  (word, filler) => `${filler}${word}日本語のテキスト`,
];

Deno.test(`whatever is typed and called meanwhile, each line of a turn is on the screen once (seed ${TEST_SEED})`, async () => {
  const next = randomNumbers(TEST_SEED);
  const upTo = (most: number) => Math.floor(next() * most);
  for (let round = 0; round < testCount(25); round++) {
    const size = { columns: 24 + upTo(96), rows: 8 + upTo(30) };
    const { terminal, theme, renderer, clock, show, tick } = stageRenderer(size);
    let words = 0;
    const line = new EditedLine({ terminal, theme, input: new LineInput() });
    const type = () => {
      line.take({ kind: "text", text: "typed ahead "[upTo(12)] ?? " " });
      if (next() < 0.1) line.clear();
      const isEmpty = line.input.buffer.text === "";
      renderer.showTyping({ queued: [], draw: isEmpty ? undefined : (rows) => line.draw(rows) });
    };
    const say = async () => {
      const text = Array.from({ length: 1 + upTo(20) }, () => {
        const filler = "filler ".repeat(upTo(12)).trim();
        return KINDS[upTo(KINDS.length)]!(`q${words++}q`, filler);
      }).join("\n");
      for (let at = 0; at < text.length;) {
        const length = 1 + upTo(next() < 0.1 ? 200 : 12);
        clock.ms += upTo(50);
        await show([{ type: "text_delta", text: text.slice(at, at + length) }]);
        at += length;
        if (next() < 0.2) type();
      }
      const message = { role: "assistant", content: text, calls: [] } as const;
      await show([{ type: "message", message }]);
    };
    const tasks: { task: string; status: "pending" | "done" }[] = [];
    renderer.todos = () => tasks;
    const hasState = next() < 0.5;
    renderer.stateRows = () => hasState ? ["state of the session"] : [];
    // A size can be trusted at once, so that what waits for that is drawn within the turn.
    Object.defineProperty(terminal, "settlesInMs", { value: 0 });
    const ask = createAsk({ terminal, theme, cwd: "/", suspend: () => renderer.suspend() });
    const name = () => `q${words++}q`;
    const events: readonly (() => Promise<void>)[] = [
      async () => {
        const word = name();
        await show(call(word, "bash", word));
        for (let n = upTo(8); n > 0; n--) {
          await show([{ type: "tool_output", call_id: word, text: `output ${n}\n` }]);
          tick(upTo(60));
        }
        await show([ended(word, "bash", ["done"])]);
      },
      async () => {
        const word = name();
        await show(call(word, "agent", word));
        const agents = Array.from({ length: 1 + upTo(4) }, (_, n) => ({
          identity: { id: `${word}${n}`, name: `explore ${n}`, depth: 1, call_id: word },
          answer: `answer ${n}`,
        }));
        for (const { identity } of agents) {
          await show([{ type: "turn_start", prompt: "a task" }, ...call("x", "ls", ".")], identity);
          tick(upTo(200));
        }
        for (const { identity, answer } of agents) {
          const message = { role: "assistant", content: answer, calls: [] } as const;
          await show([ended("x", "ls", []), { type: "message", message }, end()], identity);
        }
        await show([ended(word, "agent", ["all tasks complete"])]);
      },
      async () => {
        const word = name();
        if (tasks.length < 12) tasks.push({ task: `task ${tasks.length}`, status: "pending" });
        else tasks.forEach((task) => task.status = "done");
        const result = { success: true, error: "", message: "changed", todos: [] };
        const finish = { ...ended(word, "todo_add", []), result } as EventBody;
        await show([...call(word, "todo_add", word), finish]);
        tick(upTo(200));
      },
      async () => {
        const word = name();
        await show(call(word, "bash", word).slice(0, 1));
        await show([{ type: "tool_state", call_id: word, state: "awaiting_approval" }]);
        const answers = ask([{ ...BASH, callId: word, why: "it changes things" }], never());
        await terminal.shown("❯ Deny (d");
        terminal.type("a");
        await answers;
        await show([
          { type: "tool_state", call_id: word, state: "executing" },
          ended(word, "bash", ["done"]),
        ]);
      },
      // A terminal in memory breaks no row anew, as a real one does that becomes narrower.
      async () => {
        terminal.resize(terminal.columns + upTo(20), 8 + upTo(30));
        tick(upTo(200));
        if (next() < 0.5) await delay(1);
      },
    ];
    await show(START);
    for (let part = 0; part < 4; part++) {
      await say();
      await events[upTo(events.length)]!();
      if (next() < 0.5) await events[upTo(events.length)]!();
    }
    await say();
    await show([end()]);
    const said = terminal.screen.replace(/[\s│]+/g, "").match(/q\d+q/g);
    assert.deepEqual(
      said,
      Array.from({ length: words }, (_, n) => `q${n}q`),
      `${JSON.stringify(size)}:\n${terminal.screen}`,
    );
    assert.doesNotMatch(terminal.screen, /Ctrl\+C to stop|typed|state of the session|tasks done/);
  }
});
