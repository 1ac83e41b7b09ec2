import assert from "node:assert/strict";
import { serializeSuspend } from "../../src/ui/suspend.ts";

Deno.test("who asks while another has the screen waits, in the order of asking", async () => {
  const seen: string[] = [];
  const suspend = serializeSuspend(() => {
    seen.push("taken");
    return Promise.resolve(() => void seen.push("given back"));
  });
  const first = await suspend();
  const others = ["second", "third"].map(async (name) => {
    const resume = await suspend();
    seen.push(name);
    resume();
  });
  first();
  await Promise.all(others);
  const turn = (name: string) => ["taken", name, "given back"];
  assert.deepEqual(seen, ["taken", "given back", ...turn("second"), ...turn("third")]);
});

Deno.test("a screen that cannot be taken is free for the next", async () => {
  let broken = true;
  const suspend = serializeSuspend(() =>
    broken ? Promise.reject(new Error("gone")) : Promise.resolve(() => {})
  );
  await assert.rejects(suspend(), /gone/);
  broken = false;
  (await suspend())();
});
