import assert from "node:assert/strict";
import { FirstLook, isReadyMessage, ReadinessWatch } from "../../../plugins/bash/readiness.ts";

const ready = [
  "Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...",
  "Listening on http://0.0.0.0:8000/",
  "Server listening at port 3000",
  "  VITE v5.0.0  ready in 312 ms",
  "  \x1b[32m➜\x1b[39m  \x1b[1mLocal\x1b[22m:   http://localhost:5173/",
  " * Running on http://127.0.0.1:5000",
  "Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)",
  "INFO:     Application startup complete.",
  "Starting development server at http://127.0.0.1:8000/",
  "ready - started server on 0.0.0.0:3000",
  "Started server process [42]",
  "Server is running on port 8080",
  "App running at: http://localhost:8080",
  "Found 0 errors. Watching for file changes.",
  "Watching for changes...",
  "Compiled successfully!",
  "Tomcat started on port 8080",
  "database system is ready to accept connections",
  "Now listening on: https://localhost:7001",
];

for (const line of ready) {
  Deno.test(`${JSON.stringify(line)} says that a server or a watcher is ready`, () => {
    assert.ok(isReadyMessage(line));
  });
}

const notReady = [
  "running 12 tests from ./tests/server_test.ts",
  "ok | 12 passed | 0 failed",
  "Compiling server v0.1.0",
  "see http://localhost/docs for more",
  "error: the server could not be found",
  "Already up to date.",
];

for (const line of notReady) {
  Deno.test(`${JSON.stringify(line)} does not`, () => assert.equal(isReadyMessage(line), false));
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

Deno.test("Readiness waits until a command that is ready says nothing more", async () => {
  using readiness = new ReadinessWatch({ quietMs: 30, mostMs: 2 ** 31 - 1 });
  readiness.add("listen");
  readiness.add("ing on port 80\n");
  // Only the silence can end it.
  await aborted(readiness.signal);
});

Deno.test("Readiness does not wait forever for a server that never stops talking", async () => {
  using readiness = new ReadinessWatch({ quietMs: 60_000, mostMs: 30 });
  readiness.add("listening on port 80\n");
  await aborted(readiness.signal);
  assert.ok(readiness.signal.aborted);
});

Deno.test("Readiness looks for the sign at the beginning of a long output only", async () => {
  using late = new ReadinessWatch({ quietMs: 0, mostMs: 0 });
  using early = new ReadinessWatch({ quietMs: 0, mostMs: 0 });
  late.add("x".repeat(200_000));
  late.add("listening on port 80\n");
  early.add("listening on port 80\n");
  await aborted(early.signal);
  assert.equal(late.signal.aborted, false);
});

Deno.test("FirstLook ends sooner after the first output than without any", async () => {
  using silent = new FirstLook();
  using look = new FirstLook();
  look.add();
  await aborted(look.signal);
  assert.equal(silent.signal.aborted, false);
});
