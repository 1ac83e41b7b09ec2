import assert from "node:assert/strict";
import { join } from "node:path";
import { readOutputSchema } from "../../../src/modes/print/output_schema.ts";

Deno.test("a schema in a file may begin with a byte order mark", async () => {
  const directory = await Deno.makeTempDir();
  const path = join(directory, "schema.json");
  try {
    await Deno.writeTextFile(path, '\ufeff{"type": "number"}');
    assert.deepEqual(await readOutputSchema(path), { type: "number" });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
