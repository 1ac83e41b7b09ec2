/**
 * What is asked of a server while nobody waits for an answer: where it helps, of whom it may be asked, and that it is no
 * part of anything else.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { messagesOf } from "../support/by_content.ts";
import { type FakeLlama, type FakeLlamaOptions, startFakeLlama } from "../support/fake_llama.ts";
import { makePlace, type Place, runAlly } from "../support/program.ts";
import { sandboxFlags } from "../support/sandbox.ts";
import type { TerminalSession } from "../support/terminal_session.ts";
import { until } from "../support/wait.ts";

const LS: ScriptedReply = {
  thinking: "Look first.",
  calls: [{ id: "a", name: "ls", arguments: { file_path: "." } }],
};
const DONE: ScriptedReply = { thinking: "Found it.", text: "Done." };

interface Scene {
  readonly llama: FakeLlama;
  readonly place: Place;
  readonly session: TerminalSession;
}

async function atPrompt(
  { config = {}, args = [], ...options }: FakeLlamaOptions & {
    config?: Record<string, unknown>;
    args?: readonly string[];
  },
  run: (scene: Scene) => Promise<void>,
): Promise<void> {
  await using llama = await startFakeLlama(options);
  await using place = await makePlace({ endpoint: llama.url });
  await Deno.mkdir(place.home, { recursive: true });
  await Deno.writeTextFile(join(place.home, "config.json"), JSON.stringify(config));
  await using session = startInTerminal(place, { args: ["-A", ...args] });
  await session.shows(/›$/);
  await run({ llama, place, session });
}

async function say(session: TerminalSession, words: string, then: RegExp): Promise<void> {
  await session.keys("-l", words);
  await session.keys("Enter");
  await session.shows(then);
}

const warmed = ({ warmings }: FakeLlama, count: number) =>
  until(`warming ${count}`, () => warmings.length >= count);

/** What of a request the next one has to begin with. */
function beginningOf({ body }: { body: Record<string, unknown> }): string {
  const messages = (body["messages"] as unknown[]).slice(0, -1);
  return JSON.stringify([body["tools"], ...messages]);
}

Deno.test("prompt and tools are read while the first line is typed, and after a turn what the next request begins with", async () => {
  await atPrompt({ replies: [LS, DONE, DONE] }, async ({ llama, session }) => {
    await warmed(llama, 1);
    await say(session, "look", /Done\.[^]*›$/);
    await warmed(llama, 2);
    await say(session, "thanks", /thanks[^]*Done\.[^]*›$/);
    const [start, after] = llama.warmings.map(beginningOf);
    assert.equal(start, beginningOf(llama.chats[0]!));
    assert.equal(after, beginningOf(llama.chats[2]!));
    assert.doesNotMatch(after!, /Look first/);
    for (const { body } of llama.warmings) assert.equal(body["n_predict"], 0);
  });
});

Deno.test("where the template keeps thinking, or none was thought, nothing has to be read after a turn", async () => {
  const keeps = { chat_template_caps: { supports_preserve_reasoning: true } };
  const silent = { text: "Done." };
  for (const options of [{ replies: [LS, DONE], props: keeps }, { replies: [silent, silent] }]) {
    await atPrompt(options, async ({ llama, session }) => {
      await warmed(llama, 1);
      await say(session, "look", /Done\.[^]*›$/);
      // The next prompt but one has been reached without a second one.
      await say(session, "/context", /tokens[^]*›$/);
      assert.equal(llama.warmings.length, 1);
    });
  }
});

Deno.test("a request that goes out ends it at once, and it stands in no turn's figures", async () => {
  const options = { replies: [DONE], warmingReply: { stall: true as const } };
  await atPrompt(options, async ({ llama, session, place }) => {
    await warmed(llama, 1);
    await say(session, "look", /Done\.[^]*›$/);
    await llama.server.untilClosedEarly();
    assert.equal(llama.chats.length, 1);
    await say(session, "/stats", /1 request\b/);
    const saved = await place.session();
    assert.deepEqual(messagesOf(llama.chats[0]!).map(({ role }) => role), ["system", "user"]);
    assert.ok(!JSON.stringify(saved).includes('"content":"."'));
  });
});

Deno.test("nothing is read ahead with warm: false, where tokens have a price, with -p, or of a server that is not known", async () => {
  const quiet = async ({ llama, session }: Scene) => {
    await say(session, "look", /Done\.[^]*›$/);
    assert.deepEqual(llama.warmings, []);
  };
  await atPrompt({ replies: [DONE], config: { warm: false } }, quiet);
  const prices = { input: 1, output: 2 };
  await atPrompt({ replies: [DONE], config: { prices } }, quiet);
  await atPrompt({ replies: [DONE], props: { default_generation_settings: 1 } }, quiet);
  await using llama = await startFakeLlama({ replies: [LS, DONE] });
  await using place = await makePlace({ endpoint: llama.url });
  assert.equal((await runAlly(place, { args: ["-p", "-A", "look"] })).code, 0);
  assert.deepEqual(llama.warmings, []);
});

Deno.test("a recording holds nothing of it, and its replay asks for nothing more", async () => {
  const args = ["--record", "t.jsonl"];
  await atPrompt({ replies: [LS, DONE], args }, async ({ llama, session, place }) => {
    await say(session, "look", /Done\.[^]*›$/);
    await say(session, "/exit", /To go on/);
    assert.deepEqual(llama.warmings, []);
    await until(
      "the recording to end",
      async () => (await place.read("t.jsonl")).includes('"end"'),
    );
    const { code, stdout, stderr } = await runAlly(place, {
      args: ["replay", ...sandboxFlags(), "t.jsonl"],
    });
    assert.equal(code, 0, stdout + stderr);
  });
});
