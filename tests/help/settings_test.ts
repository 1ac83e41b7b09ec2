import assert from "node:assert/strict";
import { settingsTable } from "../../scripts/settings_table.ts";

Deno.test("the help page of settings has the table that scripts/settings_table.ts prints", async () => {
  const page = await Deno.readTextFile(new URL("../../src/help/settings.md", import.meta.url));
  const [, table = ""] = /<!-- settings:begin -->\n([^]*)<!-- settings:end -->/.exec(page) ?? [];
  assert.equal(table.trim(), settingsTable());
});
