/**
 * ally as a library: turns awaited and followed, tools of the caller, answers, limits, and nothing left in the process.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  Ally,
  type AllyOptions,
  AnswerSchemaError,
  type AskPermission,
  defineTool,
  type Event,
  type Input,
  type Permissions,
  type ToolDefinition,
  UsageError,
} from "ally-agent";
import type { ScriptedReply } from "../../../src/modes/demo/scripted_server.ts";
import { holdReply } from "../../support/held_reply.ts";
import { calling, lastResult, mcpStage, scripted, writeServers } from "../../support/mcp_place.ts";
import { makePlace, type Place, type Stage, stage } from "../../support/program.ts";
import { until } from "../../support/wait.ts";

const optionsOf = ({ env, dir }: Place, more: AllyOptions = {}): AllyOptions => ({
  env,
  cwd: dir,
  ...more,
});

const call = (name: string, input: Record<string, unknown>): ScriptedReply => ({
  calls: [{ name, arguments: input }],
});

const definition = {
  name: "roll",
  description: "Roll a die.",
  parameters: {
    type: "object",
    properties: { sides: { type: "integer", minimum: 2 } },
    required: ["sides"],
    additionalProperties: false,
  },
  effects: [],
  example: { sides: 6 },
} as const satisfies ToolDefinition;

/** A tool that keeps what it was called with. */
function createDie(changes: Partial<ToolDefinition> = {}) {
  const rolled: number[] = [];
  const die = defineTool<Input<typeof definition>, { rolled: number }>(
    { ...definition, ...changes },
    {
      describe: ({ sides }) => `1 to ${sides}`,
      run({ sides }) {
        rolled.push(sides);
        return Promise.resolve({ ok: true, data: { rolled: sides } });
      },
    },
  );
  return { die, rolled };
}

Deno.test("Ally.run() resolves with the result that ally -p prints, and tells the same events to onEvent and a loop", async () => {
  await using at = await stage(
    [call("read", { file_paths: ["a.txt"] }), { text: "Seven." }],
    { "a.txt": "7\n" },
  );
  const told: Event[] = [];
  const turn = new Ally(optionsOf(at.place)).run("read", { onEvent: (event) => told.push(event) });
  const followed = await Array.fromAsync(turn);
  assert.deepEqual(followed, told);
  assert.deepEqual([followed[0]?.type, followed.at(-1)?.type], ["turn_start", "turn_end"]);
  const { type, text, reason, turns, tool_calls, denied, session_id, requests } = await turn;
  assert.deepEqual(
    [type, text, reason, turns, tool_calls, denied, requests.length],
    ["result", "Seven.", "done", 2, 1, 0, 2],
  );
  assert.match(session_id ?? "", /^\d{8}T\d{6}-[0-9a-f]+$/);
});

Deno.test("a tool of the caller is offered, checked, and called in this process", async () => {
  await using at = await stage([call("roll", { sides: "6" }), call("roll", {}), { text: "Six." }]);
  const { die, rolled } = createDie();
  const { text, denied } = await new Ally(optionsOf(at.place)).run("roll", { tools: [die] });
  assert.deepEqual([text, denied, rolled], ["Six.", 0, [6]]);
  const [first, , last] = at.server.requests;
  assert.match(first!.text, /"name":"roll","description":"Roll a die\."/);
  assert.match(last!.text, /sides/);
});

/** A tool that can be called, in one call, with what a caller says of it. */
interface Case {
  readonly name: string;
  readonly effects?: ToolDefinition["effects"];
  readonly allow?: Permissions["allow"];
  readonly ask?: AskPermission;
  readonly runs: number;
}

