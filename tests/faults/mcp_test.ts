/**
 * Servers that turn bad in the middle of a run: each ends its own call within its limit and nothing else, memory stays
 * bounded, and no process of theirs outlives ally.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { isAlive } from "../../src/lib/process.ts";
import {
  calling,
  lastResult,
  mcpStage,
  scripted,
  toolsOf,
  writeServers,
} from "../support/mcp_place.ts";
import { finish, runAlly, spawnAlly, type Stage } from "../support/program.ts";
import { until } from "../support/wait.ts";

const FLAGS = ["--context-size", "200000", "--allow-net=mcp:*", "-p", "go"];
const END = { text: "Done." };

/** The servers that a run started. */
async function pids(note: string): Promise<number[]> {
  return (await Deno.readTextFile(note)).trim().split("\n").map(Number);
}

/** Two servers, one of them bad; each is called, the good one last. */
async function beside(behaviour: string): Promise<{ at: Stage; note: string }> {
  const script = [calling("bad__echo", { text: "1" }), calling("ok__echo", { text: "2" }), END];
  const at = await mcpStage({}, script);
  const note = join(at.place.dir, "starts");
  await writeServers(at.place.home, {
    bad: scripted(behaviour, { note, timeout: 2 }),
    ok: scripted("good"),
  });
  return { at, note };
}

for (
  const [behaviour, said] of [
    ["never_answers", /no answer within 2 seconds/],
    ["wrong_id", /no answer within 2 seconds/],
    ["no_message", /its answer is not a valid message/],
    ["deep", /MCP server bad: its answer is nested deeper than 500 levels, which is refused\./],
    ["dies_in_call", /the server ended before it answered: it ended with exit code 3/],
    ["huge_line", /line of more than 16\.0 MB/],
    ["floods", /flooded ally with messages/],
  ] as const
) {
  Deno.test(`a server with the fault ${behaviour} costs its own call only`, async () => {
    const { at, note } = await beside(behaviour);
    await using _at = at;
    const { code, stderr } = await runAlly(at.place, { args: FLAGS });
    assert.equal(code, 0, stderr);
    const messages = at.server.requests.at(-1)?.body.messages as {
      role: string;
      content: string;
    }[];
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    assert.match(results[0] ?? "", said);
    assert.match(results[1] ?? "", /echo: 2/);
    for (const pid of await pids(note)) assert.ok(!isAlive(pid), `${pid} lives on`);
  });
}

Deno.test("a server that never introduces itself is waited for as long as --mcp-timeout says", async () => {
  await using at = await mcpStage({ s: scripted("silent") }, [END, END]);
  const { code, stderr } = await runAlly(at.place, { args: ["--mcp-timeout", "1.5", ...FLAGS] });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /info: Waiting for 1 MCP server to start for the first time: s \(1\.5 s/);
  assert.match(stderr, /warning: MCP server s has not started within 1\.5 s: .*ally mcp test s/);
  assert.ok(!toolsOf(at).includes("s__echo"));
  // It is not known as another server than was approved.
  const { stdout } = await runAlly(at.place, { args: ["mcp", "list", "--json"] });
  assert.equal(JSON.parse(stdout).servers[0].state, "idle");
  await writeServers(at.place.home, { s: scripted("good") });
  await runAlly(at.place, { args: FLAGS });
  assert.ok(toolsOf(at).includes("s__echo"));
});

Deno.test("a server that announces tools and does not name them does not hold up an interrupt", async () => {
  const script = [calling("s__echo", { text: "1" }), calling("s__echo", { text: "2" }), END];
  await using at = await mcpStage({ s: scripted("announces_and_waits") }, script);
  const child = spawnAlly(at.place, { args: FLAGS });
  const ended = finish(child);
  await until("the second call", () => at.server.requests.length === 2);
  await until("its start", async () => (await at.place.session()).length > 4);
  child.kill("SIGINT");
  assert.equal((await ended).code, 130);
});

Deno.test("a server that ignores every signal and the end of its input is ended with ally", async () => {
  await using at = await mcpStage({}, [calling("s__echo", { text: "x" }), END]);
  const note = join(at.place.dir, "starts");
  await writeServers(at.place.home, { s: scripted("ignores_shutdown", { note }) });
  const { code } = await runAlly(at.place, { args: FLAGS });
  assert.equal(code, 0);
  assert.match(lastResult(at), /echo: x/);
  for (const pid of await pids(note)) assert.ok(!isAlive(pid));
});

Deno.test("ally mcp test that is interrupted leaves no server behind", async () => {
  await using at = await mcpStage({}, []);
  const note = join(at.place.dir, "starts");
  await writeServers(at.place.home, { s: scripted("silent", { note }) });
  const child = spawnAlly(at.place, { args: ["mcp", "test", "s"] });
  const ended = finish(child);
  const [pid = 0] = await until("the server's start", () => pids(note).catch(() => undefined));
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  assert.equal(code, 143, stderr);
  await until("the server's end", () => !isAlive(pid));
});

Deno.test("an ally that is interrupted in a call leaves no server behind", async () => {
  await using at = await mcpStage({}, [calling("s__echo"), END]);
  const note = join(at.place.dir, "starts");
  await writeServers(at.place.home, { s: scripted("never_answers", { note }) });
  const child = spawnAlly(at.place, { args: FLAGS });
  await until("the call", () => at.server.requests.length === 1);
  await until("the server", () => pids(note));
  child.kill("SIGTERM");
  const { code } = await finish(child);
  assert.equal(code, 143);
  for (const pid of await pids(note)) assert.ok(!isAlive(pid));
});
