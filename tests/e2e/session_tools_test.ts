/**
 * The tools that work on the session itself, through the real program: what they keep is there again when the
 * session goes on, and shown by `/todo` and `/stats`.
 */
import assert from "node:assert/strict";
import { type ScriptedReply, startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { holdReply } from "../support/held_reply.ts";
import { makePlace, runAlly } from "../support/program.ts";

interface Wire {
  readonly role: string;
  readonly content: string;
  readonly tool_call_id?: string;
}

async function stage(replies: readonly ScriptedReply[], files: Record<string, string> = {}) {
  const server = await startScriptedServer({ replies });
  const place = await makePlace({ endpoint: server.url, files });
  return {
    server,
    place,
    /** The results in the last request, by call. */
    results() {
      const messages = server.requests.at(-1)!.body.messages as Wire[];
      return new Map(messages.map((one) => [one.tool_call_id, one.content]));
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

const call = (name: string, input: Record<string, unknown>, id: string): ScriptedReply => ({
  calls: [{ name, arguments: input, id }],
});

Deno.test("todos are kept with the session and gone in a new one", async () => {
  await using at = await stage([
    call("todo_add", { tasks: ["Look", "Mend"] }, "add"),
    { text: "Planned." },
    call("todo_complete", { id: "t1" }, "complete"),
    { text: "Looked." },
    call("todo_complete", { id: "t1" }, "again"),
    { text: "No list." },
  ]);
  assert.equal((await runAlly(at.place, { args: ["-p", "plan"] })).code, 0);
  assert.equal((await runAlly(at.place, { args: ["-p", "--continue", "go on"] })).code, 0);
  assert.equal(at.results().get("complete"), "Completed t1 Look. 1 of 2 tasks done. NEXT: t2 Mend");
  const lines = await at.place.session();
  assert.deepEqual(lines.filter((line) => line.type === "state").map((line) => line.key), [
    "todos",
    "todos",
  ]);
  await runAlly(at.place, { args: ["-p", "start anew"] });
  assert.match(at.results().get("again")!, /the todo list is empty/);
});

Deno.test("a clean-up leaves the requests of its turn alone and is there when the session goes on", async () => {
  const noise = "needle not found\n".repeat(150);
  await using at = await stage([
    call("read", { file_paths: ["noise.txt"] }, "noise"),
    call("cleanup_tool_call", { tool_call_ids: "noise", summary: "No needle." }, "clean"),
    { text: "Nothing there." },
    { text: "As I said." },
    call("cleanup_tool_call", { tool_call_ids: "noise" }, "twice"),
    { text: "It was." },
  ], { "noise.txt": noise });
  assert.equal((await runAlly(at.place, { args: ["-p", "search"] })).code, 0);
  assert.match(at.results().get("noise")!, /needle not found[^]*\[tool_call_id: noise\]/);
  assert.match(at.results().get("clean")!, /^Cleaned up 1 result \(read\)\. \d+ tokens saved\.$/);
  const texts = at.server.requests.map((request) => request.text.replace(/\]\}$/, ""));
  assert.ok(texts[1]!.startsWith(texts[0]!) && texts[2]!.startsWith(texts[1]!));
  await runAlly(at.place, { args: ["-p", "--continue", "again"] });
  const placeholder = "[Cleaned up - not relevant to task]: No needle.";
  assert.equal(at.results().get("noise"), placeholder);
  await runAlly(at.place, { args: ["-p", "--continue", "and again"] });
  assert.equal(at.results().get("noise"), placeholder);
  assert.match(at.results().get("twice")!, /was cleaned up already/);
});

Deno.test("ally_write makes ALLY.md, headless only where writing is allowed", async () => {
  const note = call("ally_write", { section: "Testing", content: "- deno test" }, "note");
  await using at = await stage([note, { text: "No." }, note, { text: "Noted." }]);
  const denied = await runAlly(at.place, { args: ["-p", "note it"] });
  assert.equal(denied.code, 3);
  assert.match(denied.stderr, /--allow-write/);
  await assert.rejects(at.place.read("ALLY.md"), Deno.errors.NotFound);
  assert.equal((await runAlly(at.place, { args: ["-p", "--allow-write", "note it"] })).code, 0);
  assert.equal(await at.place.read("ALLY.md"), "# Notes\n\n## Testing\n\n- deno test\n");
});

Deno.test("advice reaches the model with the result that brought it", async () => {
  await using at = await stage([call("bash", { command: "cat a.txt" }, "cat"), { text: "Done." }], {
    "a.txt": "alpha\n",
  });
  await runAlly(at.place, { args: ["-p", "-A", "look"] });
  assert.match(at.results().get("cat")!, /^alpha\n+\[Suggestion: Use read instead/);
});

const NAME = "the todo list is shown when it changes and by /todo, numbers by /stats, until /clear";
Deno.test(NAME, async () => {
  const { reply, release } = holdReply({ text: "Planned." }, 0);
  await using at = await stage([
    call("todo_add", { tasks: ["Look", "Mend", "Test", "Ship", "Rest"] }, "add"),
    call("todo_complete", { id: "t1" }, "complete"),
    reply,
  ]);
  await using session = startInTerminal(at.place, {
    columns: 100,
    rows: 60,
    env: { NO_COLOR: "1" },
  });
  await session.shows(/^›$/m);
  await session.keys("plan", "Enter");
  await session.shows(/todo_add 5 tasks\n.*Added 5 tasks\. 0 of 5 tasks done\. NEXT: t1 Look\n/);
  await session.shows(/1 of 5 tasks done\n {2}✓ Look\n {2}● Mend\n {2}○ Test\n(.*\n)+.*Ctrl\+C/);
  release();
  await session.shows(/todo_complete t1\n.*NEXT: t2 Mend\n[^]*Planned\./);
  await session.shows(/1 of 5 tasks done\n {2}✓ Look\n {2}● Mend\n(?: {2}○ \w+\n)+›$/);
  await session.keys("/todo", "Enter");
  await session.shows(/1 of 5 tasks done\. NEXT: t2 Mend\n[^]*\[x\] t1 Look\n.*t2 Mend <- NEXT/);
  await session.keys("/stats", "Enter");
  await session.shows(/1 turn, 3 requests, [\d,]+ tokens in[^]*todo_add.* 1 .*100 %.* ms/);
  await session.keys("/clear", "Enter");
  await session.shows(/A new conversation begins/);
  await session.keys("/todo", "Enter");
  await session.shows(/The todo list is empty\./);
});
