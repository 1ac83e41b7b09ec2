import assert from "node:assert/strict";
import { RequestFailure } from "../../src/model/failure.ts";
import { SYSTEM_CLOCK, waitBeforeRetry } from "../../src/model/retry.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const clock = { now: () => NOW, random: () => 0, delay: () => Promise.resolve() };

const answered = (status: number, headers: Record<string, string> = {}, body = "") =>
  new RequestFailure("answered", body, { status, headers: new Headers(headers) });
const wait = (failure: RequestFailure, attempt = 1, retries = 4) =>
  waitBeforeRetry(failure, { attempt, retries, clock });

for (const status of [408, 409, 429, 500, 502, 503, 529]) {
  Deno.test(`waitBeforeRetry() tries again after ${status}`, () => {
    assert.equal(wait(answered(status)), 500);
  });
}

for (const status of [400, 401, 403, 404, 422]) {
  Deno.test(`waitBeforeRetry() does not try again after ${status}`, () => {
    assert.equal(wait(answered(status)), undefined);
  });
}

Deno.test("waitBeforeRetry() doubles from half a second to at most 30 seconds, then ends", () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) => wait(answered(503), attempt, 8));
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, undefined]);
});

Deno.test("waitBeforeRetry() takes up to a quarter off by chance", () => {
  const options = { attempt: 2, retries: 4, clock: { ...clock, random: () => 0.999999 } };
  assert.equal(waitBeforeRetry(answered(503), options), 750);
});

Deno.test("waitBeforeRetry() tries a refused connection twice again", () => {
  const refused = new RequestFailure("refused", "");
  assert.deepEqual([1, 2, 3].map((attempt) => wait(refused, attempt)), [500, 1000, undefined]);
});

Deno.test("waitBeforeRetry() does not wait for an account without credit", () => {
  const body = '{"error":{"code":"insufficient_quota"}}';
  assert.equal(wait(answered(429, {}, body)), undefined);
});

for (const kind of ["unresolved", "timeout", "foreign", "unreachable"] as const) {
  Deno.test(`waitBeforeRetry() does not try again when the failure is ${kind}`, () => {
    assert.equal(wait(new RequestFailure(kind, "")), undefined);
  });
}

const HEADERS: readonly [Record<string, string>, number][] = [
  [{ "retry-after": "7" }, 7000],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "1.5" }, 1500],
  [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
  [{ "retry-after": "Thu, 01 Jan 2026 00:00:20 GMT" }, 20_000],
  [{ "retry-after": "Wed, 31 Dec 2025 23:59:00 GMT" }, 0],
  [{ "retry-after": "3600" }, 120_000],
  [{ "retry-after": "soon" }, 500],
];
for (const [headers, expected] of HEADERS) {
  Deno.test(`waitBeforeRetry() waits ${expected} ms for ${JSON.stringify(headers)}`, () => {
    assert.equal(wait(answered(429, headers)), expected);
  });
}

Deno.test("the system clock's delay ends at once when its signal is aborted", async () => {
  const controller = new AbortController();
  const delay = SYSTEM_CLOCK.delay(60_000, controller.signal);
  controller.abort();
  await delay;
  await SYSTEM_CLOCK.delay(60_000, controller.signal);
  await SYSTEM_CLOCK.delay(1, new AbortController().signal);
});
