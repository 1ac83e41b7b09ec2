/**
 * What of each request the server had cached, and what made it read again what it had read.
 */
import assert from "node:assert/strict";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { runAlly, stage } from "../support/program.ts";

const counted = (prompt: number, cached: number): Pick<ScriptedReply, "usage"> => ({
  usage: {
    prompt_tokens: prompt,
    completion_tokens: 10,
    prompt_tokens_details: { cached_tokens: cached },
  },
});

const LOOK: ScriptedReply = {
  thinking: "I shall look.",
  calls: [{ name: "ls", arguments: {}, id: "call_1" }],
};

Deno.test("the result says of each request what was read and what was cached", async () => {
  await using at = await stage([
    { ...LOOK, ...counted(2_000, 0) },
    { text: "Nothing is there.", ...counted(2_100, 2_005) },
  ]);
  const args = ["-p", "--output-format", "json", "look"];
  const { requests } = JSON.parse((await runAlly(at.place, { args })).stdout);
  const same = { agent: "ally", model: "scripted", completion_tokens: 10 };
  assert.deepEqual(requests, [
    { ...same, prompt_tokens: 2_000, cached_tokens: 0, read_tokens: 2_000, reread_tokens: 0 },
    { ...same, prompt_tokens: 2_100, cached_tokens: 2_005, read_tokens: 95, reread_tokens: 0 },
  ]);
});

Deno.test("the result says nothing of a cache of which the server says nothing", async () => {
  const usage = { prompt_tokens: 2_000, completion_tokens: 10 };
  await using at = await stage([{ text: "Hello.", usage }]);
  const args = ["-p", "--output-format", "json", "hi"];
  const { requests } = JSON.parse((await runAlly(at.place, { args })).stdout);
  assert.deepEqual(requests, [{ agent: "ally", model: "scripted", ...usage }]);
});

Deno.test("the line after a turn says how full the window is with its last reply", async () => {
  const usage = { prompt_tokens: 9_000, completion_tokens: 1_100 };
  await using at = await stage([{ text: "A long answer.", usage }, { ...LOOK, usage }, {
    text: "Nothing is there.",
    usage: { prompt_tokens: 12_000, completion_tokens: 3_100 },
  }]);
  await using screen = startInTerminal(at.place, { args: ["--context-size", "20000"] });
  await screen.keys("look", "Enter");
  await screen.shows(/A long answer\.\s+9\.0k in .* context 50%/);
  await screen.keys("once more", "Enter");
  await screen.shows(/Nothing is there\.\s+21k in .* context 75%/);
});

Deno.test("/stats cache names the message and the bytes that made a server read again", async () => {
  await using at = await stage([
    { ...LOOK, ...counted(2_000, 0) },
    { text: "Nothing is there.", ...counted(2_100, 2_005) },
    { text: "You are welcome.", ...counted(2_150, 1_990) },
  ]);
  await using screen = startInTerminal(at.place, { columns: 120 });
  await screen.keys("look", "Enter");
  await screen.shows("Nothing is there.");
  await screen.shows("context");
  await screen.keys("/stats cache", "Enter");
  await screen.shows("Each request goes on where the one before it ended.");
  await screen.keys("thank you", "Enter");
  await screen.shows(/You are welcome\.\s+2\.\dk in/);
  await screen.keys("/stats cache", "Enter");
  // The thinking of a turn that has ended does not go back.
  const shown = await screen.shows("Request 3 differs from the one before it in message 3");
  assert.match(shown, /2 │ +2,100 │ +2,005 │ +95 │ +0/);
  assert.match(shown, /3 │ +2,150 │ +1,990 │ +160 │ +110/);
  assert.match(shown, /\(assistant\), from byte 34 on:\s+…ontent":"","reasoning_content":"I shall/);
  assert.match(shown, /is now\s+…ontent":"","tool_calls":/);
});

Deno.test("/stats cache says so when a server has dropped what it had read", async () => {
  await using at = await stage([
    { text: "Hello.", ...counted(2_000, 0) },
    { text: "Hello again.", ...counted(2_020, 0) },
  ]);
  await using screen = startInTerminal(at.place);
  await screen.keys("hi", "Enter");
  await screen.shows("Hello.");
  await screen.keys("hi again", "Enter");
  await screen.shows(/Hello again\.\s+2\.\dk in/);
  await screen.keys("/stats cache", "Enter");
  await screen.shows(/Request 2 goes on where the one before it ended, and yet 2,000/);
});
