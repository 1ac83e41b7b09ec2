/**
 * The slots of a llama-server: who names which one, and what is kept of them between runs. Other servers are asked for
 * nothing of this.
 */
import assert from "node:assert/strict";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { byContent, messagesOf } from "../support/by_content.ts";
import { type FakeLlama, type FakeLlamaOptions, startFakeLlama } from "../support/fake_llama.ts";
import { makePlace, type Place, runAlly } from "../support/program.ts";
import { featuresOf, rememberFeatures } from "../support/server_features.ts";

const LS: ScriptedReply = { calls: [{ id: "l", name: "ls", arguments: { file_path: "." } }] };
const TASKS = ["one", "two", "three"];
const SCRIPT = byContent([
  ["main", {
    calls: [{
      id: "a",
      name: "agent",
      arguments: { agents: TASKS.map((task_prompt) => ({ task_prompt })) },
    }],
  }, { text: "All looked." }],
  ...TASKS.map((task) => [task, LS, { text: `Looked at ${task}.` }] as const),
]);

const FEATURES = featuresOf({ keepsReasoning: false });

async function atServer(
  options: Partial<FakeLlamaOptions>,
  run: (at: { llama: FakeLlama; place: Place }) => Promise<void>,
): Promise<void> {
  await using llama = await startFakeLlama({ replies: SCRIPT, ...options });
  await using place = await makePlace({ endpoint: llama.url });
  await run({ llama, place });
}

async function ally(place: Place, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runAlly(place, { args: ["-p", "-A", ...args] });
  assert.equal(code, 0, stderr);
  return stdout;
}

/** The slots that the requests of each agent name. */
function slotsIn({ chats }: FakeLlama): Map<string, Set<unknown>> {
  const agents = new Map<string, Set<unknown>>();
  for (const chat of chats) {
    const task = messagesOf(chat).find(({ role }) => role === "user")!.content;
    agents.set(task, (agents.get(task) ?? new Set()).add(chat.body["id_slot"]));
  }
  return agents;
}

Deno.test("each agent names a slot of its own, and the main one the slot that holds its conversation", async () => {
  await atServer({ slots: 4 }, async ({ llama, place }) => {
    const told = await ally(place, "--output-format", "stream-json", "main");
    const slots = slotsIn(llama);
    assert.deepEqual([...slots.get("main")!], [undefined, 0]);
    assert.deepEqual(TASKS.flatMap((task) => [...slots.get(task)!]).sort(), [1, 2, 3]);
    assert.doesNotMatch(told, /one_after_another/);
  });
});

Deno.test("with fewer slots than agents these work one after another, and the call says why", async () => {
  const rows = [
    { slots: 1, why: "one after another: the server has one slot", named: [undefined] },
    { slots: 2, why: "1 at a time: the server has 2 slots, one of them", named: [1] },
  ];
  for (const { slots, why, named } of rows) {
    await atServer({ slots }, async ({ llama, place }) => {
      const told = await ally(place, "--output-format", "stream-json", "main");
      assert.ok(told.includes(`"one_after_another":"${why}`), told);
      const order = llama.chats.map((chat) =>
        messagesOf(chat).find(({ role }) => role === "user")!.content
      );
      assert.deepEqual(order, ["main", ...TASKS.flatMap((task) => [task, task]), "main"]);
      for (const task of TASKS) assert.deepEqual([...slotsIn(llama).get(task)!], named);
    });
  }
});

Deno.test("a server that does not show slots, or not which are free, gets no field of them and is posted nothing but chats", async () => {
  const rows = [{ default_generation_settings: undefined }, { endpoint_slots: false }];
  for (const props of rows) {
    await atServer({ slots: 4, props, savesSlots: true }, async ({ llama, place }) => {
      await ally(place, "main");
      await ally(place, "--continue", "main");
      for (const slots of slotsIn(llama).values()) assert.deepEqual([...slots], [undefined]);
      assert.deepEqual(llama.asked, []);
    });
  }
});

Deno.test("a session's slot is written to a file when ally leaves, and read back only if it is not there any more", async () => {
  const replies = Array.from({ length: 20 }, (_, index) => index === 0 ? LS : { text: "Done." });
  await atServer({ replies, savesSlots: true }, async ({ llama, place }) => {
    await rememberFeatures(place, { url: llama.url, features: FEATURES });
    await ally(place, "begin");
    const [saved] = llama.asked;
    assert.equal(saved?.path, "/slots/0?action=save");
    assert.match(JSON.stringify(saved.body), /^\{"filename":"ally-[\da-f]+\.bin"\}$/);
    await ally(place, "--continue", "and on");
    assert.deepEqual(llama.asked.map(({ path }) => path.slice(-4)), ["save", "save"]);
    await ally(place, "--no-session", "something else");
    await ally(place, "--continue", "and on");
    const [restored] = llama.asked.slice(2);
    assert.deepEqual(restored, { path: "/slots/0?action=restore", body: saved.body });
    assert.equal(llama.asked.length, 4);
  });
});

Deno.test("where a server keeps no slots, has a price or is recorded, nothing is noted or asked back", async () => {
  const replies = [LS, ...Array.from({ length: 20 }, () => ({ text: "Done." }))];
  await atServer({ replies }, async ({ llama, place }) => {
    await rememberFeatures(place, { url: llama.url, features: FEATURES });
    await ally(place, "begin");
    await ally(place, "--continue", "and on");
    assert.deepEqual(llama.asked.map(({ path }) => path.slice(-4)), ["save", "save"]);
  });
  await atServer({ replies, savesSlots: true }, async ({ llama, place }) => {
    await rememberFeatures(place, { url: llama.url, features: FEATURES });
    await ally(place, "--record", "t.jsonl", "begin");
    await ally(place, "--record", "u.jsonl", "--continue", "and on");
    await Deno.writeTextFile(`${place.home}/config.json`, '{"prices":{"input":1,"output":2}}');
    await ally(place, "--continue", "and on");
    assert.deepEqual(llama.asked, []);
  });
});
