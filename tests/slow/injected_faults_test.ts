/**
 * More than 200 faults in runs without a terminal: none hangs, and each has its exit code.
 */
import assert from "node:assert/strict";
import { FAULT_GROUPS, injectFaults } from "../support/injected_faults.ts";

for (const [name, group] of FAULT_GROUPS) {
  Deno.test(`${group.length} faults without a terminal: ${name}`, async () => {
    assert.deepEqual(await injectFaults(group), []);
  });
}

Deno.test("there are at least 200 faults", () => {
  const count = FAULT_GROUPS.reduce((sum, [, { length }]) => sum + length, 0);
  assert.ok(count >= 200, `${count} rows`);
});
