import assert from "node:assert/strict";
import { createNaturalOrder } from "../../src/lib/natural_order.ts";

Deno.test("numbers in names are compared by their value, and no two names are the same", () => {
  const names = ["file199.ts", "b/file3", "file24.ts", "file024.ts", "a/x10", "a/x9", "file3.ts"];
  const sorted = ["a/x9", "a/x10", "b/file3", "file3.ts", "file024.ts", "file24.ts", "file199.ts"];
  assert.deepEqual(names.toSorted(createNaturalOrder()), sorted);
  assert.deepEqual(names.toReversed().toSorted(createNaturalOrder()), sorted);
});
