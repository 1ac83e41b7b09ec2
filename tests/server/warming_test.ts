/**
 * What a real server reads while a person types or reads, so that an answer waits only for what is new.
 */
import assert from "node:assert/strict";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { findLlamaServer } from "../support/llama_server.ts";
import { makePlace } from "../support/program.ts";
import { type ScriptedLlama, startScriptedLlama } from "../support/scripted_llama.ts";
import type { TerminalSession } from "../support/terminal_session.ts";
import { until } from "../support/wait.ts";

const program = await findLlamaServer();

/** Tokens that may be read beyond what is new. */
const SLACK = 100;
const THOUGHT = "Which file comes next? ".repeat(60);
const REPLIES: readonly ScriptedReply[] = [
  ...Array.from({ length: 3 }, (_, file) => ({
    thinking: THOUGHT,
    calls: [{
      id: `w${file}`,
      name: "write",
      arguments: { file_path: `f${file}.txt`, content: `a line of ${file}\n`.repeat(60) },
    }],
  })),
  { thinking: THOUGHT, text: "All are written." },
  { thinking: THOUGHT, text: "You are welcome." },
];

async function say(session: TerminalSession, words: string, then: RegExp): Promise<void> {
  await session.keys("-l", words);
  await session.keys("Enter");
  await session.shows(then);
}

/** Two messages of a person who reads in between; the figures of their first requests. */
async function converse(llama: ScriptedLlama, { warms }: { warms: boolean }) {
  await using place = await makePlace({ endpoint: llama.url });
  await Deno.mkdir(place.home, { recursive: true });
  await Deno.writeTextFile(`${place.home}/config.json`, JSON.stringify({ warm: warms }));
  await using session = startInTerminal(place, { args: ["-A"] });
  await session.shows(/›$/);
  const warmed = (count: number) =>
    until(`warming ${count}`, () => !warms || llama.warmings.length >= count);
  await warmed(1);
  await say(session, "write the files", /All are written\.[^]*›$/);
  await warmed(2);
  await say(session, "thank you", /You are welcome\.[^]*›$/);
  const [first, next] = [llama.requests[0]!, llama.requests.at(-1)!];
  // deno-lint-ignore no-console -- The figures to look at.
  console.table(
    [...llama.requests, ...llama.warmings].map((one) => ({
      ...one,
      body: "",
      rendered: "",
      answered: "",
    })),
  );
  return { first, next };
}

for (const slots of [1, 4]) {
  Deno.test(
    `an answer waits only for what was typed, with ${slots} slots`,
    { ignore: program === undefined },
    async () => {
      await using llama = await startScriptedLlama(program!, {
        template: "strips",
        replies: REPLIES,
        args: ["--parallel", `${slots}`],
      });
      const { first, next } = await converse(llama, { warms: true });
      assert.ok(first.read <= SLACK, `${first.read} tokens of the first message`);
      assert.ok(next.read <= SLACK, `${next.read} tokens of the next one`);
      for (const { body } of llama.warmings) assert.equal(body["n_predict"], 0);
    },
  );
}

Deno.test(
  "with warm: false nothing is read ahead",
  { ignore: program === undefined },
  async () => {
    await using llama = await startScriptedLlama(program!, {
      template: "strips",
      replies: REPLIES,
    });
    const { first, next } = await converse(llama, { warms: false });
    assert.deepEqual(llama.warmings, []);
    assert.equal(first.read, first.prompt);
    assert.ok(next.read > 1_000);
  },
);
