import assert from "node:assert/strict";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { makePlace, runAlly, spawnAlly, stage } from "../support/program.ts";
import { until } from "../support/wait.ts";

interface WireMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}

/** What a server checks: every call answered once, directly after the reply that made it. */
function assertAccepted(messages: readonly WireMessage[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      assert.equal(message.tool_call_id, open.shift());
      continue;
    }
    assert.deepEqual(open, []);
    open = (message.tool_calls ?? []).map((call) => call.id);
  }
  assert.deepEqual(open, []);
}

/** Without a sandbox a killed ally leaves its command running: this one ends with the directory. */
const WAIT = "touch started; while [ -e started ]; do sleep 0.1; done";

Deno.test("after kill -9 in the middle of a turn, --continue loses nothing but the unfinished call", async () => {
  await using server = await startScriptedServer({
    replies: [
      { text: "First look.", calls: [{ name: "ls", arguments: { file_path: "." } }] },
      {
        text: "Now wait.",
        calls: [
          { name: "bash", arguments: { command: WAIT } },
          { name: "ls", arguments: { file_path: "." } },
        ],
      },
      { text: "I go on." },
    ],
  });
  await using place = await makePlace({ endpoint: server.url, files: { "a.txt": "a\n" } });
  const child = spawnAlly(place, { args: ["-p", "-A", "begin"] });
  await until("the command", () => Deno.stat(`${place.dir}/started`));
  child.kill("SIGKILL");
  await child.output();

  const done = await runAlly(place, { args: ["-p", "--continue", "go on"] });
  assert.equal(done.code, 0);
  assert.equal(done.stdout, "I go on.\n");
  const messages = server.requests.at(-1)!.body.messages as WireMessage[];
  assertAccepted(messages);
  assert.deepEqual(messages.map((message) => message.role), [
    "system",
    "user",
    "assistant",
    "tool",
    "assistant",
    "tool",
    "tool",
    "user",
  ]);
  assert.match(messages[3]!.content, /a\.txt/);
  assert.match(messages[5]!.content, /may or may not have run/);
  assert.equal(messages.at(-1)!.content, "go on");
});

Deno.test("--resume goes on with a session by its id and lists them without one", async () => {
  await using at = await stage([{ text: "One." }, { text: "Two." }]);
  const { server, place } = at;
  const first = await runAlly(place, {
    args: ["-p", "--output-format", "json", "the first words"],
  });
  const id: string = JSON.parse(first.stdout).session_id;
  const list = await runAlly(place, { args: ["--resume", "-p"] });
  assert.equal(list.code, 2);
  const other = await runAlly(place, { args: ["-p", "--resume", "nope"] });
  assert.match(other.stderr, /No session of this directory has the id 'nope'/);
  const again = await runAlly(place, { args: ["--resume", id.slice(0, 20), "-p", "and more"] });
  assert.equal(again.code, 0);
  const messages = server.requests.at(-1)!.body.messages as WireMessage[];
  assert.deepEqual(messages.map((message) => message.content).slice(1), [
    "the first words",
    "One.",
    "and more",
  ]);
  const missing = await runAlly(place, { args: ["--resume", "19990101", "-p", "x"] });
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /No session of this directory has the id '19990101'/);
});

Deno.test("--no-session saves nothing", async () => {
  await using at = await stage([{ text: "One." }]);
  const { place } = at;
  const done = await runAlly(place, {
    args: ["-p", "--no-session", "--output-format", "json", "x"],
  });
  assert.equal(JSON.parse(done.stdout).session_id, null);
  await assert.rejects(Deno.stat(place.home), Deno.errors.NotFound);
});
