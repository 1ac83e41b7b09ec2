import assert from "node:assert/strict";
import { Spending } from "../../src/agent/spending.ts";
import type { Model, ModelRequest } from "../../src/core/model.ts";

const REQUEST: ModelRequest = { model: "m", messages: [], tools: [] };

/** A model that answers at once, under limits. */
function limited(spending: Spending, content = ""): () => Promise<unknown> {
  const model: Model = {
    reply: () => Promise.resolve({ message: { role: "assistant", content, calls: [] } }),
  };
  const { reply } = spending.wrap(model);
  return () => reply(REQUEST, { signal: new AbortController().signal, onDelta: () => {} });
}

Deno.test("the time between two turns is not spent: a request that is made then is not refused", async () => {
  const spending = new Spending({ limits: { seconds: 0.01 }, of: "this run" });
  const ask = limited(spending);
  const spent = Promise.withResolvers<Error>();
  {
    using _clock = spending.startClock(spent.resolve);
    assert.match((await spent.promise).message, /^The budget of this run is spent: /);
    await assert.rejects(ask(), /is spent/);
  }
  await ask();
});

Deno.test("a limit of time that no timer can count is none that is reached at once", async () => {
  const spending = new Spending({ limits: { seconds: 1e9 }, of: "this run" });
  let isSpent = false;
  using _clock = spending.startClock(() => isSpent = true);
  // A timer of a millisecond, which an overflow makes of it, comes first.
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(isSpent, false);
});

Deno.test("an agent is told once of each limit that is nearly reached, and of time in each turn", async () => {
  const spending = new Spending({ limits: { tokens: 1, seconds: 0.01 }, of: "this run" });
  for (const turn of [1, 2]) {
    using _clock = spending.startClock(() => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.match(spending.takeNote("main") ?? "", / seconds are spent/, `in turn ${turn}`);
    assert.equal(spending.takeNote("main"), undefined);
  }
  await limited(spending, "words")();
  assert.match(spending.takeNote("main") ?? "", / tokens are spent/);
  assert.match(spending.takeNote("other") ?? "", / tokens are spent/);
  assert.equal(spending.takeNote("main"), undefined);
});
