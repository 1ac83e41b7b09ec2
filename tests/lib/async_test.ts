import assert from "node:assert/strict";
import { abortable } from "../../src/lib/async.ts";

Deno.test("an aborted signal is the answer, and what fails later is nobody's error", async () => {
  const later = Promise.withResolvers<string>();
  const waiting = abortable(later.promise, AbortSignal.abort(new Error("stopped")));
  await assert.rejects(waiting, /stopped/);
  later.reject(new Error("too late"));
  // An error that nobody takes would end the test run here.
  await new Promise(setImmediate);
});

Deno.test("what comes before the signal is the answer", async () => {
  const { signal } = new AbortController();
  assert.equal(await abortable(Promise.resolve("here"), signal), "here");
});