const CASES: readonly Case[] = [
  { name: "that runs something is denied where nobody is asked", runs: 0 },
  { name: "that reaches the network is denied", effects: ["net"], runs: 0 },
  { name: "that others run is denied", effects: ["remote"], runs: 0 },
  { name: "that writes what it does not name is denied", effects: ["write", "read"], runs: 0 },
  { name: "that only reads runs", effects: ["read", "session"], runs: 1 },
  { name: "runs where a rule has its name", allow: { run: ["roll"] }, runs: 1 },
  {
    name: "is denied where rules are for others",
    allow: { run: ["dig"], write: true, net: true },
    runs: 0,
  },
  { name: "runs if that is answered", ask: () => Promise.resolve([{ kind: "allow" }]), runs: 1 },
  {
    name: "is denied if that is answered",
    ask: () => Promise.resolve([{ kind: "deny" }]),
    runs: 0,
  },
  { name: "is denied without an answer", ask: () => Promise.resolve([]), runs: 0 },
  { name: "is denied if asking fails", ask: () => Promise.reject(new Error("gone")), runs: 0 },
];

for (const { name, effects = ["exec"] as const, allow = {}, ask, runs } of CASES) {
  Deno.test(`a tool of the caller ${name}`, async () => {
    await using at = await stage([call("roll", { sides: 6 }), { text: "End." }]);
    const { die, rolled } = createDie({ effects });
    const ally = new Ally(optionsOf(at.place, { permissions: { allow } }));
    const { denied } = await ally.run("roll", { tools: [die], ...ask && { ask } });
    assert.deepEqual([rolled.length, denied], [runs, 1 - runs]);
  });
}

Deno.test("the name of a tool is checked before anything is asked", async () => {
  await using at = await stage([]);
  const ally = new Ally(optionsOf(at.place));
  const named = (name: string) => createDie({ name }).die;
  await assert.rejects(ally.run("x", { tools: [named("no blank")] }), UsageError);
  await assert.rejects(ally.run("x", { tools: [named("a"), named("a")] }), /two tools named 'a'/);
  await assert.rejects(ally.run("x", { tools: [named("read")] }), /ally has one of that name/);
  assert.equal(at.server.requests.length, 0);
});

Deno.test("an answer by a schema is in the result as a value; a schema that is none rejects", async () => {
  await using at = await stage([{ text: '{"n": 7}' }]);
  const ally = new Ally(optionsOf(at.place));
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  assert.deepEqual((await ally.run("count", { schema })).structured, { n: 7 });
  await assert.rejects(ally.run("count", { schema: { type: "objekt" } }), /no JSON Schema at type/);
});

Deno.test("a turn whose answers never fit the schema resolves, with the error and its cause", async () => {
  await using at = await stage(Array.from({ length: 3 }, () => ({ text: "No number." })));
  const schema = { type: "integer" };
  const { reason, error, cause } = await new Ally(optionsOf(at.place)).run("count", { schema });
  assert.equal(reason, "error");
  assert.match(error ?? "", /fits/);
  assert.ok(cause instanceof AnswerSchemaError);
});

Deno.test("a budget ends the turn; the session can be gone on with", async () => {
  const look = call("ls", { file_path: "." });
  await using at = await stage([look, look, look, { text: "Later." }]);
  const ally = new Ally(optionsOf(at.place));
  const { reason, session_id } = await ally.run("look", { budget: { tokens: 10 } });
  assert.equal(reason, "budget");
  assert.equal((await ally.run("again", { resume: session_id! })).session_id, session_id);
  assert.match(at.server.requests.at(-1)!.text, /"look"[^]*"again"/);
  const fork = await ally.run("aside", { fork: session_id! });
  assert.notEqual(fork.session_id, session_id);
  for (const both of [{ resume: session_id! }, { resume: true as const }, { fork: session_id! }]) {
    await assert.rejects(
      Promise.resolve(ally.run("again", { continue: true, ...both })),
      { name: "UsageError", message: /give continue or (resume|fork)\./ },
    );
  }
});

