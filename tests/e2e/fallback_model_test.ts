/**
 * `--fallback-model`: another model takes over where the first one's server is overloaded or fails, until the turn
 * ends.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { composed, runComposed } from "../support/composed.ts";
import { runAlly, type Stage, stage } from "../support/program.ts";

const LISTS: ScriptedReply = { calls: [{ name: "ls", arguments: {} }] };
const DONE: ScriptedReply = { text: "Done." };
const FLAGS = ["-p", "--fallback-model", "other"];
const NO_RETRIES = { retries: 0, context_size: 100_000 };

async function configured(
  replies: readonly ScriptedReply[],
  config: Record<string, unknown> = NO_RETRIES,
): Promise<Stage> {
  const at = await stage(replies);
  await Deno.mkdir(at.place.home, { recursive: true });
  await Deno.writeTextFile(join(at.place.home, "config.json"), JSON.stringify(config));
  return at;
}

const modelsOf = ({ server }: Pick<Stage, "server">) =>
  server.requests.map(({ body }) => body.model);

for (
  const [what, failure] of [
    ["a server that fails", { status: 500 }],
    ["a server that is overloaded", { status: 529, text: "overloaded_error" }],
    ["a limit of requests", { status: 429 }],
    ["an error within the stream", {
      sse: [
        '{"choices":[{"index":0,"delta":{"content":"Half an ans"}}]}',
        '{"error":{"message":"The engine is overloaded, try again"}}',
      ],
    }],
  ] as const
) {
  Deno.test(`after ${what} the fallback model goes on, and it is said`, async () => {
    await using at = await configured([failure, LISTS, DONE]);
    const { code, stdout, stderr } = await runAlly(at.place, { args: [...FLAGS, "go"] });
    assert.deepEqual([code, stdout.trim()], [0, "Done."], stderr);
    assert.deepEqual(modelsOf(at), ["scripted", "other", "other"]);
    assert.match(stderr, /warning: other takes over for the rest of this turn: the server of /);
    const messages = JSON.stringify(at.server.requests.at(-1)?.body.messages);
    assert.ok(!messages.includes("Half an ans"), "what broke off is void");
  });
}

Deno.test("the first model is asked again as often as any other before", async () => {
  await using at = await configured([{ status: 503, repeat: 2 }, DONE], { retries: 1 });
  assert.equal((await runAlly(at.place, { args: [...FLAGS, "go"] })).code, 0);
  assert.deepEqual(modelsOf(at), ["scripted", "scripted", "other"]);
});

Deno.test("in stream-json the fallback is a notice that names the model", async () => {
  await using at = await configured([{ status: 500 }, DONE]);
  const { stdout } = await runAlly(at.place, {
    args: [...FLAGS, "--output-format", "stream-json", "go"],
  });
  const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const notices = events.filter(({ fallback_model }) => fallback_model !== undefined);
  assert.deepEqual(notices.map((one) => [one.type, one.level, one.fallback_model]), [
    ["notice", "warning", "other"],
  ]);
  const asked = events.filter(({ type }) => type === "request_start").map(({ model }) => model);
  assert.deepEqual(asked, ["scripted", "other"]);
});

Deno.test("the next turn begins with the first model, and with its window", async () => {
  await using run = await composed({
    replies: [LISTS, { status: 500 }, DONE, { text: "Again." }],
    flags: ["--fallback-model", "other"],
    config: NO_RETRIES,
  });
  const { budget } = run.composition.current;
  const { size } = budget;
  assert.equal((await runComposed(run)).text, "Done.");
  assert.equal((await runComposed(run)).text, "Again.");
  assert.deepEqual(modelsOf(run), ["scripted", "scripted", "other", "scripted"]);
  assert.equal(budget.size, size);
});

Deno.test("what the fallback model uses counts by its own price", async () => {
  const usage = { prompt_tokens: 1_000_000, completion_tokens: 0 };
  await using at = await configured(
    [{ status: 500 }, { ...LISTS, usage }, DONE],
    { retries: 0, context_size: 4_000_000, prices: { other: { input: 3, output: 3 } } },
  );
  const { code, stdout } = await runAlly(at.place, {
    args: [...FLAGS, "--max-cost", "2", "--output-format", "json", "go"],
  });
  assert.equal(code, 4);
  const { error, usage: used } = JSON.parse(stdout);
  assert.equal(error, "The budget of this run is spent: 3.00 of 2.00 of the money.");
  assert.equal(used.cost, 3);
});

Deno.test("a request that is refused as wrong is not tried on another model", async () => {
  for (const status of [400, 401, 404]) {
    await using at = await configured([{ status }]);
    assert.equal((await runAlly(at.place, { args: [...FLAGS, "go"] })).code, 75);
    assert.deepEqual(modelsOf(at), ["scripted"]);
  }
});

Deno.test("a fallback model that fails too ends the turn", async () => {
  await using at = await configured([{ status: 500, repeat: 2 }]);
  const { code, stderr } = await runAlly(at.place, { args: [...FLAGS, "go"] });
  assert.equal(code, 75);
  assert.match(stderr, /error: .* answered 500/);
  assert.deepEqual(modelsOf(at), ["scripted", "other"]);
});

Deno.test("an agent's profile may name one of its own", async () => {
  const task = { agent_name: "counter", task_prompt: "count" };
  await using at = await configured([
    { calls: [{ name: "agent", arguments: { agents: [task] } }] },
    { status: 500 },
    { text: "Three." },
    DONE,
  ]);
  await Deno.mkdir(join(at.place.home, "agents"));
  await Deno.writeTextFile(
    join(at.place.home, "agents", "counter.md"),
    "---\nname: counter\ndescription: Counts\nfallback_model: other\n---\nYou count.\n",
  );
  const { code, stderr } = await runAlly(at.place, { args: ["-p", "go"] });
  assert.equal(code, 0, stderr);
  assert.deepEqual(modelsOf(at), ["scripted", "scripted", "other", "scripted"]);
  assert.match(JSON.stringify(at.server.requests.at(-1)?.body), /Three\./);
});
