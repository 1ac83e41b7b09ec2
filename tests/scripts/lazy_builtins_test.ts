import assert from "node:assert/strict";
import { importLazily } from "../../scripts/lazy_builtins.ts";

/** Runs the text of a module. */
async function run(text: string): Promise<unknown> {
  return (await import(`data:text/javascript,${encodeURIComponent(text)}`)).default;
}

for (
  const statement of [
    'import * as fs from "node:fs";\nexport default fs.existsSync("/") && fs.constants.O_RDONLY;',
    'import fs from "node:fs";\nexport default fs.existsSync("/") && fs.constants.O_RDONLY;',
    'import { existsSync } from "node:fs";\nexport default existsSync("/") && 0;',
    'import { existsSync as is, statSync } from "node:fs";\nexport default is("/") && Number(statSync("/").isFile());',
  ]
) {
  Deno.test(`importLazily() loads at its first use: ${statement.split("\n")[0]}`, async () => {
    const lazy = await importLazily(statement);
    assert.doesNotMatch(lazy, /^import/m);
    assert.equal(lazy.split("\n").length, statement.split("\n").length);
    assert.equal(await run(lazy), 0);
  });
}

for (
  const statement of [
    'import { Hash } from "node:crypto";',
    'import { constants } from "node:fs";',
    'import { join } from "node:path";',
    'const text = `\\nimport fs from "node:fs";`;',
  ]
) {
  Deno.test(`importLazily() leaves as it is: ${statement}`, async () => {
    assert.equal(await importLazily(statement), statement);
  });
}