Deno.test("a signal ends a turn at any time, with a result", async () => {
  await using at = await stage([{ text: "so far", hang: true }]);
  const ally = new Ally(optionsOf(at.place));
  assert.equal((await ally.run("x", { signal: AbortSignal.abort() })).reason, "interrupted");
  const stop = new AbortController();
  const { reason } = await ally.run("x", {
    signal: stop.signal,
    onEvent: ({ type }) => type === "text_delta" && stop.abort(),
  });
  assert.equal(reason, "interrupted");
  await at.server.untilClosedEarly();
  // From before there is anything to interrupt.
  const early = new AbortController();
  const turn = ally.run("x", {
    signal: early.signal,
    onEvent: ({ type }) => type === "turn_start" && early.abort(),
  });
  assert.equal((await turn).reason, "interrupted");
});

Deno.test("leaving the loop over its events ends a turn", async () => {
  await using at = await stage([{ text: "so far", hang: true }]);
  const turn = new Ally(optionsOf(at.place)).run("x");
  for await (const { type } of turn) if (type === "text_delta") break;
  assert.equal((await turn).reason, "interrupted");
  await at.server.untilClosedEarly();
});

Deno.test("an error of onEvent ends the turn and is thrown by it; so does what keeps it from beginning", async () => {
  await using at = await stage([{ text: "so far", hang: true }]);
  const failing = new Ally(optionsOf(at.place)).run("x", {
    onEvent({ type }) {
      if (type === "text_delta") throw new RangeError("mine");
    },
  });
  await assert.rejects(failing, RangeError);
  const ally = new Ally(optionsOf(at.place, { settings: { endpoint: "no url" } }));
  await assert.rejects(ally.run("x"), UsageError);
  await assert.rejects(Array.fromAsync(ally.run("x")), UsageError);
});

Deno.test("a turn that the model server fails resolves, with the error and its cause", async () => {
  await using at = await stage([{ status: 401, text: "bad key" }]);
  const { reason, error, cause } = await new Ally(optionsOf(at.place)).run("x");
  assert.equal(reason, "error");
  assert.match(error ?? "", /bad key/);
  assert.ok(cause instanceof Error);
});

Deno.test("a prompt may attach files; what is given as input attaches none", async () => {
  await using at = await stage([{ text: "ok" }], { "a.txt": "alpha\n", "b.txt": "beta\n" });
  await new Ally(optionsOf(at.place)).run("see @a.txt", { input: "and @b.txt" });
  const { text } = at.server.requests[0]!;
  assert.ok(text.includes("alpha") && text.includes("and @b.txt") && !text.includes("beta"), text);
});

Deno.test("events and result hold no secret, whoever is asked", async () => {
  await using at = await stage([{ text: "It is hunter2-hunter2." }]);
  const env = { ...at.place.env, SERVICE_PASSWORD: "hunter2-hunter2" };
  const told: Event[] = [];
  const { text } = await new Ally(optionsOf(at.place, { env })).run("x", {
    ask: () => Promise.resolve([]),
    onEvent: (event) => told.push(event),
  });
  assert.ok(!text.includes("hunter2") && !JSON.stringify(told).includes("hunter2"), text);
});

Deno.test("paths in permissions are relative to the working directory", async () => {
  const write = (file_path: string) => call("write", { file_path, content: "x\n" });
  await using at = await stage([write("a.txt"), write("b.txt"), { text: "End." }]);
  const permissions = { allow: { write: ["a.txt"] } };
  const { denied } = await new Ally(optionsOf(at.place, { permissions })).run("write");
  assert.equal(denied, 1);
  assert.equal(await at.place.read("a.txt"), "x\n");
  await assert.rejects(at.place.read("b.txt"));
});

