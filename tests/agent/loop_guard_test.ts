import { LOOP_LIMITS } from "../support/settings.ts";
import assert from "node:assert/strict";
import { LoopGuard } from "../../src/agent/loop_guard.ts";

const made = (args: string, text: string) => [{
  call: { id: "x", name: "read", arguments: args },
  text,
}];

/** What a new guard says to each reply in turn. */
function verdicts(replies: readonly (readonly [args: string, text: string])[]) {
  const guard = new LoopGuard(LOOP_LIMITS);
  return replies.map(([args, text]) => guard.checkCalls(made(args, text))?.kind ?? "-").join(" ");
}

const same = ["{}", "no"] as const;

Deno.test("the same call with the same result is nudged the fifth time, and stopped the sixth", () => {
  assert.equal(verdicts(Array(6).fill(same)), "- - - - nudge stop");
});

Deno.test("arguments count as the same in any spacing", () => {
  const spellings = ['{"a":1}', '{ "a": 1 }', '{"a" :1}', '{"a":1 }', ' {"a":1}'];
  assert.equal(verdicts(spellings.map((args) => [args, "no"])), "- - - - nudge");
});

Deno.test("the same call with another result each time is no circle", () => {
  assert.equal(verdicts(Array.from({ length: 8 }, (_, n) => ["{}", `${n}`])), "- - - - - - - -");
});

Deno.test("how long a call took makes its result no other", () => {
  const replies = Array.from({ length: 5 }, (_, n) => {
    return ["{}", JSON.stringify({ success: false, duration_seconds: n / 10 })] as const;
  });
  assert.equal(verdicts(replies), "- - - - nudge");
});

Deno.test("only the last ten calls count", () => {
  const others = Array.from({ length: 3 }, (_, n) => [`{"n":${n}}`, "no"] as const);
  const slow = [same, ...others, same, ...others, same, ...others, same, ...others, same];
  assert.equal(verdicts(slow).includes("nudge"), false);
});

Deno.test("five of ten calls that alternate are a circle", () => {
  const other = ['{"n":1}', "no"] as const;
  const replies = Array.from({ length: 9 }, (_, n) => n % 2 === 0 ? same : other);
  assert.equal(verdicts(replies), "- - - - - - - - nudge");
});

Deno.test("an empty reply is nudged once", () => {
  const guard = new LoopGuard(LOOP_LIMITS);
  assert.equal(guard.checkEmptyReply().kind, "nudge");
  assert.equal(guard.checkEmptyReply().kind, "stop");
});

Deno.test("how many calls are looked back on, and how many may be the same, is to be set", () => {
  const guard = new LoopGuard({ window: 3, maxSame: 2 });
  const kinds = [same, ["{}", "1"], ["{}", "2"], same, same].map(([args, text]) =>
    guard.checkCalls(made(args!, text!))?.kind ?? "-"
  );
  assert.equal(kinds.join(" "), "- - - - nudge");
});
