import assert from "node:assert/strict";
import { withSettings } from "../../scripts/settings_table.ts";

Deno.test("the help page of settings has the tables that `deno task docs` writes", async () => {
  const page = await Deno.readTextFile(new URL("../../src/help/settings.md", import.meta.url));
  assert.equal(page, withSettings(page));
});
