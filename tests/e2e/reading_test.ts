/**
 * What llama-server says of the prompt that it reads: in the status line, and as notices for programs.
 */
import assert from "node:assert/strict";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { holdReply } from "../support/held_reply.ts";
import { runAlly, stage } from "../support/program.ts";
import { featuresOf, knowModel } from "../support/server_features.ts";

const FEATURES = featuresOf({ keepsReasoning: false });

function progress(processed: number, time_ms: number): string {
  return JSON.stringify({
    choices: [{ index: 0, delta: { role: "assistant", content: null }, finish_reason: null }],
    prompt_progress: { total: 18_400, cache: 14_900, processed, time_ms },
  });
}

/** A reply as llama-server sends it, the prompt read in three batches. */
const READ: ScriptedReply = {
  sse: [
    progress(14_900, 0),
    progress(16_900, 18_000),
    progress(18_400, 30_000),
    JSON.stringify({ choices: [{ index: 0, delta: { content: "Hello." } }] }),
    JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
    "[DONE]",
  ],
};

Deno.test("a server that has shown to be llama-server tells how far it is, in stream-json as notices", async () => {
  await using at = await stage([READ]);
  await knowModel(at.place, { url: at.server.url, features: FEATURES });
  const args = ["-p", "--output-format", "stream-json", "hi"];
  const { stdout, stderr } = await runAlly(at.place, { args });
  const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.equal(at.server.requests[0]?.body["return_progress"], true);
  assert.deepEqual(
    events.filter(({ reading }) => reading).map(({ type, text, reading }) => [type, text, reading]),
    [
      [
        "notice",
        "reading 0 of 18,400 tokens, 14,900 cached",
        { total: 18_400, cached: 14_900, read: 0, ms: 0 },
      ],
      [
        "notice",
        "reading 2,000 of 18,400 tokens, 14,900 cached, 14 s",
        { total: 18_400, cached: 14_900, read: 2_000, ms: 18_000 },
      ],
    ],
  );
  assert.equal(events.at(-1).text, "Hello.");
  assert.equal(stderr, "");
});

Deno.test("nothing of it is written into a pipe", async () => {
  await using at = await stage([READ]);
  await knowModel(at.place, { url: at.server.url, features: FEATURES });
  const { stdout, stderr } = await runAlly(at.place, { args: ["-p", "hi"] });
  assert.deepEqual([stdout, stderr], ["Hello.\n", ""]);
});

Deno.test("a server that has shown nothing is not asked for it", async () => {
  await using at = await stage([{ text: "Hello." }]);
  await runAlly(at.place, { args: ["-p", "hi"] });
  assert.equal("return_progress" in at.server.requests[0]!.body, false);
});

Deno.test("the status line counts down until the prompt is read", async () => {
  const first = holdReply(READ, 1);
  const second = holdReply(READ, 2);
  const pause = (index: number) => first.reply.pause!(index) ?? second.reply.pause!(index);
  await using at = await stage([{ ...READ, pause }]);
  await knowModel(at.place, { url: at.server.url, features: FEATURES });
  await using screen = startInTerminal(at.place, { columns: 60 });
  await screen.keys("hi", "Enter");
  await screen.shows("Reading 0 of 18,400 tokens, 14,900 cached…");
  first.release();
  await screen.shows("Reading 2,000 of 18,400 tokens, 14,900 cached, 14 s");
  second.release();
  const shown = await screen.shows("Hello.");
  assert.doesNotMatch(shown, /Reading/);
});
