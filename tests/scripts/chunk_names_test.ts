/**
 * The names that the chunks of a bundle get: by their content, whatever the bundler called them.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { nameChunksByContent } from "../../scripts/chunk_names.ts";
import { assertLinear } from "../support/growth.ts";

/** What a folder holds once its chunks have their names. */
async function renamed(files: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const folder = await Deno.makeTempDir({ prefix: "ally-chunks-" });
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(join(folder, name), text);
    }
    await nameChunksByContent(folder);
    const names = Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
    return Object.fromEntries(
      names.map((name) => [name, Deno.readTextFileSync(join(folder, name))]),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a chunk is named by its content, in every file that mentions it", async () => {
  const bundleWith = (first: string, second: string) => ({
    "main.js": `load("./${first}", "./${second}");`,
    [first]: `load("./${second}");\n//# sourceMappingURL=${first}.map`,
    [`${first}.map`]: `{"file":"${first}","mappings":"AAAA"}`,
    [second]: "export const c = 1;",
  });
  const files = await renamed(bundleWith("chunk-AAAAAAA1.js", "text-BBBBBBB2.js"));
  assert.deepEqual(files, await renamed(bundleWith("chunk-CCCCCCC3.js", "text-DDDDDDD4.js")));
  const [first, map, main, second] = Object.keys(files);
  assert.match(first!, /^chunk-[0-9A-F]{8}\.js$/);
  assert.equal(map, `${first}.map`);
  assert.equal(files[main!], `load("./${first}", "./${second}");`);
  assert.equal(files[first!], `load("./${second}");\n//# sourceMappingURL=${map}`);
  assert.equal(files[map!], `{"file":"${first}","mappings":"AAAA"}`);
});

Deno.test("chunks are named in time that grows with the length of a source map", async () => {
  await assertLinear((size) => {
    const mappings = "AACA,SAAS;".repeat(size / 10);
    return renamed({ "chunk-AAAAAAA1.js": "1", "chunk-AAAAAAA1.js.map": mappings });
  }, { size: 40_000 });
});
