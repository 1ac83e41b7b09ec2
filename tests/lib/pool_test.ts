import assert from "node:assert/strict";
import { mapLimited, Semaphore } from "../../src/lib/pool.ts";

Deno.test("no more than the limit works at once, in order, and a failure frees its place", async () => {
  const semaphore = new Semaphore({ limit: 2 });
  let running = 0;
  let most = 0;
  const began: number[] = [];
  const work = (index: number) =>
    semaphore.run(async () => {
      began.push(index);
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      if (index === 1) throw new Error("one");
      return index;
    });
  const settled = await Promise.allSettled([0, 1, 2, 3, 4].map(work));
  assert.deepEqual(settled.map(({ status }) => status === "fulfilled"), [
    true,
    false,
    true,
    true,
    true,
  ]);
  assert.deepEqual(began, [0, 1, 2, 3, 4]);
  assert.equal(most, 2);
});

Deno.test("after a failure no further item is begun, and those that run are waited for", async () => {
  const begun: number[] = [];
  let ended = false;
  const failing = mapLimited([0, 1, 2, 3, 4], {
    limit: 2,
    async run(item) {
      begun.push(item);
      if (item === 0) throw new Error("nothing");
      await new Promise((resolve) => setTimeout(resolve));
      ended = true;
    },
  });
  await assert.rejects(failing, /nothing/);
  assert.deepEqual([begun, ended], [[0, 1], true]);
});
