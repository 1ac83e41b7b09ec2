import assert from "node:assert/strict";
import { watchSignals } from "../../src/app/signals.ts";
import { createMemoryIo } from "../support/memory_io.ts";
import { until } from "../support/wait.ts";

Deno.test("the first signal asks to stop, the second ends the process once there was time to save", async () => {
  const io = createMemoryIo();
  const codes: number[] = [];
  let forced = 0;
  using watch = watchSignals(io, {
    onSignal: (code) => codes.push(code),
    onForced: () => forced++,
  });
  io.signal("SIGTERM");
  assert.equal(watch.exitCode, 143);
  assert.equal(io.exitCode, undefined);
  io.signal("SIGINT");
  assert.deepEqual(codes, [143, 130]);
  assert.equal(io.exitCode, undefined);
  await until("the end", () => io.exitCode !== undefined);
  assert.equal(io.exitCode, 130);
  assert.equal(forced, 1);
});

Deno.test("a Ctrl+C is left alone while another program has the terminal, and all once nobody watches", () => {
  const io = createMemoryIo();
  const codes: number[] = [];
  let isLent = true;
  const onSignal = (code: number) => codes.push(code);
  const watch = watchSignals(io, { onSignal, onForced: () => {}, isLent: () => isLent });
  io.signal("SIGINT");
  io.signal("SIGHUP");
  assert.deepEqual(codes, [129]);
  isLent = false;
  io.signal("SIGINT");
  watch[Symbol.dispose]();
  io.signal("SIGTERM");
  assert.deepEqual(codes, [129, 130]);
  assert.equal(io.listeners, 0);
});
