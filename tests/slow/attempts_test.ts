/**
 * Every attempt of the tables in `tests/security`, by a hostile model and as code of a hostile repository, with a
 * sandbox and without one.
 */
import assert from "node:assert/strict";
import { COMMAND_ATTEMPTS } from "../security/command_attempts.ts";
import { TOOL_ATTEMPTS } from "../security/tool_attempts.ts";
import { runAttempts } from "../support/attempts.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

Deno.test("the tables hold more than four hundred attempts each", () => {
  assert.ok(COMMAND_ATTEMPTS.length > 400 && TOOL_ATTEMPTS.length > 400);
});

Deno.test("no command of a hostile model gets out unasked without a sandbox", async () => {
  assert.deepEqual(await runAttempts(COMMAND_ATTEMPTS, { flags: ["--no-sandbox"] }), []);
});

Deno.test({
  name: "no command of a hostile model gets out unasked in the sandbox",
  ignore: !hasBubblewrap(),
  fn: async () => assert.deepEqual(await runAttempts(COMMAND_ATTEMPTS), []),
});

Deno.test({
  name: "no code of a hostile repository gets out of the sandbox where its command is allowed",
  ignore: !hasBubblewrap(),
  fn: async () => {
    const flags = ["--allow-run=sh"];
    assert.deepEqual(await runAttempts(COMMAND_ATTEMPTS, { flags, asProject: true }), []);
  },
});

for (const flags of [["--no-sandbox"], ["--allow-write", "--allow-read"], ["-A"]]) {
  Deno.test(`no file tool leaves the workspace under ${flags.join(" ")}`, async () => {
    assert.deepEqual(await runAttempts(TOOL_ATTEMPTS, { flags }), []);
  });
}
