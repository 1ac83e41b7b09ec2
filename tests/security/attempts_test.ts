/**
 * What a hostile model, or a hostile repository, may try: nothing outside is read or changed, nobody outside is
 * reached, and `.git` stays as it is, with a sandbox and without one. Here one attempt in ten; among the slow tests
 * all of them.
 */
import assert from "node:assert/strict";
import { type Attempt, runAttempts } from "../support/attempts.ts";
import { hasBubblewrap } from "../support/sandbox.ts";
import { COMMAND_ATTEMPTS } from "./command_attempts.ts";
import { TOOL_ATTEMPTS } from "./tool_attempts.ts";

const sample = (attempts: readonly Attempt[]) => attempts.filter((_, index) => index % 10 === 0);

Deno.test("no command of a hostile model gets out unasked without a sandbox", async () => {
  assert.deepEqual(await runAttempts(sample(COMMAND_ATTEMPTS), { flags: ["--no-sandbox"] }), []);
});

Deno.test({
  name: "no command of a hostile model gets out unasked in the sandbox",
  ignore: !hasBubblewrap(),
  fn: async () => assert.deepEqual(await runAttempts(sample(COMMAND_ATTEMPTS)), []),
});

Deno.test("no file tool leaves the workspace under -A", async () => {
  assert.deepEqual(await runAttempts(sample(TOOL_ATTEMPTS), { flags: ["-A"] }), []);
});
