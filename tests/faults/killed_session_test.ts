import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import type { Message } from "../../src/core/message.ts";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { SessionStore } from "../../src/store/sessions.ts";
import { figure } from "../support/faults.ts";
import { makePlace, type Place, runAlly, spawnAlly } from "../support/program.ts";
import { randomNumbers, TEST_SEED } from "../support/random.ts";

const KILLS = figure({ small: 20, full: 200 });
const ENDLESS = 1_000_000;

/** A model that calls tools without end, several at a time. */
function busyServer() {
  const calls = Array.from({ length: 5 }, (_, at) => ({
    name: "todo_add",
    arguments: { tasks: [`task ${at} ${"x".repeat(2000)}`] },
  }));
  return startScriptedServer({ replies: [{ text: "Saving.".repeat(50), calls, repeat: ENDLESS }] });
}

async function projectDirectory(place: Place): Promise<string> {
  const projects = join(place.home, "projects");
  const names = await Array.fromAsync(Deno.readDir(projects), ({ name }) => name).catch(() => []);
  return join(projects, names[0] ?? "none");
}

/** Runs ally, kills it so long after its first message, and gives the messages it had shown. */
async function shownUntilKilled(place: Place, ms: number): Promise<Message[]> {
  const child = spawnAlly(place, {
    args: ["-p", "-c", "-A", "--context-size", "100000000", "--max-turns", String(ENDLESS)]
      .concat("--output-format", "stream-json", "go on"),
  });
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let kill: Promise<void> | undefined;
  for (let { value } = await reader.read(); value !== undefined; { value } = await reader.read()) {
    text += value;
    if (kill === undefined && text.includes('"type":"message"')) {
      kill = delay(ms).then(() => child.kill("SIGKILL"));
    }
  }
  await kill;
  await child.stderr.cancel();
  await child.status;
  // The last line may be torn: nobody has read it.
  const events = text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  return events.filter((event) => event.type === "message").map((event) => event.message);
}

function withoutDamage(messages: readonly Message[]): string[] {
  return messages.map((message) => JSON.stringify(message));
}

Deno.test(`after ${KILLS} times kill -9 while saving, every message shown is in a session that loads (seed ${TEST_SEED})`, async () => {
  await using server = await busyServer();
  const random = randomNumbers(TEST_SEED);
  let messages = 0;
  let torn = 0;
  let place = await makePlace({ endpoint: server.url });
  for (let kill = 0; kill < KILLS; kill++) {
    // A session grows by every run: a fresh one now and then keeps loading quick.
    if (kill % 10 === 9) {
      await place[Symbol.asyncDispose]();
      place = await makePlace({ endpoint: server.url });
    }
    const shown = await shownUntilKilled(place, random() * 500);
    const store = new SessionStore({ directory: join(await projectDirectory(place), "sessions") });
    const id = await store.latest();
    if (id === undefined) {
      assert.deepEqual(shown, []);
      continue;
    }
    const stored = await store.load(id);
    assert.ok(stored.damaged <= 1, "nothing but the line being written is damaged");
    torn += stored.damaged;
    const saved = new Set(withoutDamage(stored.messages));
    for (const message of withoutDamage(shown)) {
      assert.ok(saved.has(message), message.slice(0, 200));
    }
    messages += shown.length;
  }
  assert.ok(messages > KILLS, `${messages} messages were shown, ${torn} lines torn`);
  await place[Symbol.asyncDispose]();
});

Deno.test("an answer that was arriving when ally was killed is there again, but for its last moment", async () => {
  const words = Array.from({ length: 500 }, (_, at) => `word${at} `).join("");
  await using server = await startScriptedServer({
    replies: [{ text: words, delayMs: 20 }, { text: "One." }, { text: "Two." }],
  });
  await using place = await makePlace({ endpoint: server.url });
  const child = spawnAlly(place, { args: ["-p", "--output-format", "stream-json", "begin"] });
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  for (let seen = ""; !seen.includes("word150");) seen += (await reader.read()).value ?? "";
  child.kill("SIGKILL");
  await reader.cancel();
  await child.stderr.cancel();
  await child.status;
  for (const text of ["and then?", "and now?"]) {
    await runAlly(place, { args: ["-p", "--continue", text] });
  }
  const messages = server.requests.at(-1)!.body.messages as { role: string; content: string }[];
  assert.deepEqual(messages.slice(1).map(({ role }) => role), [
    "user",
    "assistant",
    "user",
    "assistant",
    "user",
  ]);
  assert.match(
    messages[2]!.content,
    /^word0 word1 [^]*word30 [^]*\n\n\[Request interrupted by user\]$/,
  );
});

Deno.test("every prefix of a session's file opens, and the program goes on with it", async () => {
  await using server = await startScriptedServer({
    replies: [
      {
        text: "One.",
        calls: [{ name: "ls", arguments: {} }, { name: "glob", arguments: { pattern: "*" } }],
      },
      { text: "Two." },
      { text: "Again.", repeat: ENDLESS },
    ],
  });
  await using place = await makePlace({ endpoint: server.url, files: { "a.txt": "a\n" } });
  await runAlly(place, { args: ["-p", "begin"] });
  const directory = join(await projectDirectory(place), "sessions");
  const [name = ""] = await Array.fromAsync(Deno.readDir(directory), ({ name }) => name);
  const path = join(directory, name);
  const whole = await Deno.readFile(path);
  const store = new SessionStore({ directory });
  const all = withoutDamage((await store.load(name.slice(0, -6))).messages);
  for (let length = 0; length <= whole.length; length++) {
    await Deno.writeFile(path, whole.subarray(0, length));
    const stored = await store.load(name.slice(0, -6));
    const messages = withoutDamage(stored.messages);
    assert.deepEqual(messages, all.slice(0, messages.length));
    assert.ok(stored.damaged <= 1);
  }
  const step = Math.ceil(whole.length / figure({ small: 12, full: 100 }));
  for (let length = 1; length <= whole.length; length += step) {
    await Deno.writeFile(path, whole.subarray(0, length));
    const done = await runAlly(place, { args: ["-p", "--resume", name.slice(0, -6), "go on"] });
    assert.equal(done.code, 0, done.stderr);
    assert.equal(done.stdout, "Again.\n");
  }
});