Deno.test("permissions can be a constant of the program, and say false as well as nothing", async () => {
  const write = (file_path: string) => call("write", { file_path, content: "x\n" });
  await using at = await stage([write("a.txt"), { text: "End." }, write("b.txt"), {
    text: "End.",
  }]);
  // Not `as const`: `true` is a boolean here.
  const permissions = { allow: { write: true, run: false }, deny: { net: true, write: false } };
  const turn = await new Ally(optionsOf(at.place, { permissions })).run("write");
  assert.equal(turn.denied, 0);
  assert.equal(await at.place.read("a.txt"), "x\n");
  const denying = { allow: { write: true }, deny: { write: true } };
  const refused = await new Ally(optionsOf(at.place, { permissions: denying })).run("write");
  assert.equal(refused.denied, 1);
  await assert.rejects(at.place.read("b.txt"));
});

/** What two agents that shared anything in the process could change of it. */
async function processState() {
  const kinds = ["read", "write", "run", "net", "env", "ffi"] as const;
  const states = await Promise.all(kinds.map((name) => Deno.permissions.query({ name })));
  return {
    cwd: Deno.cwd(),
    env: Deno.env.toObject(),
    permissions: states.map(({ state }) => state),
    globals: Object.keys(globalThis).sort(),
  };
}

Deno.test("two agents of one process work in two directories at the same time, and leave the process as it was", async () => {
  const work = (text: string) => [
    call("read", { file_paths: ["name.txt"] }),
    call("write", { file_path: "made.txt", content: `${text}\n` }),
    call("bash", { command: "pwd > where.txt" }),
  ];
  const held = ["first", "second"].map((text) => holdReply({ text }, 0));
  await using one = await stage([...work("one"), held[0]!.reply], { "name.txt": "uno\n" });
  await using two = await stage([...work("two"), held[1]!.reply], { "name.txt": "due\n" });
  await using unused = await makePlace();
  const before = await processState();
  const turns = [
    new Ally(optionsOf(one.place, { permissions: { allowAll: true } })).run("go"),
    // What is denied is not given up by the process, or the other agent could not work.
    new Ally(
      optionsOf(two.place, {
        permissions: { deny: { run: true, env: true, net: true }, allow: { write: true } },
      }),
    ).run("go"),
    // The third neither writes nor runs anything.
    new Ally(optionsOf(unused, { plan: true, replay: "missing.jsonl" })).run("go"),
  ];
  const isAtEnd = ({ server }: Stage) => server.requests.length === 4;
  await until("both at their last request", () => isAtEnd(one) && isAtEnd(two));
  for (const { release } of held) release();
  const [first, second, third] = await Promise.allSettled(turns);
  assert.ok(first?.status === "fulfilled" && second?.status === "fulfilled");
  assert.equal(third?.status, "rejected");
  assert.deepEqual([first.value.text, first.value.reason], ["first", "done"]);
  assert.equal(second.value.denied, 1);
  for (
    const [{ place, server }, name, text] of [[one, "uno", "one"], [two, "due", "two"]] as const
  ) {
    assert.match(server.requests[1]!.text, new RegExp(name));
    assert.equal(await place.read("made.txt"), `${text}\n`);
    assert.equal((await place.session())[0]?.type, "session");
  }
  assert.equal(await one.place.read("where.txt"), `${one.place.dir}\n`);
  await assert.rejects(two.place.read("where.txt"));
  assert.deepEqual(await processState(), before);
});

Deno.test("a run whose caller answers questions waits for MCP servers too", async () => {
  await using at = await mcpStage({}, [calling("s__echo", { text: "hi" }), { text: "Done." }]);
  const note = join(at.place.dir, "note");
  await writeServers(at.place.home, { s: scripted("late", { note }) });
  const told: string[] = [];
  const ally = new Ally(optionsOf(at.place));
  const turn = ally.run("go", {
    ask: (requests) => Promise.resolve(requests.map(() => ({ kind: "allow" }))),
    onEvent: (event) => event.type === "notice" && told.push(event.text),
  });
  await until("the notice", () => told.join().includes("Waiting for 1 MCP server"));
  await Deno.writeTextFile(`${note}.go`, "");
  assert.equal((await turn).text, "Done.");
  assert.match(lastResult(at), /echo: hi/);
});
