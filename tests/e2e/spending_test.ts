/**
 * What a run may spend: tokens, money and time, whoever spends them.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { one as uncounted } from "../support/dialect_row.ts";
import { runAlly, type Stage, stage } from "../support/program.ts";

const used = (prompt: number, completion = 0) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
});
const lists = (tokens: number): ScriptedReply => ({
  calls: [{ name: "ls", arguments: {} }],
  usage: used(tokens, 0),
});

async function run(at: Stage, args: readonly string[]) {
  const all = ["-p", "--output-format", "json", ...args, "go"];
  const { code, stdout, stderr } = await runAlly(at.place, { args: all });
  return { code, stderr, result: JSON.parse(stdout) as Record<string, unknown> };
}

/** What the model was told beside the results of its last calls. */
const lastRequest = ({ server }: Stage) => JSON.stringify(server.requests.at(-1)?.body);

Deno.test("--max-tokens-total ends the turn before the request that would go over, and says so at 80 %", async () => {
  await using at = await stage([lists(500), lists(350), lists(300), { text: "never" }]);
  const { code, result } = await run(at, ["--max-tokens-total", "1000"]);
  assert.equal(code, 4);
  assert.equal(result.reason, "budget");
  assert.equal(result.error, "The budget of this run is spent: 1,150 of 1,000 tokens.");
  assert.equal(at.server.requests.length, 3);
  assert.match(lastRequest(at), /Of the budget of this run, 850 of 1,000 tokens are spent/);
  // Every call has its result, and the session goes on.
  const messages = (await at.place.session()).filter(({ type }) => type === "message");
  assert.ok(messages.length > 0);
  const { code: next } = await runAlly(at.place, { args: ["-p", "--continue", "and now?"] });
  assert.equal(next, 0);
});

Deno.test("an answer that goes over is an answer all the same", async () => {
  await using at = await stage([{ text: "Done.", usage: used(5_000) }]);
  const { code, result } = await run(at, ["--max-tokens-total", "1000"]);
  assert.deepEqual([code, result.reason, result.text], [0, "done", "Done."]);
});

Deno.test("where a server does not count, characters stand for tokens", async () => {
  await using at = await stage([uncounted("{}", "ls"), { text: "never" }]);
  const { code, result } = await run(at, ["--max-tokens-total", "100"]);
  assert.deepEqual([code, result.reason], [4, "budget"]);
});

Deno.test("--max-cost counts by the configured prices; the setting does the same", async () => {
  await using at = await stage([lists(600_000), lists(600_000), { text: "never" }]);
  await Deno.mkdir(at.place.home, { recursive: true });
  const prices = { scripted: { input: 1, output: 1 } };
  await Deno.writeTextFile(
    join(at.place.home, "config.json"),
    JSON.stringify({ prices, max_cost: 1, context_size: 4_000_000 }),
  );
  const { code, result } = await run(at, []);
  assert.equal(code, 4);
  assert.equal(result.error, "The budget of this run is spent: 1.20 of 1.00 of the money.");
});

Deno.test("--max-cost without any price says that it limits nothing", async () => {
  await using at = await stage([{ text: "Done." }]);
  const { code, stderr } = await runAlly(at.place, { args: ["-p", "--max-cost", "1", "go"] });
  assert.equal(code, 0);
  assert.match(stderr, /warning: max_cost limits nothing: no prices are configured/);
});

Deno.test("--max-time ends a command that runs, and the turn", async () => {
  await using at = await stage([
    { calls: [{ name: "bash", arguments: { command: "sleep 60" } }] },
    { text: "never" },
  ]);
  const { code, result } = await run(at, ["-A", "--max-time", "1"]);
  const [last] = (await at.place.messages()).slice(-1);
  assert.match(
    last?.content ?? "",
    /"error":"[^"\\]*(?:\\.[^"\\]*)*: The budget of this run is spent: 1 of 1 seconds\."/,
  );
  assert.equal(code, 4);
  assert.equal(result.reason, "budget");
  assert.equal(result.error, "The budget of this run is spent: 1 of 1 seconds.");
  assert.equal(at.server.requests.length, 1);
});

Deno.test("a limit of less than a tenth of a second is told as what it is", async () => {
  await using at = await stage([{ text: "never" }]);
  const { code, result } = await run(at, ["--max-time", "0.0001"]);
  assert.equal(code, 4);
  assert.match(String(result.error), /: [\d.]*[1-9]\d* of 0\.0001 seconds\.$/);
});

Deno.test("what agents use counts, and a profile limits its own tasks", async () => {
  const reviewer =
    "---\nname: counter\ndescription: Counts\nmax_tokens_total: 1000\n---\nYou count.\n";
  await using at = await stage([
    {
      calls: [{
        name: "agent",
        arguments: { agents: [{ agent_name: "counter", task_prompt: "count" }] },
      }],
      usage: used(10),
    },
    lists(1_200),
    { text: "It did not finish.", usage: used(10) },
  ]);
  const folder = join(at.place.home, "agents");
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, "counter.md"), reviewer);
  const { code, result } = await run(at, ["--max-tokens-total", "1300"]);
  assert.equal(code, 0, JSON.stringify(result));
  assert.match(lastRequest(at), /budget of this task of counter is spent: 1,200 of 1,000 tokens/);
  assert.match(lastRequest(at), /budget of this run, 1,210 of 1,300 tokens/);
});

for (
  const [flag, wanted] of [
    ["--max-tokens-total", "a whole number of at least 1"],
    ["--max-cost", "a number above 0"],
    ["--max-time", "a number above 0"],
  ] as const
) {
  Deno.test(`${flag} of nothing is refused`, async () => {
    await using at = await stage([]);
    const { code, stderr } = await runAlly(at.place, { args: ["-p", flag, "0", "go"] });
    assert.equal(code, 2);
    assert.ok(stderr.includes(`It must be ${wanted}.`), stderr);
  });
}
