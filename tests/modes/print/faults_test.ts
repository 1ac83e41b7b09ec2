/**
 * Some of the faults that a run without a terminal meets; among the slow tests are all.
 */
import assert from "node:assert/strict";
import { FAULT_GROUPS, injectFaults } from "../../support/injected_faults.ts";

for (const [name, group] of FAULT_GROUPS) {
  const some = group.filter((_, index) => index % 8 === 0);
  Deno.test(`${some.length} faults without a terminal: ${name}`, async () => {
    assert.deepEqual(await injectFaults(some), []);
  });
}
