import assert from "node:assert/strict";
import { type SlotState, SlotTable } from "../../src/model/slots.ts";

function table(count: number, states: readonly Partial<SlotState>[] = []): SlotTable {
  const list = states.map((one, id) => ({
    id,
    busy: false,
    task: undefined,
    tokens: undefined,
    ...one,
  }));
  return new SlotTable({ count, list: () => Promise.resolve(list) });
}

Deno.test("SlotTable keeps the slot that holds the conversation, known by its last prompt", async () => {
  const states = [{ task: 5, tokens: 900 }, { task: 3, tokens: 700 }, { task: 7, tokens: 800 }];
  assert.equal(await table(3, states).keep("main", 700), 1);
  // None holds it any more, or it cannot be told: the one used last is the likeliest.
  assert.equal(await table(3, states).keep("main", 123), 2);
  assert.equal(await table(3).keep("main", 123), 0);
});

Deno.test("SlotTable gives an agent that begins the slot used longest ago, and no busy one if there is another", async () => {
  assert.equal(await table(3, [{ task: 5 }, { task: 3 }, { task: 7 }]).keep("main", undefined), 1);
  assert.equal(await table(3, [{ task: 5 }, {}, { task: 7 }]).keep("main", undefined), 1);
  const states = [{ task: 5 }, { task: 3, busy: true }, { task: 7 }];
  assert.equal(await table(3, states).keep("main", undefined), 0);
});

Deno.test("SlotTable lets as many agents work at once as there are slots beside the main agent's", async () => {
  for (const [count, most] of [[1, 1], [2, 1], [4, 3]] as const) {
    const slots = table(count);
    await slots.keep("main", undefined);
    let working = 0;
    let seen = 0;
    const named = new Set<number | undefined>();
    await Promise.all(["a", "b", "c", "d", "e"].map((agent) =>
      slots.use(agent, async () => {
        seen = Math.max(seen, ++working);
        named.add(slots.nameFor(agent));
        await Promise.resolve();
        working--;
      })
    ));
    assert.equal(seen, most);
    assert.equal(named.size, most);
    assert.ok(count === 1 || !named.has(slots.nameFor("main")));
    assert.equal(slots.nameFor("a"), undefined);
  }
});

Deno.test("SlotTable frees the slot of an agent that fails", async () => {
  const slots = table(1);
  await assert.rejects(slots.use("a", () => Promise.reject(new Error("no"))), /no/);
  assert.equal(await slots.use("b", () => Promise.resolve("done")), "done");
});
