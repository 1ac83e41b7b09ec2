/**
 * Programs that use ally as a library and do so badly: answers that are none, answers that never come, tools that give
 * anything but a result. Nothing of it allows a call, and every turn ends with a result.
 */
import assert from "node:assert/strict";
import {
  Ally,
  type AllyOptions,
  type AskPermission,
  defineTool,
  type Tool,
  type ToolDefinition,
  type TurnOptions,
} from "ally-agent";
import { makeWorld, type World } from "../support/attempts.ts";
import { type Stage, stage } from "../support/program.ts";

const definition = {
  name: "own",
  description: "x",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  effects: [],
  example: {},
} as const satisfies ToolDefinition;

const attempts = ({ home }: World) => [
  { name: "write", arguments: { file_path: `${home}/planted.txt`, content: "x" } },
  { name: "write", arguments: { file_path: "planted.txt", content: "x" } },
  { name: "bash", arguments: { command: `echo x > ${home}/planted.txt` } },
];

function open({ place }: Stage, { dir, home }: World, more: AllyOptions = {}): Ally {
  return new Ally({ cwd: dir, env: { ...place.env, HOME: home }, ...more });
}

/** Ways of answering that are no answer. */
const NO_ANSWERS: Readonly<Record<string, () => unknown>> = {
  "nothing": () => undefined,
  "null": () => null,
  "true": () => true,
  "a word": () => "allow",
  "a list of words": () => ["allow"],
  "a list of true": () => [true],
  "a list of nulls": () => [null],
  "a set": () => new Set([{ kind: "allow" }]),
  "no kind": () => [{}],
  "another spelling": () => [{ kind: "ALLOW" }],
  "a list of kinds": () => [{ kind: ["allow"] }],
  "an edit without a text": () => [{ kind: "edit" }],
  "an edit that is a number": () => [{ kind: "edit", text: 7 }],
  "an edit with other files that are none": () => [{ kind: "edit", text: "x", others: 5 }],
  "words that are none": () => [{ kind: "instead", text: {} }],
  "always, for no time": () => [{ kind: "always" }],
  "always, for a time that is none": () => [{ kind: "always", scope: "universe" }],
  "always, of a breadth that is none": () => [{ kind: "always", scope: "session", breadth: "all" }],
  "an error": () => {
    throw new Error("no");
  },
  "null as an error": () => {
    throw null;
  },
  "a rejection": () => Promise.reject(new Error("no")),
  "a promise that throws": () => ({
    then() {
      throw new Error("no");
    },
  }),
  "a kind that throws": () => [{
    get kind() {
      throw new Error("no");
    },
  }],
  "a kind that changes its mind": () => {
    const kinds = ["deny", "allow", "allow", "allow"];
    return [{
      get kind() {
        return kinds.shift();
      },
    }];
  },
};

Deno.test("what is no answer allows nothing, and the turn ends with a denial", async (t) => {
  await using world = await makeWorld();
  const calls = attempts(world);
  for (const [index, [name, answer]] of Object.entries(NO_ANSWERS).entries()) {
    await t.step(name, async () => {
      await using at = await stage([{ calls: [calls[index % calls.length]!] }, { text: "done" }]);
      const ask = (() => answer()) as unknown as AskPermission;
      const { reason, error } = await open(at, world).run("go", { ask });
      assert.deepEqual([reason, error], ["denied", undefined]);
      assert.deepEqual([...world.changes(), ...world.connections()], []);
      await assert.rejects(Deno.stat(`${world.dir}/planted.txt`), Deno.errors.NotFound);
    });
  }
});

Deno.test("an answer that never comes holds up neither a signal nor a budget", async () => {
  await using world = await makeWorld();
  const [call] = attempts(world);
  const asked: TurnOptions[] = [{ signal: AbortSignal.timeout(300) }, { budget: { seconds: 1 } }];
  for (const options of asked) {
    await using at = await stage([{ calls: [call!] }, { text: "done" }]);
    const ask = () => new Promise<never>(() => {});
    const { reason } = await open(at, world).run("go", { ask, ...options });
    assert.equal(reason, options.signal ? "interrupted" : "budget");
  }
  assert.deepEqual(world.changes(), []);
});

const circle: Record<string, unknown> = {};
circle.self = circle;

/** What a tool may do in place of giving a result. */
const NO_RESULTS: Readonly<Record<string, () => unknown>> = {
  "gives nothing": () => undefined,
  "gives a word": () => "done",
  "gives data that are none": () => ({ ok: true, data: 7 }),
  "gives a text that is none": () => ({ ok: true, data: {}, text: {} }),
  "gives an error that is none": () => ({ ok: false, error: null }),
  "gives what has no end": () => ({ ok: true, data: circle }),
  "gives what JSON cannot hold": () => ({ ok: true, data: { large: 1n } }),
  "throws nothing": () => {
    throw null;
  },
};

Deno.test("a tool that gives no result fails in its own call alone", async (t) => {
  await using world = await makeWorld();
  for (const [name, run] of Object.entries(NO_RESULTS)) {
    await t.step(name, async () => {
      await using at = await stage([{ calls: [{ name: "own", arguments: {} }] }, {
        text: "Went on.",
      }]);
      const own = defineTool(definition, {
        describe: () => "",
        run: run as unknown as Tool["run"],
      });
      const { reason, text } = await open(at, world).run("go", { tools: [own] });
      assert.deepEqual([reason, text], ["done", "Went on."]);
      const { messages } = at.server.requests.at(-1)!.body as { messages: { content: string }[] };
      assert.match(messages.at(-1)!.content, /"success":false/);
    });
  }
});

Deno.test("two agents of one process share no permission, no tool and no secret", async () => {
  await using world = await makeWorld();
  const write = { calls: [{ name: "write", arguments: { file_path: "by.txt", content: "x" } }] };
  const say = { calls: [{ name: "bash", arguments: { command: "env" } }] };
  await using first = await stage([write, say, { text: "first" }]);
  await using second = await stage([{ calls: [{ name: "own", arguments: {} }] }, write, say, {
    text: "second",
  }]);
  const allowed = open(first, world, { permissions: { allowAll: true } });
  const denied = new Ally({
    cwd: world.dir,
    env: { ...second.place.env, HOME: world.home, FIRST_TOKEN: "hidden-from-nobody" },
  });
  const own = defineTool(definition, {
    describe: () => "",
    run: () => Promise.resolve({ ok: true, data: { by: "first" } }),
  });
  const [one, other] = await Promise.all([
    allowed.run("go", { tools: [own] }),
    denied.run("go"),
  ]);
  assert.deepEqual([one.reason, other.reason], ["done", "denied"]);
  const [told, toldOther] = [first, second].map(({ server }) =>
    server.requests.map(({ text }) => text).join("\n")
  );
  assert.doesNotMatch(told!, /hidden-from-nobody/);
  assert.doesNotMatch(toldOther!, /"by":"first"|hidden-from-nobody/);
  assert.match(toldOther!, /Unknown tool|no tool/i);
  assert.deepEqual([...world.changes(), ...world.connections()], []);
});
