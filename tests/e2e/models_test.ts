/** Several models in one run: what is remembered of each, and a recording of all their traffic. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { makePlace, type Place, runAlly } from "../support/program.ts";
import { sandboxFlags } from "../support/sandbox.ts";

async function writeHome(place: Place, name: string, text: string): Promise<void> {
  const path = join(place.home, name);
  await Deno.mkdir(join(path, ".."), { recursive: true });
  await Deno.writeTextFile(path, text);
}

const TASK = {
  calls: [{
    id: "c1",
    name: "agent",
    arguments: { agents: [{ task_prompt: "look", agent_name: "looker" }] },
  }],
};

const USAGE = { prompt_tokens: 1000, completion_tokens: 100 };

/** A place whose agent works with a model of another server than the one that talks to the user. */
async function twoServers() {
  const lab = await startScriptedServer({ replies: [TASK, { text: "All done." }] });
  const far = await startScriptedServer({
    replies: [
      { calls: [{ id: "c2", name: "ls", arguments: { file_path: "." } }], usage: USAGE },
      { text: "Seen.", usage: USAGE },
    ],
  });
  const place = await makePlace();
  await writeHome(
    place,
    "config.json",
    JSON.stringify({
      endpoint: "lab",
      model: "big",
      endpoints: {
        lab: { url: lab.url, context_size: 30_000 },
        far: { url: far.url, context_size: 9_000, prices: { input: 1000, output: 10_000 } },
      },
    }),
  );
  await writeHome(
    place,
    "agents/looker.md",
    "---\nname: looker\ndescription: Looks\nmodel: far/tiny\n---\nLook.\n",
  );
  return {
    lab,
    far,
    place,
    async [Symbol.asyncDispose]() {
      await Promise.all([lab.close(), far.close()]);
      await place[Symbol.asyncDispose]();
    },
  };
}

const ENV = { ALLY_MODEL: "" };

Deno.test("an agent with another model works in that model's window, and its tokens cost what they cost there", async () => {
  await using at = await twoServers();
  const args = ["-p", "--output-format", "stream-json", "begin"];
  const { stdout } = await runAlly(at.place, { args, env: ENV });
  const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const sizes = (depth: number) =>
    new Set(
      events.filter((event) => event.type === "context" && event.agent.depth === depth)
        .map((event) => event.size),
    );
  assert.deepEqual([...sizes(1)], [9_000]);
  assert.deepEqual([...sizes(0)], [30_000]);
  assert.equal(at.far.requests[0]?.body.model, "tiny");
  assert.equal(events.at(-1).usage.cost, 4);
});

Deno.test("a recording holds the traffic with every endpoint, and runs again where none of them is known", async () => {
  await using at = await twoServers();
  const args = ["-p", "--record", "r.jsonl", "begin"];
  const recorded = await runAlly(at.place, { args, env: ENV });
  assert.equal(recorded.code, 0, recorded.stderr);
  assert.equal(at.far.requests.length, 2);
  await Deno.remove(join(at.place.home, "config.json"));
  await Promise.all([at.lab.close(), at.far.close()]);
  const again = await runAlly(at.place, {
    args: ["replay", ...sandboxFlags(), "r.jsonl"],
    env: ENV,
  });
  assert.equal(again.code, 0, again.stdout + again.stderr);
  assert.match(again.stdout, /As recorded: 4 requests in 1 turn\./);
  const text = await at.place.read("r.jsonl");
  await at.place.write("r.jsonl", text.replaceAll('"size":9000', '"size":1500'));
  const smaller = await runAlly(at.place, {
    args: ["replay", ...sandboxFlags(), "--json", "r.jsonl"],
    env: ENV,
  });
  assert.equal(smaller.code, 1, smaller.stdout);
});

Deno.test("what a server refuses is left out by later runs, but tools are offered anew", async () => {
  await using server = await startScriptedServer({
    replies: [
      { status: 400, text: "Unsupported value: 'temperature' is not supported with this model." },
      { status: 400, text: "this model does not support tools" },
      { text: "one" },
      { text: "two" },
    ],
  });
  await using place = await makePlace({ endpoint: server.url });
  const args = ["-p", "--temperature", "0.5", "hi"];
  const first = await runAlly(place, { args });
  assert.match(first.stderr, /does not accept a temperature/);
  const second = await runAlly(place, { args });
  assert.equal(second.stdout, "two\n");
  const bodies = server.requests.map(({ body }) => body);
  assert.deepEqual(bodies.map((body) => "temperature" in body), [true, false, false, false]);
  assert.deepEqual(bodies.map((body) => "tools" in body), [true, true, false, true]);
});
